/*
 * recording_options - the options that decide what is recorded, shared by `run` and `plan`.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_RECORDING_OPTIONS_H
#define L3R_ORCHESTRATOR_OPTIONS_RECORDING_OPTIONS_H

#include <argp.h>

#include "orchestrator/prepare/options.h"

/* Use as a child parser whose input is a struct run_options. */
extern const struct argp recording_argp;

/* Split "NAME=VALUE" at the first '='; argp_error()s when there is none, with what is wanted (`form`). Changes `text`. */
void option_split(struct argp_state *state, const char *option, const char *form, char *text, char **name,
                  char **value);

/* Append "NAME=FILE" as typed to a list of `*count`; argp_error()s as option_split() does. */
void option_named_file(struct argp_state *state, const char *option, const char *form, char *text,
                       struct named_file **files, size_t *count);

/* Grow `array` (of `count` elements of `size`) by one zeroed element; argp_failure()s without memory. */
void *option_grow(struct argp_state *state, void *array, size_t count, size_t size);

#endif

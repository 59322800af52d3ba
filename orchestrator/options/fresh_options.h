/*
 * fresh_options - the options that decide what is spliced, thrown away and compiled, shared by `run` and `compile`.
 */
#ifndef L3R_ORCHESTRATOR_OPTIONS_FRESH_OPTIONS_H
#define L3R_ORCHESTRATOR_OPTIONS_FRESH_OPTIONS_H

#include <argp.h>

#include "orchestrator/prepare/fresh.h"

/* Use as a child parser whose input is a struct fresh_options. */
extern const struct argp fresh_argp;

#endif

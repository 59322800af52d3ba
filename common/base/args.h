/*
 * args - a growing list of owned strings, NULL-terminated as execv() wants it.
 *
 * Used for command lines, environments and header lists. A failed allocation is
 * remembered and reported once, by args_done(), so that the places that build a
 * command line stay readable.
 */
#ifndef L3R_COMMON_BASE_ARGS_H
#define L3R_COMMON_BASE_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

struct args {
    char **v; /* n strings and a NULL; NULL while nothing was added */
    size_t n, capacity;
    bool failed;
};

/* Append a formatted string. */
void args_add(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append copies of `n` strings. */
void args_add_all(struct args *a, const char *const *texts, size_t n);

/* Take over a malloc'd string (NULL counts as a failed allocation). */
void args_take(struct args *a, char *text);

/* 0, or -1 with `err` filled when an earlier call ran out of memory. */
int args_done(const struct args *a, struct error *err);

/* Sort by strcmp and drop repeated strings. */
void args_sort_unique(struct args *a);

/* All strings, separated by blanks and quoted where a shell would need it, for messages; malloc'd or NULL. */
char *args_text(const struct args *a);

void args_free(struct args *a);

/* asprintf() that returns NULL when memory is short. */
char *text_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif

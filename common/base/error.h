/*
 * error - what went wrong, where, and what to do about it.
 *
 * One struct for the whole program. It is filled once, at the place that
 * knows, and handed up unchanged: a function that fails fills the caller's
 * struct and returns -1, and no caller wraps or rewrites the text. The verdict
 * (FAIL or INFRA) is part of it, because only the place of failure can
 * distinguish a wrong kernel from a broken machine.
 */
#ifndef L3R_COMMON_BASE_ERROR_H
#define L3R_COMMON_BASE_ERROR_H

#include <stdarg.h>

enum error_kind {
    ERROR_INFRA = 0, /* set-up, machine, unusable input: nothing is known about the kernel */
    ERROR_FAIL,      /* the program under replay is wrong: crash, hang, mismatch, raise */
    ERROR_USAGE,     /* the command line is wrong */
};

struct error {
    enum error_kind kind;
    char what[1536]; /* one sentence: what is wrong, naming the thing */
    char where[512]; /* file, field, line or dispatch it was found in; "" when `what` says it */
    char hint[512];  /* what the user can do; "" when there is nothing to do */
};

/* Fill `err` (kind INFRA) and return -1. `where` and `hint` may be NULL.
 * `err` may be NULL: then only -1 is returned. Too long texts are cut and end in "...". */
int error_set(struct error *err, const char *where, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The same with the kind given. */
int error_set_kind(struct error *err, enum error_kind kind, const char *where, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* The same from errno: appends ": <strerror(errno)>" to the formatted text. */
int error_errno(struct error *err, const char *where, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Put `place` in front of `where`, where it is seen however long the rest is. */
void error_within(struct error *err, const char *place);

/* "out of memory" for an allocation of `bytes`; returns -1. */
int error_nomem(struct error *err, const char *where, unsigned long long bytes);

/* Print as "error: <what>\n  in <where>\n  hint: <hint>\n" through log_msg(LOG_ERROR); without <where> when <what> names
 * it. */
void error_print(const struct error *err);

#endif

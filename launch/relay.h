/*
 * relay - output passed on, with an eye on the result markers in it.
 */
#ifndef L3R_LAUNCH_RELAY_H
#define L3R_LAUNCH_RELAY_H

#include <stdbool.h>
#include <stddef.h>

struct relay {
    unsigned pass, fail, infra; /* markers seen at the start of a line */
    bool in_line;               /* the last byte passed on was no newline */
    bool broken;                /* the receiver takes no more: what comes is watched and dropped */
    bool lost;                  /* and a marker was in that */
    char start[32];             /* first bytes of the current line */
    size_t nstart;
};

/* Look at the next bytes of the output; they were passed on unless `broken`. */
void relay_watch(struct relay *r, const char *bytes, size_t n);

/* Exit code of the markers seen: 1 when there was a FAIL, else 3 when there was an INFRA, else 0; -1 when there were
 * none. */
int relay_exit_code(const struct relay *r);

/* Pass `n` bytes on to `to` and watch them. A `to` that takes no more (nobody reads it, a full disk) is marked as `broken`, and
 * what comes after is watched only. Want SIGPIPE ignored. */
void relay_pass(struct relay *r, const char *bytes, size_t n, int to);

#endif

/*
 * signature - the parameter list of a function in C++ text, to see whether a new body still fits an old wrapper.
 *
 * The wrapper passes arguments by position, so types and their order count; names, blanks and comments do not.
 */
#ifndef L3R_RANK_WORKER_SPLICE_SIGNATURE_H
#define L3R_RANK_WORKER_SPLICE_SIGNATURE_H

#include "rank-worker/splice/text.h"

/* The parameter list of `void <name>(...)` in `text`, of its definition where there is one, for people: one blank
 * between words and after a comma, none elsewhere. To be freed. NULL when there is no such function, or without
 * memory (then `err` is filled and `*failed` true). */
char *signature_find(struct span text, struct span name, bool *failed, struct error *err);

/* Whether two such lists have the same types in the same order. */
bool signature_equal(const char *a, const char *b);

#endif

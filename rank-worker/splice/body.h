/*
 * body - what ptoas wrote, made fit for the middle of a kernel's source.
 *
 * The changes and their order: docs/formats.md, "From .pto to a kernel's source". The result is what the compiler of
 * the stack puts there for the same input, byte for byte.
 */
#ifndef L3R_RANK_WORKER_SPLICE_BODY_H
#define L3R_RANK_WORKER_SPLICE_BODY_H

#include "rank-worker/splice/text.h"

/* Clean `raw` up. `*body` is to be freed and has a NUL after its `*size` bytes. Fails only without memory. */
int body_clean(struct span raw, char **body, size_t *size, struct error *err);

/* The name of the next function that `raw` (as ptoas wrote it) declares or defines from `*at` on: the word after
 * "AICORE void", before "(". False when there is no more. */
bool body_next_function(struct span raw, size_t *at, struct span *name);

#endif

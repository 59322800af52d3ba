/*
 * mgather - give MGATHER calls their wrapper operands back.
 *
 * ptoas up to 0.53 passes raw pointers to MGATHER, which takes tiles and global tensors. The rule:
 * docs/formats.md, "From .pto to a kernel's source".
 */
#ifndef L3R_RANK_WORKER_SPLICE_MGATHER_H
#define L3R_RANK_WORKER_SPLICE_MGATHER_H

#include "rank-worker/splice/text.h"

/* Write `text` to `out` with the calls restored and the pointers that they no longer use gone. */
int mgather_restore(struct span text, struct text_output *out, struct error *err);

#endif

/*
 * written_hash - what a node left in the tensors that it writes, as 64 bits each.
 *
 * Replays of one plan are compared by these (orchestrator/repeat). Only when the segment says so (`hashing`).
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_WRITTEN_HASH_H
#define L3R_RANK_WORKER_EXECUTOR_WRITTEN_HASH_H

#include "common/segment/segment.h"

struct written_hash;

/* -1 with `err` when out of memory. */
int written_hash_open(struct written_hash **out, struct error *err);
void written_hash_close(struct written_hash *h); /* NULL is fine */

/* `node` has run and is not complete yet: hash each tensor that it writes into the segment's `hashes`. A hash depends on
 * the bytes of the view's elements in row-major order and on nothing else: not on what lies between them. */
void written_hash_take(struct written_hash *h, struct segment *seg, uint32_t node);

#endif

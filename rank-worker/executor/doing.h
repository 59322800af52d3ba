/*
 * doing - what a card is in, said on request (segment_common.ask) while its dispatch runs.
 *
 * A thread of its own sleeps until process 0 asks, once a run, and writes the answer into the lane's block. A kernel
 * that hangs can be asked in no other way without disturbing it.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_DOING_H
#define L3R_RANK_WORKER_EXECUTOR_DOING_H

#include "common/segment/segment.h"
#include "rank-worker/executor/card.h"

/* Begin to listen. What `seg` maps stays mapped until the process ends; the struct itself need not outlive the call. Without
 * memory for a thread nobody answers. */
void doing_start(const struct segment *seg, uint32_t lane, struct card *card);

/* The card is about to be closed: from now on nobody answers. */
void doing_stop(void);

#endif

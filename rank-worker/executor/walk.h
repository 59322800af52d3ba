/*
 * walk - an executor walks its lane: each node in order, when what it waits for is done.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_WALK_H
#define L3R_RANK_WORKER_EXECUTOR_WALK_H

#include "common/segment/segment.h"
#include "rank-worker/executor/card.h"
#include "rank-worker/executor/domain_pace.h"
#include "rank-worker/executor/sub_workers.h"
#include "rank-worker/executor/written_hash.h"

struct lane_walk {
    struct segment *seg;
    uint32_t lane;
    struct card *card;                /* lanes of cards; else NULL */
    struct sub_workers_process *subs; /* the lane of sub-workers; else NULL */
    struct written_hash *hash;        /* what nodes write is hashed; NULL: it is not */
    struct pace *pace;                /* --pace domain; NULL: lanes run free */
    uint32_t *nodes;                  /* of this lane, in order */
    uint32_t count;
};

/* Find the lane's nodes; nothing runs yet. */
int walk_open(struct lane_walk *walk, struct segment *seg, uint32_t lane, struct error *err);
void walk_close(struct lane_walk *walk);

/* Run the whole lane; at its end the lane's status says LANE_DONE. On failure the status stays at the node that failed:
 * the caller stores the error there (LANE_FAILED). */
int walk_run(struct lane_walk *walk, struct error *err);

#endif

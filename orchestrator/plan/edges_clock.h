/*
 * edges_clock - what is known to be done when a node starts.
 *
 * The clock of a node holds, for each lane, the last node of that lane that
 * must be done before it (counted from 1; 0: none), along kept edges and the
 * order of lanes. A lane runs in order, so one number a lane says it all, and
 * an edge to a node that the clock already covers is not needed.
 *
 * Clocks are kept only for nodes that can still get a successor: the last node
 * of each lane, and nodes with live accesses. A node that waits for no other
 * lane shares the clock of the node before it. Private to
 * orchestrator/plan/edges*.c.
 */
#ifndef L3R_ORCHESTRATOR_PLAN_EDGES_CLOCK_H
#define L3R_ORCHESTRATOR_PLAN_EDGES_CLOCK_H

#include "common/plan/plan.h"

struct clocks {
    const struct plan *plan;
    uint32_t nlane;
    uint32_t *tail;      /* by lane: its last node + 1; 0: none */
    uint32_t *slot;      /* by node: place of its clock in the pool */
    uint32_t *uses;      /* by node: why its clock is kept */
    uint32_t *pool;      /* nslot clocks of nlane entries; clock 0 is all zero and stays */
    uint32_t *slot_uses; /* by slot: nodes that share it; a free one holds the next free slot */
    uint32_t nslot, free_slot;
    size_t slot_capacity;
    /* The node that is being looked at. */
    uint32_t *work; /* its clock once it waits for another lane */
    uint32_t node, lane;
    bool merged;
};

int clocks_init(struct clocks *c, const struct plan *p, struct error *err);
void clocks_free(struct clocks *c);

/* Begin with `node`: it waits for the node before it in its lane. */
void clocks_begin(struct clocks *c, uint32_t node);

/* `node` waits for `pred` too, whose clock must be kept. */
void clocks_merge(struct clocks *c, uint32_t pred);

/* Keep the node's clock, as the last of its lane. */
int clocks_end(struct clocks *c, struct error *err);

/* A live access of the node came or went. */
void clocks_use(struct clocks *c, uint32_t node);
void clocks_unuse(struct clocks *c, uint32_t node);

/* Entry of the current node's clock. */
static inline uint32_t clocks_known(const struct clocks *c, uint32_t lane)
{
    if (c->merged) {
        return c->work[lane];
    }
    if (lane == c->lane) {
        return c->tail[lane];
    }
    return c->tail[c->lane] ? c->pool[(size_t)c->slot[c->tail[c->lane] - 1] * c->nlane + lane] : 0;
}

/* Whether the current node starts after `node` is done, as far as is known. */
static inline bool clocks_after(const struct clocks *c, uint32_t node)
{
    return node < clocks_known(c, c->plan->nodes[node].lane);
}

#endif

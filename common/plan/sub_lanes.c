#include "common/plan/sub_lanes.h"

#include <stdlib.h>

static uint32_t count_calls(const struct plan *p)
{
    uint32_t calls = 0;

    for (uint32_t i = 0; i < p->nnode; i++) {
        calls += p->nodes[i].kind == PLAN_SUB;
    }
    return calls;
}

int plan_deal_subs(struct plan *p, uint32_t lanes, struct error *err)
{
    uint32_t calls = p->nsub ? count_calls(p) : 0, most = calls < PLAN_SUB_LANES ? calls : PLAN_SUB_LANES;
    uint64_t *next = calloc(p->nsub + 1u, sizeof *next); /* by sub-worker: i + c * n of its next call */

    if (!next) {
        return error_nomem(err, "sub-workers", (p->nsub + 1u) * sizeof *next);
    }
    lanes = lanes < most ? lanes : most;
    p->nsublane = lanes ? lanes : 1;
    for (uint32_t i = 0; i < p->nsub; i++) {
        next[i] = i;
    }
    for (uint32_t i = 0; calls && i < p->nnode; i++) {
        struct plan_node *n = &p->nodes[i];
        if (n->kind == PLAN_SUB) {
            n->lane = plan_sub_lane(p) + (uint32_t)(next[n->program] % p->nsublane);
            next[n->program] += p->nsub;
        }
    }
    free(next);
    return 0;
}

#include "orchestrator/plan/edges_clock.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"

int clocks_init(struct clocks *c, const struct plan *p, struct error *err)
{
    size_t nnode = p->nnode ? p->nnode : 1;

    *c = (struct clocks){.plan = p, .nlane = plan_lane_count(p), .nslot = 1, .slot_capacity = 64, .free_slot = 0};
    c->tail = calloc(c->nlane, sizeof *c->tail);
    c->work = calloc(c->nlane, sizeof *c->work);
    c->slot = calloc(nnode, sizeof *c->slot);
    c->uses = calloc(nnode, sizeof *c->uses);
    c->pool = calloc(c->slot_capacity * c->nlane, sizeof *c->pool);
    c->slot_uses = calloc(c->slot_capacity, sizeof *c->slot_uses);
    if (c->tail && c->work && c->slot && c->uses && c->pool && c->slot_uses) {
        return 0;
    }
    clocks_free(c);
    return error_nomem(err, "edges of the plan", 2 * nnode * sizeof *c->slot);
}

void clocks_free(struct clocks *c)
{
    free(c->tail);
    free(c->work);
    free(c->slot);
    free(c->uses);
    free(c->pool);
    free(c->slot_uses);
    *c = (struct clocks){0};
}

static uint32_t *slot_of(const struct clocks *c, uint32_t node)
{
    return c->pool + (size_t)c->slot[node] * c->nlane;
}

void clocks_begin(struct clocks *c, uint32_t node)
{
    c->node = node;
    c->lane = c->plan->nodes[node].lane;
    c->merged = false;
}

void clocks_merge(struct clocks *c, uint32_t pred)
{
    const uint32_t *other = slot_of(c, pred);
    uint32_t lane = c->plan->nodes[pred].lane, tail = c->tail[c->lane];

    if (!c->merged) {
        memcpy(c->work, tail ? slot_of(c, tail - 1) : c->pool, c->nlane * sizeof *c->work);
        c->work[c->lane] = tail;
        c->merged = true;
    }
    for (uint32_t i = 0; i < c->nlane; i++) {
        c->work[i] = c->work[i] > other[i] ? c->work[i] : other[i];
    }
    if (c->work[lane] < pred + 1) {
        c->work[lane] = pred + 1;
    }
}

static int new_slot(struct clocks *c, uint32_t *out, struct error *err)
{
    size_t pool_capacity = c->slot_capacity; /* the two arrays have one */

    if (c->free_slot) {
        *out = c->free_slot;
        c->free_slot = c->slot_uses[*out];
        return 0;
    }
    if (array_reserve(&c->pool, &pool_capacity, c->nslot, 1, c->nlane * sizeof *c->pool) ||
        array_reserve(&c->slot_uses, &c->slot_capacity, c->nslot, 1, sizeof *c->slot_uses)) {
        return error_nomem(err, "edges of the plan", (size_t)c->nslot * c->nlane * sizeof *c->pool);
    }
    *out = c->nslot++;
    return 0;
}

int clocks_end(struct clocks *c, struct error *err)
{
    uint32_t tail = c->tail[c->lane], slot = tail ? c->slot[tail - 1] : 0;

    if (c->merged) {
        if (new_slot(c, &slot, err)) {
            return -1;
        }
        c->slot_uses[slot] = 0;
        memcpy(c->pool + (size_t)slot * c->nlane, c->work, c->nlane * sizeof *c->work);
    }
    c->slot[c->node] = slot;
    c->slot_uses[slot]++;
    clocks_use(c, c->node);
    if (tail) {
        clocks_unuse(c, tail - 1);
    }
    c->tail[c->lane] = c->node + 1;
    return 0;
}

void clocks_use(struct clocks *c, uint32_t node)
{
    c->uses[node]++;
}

void clocks_unuse(struct clocks *c, uint32_t node)
{
    uint32_t slot = c->slot[node];

    if (--c->uses[node] > 0) {
        return;
    }
    if (--c->slot_uses[slot] > 0 || slot == 0) {
        return;
    }
    c->slot_uses[slot] = c->free_slot;
    c->free_slot = slot;
}

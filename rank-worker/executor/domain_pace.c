#include "rank-worker/executor/domain_pace.h"

#include <stdlib.h>
#include <time.h>

#include "common/base/clock.h"

enum { STEP_MS = 5, PATIENCE_MS = 20, MOST_IN_SUCCESSION = 8 };

/* A domain that one of the lane's nodes uses, and how many dispatches of the lane used it before. */
struct use {
    uint32_t domain, before;
};

struct pace {
    const struct segment *seg;
    uint32_t lane;
    uint64_t *starts; /* by plan.cards: where the member's dispatches begin in `nodes`; and the end */
    uint32_t *nodes;  /* dispatches that use a domain, by member */
    uint64_t *first;  /* by node of the lane, and the end: its uses */
    struct use *uses;
    uint32_t nopened; /* in succession */
};

/* Calls `function` for each domain that a dispatch uses, once. `seen` has an entry a domain. */
static void each_domain(const struct plan *plan, uint32_t node, uint32_t *seen, void *context,
                        void (*function)(void *context, uint32_t node, uint32_t domain))
{
    const struct plan_node *n = &plan->nodes[node];

    for (uint64_t i = 0; n->kind == PLAN_DISPATCH && i < (uint64_t)n->narg + n->nscalar; i++) {
        const struct plan_scalar *s = i < n->narg ? NULL : &plan->scalars[n->first_scalar + i - n->narg];
        const uint32_t domain = !s ? plan->storages[plan->views[plan->args[n->first_arg + i].view].storage].domain
                                : s->kind == PLAN_VALUE ? PLAN_NONE
                                                        : s->domain;

        if (domain < plan->ndomain && plan->domains[domain].nworkers > 1 && seen[domain] != node + 1) {
            seen[domain] = node + 1;
            function(context, node, domain);
        }
    }
}

/* The lane's entry of plan.cards in the domain; PLAN_NONE: it is no member. */
static uint32_t member(const struct plan *plan, uint32_t domain, uint32_t lane)
{
    const struct plan_domain *d = &plan->domains[domain];

    for (uint32_t r = 0; r < d->nworkers; r++) {
        if (plan->cards[d->first_worker + r] == lane) {
            return d->first_worker + r;
        }
    }
    return PLAN_NONE;
}

struct builder {
    struct pace *pace;
    uint64_t *count; /* by plan.cards: dispatches so far */
    uint64_t nuse;
};

static void count_use(void *context, uint32_t node, uint32_t domain)
{
    struct builder *b = context;
    const uint32_t lane = b->pace->seg->plan.nodes[node].lane;
    const uint32_t m = member(&b->pace->seg->plan, domain, lane);

    if (m != PLAN_NONE) {
        b->count[m]++;
        b->nuse += lane == b->pace->lane;
    }
}

static void store_use(void *context, uint32_t node, uint32_t domain)
{
    struct builder *b = context;
    struct pace *p = b->pace;
    const uint32_t lane = p->seg->plan.nodes[node].lane;
    const uint32_t m = member(&p->seg->plan, domain, lane);

    if (m == PLAN_NONE) {
        return;
    }
    if (lane == p->lane) {
        p->uses[b->nuse++] = (struct use){domain, (uint32_t)b->count[m]};
    }
    p->nodes[p->starts[m] + b->count[m]++] = node;
}

static int build(struct pace *p, uint32_t *seen, uint64_t *count, struct error *err)
{
    const struct plan *plan = &p->seg->plan;
    struct builder b = {.pace = p, .count = count};
    uint64_t at = 0;
    uint32_t index = 0;

    for (uint32_t i = 0; i < plan->nnode; i++) {
        each_domain(plan, i, seen, &b, count_use);
        index += plan->nodes[i].lane == p->lane;
    }
    for (uint32_t m = 0; m < plan->ncard; m++) {
        p->starts[m] = at;
        at += count[m];
        count[m] = 0;
    }
    p->starts[plan->ncard] = at;
    p->nodes = calloc(at + 1, sizeof *p->nodes);
    p->first = calloc(index + UINT64_C(1), sizeof *p->first);
    p->uses = calloc(b.nuse + 1, sizeof *p->uses);
    if (!p->nodes || !p->first || !p->uses) {
        return error_nomem(err, "pace of the cards", at * sizeof *p->nodes);
    }
    b.nuse = index = 0;
    for (uint32_t d = 0; d < plan->ndomain; d++) {
        seen[d] = 0;
    }
    for (uint32_t i = 0; i < plan->nnode; i++) {
        each_domain(plan, i, seen, &b, store_use);
        if (plan->nodes[i].lane == p->lane) {
            p->first[++index] = b.nuse;
        }
    }
    return 0;
}

int pace_open(struct pace **out, const struct segment *seg, uint32_t lane, struct error *err)
{
    const struct plan *plan = &seg->plan;
    uint32_t *seen = calloc(plan->ndomain + UINT64_C(1), sizeof *seen);
    uint64_t *count = calloc(plan->ncard + UINT64_C(1), sizeof *count);
    struct pace *p = calloc(1, sizeof *p);
    int rc = -1;

    *out = NULL;
    if (p) {
        p->seg = seg;
        p->lane = lane;
        p->starts = calloc(plan->ncard + UINT64_C(1), sizeof *p->starts);
    }
    if (!seen || !count || !p || !p->starts) {
        error_nomem(err, "pace of the cards", plan->ncard * sizeof *count);
    } else {
        rc = build(p, seen, count, err);
    }
    free(seen);
    free(count);
    if (rc < 0) {
        pace_close(p);
        return -1;
    }
    *out = p;
    return 0;
}

void pace_close(struct pace *p)
{
    if (p) {
        free(p->starts);
        free(p->nodes);
        free(p->first);
        free(p->uses);
        free(p);
    }
}

/* Of one use: a member's dispatch that is not complete. */
static uint32_t behind(const struct pace *p, const struct use *use)
{
    const struct plan_domain *d = &p->seg->plan.domains[use->domain];

    for (uint32_t m = d->first_worker; use->before && m < d->first_worker + d->nworkers; m++) {
        const uint64_t at = p->starts[m] + use->before - 1;

        if (p->seg->plan.cards[m] != p->lane && at < p->starts[m + 1] && !word_is_done(&p->seg->words[p->nodes[at]])) {
            return p->nodes[at];
        }
    }
    return PLAN_NONE;
}

uint32_t pace_next(struct pace *p, uint32_t index)
{
    uint32_t node = PLAN_NONE;

    for (uint64_t u = p->first[index]; p->nopened < MOST_IN_SUCCESSION && node == PLAN_NONE && u < p->first[index + 1];
         u++) {
        node = behind(p, &p->uses[u]);
    }
    return node;
}

static uint64_t progress(const struct segment *seg)
{
    uint64_t sum = 0;

    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        sum += atomic_load_explicit(&lane_status(seg, lane)->ndone, memory_order_relaxed);
    }
    return sum;
}

bool pace_wait(struct pace *p, uint32_t node)
{
    uint64_t seen = progress(p->seg), since_ns = clock_now_ns();

    while (!word_wait_ms(&p->seg->words[node], STEP_MS)) {
        const uint64_t now_ns = clock_now_ns(), done = progress(p->seg);

        if (done != seen) {
            seen = done;
            since_ns = now_ns;
        } else if (now_ns - since_ns >= PATIENCE_MS * UINT64_C(1000000)) {
            p->nopened++;
            atomic_fetch_add_explicit(&lane_status(p->seg, p->lane)->nopened, 1, memory_order_relaxed);
            return false;
        }
    }
    p->nopened = 0;
    return true;
}

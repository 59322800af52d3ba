#include "orchestrator/plan/edges.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/log.h"
#include "orchestrator/plan/edges_clock.h"
#include "orchestrator/plan/edges_domains.h"
#include "orchestrator/plan/edges_index.h"

static const char where[] = "edges of the plan";

/* The latest node of a lane that the current node must wait for, or would but for a shared domain. */
struct candidate {
    uint32_t node; /* PLAN_NONE: none */
    uint32_t why, storage;
};

/* Answers to exact comparisons, by pair of views; newer ones replace older ones. */
struct cached {
    uint64_t pair; /* 0: free */
    bool overlap;
};

enum { CACHE_SIZE = 1 << 14 };

struct engine {
    struct plan *plan;
    enum deps_mode mode;
    struct edges_index index;
    struct clocks clocks;
    struct node_domains domains;
    struct cached *cache;
    struct candidate *kept, *dropped; /* by lane */
    uint32_t *kept_lanes, *dropped_lanes, nkept, ndropped;
    uint32_t *covered; /* leaves that the current node overwrites */
    size_t ncovered, covered_capacity, pred_capacity;
    /* The current node and argument. */
    uint32_t node, storage, leaf, flags;
    uint32_t group_end; /* first node after the current node's group; 0: it is in none */
    /* The first pair of nodes that race, and how many were found. */
    uint32_t race_first, race_second, race_storage;
    uint64_t nrace;
    struct error *err;
};

int deps_mode_parse(const char *name, enum deps_mode *mode)
{
    static const char *const names[] = {"exact", "full", "upstream"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            *mode = (enum deps_mode)i;
            return 0;
        }
    }
    return -1;
}

/* Whether the bytes of two leaves whose boxes meet really meet. */
static bool leaves_overlap(struct engine *e, uint32_t a, uint32_t b)
{
    const struct index_leaf *leaves = e->index.leaves;
    uint64_t pair;
    struct cached *c;

    if (a == b || (leaves[a].exact && leaves[b].exact)) {
        return true;
    }
    pair = (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) + 1;
    c = &e->cache[(pair * UINT64_C(0x9e3779b97f4a7c15)) >> 50];
    if (c->pair != pair) {
        c->pair = pair;
        c->overlap = overlap_views(e->plan, leaves[a].view, leaves[b].view);
    }
    return c->overlap;
}

static void note_candidate(const struct engine *e, struct candidate *by_lane, uint32_t *lanes, uint32_t *count,
                           uint32_t node, uint32_t why)
{
    uint32_t lane = e->plan->nodes[node].lane;
    struct candidate *c = &by_lane[lane];

    if (c->node == PLAN_NONE) {
        lanes[(*count)++] = lane;
    } else if (c->node > node) {
        return;
    }
    if (c->node == node) {
        if (why & ~c->why & PLAN_RAW) {
            c->storage = e->storage;
        }
        c->why |= why;
    } else {
        *c = (struct candidate){node, why, e->storage};
    }
}

/* What orders the current access after one of `flags` by `node`, before the mode is looked at. */
static uint32_t reasons(uint32_t earlier, uint32_t later)
{
    return ((earlier & ACCESS_WRITE) && (later & ACCESS_READ) ? PLAN_RAW : 0u) |
           ((earlier & ACCESS_READ) && (later & ACCESS_WRITE) ? PLAN_WAR : 0u) |
           ((earlier & ACCESS_WRITE) && (later & ACCESS_WRITE) ? PLAN_WAW : 0u);
}

static void consider(struct engine *e, const struct index_access *a)
{
    const struct plan_node *now = &e->plan->nodes[e->node], *before = &e->plan->nodes[a->node];
    uint32_t all = reasons(a->flags, e->flags), why = all;

    if (all == 0 || clocks_after(&e->clocks, a->node) || (now->group != PLAN_NONE && now->group == before->group)) {
        return;
    }
    if (e->mode == DEPS_UPSTREAM ||
        (e->mode == DEPS_EXACT && now->lane != before->lane && domains_shared(&e->domains, e->node, a->node))) {
        why &= PLAN_RAW;
    }
    if (why) {
        note_candidate(e, e->kept, e->kept_lanes, &e->nkept, a->node, why);
    } else if (e->mode == DEPS_EXACT) {
        note_candidate(e, e->dropped, e->dropped_lanes, &e->ndropped, a->node, all);
    }
}

static int cover(struct engine *e, uint32_t leaf)
{
    if (array_reserve(&e->covered, &e->covered_capacity, e->ncovered, 1, sizeof *e->covered)) {
        return error_nomem(e->err, where, e->ncovered * sizeof *e->covered);
    }
    e->covered[e->ncovered++] = leaf;
    return 0;
}

static int visit(void *context, uint32_t leaf, bool covered)
{
    struct engine *e = context;
    uint32_t *link = &e->index.leaves[leaf].head;
    bool overlap = covered || leaves_overlap(e, leaf, e->leaf);

    while (*link != PLAN_NONE) {
        struct index_access *a = &e->index.accesses[*link];

        if (a->until <= e->node) {
            clocks_unuse(&e->clocks, a->node);
            index_remove(&e->index, link);
            continue;
        }
        if (overlap) {
            consider(e, a);
        }
        link = &a->next;
    }
    return covered && (e->flags & ACCESS_WRITE) && leaf != e->leaf ? cover(e, leaf) : 0;
}

/* Every access of the storage that the current one could have to wait for and that is not newer than this (as
 * node + 1) is known to be done: the least of what is known of the lanes of which not all is known. */
static uint32_t known_floor(const struct engine *e)
{
    const struct index_tree *t = &e->index.trees[e->storage];
    uint32_t floor = PLAN_NONE;

    if (t->first_last == UINT64_MAX) {
        return 0;
    }
    for (uint32_t lane = 0; lane < e->index.nlane; lane++) {
        const uint32_t *last = e->index.last + t->first_last + 2 * (uint64_t)lane;
        uint32_t latest = (e->flags & ACCESS_WRITE) && last[0] > last[1] ? last[0] : last[1], known;

        if (latest == 0) {
            continue;
        }
        known = clocks_known(&e->clocks, lane);
        if (latest > known && known < floor) {
            floor = known;
        }
    }
    return floor;
}

/* False when the argument orders nothing. */
static bool set_argument(struct engine *e, const struct plan_arg *arg)
{
    e->leaf = e->index.leaf_of[arg->view];
    e->storage = e->plan->views[arg->view].storage;
    e->flags = (plan_tag_reads(arg->tag) ? (unsigned)ACCESS_READ : 0u) |
               (plan_tag_writes(arg->tag) ? (unsigned)ACCESS_WRITE : 0u);
    return e->leaf != PLAN_NONE && e->flags != 0;
}

static int find_candidates(struct engine *e)
{
    const struct plan_node *n = &e->plan->nodes[e->node];

    for (uint32_t i = 0; i < n->narg; i++) {
        if (set_argument(e, &e->plan->args[n->first_arg + i]) &&
            index_search(&e->index, e->storage, e->leaf, (e->flags & ACCESS_WRITE) != 0, known_floor(e), visit, e)) {
            return -1;
        }
    }
    return 0;
}

static int add_pred(struct engine *e, const struct candidate *c)
{
    struct plan *p = e->plan;

    if (array_reserve(&p->preds, &e->pred_capacity, p->npred, 1, sizeof *p->preds)) {
        return error_nomem(e->err, where, p->npred * sizeof *p->preds);
    }
    p->preds[p->npred++] = (struct plan_pred){c->node, c->why, c->storage};
    p->nodes[e->node].npred++;
    return 0;
}

static void reverse(struct plan_pred *preds, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        struct plan_pred t = preds[i];

        preds[i] = preds[n - 1 - i];
        preds[n - 1 - i] = t;
    }
}

/* The latest candidate first: whatever implies another one came after it. */
static int keep_needed(struct engine *e)
{
    struct plan_node *n = &e->plan->nodes[e->node];

    n->first_pred = e->plan->npred;
    n->npred = 0;
    while (e->nkept > 0) {
        uint32_t best = 0, lane;

        for (uint32_t i = 1; i < e->nkept; i++) {
            if (e->kept[e->kept_lanes[i]].node > e->kept[e->kept_lanes[best]].node) {
                best = i;
            }
        }
        lane = e->kept_lanes[best];
        e->kept_lanes[best] = e->kept_lanes[--e->nkept];
        if (!clocks_after(&e->clocks, e->kept[lane].node)) {
            if (add_pred(e, &e->kept[lane])) {
                return -1;
            }
            clocks_merge(&e->clocks, e->kept[lane].node);
        }
        e->kept[lane].node = PLAN_NONE;
    }
    if (n->npred) {
        reverse(e->plan->preds + n->first_pred, n->npred);
    }
    return 0;
}

static void note_races(struct engine *e)
{
    while (e->ndropped > 0) {
        struct candidate *c = &e->dropped[e->dropped_lanes[--e->ndropped]];

        if (!clocks_after(&e->clocks, c->node)) {
            if (e->nrace++ == 0) {
                e->race_first = c->node;
                e->race_second = e->node;
                e->race_storage = c->storage;
            }
        }
        c->node = PLAN_NONE;
    }
}

/* The current node, which has all the bytes of `leaf`, stands for the earlier accesses there that it waits for:
 * what conflicts with them later conflicts with it too. Not so where the later edge would be one that is left
 * out: between members of its group, and between cards of a domain that it uses and they do not. So they stay until
 * its group and such domains have ended. */
static void supersede(struct engine *e, uint32_t leaf, uint32_t kinds)
{
    uint32_t *link = &e->index.leaves[leaf].head;

    while (*link != PLAN_NONE) {
        struct index_access *a = &e->index.accesses[*link];
        uint32_t until;

        if (a->node == e->node || (a->flags & ~kinds) || !clocks_after(&e->clocks, a->node)) {
            link = &a->next;
            continue;
        }
        until = e->mode == DEPS_EXACT ? domains_end_of_others(&e->domains, e->plan, e->node, a->node) : 0;
        if (until < e->group_end) {
            until = e->group_end;
        }
        if (until <= e->node + 1) {
            clocks_unuse(&e->clocks, a->node);
            index_remove(&e->index, link);
            continue;
        }
        if (until < a->until) {
            a->until = until;
        }
        link = &a->next;
    }
}

static int enter(struct engine *e, const struct plan_arg *arg)
{
    struct index_access *head;

    if (!set_argument(e, arg)) {
        return 0;
    }
    if (e->mode == DEPS_UPSTREAM) {
        e->flags &= ACCESS_WRITE;
    }
    if (e->flags == 0) {
        return 0;
    }
    supersede(e, e->leaf, e->flags & ACCESS_WRITE ? ACCESS_READ | ACCESS_WRITE : ACCESS_READ);
    head = e->index.leaves[e->leaf].head == PLAN_NONE ? NULL : &e->index.accesses[e->index.leaves[e->leaf].head];
    if (head && head->node == e->node && (head->flags & e->flags) == e->flags) {
        return 0;
    }
    clocks_use(&e->clocks, e->node);
    return index_add(&e->index, e->storage, e->leaf, e->node, e->flags, e->err);
}

static int compile_node(struct engine *e, uint32_t node)
{
    const struct plan_node *n = &e->plan->nodes[node];

    e->node = node;
    e->ncovered = 0;
    if (n->group == PLAN_NONE) {
        e->group_end = 0;
    } else if (e->group_end <= node) {
        for (e->group_end = node + 1;
             e->group_end < e->plan->nnode && e->plan->nodes[e->group_end].group == n->group;) {
            e->group_end++;
        }
    }
    clocks_begin(&e->clocks, node);
    if (find_candidates(e) || keep_needed(e)) {
        return -1;
    }
    note_races(e);
    for (size_t i = 0; i < e->ncovered; i++) {
        supersede(e, e->covered[i], ACCESS_READ | ACCESS_WRITE);
    }
    for (uint32_t i = 0; i < n->narg; i++) {
        if (enter(e, &e->plan->args[n->first_arg + i])) {
            return -1;
        }
    }
    return clocks_end(&e->clocks, e->err);
}

static int engine_init(struct engine *e)
{
    uint32_t nlane = plan_lane_count(e->plan);

    if (clocks_init(&e->clocks, e->plan, e->err) || index_init(&e->index, e->plan, e->err) ||
        domains_init(&e->domains, e->plan, e->err)) {
        return -1;
    }
    e->cache = calloc(CACHE_SIZE, sizeof *e->cache);
    e->kept = malloc(nlane * sizeof *e->kept);
    e->dropped = malloc(nlane * sizeof *e->dropped);
    e->kept_lanes = malloc(nlane * sizeof *e->kept_lanes);
    e->dropped_lanes = malloc(nlane * sizeof *e->dropped_lanes);
    if (!e->cache || !e->kept || !e->dropped || !e->kept_lanes || !e->dropped_lanes) {
        return error_nomem(e->err, where, CACHE_SIZE * sizeof *e->cache);
    }
    for (uint32_t i = 0; i < nlane; i++) {
        e->kept[i].node = e->dropped[i].node = PLAN_NONE;
    }
    return 0;
}

static void engine_free(struct engine *e)
{
    clocks_free(&e->clocks);
    index_free(&e->index);
    domains_free(&e->domains);
    free(e->cache);
    free(e->kept);
    free(e->dropped);
    free(e->kept_lanes);
    free(e->dropped_lanes);
    free(e->covered);
}

static void drop_edges(struct plan *p)
{
    p->npred = 0; /* the array stays, since it must not be NULL */
    for (uint32_t i = 0; i < p->nnode; i++) {
        p->nodes[i].first_pred = 0;
        p->nodes[i].npred = 0;
    }
}

static void warn_race(const struct engine *e)
{
    char first[256], second[256];

    if (e->nrace == 0) {
        return;
    }
    log_msg(LOG_WARN,
            "%s and %s touch the same bytes of %s, one of them writes, and nothing orders them: they share a comm "
            "domain, so they may have to run at the same time (%llu such pairs at least; --deps full orders them)",
            plan_node_label(e->plan, e->race_first, first, sizeof first),
            plan_node_label(e->plan, e->race_second, second, sizeof second),
            plan_text(e->plan, e->plan->storages[e->race_storage].name), (unsigned long long)e->nrace);
}

int edges_compile(struct plan *plan, enum deps_mode mode, struct error *err)
{
    struct engine e = {.plan = plan, .mode = mode, .err = err};
    int rc;

    if (plan->image) {
        return error_set(err, where, NULL, "a packed plan cannot be compiled");
    }
    drop_edges(plan);
    rc = engine_init(&e);
    for (uint32_t i = 0; i < plan->nnode && rc == 0; i++) {
        rc = compile_node(&e, i);
    }
    if (rc == 0) {
        warn_race(&e);
    } else {
        drop_edges(plan);
    }
    engine_free(&e);
    return rc;
}

/* Third step, with l3_run.json: who waited for whom, and the critical path through the plan. */
#include <stdlib.h>
#include <string.h>

#include "orchestrator/report/report_steps.h"

/* Until when the lane of `n` was taken by it and by writing its profiles. */
static uint64_t free_after(const struct run_node *n)
{
    return n->end_ns + n->profile_ns;
}

/* Nodes that ran, as items: `node[i]` is item i's. */
struct related {
    struct path_item *items;
    struct path_edge *edges;
    struct path_bind *binds;
    uint32_t *node, *item;
    size_t nitem, nedge;
};

static int take_run(const struct run_record *run, struct related *g, struct error *err)
{
    memset(g, 0, sizeof *g);
    g->items = calloc(run->nnode + 1, sizeof *g->items);
    g->binds = malloc((run->nnode + 1) * sizeof *g->binds);
    g->edges = calloc(run->nedge + 1, sizeof *g->edges);
    g->node = malloc((run->nnode + 1) * sizeof *g->node);
    g->item = calloc(run->nnode + 1, sizeof *g->item);
    if (!g->items || !g->binds || !g->edges || !g->node || !g->item) {
        return error_nomem(err, "critical path", (run->nnode + run->nedge) * sizeof *g->items);
    }
    for (uint32_t i = 0; i < run->nnode; i++) {
        const struct run_node *n = &run->nodes[i];
        if (!n->ran) {
            continue;
        }
        g->item[i] = (uint32_t)g->nitem;
        g->node[g->nitem] = i;
        g->items[g->nitem++] = (struct path_item){n->start_ns, n->end_ns, n->lane};
    }
    for (uint32_t i = 0; i < run->nnode; i++) {
        const struct run_node *n = &run->nodes[i];
        for (size_t e = n->first_edge; e < n->first_edge + n->nedge && n->ran; e++) {
            if (run->nodes[run->edges[e].pred].ran) {
                g->edges[g->nedge++] = (struct path_edge){g->item[run->edges[e].pred], g->item[i]};
            }
        }
    }
    return path_bind(g->items, g->nitem, g->edges, g->nedge, g->binds, err);
}

/* A node whose lane was still writing profiles when the last node that it waits for ended was held by its lane. */
static void drop_early_preds(const struct run_record *run, struct related *g)
{
    for (size_t i = 0; i < g->nitem; i++) {
        struct path_bind *bind = &g->binds[i];

        if (bind->before == PATH_NONE || bind->pred == PATH_NONE || !run->nodes[g->node[bind->before]].profile_ns) {
            continue;
        }
        if (g->items[bind->pred].end < free_after(&run->nodes[g->node[bind->before]])) {
            bind->pred = PATH_NONE;
        }
    }
}

static void drop_run(struct related *g)
{
    free(g->items);
    free(g->edges);
    free(g->binds);
    free(g->node);
    free(g->item);
}

static int add_wait(struct report_rank *rank, uint32_t lane, uint64_t ns)
{
    size_t i = 0;

    while (i < rank->nwait && rank->waits[i].lane != lane) {
        i++;
    }
    if (array_room(&rank->waits, &rank->wait_capacity, i, sizeof *rank->waits)) {
        return -1;
    }
    if (i == rank->nwait) {
        rank->waits[rank->nwait++].lane = lane;
    }
    rank->waits[i].ns += ns;
    return 0;
}

static int compare_waits(const void *a, const void *b)
{
    const struct report_wait *x = a, *y = b;

    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* The part of writing the profiles of `n` that lies before `until`, which is not before its end. */
static uint64_t charge_profiles(struct report_rank *rank, const struct run_node *n, uint64_t until)
{
    uint64_t ns = free_after(n) < until ? n->profile_ns : until - n->end_ns;

    rank->profiles_ns += ns;
    return ns;
}

/* The time before a node's start: first the profiles of the node before it were written; until the last node that it
 * depends on had ended it waited for that one's lane, and what is left is the launch. */
static int charge_gap(struct report *r, const struct related *g, size_t item, struct report_rank *rank)
{
    const struct path_bind *bind = &g->binds[item];
    uint64_t from = bind->before == PATH_NONE ? 0 : g->items[bind->before].end, start = g->items[item].start, ready;

    if (from >= start) {
        return 0;
    }
    if (bind->before != PATH_NONE) {
        from += charge_profiles(rank, &r->run.nodes[g->node[bind->before]], start);
    }
    ready = from;
    if (bind->pred != PATH_NONE && g->items[bind->pred].end > from) {
        uint32_t lane = g->items[bind->pred].lane;
        ready = g->items[bind->pred].end < start ? g->items[bind->pred].end : start;
        if (add_wait(rank, lane, ready - from)) {
            return -1;
        }
        if (lane >= r->run.world_size) {
            rank->host_ns += ready - from;
        } else {
            rank->ranks_ns += ready - from;
        }
    }
    rank->launch_ns += start - ready;
    return 0;
}

static int share(struct report *r, const struct related *g, struct error *err)
{
    const struct run_node **last = calloc(r->run.world_size, sizeof *last); /* by card; NULL: it ran nothing */

    if (!last) {
        return error_nomem(err, r->dir, r->run.world_size * sizeof *last);
    }
    for (size_t i = 0; i < g->nitem; i++) {
        uint32_t lane = g->items[i].lane;
        r->span_ns = g->items[i].end > r->span_ns ? g->items[i].end : r->span_ns;
        if (lane >= r->run.world_size) {
            continue;
        }
        if (charge_gap(r, g, i, &r->ranks[lane])) {
            free(last);
            return error_nomem(err, r->dir, sizeof(struct report_wait));
        }
        if (!last[lane] || g->items[i].end >= last[lane]->end_ns) {
            last[lane] = &r->run.nodes[g->node[i]];
        }
    }
    for (size_t i = 0; i < r->run.world_size; i++) {
        r->ranks[i].after_ns = r->span_ns;
        if (last[i]) {
            r->ranks[i].after_ns -= last[i]->end_ns + charge_profiles(&r->ranks[i], last[i], r->span_ns);
        }
        if (r->ranks[i].nwait) {
            qsort(r->ranks[i].waits, r->ranks[i].nwait, sizeof *r->ranks[i].waits, compare_waits);
        }
    }
    free(last);
    return 0;
}

/* A kernel's part of the whole path is its part of the paths of the dispatches on it. */
static void charge_kernels(struct report *r)
{
    size_t unknown = 0;

    for (size_t i = 0; i < r->nstep; i++) {
        const struct report_dispatch *d = report_dispatch_of(r, r->steps[i].item);
        r->step_gap_ns += r->steps[i].gap;
        unknown += d && !d->npart && !d->no_tasks;
        for (size_t p = 0; d && p < d->npart; p++) {
            r->kernels[d->parts[p].kernel].critical_ns += d->parts[p].ns;
        }
    }
    if (unknown && (!r->run.captured.known || r->run.captured.swimlane)) {
        notes_add(&r->notes,
                  "the kernels of %zu of the nodes on the critical path are not known: their profiles are incomplete",
                  unknown);
    }
}

int report_relate(struct report *r, struct error *err)
{
    size_t idle = 0;
    struct related g;
    int rc = take_run(&r->run, &g, err);

    if (rc == 0) {
        drop_early_preds(&r->run, &g);
        rc = share(r, &g, err);
    }
    if (rc == 0) {
        rc = path_critical(g.items, g.nitem, g.binds, &r->steps, &r->nstep, err);
    }
    for (size_t i = 0; i < r->nstep; i++) {
        r->steps[i].item = g.node[r->steps[i].item];
    }
    if (r->nstep) { /* its lane was late: until then the path is the launch */
        r->steps[0].gap = r->run.nodes[r->steps[0].item].start_ns;
    }
    drop_run(&g);
    if (rc) {
        return -1;
    }
    charge_kernels(r);
    for (size_t i = 0; i < r->run.nnode; i++) {
        idle += !r->run.nodes[i].ran;
    }
    if (idle) {
        notes_add(
            &r->notes,
            "%zu of %zu nodes of the plan did not run to their end: the run was stopped, and its picture ends there",
            idle, r->run.nnode);
    }
    return 0;
}

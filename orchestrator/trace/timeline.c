#include "orchestrator/trace/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/profiles/dfx_missing.h"
#include "orchestrator/trace/merged.h"

/* Rows of a card's process. Cores come last, since there are many. */
enum { TID_DISPATCH = 1, TID_SUB = 2, TID_STAGE = 1, TID_ORCH = 100, TID_SCHED = 200, TID_CORE = 1000 };

enum timeline_placing timeline_place(const struct run_record *run, const struct run_node *node,
                                     const struct dfx_dispatch *d, struct trace_clock *clock)
{
    const struct clock_map *map = &run_clocks_of(&run->clocks, node->lane)->map;
    const struct swimlane *s = &d->records;
    uint64_t raw = s->origin_ns + swimlane_duration_ns(s, s->first);
    uint64_t first = clock_map_to_root(map, raw), last = clock_map_to_root(map, raw + swimlane_ns(s, s->last));

    /* A counter that is not the host's lands in the window by chance only: windows are milliseconds, uptimes hours. */
    if (first >= run->origin_ns + node->start_ns && last <= run->origin_ns + node->end_ns) {
        *clock = (struct trace_clock){first - run->origin_ns, map, raw};
        return TIMELINE_EXACT;
    }
    *clock = (struct trace_clock){.zero_ns = node->start_ns};
    return TIMELINE_AT_START;
}

static uint32_t lane_pid(const struct run_record *run, uint32_t lane)
{
    return lane < run->world_size ? lane + 1 : run->world_size + 1;
}

static struct trace_point node_point(const struct run_record *run, const struct run_node *n)
{
    uint32_t tid = n->lane > run->world_size ? TID_SUB + (n->lane - run->world_size - 1) : TID_DISPATCH;

    return (struct trace_point){lane_pid(run, n->lane), tid, n->start_ns, n->end_ns};
}

static void draw_node(struct trace *t, const struct run_record *run, uint32_t node)
{
    static const char *const categories[] = {
        [PLAN_DISPATCH] = "dispatch", [PLAN_COPY] = "copy", [PLAN_SUB] = "sub-worker"};
    const struct run_node *n = &run->nodes[node];
    struct trace_point p = node_point(run, n);

    trace_slice_open(t, &p, categories[n->kind], n->name);
    trace_arg_int(t, "node", node);
    if (n->k < DFX_OTHER) {
        trace_arg_int(t, "k", n->k);
    }
    if (n->line) {
        trace_arg_int(t, "host_orch_line", n->line);
    }
    if (n->kind == PLAN_DISPATCH) {
        trace_arg_us(t, "device_us", n->device_ns);
    }
    trace_slice_close(t);
}

/* Edges within a lane are its order, which is seen without arrows. */
static void draw_edges(struct trace *t, const struct run_record *run, const struct run_node *n)
{
    struct trace_point to = node_point(run, n);
    char name[300], why[16];

    for (size_t e = 0; e < n->nedge; e++) {
        const struct run_edge *edge = &run->edges[n->first_edge + e];
        const struct run_node *pred = &run->nodes[edge->pred];
        struct trace_point from = node_point(run, pred);
        /* Between clocks that are not aligned an arrow would claim an order that nobody measured. */
        if (!pred->ran || pred->lane == n->lane || !run_clocks_related(&run->clocks, pred->lane, n->lane)) {
            continue;
        }
        snprintf(name, sizeof name, "%s %s", run_record_why(edge->why, why, sizeof why),
                 edge->storage ? edge->storage : "");
        trace_arrow(t, "plan", name, &from, &to);
    }
}

/* The slices of profiles, each right after its dispatch: its lane was taken by them. In a record that contradicts
 * itself, until the next node of the lane, so that slices of a row never overlap. */
static int draw_profiles(struct trace *t, const struct run_record *run, struct error *err)
{
    uint64_t *next = malloc(run->nlane * sizeof *next); /* start of the node after, by lane */

    if (!next) {
        return error_nomem(err, "l3_timeline.json", run->nlane * sizeof *next);
    }
    memset(next, 0xff, run->nlane * sizeof *next);
    for (size_t i = run->nnode; i-- > 0;) {
        const struct run_node *n = &run->nodes[i];
        struct trace_point p = node_point(run, n);

        if (!n->ran) {
            continue;
        }
        p.start_ns = n->end_ns;
        p.end_ns = n->end_ns + n->profile_ns < next[n->lane] ? n->end_ns + n->profile_ns : next[n->lane];
        next[n->lane] = n->start_ns;
        if (!n->profile_ns || p.end_ns <= p.start_ns) {
            continue;
        }
        trace_slice_open(t, &p, "profile", "profiles");
        trace_arg_int(t, "node", (int64_t)i);
        trace_slice_close(t);
    }
    free(next);
    return 0;
}

/* What process 0 did around the plan. The trace begins with the first of it. */
static void draw_stages(struct trace *t, const struct run_extra *extra, uint32_t pid)
{
    int64_t lead = (int64_t)run_extra_lead_ns(extra);

    if (!extra->nstage) {
        return;
    }
    trace_process(t, pid, "l3replay");
    trace_thread(t, pid, TID_STAGE, "stages of process 0");
    for (uint32_t i = 0; i < extra->nstage; i++) {
        const struct run_stage *stage = &extra->stages[i];
        struct trace_point p = {pid, TID_STAGE, (uint64_t)(stage->start_ns + lead), (uint64_t)(stage->end_ns + lead)};

        trace_slice_open(t, &p, "stage", stage->name);
        trace_slice_close(t);
    }
    t->shift_ns = (uint64_t)lead;
}

static int draw_plan(struct trace *t, const struct run_record *run, struct error *err)
{
    char name[64];
    bool host = false;

    draw_stages(t, &run->extra, run->world_size + 2);

    for (uint32_t c = 0; c < run->world_size; c++) {
        snprintf(name, sizeof name, "card %u (device %d)", c, run->device_ids[c]);
        trace_process(t, c + 1, name);
        trace_thread(t, c + 1, TID_DISPATCH, "dispatches");
    }
    for (size_t i = 0; i < run->nnode; i++) {
        host = host || run->nodes[i].lane >= run->world_size;
    }
    if (host) {
        trace_process(t, run->world_size + 1, "host");
        trace_thread(t, run->world_size + 1, TID_DISPATCH, "copies");
        for (uint32_t lane = run->world_size + 1; lane < run->nlane; lane++) {
            trace_thread(t, run->world_size + 1, TID_SUB + (lane - run->world_size - 1),
                         run_record_lane(run, lane, name, sizeof name));
        }
    }
    for (uint32_t i = 0; i < run->nnode; i++) {
        if (run->nodes[i].ran) {
            draw_node(t, run, i);
        }
    }
    for (size_t i = 0; i < run->nnode; i++) {
        if (run->nodes[i].ran) {
            draw_edges(t, run, &run->nodes[i]);
        }
    }
    return draw_profiles(t, run, err);
}

/* Without a record of the run: the slice of the dispatch is what its records span. */
static void draw_alone(struct trace *t, const struct dfx_dispatch *d, uint64_t zero, bool first_of_rank)
{
    struct trace_point p = {d->rank + 1, TID_DISPATCH, zero, zero + swimlane_ns(&d->records, d->records.last)};
    char name[64];

    if (first_of_rank) {
        snprintf(name, sizeof name, "card %u", d->rank);
        trace_process(t, p.pid, name);
        trace_thread(t, p.pid, TID_DISPATCH, "dispatches (one after the other: their true times are not known)");
    }
    snprintf(name, sizeof name, "%c%u", DFX_SLOT(d->k));
    trace_slice_open(t, &p, "dispatch", d->program ? d->program : name);
    if (d->k < DFX_OTHER) {
        trace_arg_int(t, "k", d->k);
    }
    trace_slice_close(t);
}

/* Where the loop over the dispatches is. */
struct drawing {
    struct trace *t;
    const struct run_record *run; /* NULL: none */
    struct notes notes;           /* of the whole trace */
    uint64_t after;               /* unrelated: end of the dispatch before on this card */
    uint32_t rank;
    bool started;
};

/* False: it is not drawn. */
static bool place(struct drawing *g, const struct dfx_dispatch *d, struct trace_clock *clock)
{
    uint32_t node = g->run ? run_record_find(g->run, d->rank, d->k) : PLAN_NONE;
    bool first = !g->started || g->rank != d->rank;
    uint64_t zero = first ? 0 : g->after;

    g->started = true;
    g->rank = d->rank;
    if (node != PLAN_NONE) {
        if (timeline_place(g->run, &g->run->nodes[node], d, clock) == TIMELINE_AT_START && d->has_records) {
            notes_add(&g->notes,
                      DFX_DISPATCH
                      ": its counter cannot be related to the host's clock; its first record stands at the "
                      "start of the dispatch",
                      d->rank, DFX_SLOT(d->k));
        }
        return true;
    }
    *clock = (struct trace_clock){.zero_ns = zero};
    if (g->run) {
        notes_add(&g->notes, DFX_DISPATCH ": l3_run.json has no such dispatch; it is left out", d->rank,
                  DFX_SLOT(d->k));
    } else {
        draw_alone(g->t, d, zero, first);
    }
    /* A microsecond between them, so that they are seen as two. */
    g->after = zero + swimlane_ns(&d->records, d->records.last) + 1000;
    return !g->run;
}

/* What is missing of a dispatch that the run did not come to is no fault. */
static int load(const struct drawing *g, const struct dfx_entry *entry, struct dfx_dispatch *d, struct error *err)
{
    static const struct run_captured unknown;

    if (dfx_load(entry, d, err)) {
        return -1;
    }
    if (g->run && run_record_find(g->run, entry->rank, entry->k) == PLAN_NONE) {
        return 0;
    }
    return dfx_missing_warn(entry, d, g->run ? &g->run->captured : &unknown, err);
}

static int draw_dispatch(struct drawing *g, const struct dfx_entry *entry, struct error *err)
{
    struct trace_place at;
    struct task_graph graph;
    struct dfx_dispatch d;
    int rc = -1;

    if (load(g, entry, &d, err) || task_graph_build(&d, &graph, err)) {
        goto out;
    }
    at = (struct trace_place){d.rank + 1, TID_ORCH, d.rank + 1, TID_SCHED, d.rank + 1, TID_CORE, {0}};
    if (place(g, &d, &at.clock)) {
        trace_orchestrator(g->t, &d, &at);
        trace_scheduler(g->t, &d, &at);
        trace_cores(g->t, &d, &at);
        trace_dependencies(g->t, &d, &graph, &at);
    }
    for (size_t i = 0; i < d.notes.count; i++) {
        notes_add(&g->notes, DFX_DISPATCH ": %s", d.rank, DFX_SLOT(d.k), d.notes.items[i]);
    }
    task_graph_free(&graph);
    rc = 0;
out:
    dfx_free(&d);
    return rc;
}

/* A dispatch without a directory is a slice with nothing in it, which could be taken for an idle card. */
static void report_unprofiled(struct drawing *g, const struct dfx_list *list)
{
    for (size_t i = 0; i < g->run->nnode; i++) {
        const struct run_node *n = &g->run->nodes[i];
        if (n->kind == PLAN_DISPATCH && n->ran && !dfx_list_has(list, n->lane, n->k)) {
            notes_add(&g->notes, DFX_DISPATCH ": it has no directory of profiles: what happened in it is not known",
                      n->lane, DFX_SLOT(n->k));
        }
    }
}

static int draw_run(struct drawing *g, struct error *err)
{
    if (!g->run) {
        notes_add(&g->notes, "there is no usable l3_run.json: ranks cannot be related in time, and nothing between "
                             "them is drawn");
        return 0;
    }
    if (draw_plan(g->t, g->run, err)) {
        return -1;
    }
    run_extra_report(&g->run->extra, &g->notes);
    if (run_clocks_report(&g->run->clocks, g->run->world_size, &g->notes)) {
        notes_add(&g->notes, "clocks that are not aligned stand as if their first nodes had started with the run; no "
                             "arrows to and from their lanes are drawn");
    }
    return 0;
}

int timeline_write(const char *path, const struct dfx_list *list, const struct run_record *run, struct error *err)
{
    struct file_writer w;
    struct trace t;
    struct drawing g = {.t = &t, .run = run};
    int rc;

    if (file_replace_begin(&w, path, err)) {
        return -1;
    }
    w.unsynced = true;
    trace_begin(&t, w.stream);
    rc = draw_run(&g, err);
    for (size_t i = 0; i < list->notes.count; i++) {
        notes_add(&g.notes, "%s", list->notes.items[i]);
    }
    for (size_t i = 0; i < list->count && rc == 0; i++) {
        rc = draw_dispatch(&g, &list->entries[i], err);
    }
    if (run) {
        report_unprofiled(&g, list);
    }
    if (rc == 0 && g.notes.failed) {
        rc = error_nomem(err, path, 256);
    }
    if (rc == 0) {
        trace_end(&t, run ? run_clocks_error(&run->clocks) : CLOCK_NO_BOUND, g.notes.items, g.notes.count);
        rc = file_write_commit(&w, err);
    } else {
        file_write_abort(&w);
    }
    notes_free(&g.notes);
    return rc;
}

static int write_merged(const struct dfx_entry *entry, struct error *err)
{
    struct dfx_dispatch d;
    char name[64], *path = NULL;
    int rc = dfx_load(entry, &d, err);

    snprintf(name, sizeof name, "merged_swimlane_%c%u.json", DFX_SLOT(entry->k));
    if (rc == 0 && d.has_records) {
        path = file_join(entry->path, name, err);
        rc = path ? merged_write(path, &d, err) : -1;
    }
    free(path);
    dfx_free(&d);
    return rc;
}

int timeline_write_all(const char *dir, struct error *err)
{
    struct notes notes = {0};
    struct run_record run;
    struct dfx_list list;
    char *path = NULL;
    int rc = -1, related;

    if (dfx_list_read(dir, &list, err)) {
        return -1;
    }
    related = run_record_read_dir(list.dir, &run, &notes, err);
    if (related >= 0) {
        path = file_join(list.dir, "l3_timeline.json", err);
    }
    if (path) {
        rc = timeline_write(path, &list, related ? &run : NULL, err);
    }
    for (size_t i = 0; i < list.count && rc == 0; i++) {
        rc = write_merged(&list.entries[i], err);
    }
    free(path);
    notes_free(&notes);
    run_record_free(&run);
    dfx_list_free(&list);
    return rc;
}

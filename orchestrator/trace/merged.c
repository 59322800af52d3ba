#include "orchestrator/trace/merged.h"

#include <stdlib.h>

#include "common/base/file.h"
#include "orchestrator/trace/trace_tasks.h"

enum {
    PID_ORCH = 1,
    PID_SCHED,
    PID_DISPATCH,
    PID_WORKER,
    TID_ORCH = 4000,
    TID_SCHED = 3000,
    TID_CORE = 1000,
    NSLOT = 4
};

/* A core is given its next task before it has finished the one before: tasks overlap from dispatch to finish, and
 * slices that overlap need rows of their own. */
struct core_slots {
    uint64_t busy[NSLOT];
    bool named[NSLOT];
};

static uint32_t take_slot(struct core_slots *core, const struct swim_task *task)
{
    uint32_t slot = 0;

    while (slot + 1 < NSLOT && core->busy[slot] > task->dispatch) {
        slot++;
    }
    core->busy[slot] = task->finish;
    return slot;
}

static int compare_dispatch(const void *a, const void *b)
{
    const struct swim_task *x = *(const struct swim_task *const *)a, *y = *(const struct swim_task *const *)b;

    if (x->dispatch != y->dispatch) {
        return x->dispatch < y->dispatch ? -1 : 1;
    }
    return x < y ? -1 : x > y;
}

static void draw_dispatched(struct trace *t, const struct dfx_dispatch *d, const struct swim_task **order, size_t n,
                            struct core_slots *cores)
{
    const struct swimlane *s = &d->records;
    char name[320];

    for (size_t i = 0; i < n; i++) {
        const struct swim_task *task = order[i];
        struct core_slots *core = &cores[task->core];
        uint32_t slot = take_slot(core, task), tid = TID_CORE + task->core * NSLOT + slot;
        struct trace_point p = {PID_DISPATCH, tid, swimlane_ns(s, task->dispatch), swimlane_ns(s, task->finish)};

        if (!core->named[slot]) {
            trace_thread(t, p.pid, p.tid, trace_core_name(s, task->core, name, sizeof name));
        }
        core->named[slot] = true;
        trace_slice_open(t, &p, "event", trace_task_name(d, task, name, sizeof name));
        trace_task_args(t, d, task);
        trace_slice_close(t);
    }
}

static int dispatched(struct trace *t, const struct dfx_dispatch *d, struct error *err)
{
    const struct swimlane *s = &d->records;
    const struct swim_task **order = malloc((s->ntask + 1) * sizeof *order);
    struct core_slots *cores;
    uint32_t ncore = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->ntask; i++) {
        ncore = s->tasks[i].core >= ncore ? s->tasks[i].core + 1 : ncore;
    }
    cores = calloc((size_t)ncore + 1, sizeof *cores);
    if (!order || !cores) {
        free(order);
        free(cores);
        return error_nomem(err, "timeline", s->ntask * sizeof *order);
    }
    for (size_t i = 0; i < s->ntask; i++) {
        if (s->tasks[i].finish) {
            order[n++] = &s->tasks[i];
        }
    }
    qsort(order, n, sizeof *order, compare_dispatch);
    draw_dispatched(t, d, order, n, cores);
    free(order);
    free(cores);
    return 0;
}

static int draw(struct trace *t, const struct dfx_dispatch *d, struct error *err)
{
    const struct trace_place at = {PID_ORCH, TID_ORCH, PID_SCHED, TID_SCHED, PID_WORKER, TID_CORE, {0}};
    struct task_graph graph;

    if (task_graph_build(d, &graph, err)) {
        return -1;
    }
    trace_process(t, PID_ORCH, "AICPU Orchestrator");
    trace_process(t, PID_SCHED, "AICPU Scheduler");
    trace_process(t, PID_DISPATCH, "Scheduler View");
    trace_process(t, PID_WORKER, "Worker View");
    trace_orchestrator(t, d, &at);
    trace_scheduler(t, d, &at);
    trace_cores(t, d, &at);
    trace_dependencies(t, d, &graph, &at);
    task_graph_free(&graph);
    return dispatched(t, d, err);
}

int merged_write(const char *path, const struct dfx_dispatch *d, struct error *err)
{
    struct file_writer w;
    struct trace t;

    if (file_replace_begin(&w, path, err)) {
        return -1;
    }
    w.unsynced = true;
    trace_begin(&t, w.stream);
    if (draw(&t, d, err)) {
        file_write_abort(&w);
        return -1;
    }
    trace_end(&t, 0, d->notes.items, d->notes.count);
    return file_write_commit(&w, err);
}

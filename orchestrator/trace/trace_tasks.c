#include "orchestrator/trace/trace_tasks.h"

#include <stdio.h>
#include <string.h>

enum { COUNTER_TID = 99 };

/* With a clock of another process, differences of converted times: so a task that ends with its dispatch ends there to
 * the nanosecond, whatever the drift. */
static uint64_t drawn_at(const struct swimlane *s, const struct trace_clock *clock, uint64_t cycles)
{
    uint64_t after = swimlane_ns(s, cycles);

    if (clock->map) {
        after = clock_map_to_root(clock->map, clock->first_ns + after) - clock_map_to_root(clock->map, clock->first_ns);
    }
    return clock->zero_ns + after;
}

static struct trace_point point(const struct swimlane *s, const struct trace_place *at, uint32_t pid, uint32_t tid,
                                uint64_t start, uint64_t end)
{
    return (struct trace_point){pid, tid, drawn_at(s, &at->clock, start), drawn_at(s, &at->clock, end)};
}

void trace_orchestrator(struct trace *t, const struct dfx_dispatch *d, const struct trace_place *at)
{
    const struct swimlane *s = &d->records;
    uint32_t named = UINT32_MAX;
    char name[64], label[32];

    for (size_t i = 0; i < s->nsubmit; i++) {
        const struct swim_submit *submit = &s->submits[i];
        struct trace_point p = point(s, at, at->orch_pid, at->orch_tid + submit->thread, submit->start, submit->end);
        if (submit->thread != named) { /* records come thread by thread */
            named = submit->thread;
            snprintf(name, sizeof name, "Orch_%u", named);
            trace_thread(t, p.pid, p.tid, name);
        }
        snprintf(name, sizeof name, "submit(%s)", swimlane_task_label(submit->task, label, sizeof label));
        trace_slice_open(t, &p, "orchestrator", name);
        trace_arg_int(t, "submit_idx", submit->index);
        trace_arg_id(t, "task_id", submit->task);
        trace_slice_close(t);
    }
}

static void phase_args(struct trace *t, const struct swim_phase *phase)
{
    if (phase->loop_iter >= 0) {
        trace_arg_int(t, "loop_iter", phase->loop_iter);
    }
    if (phase->ntask >= 0) {
        trace_arg_int(t, "tasks_processed", phase->ntask);
    }
    if (phase->pop_hit >= 0) {
        trace_arg_int(t, "pop_hit", phase->pop_hit);
    }
    if (phase->pop_miss >= 0) {
        trace_arg_int(t, "pop_miss", phase->pop_miss);
    }
}

void trace_scheduler(struct trace *t, const struct dfx_dispatch *d, const struct trace_place *at)
{
    const struct swimlane *s = &d->records;
    uint32_t named = UINT32_MAX;
    bool counter = false;
    char name[64];

    for (size_t i = 0; i < s->nphase; i++) {
        const struct swim_phase *phase = &s->phases[i];
        struct trace_point p = point(s, at, at->sched_pid, at->sched_tid + phase->thread, phase->start, phase->end);
        if (phase->thread != named) {
            named = phase->thread;
            snprintf(name, sizeof name, "Sched_%u", named);
            trace_thread(t, p.pid, p.tid, name);
        }
        trace_slice_open(t, &p, "scheduler", *phase->kind ? phase->kind : "phase");
        phase_args(t, phase);
        trace_slice_close(t);
        if (phase->ready[0] < 0) {
            continue;
        }
        if (!counter) {
            trace_thread(t, at->sched_pid, at->sched_tid + COUNTER_TID, "shared_ready_queue");
        }
        counter = true;
        trace_ready(t, at->sched_pid, at->sched_tid + COUNTER_TID, p.end_ns, phase->ready);
    }
}

const char *trace_core_name(const struct swimlane *s, uint32_t core, char *buf, size_t size)
{
    static const char *const kinds[] = {[SWIM_AIC] = "AIC", [SWIM_AIV] = "AIV", [SWIM_UNKNOWN] = "core"};

    snprintf(buf, size, "%s_%u", kinds[swimlane_core_type(s, core)], core);
    return buf;
}

const char *trace_task_name(const struct dfx_dispatch *d, const struct swim_task *task, char *buf, size_t size)
{
    char kernel[64], label[32];

    snprintf(buf, size, "%s(%s)", dfx_kernel_name(d, task, kernel, sizeof kernel),
             swimlane_task_label(task->token, label, sizeof label));
    return buf;
}

void trace_task_args(struct trace *t, const struct dfx_dispatch *d, const struct swim_task *task)
{
    trace_arg_id(t, "task_id", task->token);
    trace_arg_int(t, "func_id", dfx_function(d, task));
    trace_arg_int(t, "core_id", task->core);
    if (d->records.has_setup) {
        trace_arg_us(t, "setup_us", swimlane_duration_ns(&d->records, task->setup));
    }
}

void trace_cores(struct trace *t, const struct dfx_dispatch *d, const struct trace_place *at)
{
    const struct swimlane *s = &d->records;
    char name[320];

    for (uint32_t core = 0; core < s->ncore; core++) {
        trace_thread(t, at->core_pid, at->core_tid + core, trace_core_name(s, core, name, sizeof name));
    }
    for (size_t i = 0; i < s->ntask; i++) {
        const struct swim_task *task = &s->tasks[i];
        struct trace_point p = point(s, at, at->core_pid, at->core_tid + task->core, task->start, task->end);
        trace_slice_open(t, &p, "task", trace_task_name(d, task, name, sizeof name));
        trace_task_args(t, d, task);
        trace_slice_close(t);
    }
}

void trace_dependencies(struct trace *t, const struct dfx_dispatch *d, const struct task_graph *graph,
                        const struct trace_place *at)
{
    const struct swimlane *s = &d->records;

    for (size_t i = 0; i < graph->nedge; i++) {
        const struct swim_task *a = &s->tasks[graph->edges[i].pred], *b = &s->tasks[graph->edges[i].succ];
        struct trace_point from = point(s, at, at->core_pid, at->core_tid + a->core, a->start, a->end);
        struct trace_point to = point(s, at, at->core_pid, at->core_tid + b->core, b->start, b->end);
        trace_arrow(t, "flow", "dependency", &from, &to);
    }
}

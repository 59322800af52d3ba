/* trace_tasks - the parts of a trace that both timelines draw alike: the phases and tasks of one dispatch. */
#ifndef L3R_ORCHESTRATOR_TRACE_TRACE_TASKS_H
#define L3R_ORCHESTRATOR_TRACE_TRACE_TASKS_H

#include "common/segment/clock_map.h"
#include "orchestrator/profiles/task_graph.h"
#include "orchestrator/trace/trace.h"

/* When the first record of a dispatch is drawn, and how the counter's time passes from there. */
struct trace_clock {
    uint64_t zero_ns;            /* of the trace */
    const struct clock_map *map; /* of the counter's clock to that of the trace; NULL: both pass alike */
    uint64_t first_ns;           /* the first record on the counter's clock; with a map only */
};

/* Where the dispatch is drawn. */
struct trace_place {
    uint32_t orch_pid, orch_tid;   /* thread j is orch_tid + j */
    uint32_t sched_pid, sched_tid; /* thread j is sched_tid + j; the counter is sched_tid + 99 */
    uint32_t core_pid, core_tid;   /* core c is core_tid + c */
    struct trace_clock clock;
};

/* Names of the threads that the records use, and their slices; and an arrow for each edge of `graph`. */
void trace_orchestrator(struct trace *t, const struct dfx_dispatch *d, const struct trace_place *at);
void trace_scheduler(struct trace *t, const struct dfx_dispatch *d, const struct trace_place *at);
void trace_cores(struct trace *t, const struct dfx_dispatch *d, const struct trace_place *at);
void trace_dependencies(struct trace *t, const struct dfx_dispatch *d, const struct task_graph *graph,
                        const struct trace_place *at);

/* "AIC_0", "AIV_1", "core_2" when its type is not known. */
const char *trace_core_name(const struct swimlane *s, uint32_t core, char *buf, size_t size);

/* "kernel(t3)" in `buf`. */
const char *trace_task_name(const struct dfx_dispatch *d, const struct swim_task *task, char *buf, size_t size);

/* The arguments that a task's slice has. */
void trace_task_args(struct trace *t, const struct dfx_dispatch *d, const struct swim_task *task);

#endif

/*
 * timeline - all ranks of a run as one Chrome trace for Perfetto: l3_timeline.json.
 *
 * Format: docs/formats.md, "l3_timeline.json". A process a card, its dispatches, inside them the tasks on its cores and
 * the phases of scheduler and orchestrator; one more process for host copies and sub-workers; arrows for dependencies
 * inside programs and for the plan's edges between lanes.
 */
#ifndef L3R_ORCHESTRATOR_TRACE_TIMELINE_H
#define L3R_ORCHESTRATOR_TRACE_TIMELINE_H

#include "orchestrator/profiles/dfx_read.h"
#include "orchestrator/profiles/run_record.h"
#include "orchestrator/trace/trace_tasks.h"

/* How the records of a dispatch were put on the clock of the run. */
enum timeline_placing {
    TIMELINE_EXACT = 0, /* its counter is the clock of its lane's process, or it says how to convert */
    TIMELINE_AT_START,  /* the counter cannot be related: its first record stands at the start of the dispatch */
    TIMELINE_UNRELATED, /* no l3_run.json: dispatches of a card stand one after the other from 0 */
};

/* When after the run's origin the records of `d` are drawn. `node` is the dispatch's. `clock` points into `run`. */
enum timeline_placing timeline_place(const struct run_record *run, const struct run_node *node,
                                     const struct dfx_dispatch *d, struct trace_clock *clock);

/* Write `path`. `run` may be NULL: then ranks cannot be related, and the trace says so. */
int timeline_write(const char *path, const struct dfx_list *list, const struct run_record *run, struct error *err);

/* Everything that Perfetto opens, for the profiles in `dir`: l3_timeline.json there and merged_swimlane_d<k>.json
 * beside every dispatch's records. Uses l3_run.json where it is there. */
int timeline_write_all(const char *dir, struct error *err);

#endif

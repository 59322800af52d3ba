/*
 * merged - one dispatch as a Chrome trace in the form that the Python tools write (merged_swimlane_*.json).
 *
 * Format: docs/formats.md, "merged_swimlane_*.json": pid 1 orchestrator, 2 scheduler, 3 tasks from dispatch to finish,
 * 4 tasks from start to end.
 */
#ifndef L3R_ORCHESTRATOR_TRACE_MERGED_H
#define L3R_ORCHESTRATOR_TRACE_MERGED_H

#include "orchestrator/profiles/dfx_read.h"

/* Write the trace of `d` to `path`; times count from its first record. */
int merged_write(const char *path, const struct dfx_dispatch *d, struct error *err);

#endif

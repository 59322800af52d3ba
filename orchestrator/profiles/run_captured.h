/*
 * run_captured - which profiles a run was asked for: what is missing without having been asked for is no fault.
 *
 * Format: docs/formats.md, "l3_run.json", "captured".
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_RUN_CAPTURED_H
#define L3R_ORCHESTRATOR_PROFILES_RUN_CAPTURED_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/json.h"

struct run_captured {
    bool known; /* false: everything else is 0 and says nothing */
    bool dep_gen, scope_stats;
    int64_t swimlane, pmu, dump_args; /* levels and event type; 0: not captured */
};

/* Read the member of `record`; without it `captured` is not known. -1 with src's error filled. */
int run_captured_read(const struct json_source *src, const cJSON *record, struct run_captured *captured);

#endif

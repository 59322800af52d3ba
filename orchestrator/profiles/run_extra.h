/*
 * run_extra - what a record of a run holds in addition to the plan: the stages of process 0, before the plan ran and
 * after it, and profiles that are lost.
 *
 * Format: docs/formats.md, "l3_run.json", "stages" and "lost".
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_RUN_EXTRA_H
#define L3R_ORCHESTRATOR_PROFILES_RUN_EXTRA_H

#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/array.h"
#include "common/base/error.h"
#include "common/base/json.h"

enum { RUN_STAGES_MAX = 32 };

/* Times are nanoseconds after the start of the first node, negative before it. */
struct run_stage {
    const char *name;
    int64_t start_ns, end_ns;
};

struct run_loss {
    const char *file; /* relative to the directory of profiles */
    const char *why;
};

struct run_extra {
    struct run_stage *stages; /* by start */
    uint32_t nstage;
    struct run_loss *losses;
    uint32_t nloss;
    uint64_t nlost; /* files that are lost; more than `nloss` when not all are listed */
};

/* The members "stages" and "lost" of the record, each after a comma. */
void run_extra_write(FILE *f, const struct run_extra *extra);

/* Read and check them; texts are the record's. Records without them leave `extra` zeroed. To be freed in every case. */
int run_extra_read(const struct json_source *src, const cJSON *record, struct run_extra *extra);
void run_extra_free(struct run_extra *extra); /* of one that was read; a zeroed struct is fine */

/* A note that names what is lost, when something is. */
void run_extra_report(const struct run_extra *extra, struct notes *notes);

/* How long before the first node the first stage began. */
uint64_t run_extra_lead_ns(const struct run_extra *extra);

#endif

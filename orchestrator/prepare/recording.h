/*
 * recording - a build opened and recorded as the options say: what `run` and `plan` have in common.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_RECORDING_H
#define L3R_ORCHESTRATOR_PREPARE_RECORDING_H

#include "common/plan/plan.h"
#include "common/plan/program_table.h"
#include "orchestrator/data/inputs.h"
#include "orchestrator/open/build_info.h"
#include "orchestrator/prepare/content_hash.h"
#include "orchestrator/prepare/options.h"
#include "orchestrator/user_python/golden.h"

struct recording {
    struct build build;
    struct golden *golden; /* golden.py or an edited debug/run.py; NULL: neither has anything to do */
    struct inputs *inputs;
    struct program_table programs;
    struct plan plan;                  /* without edges */
    struct record_files files;         /* Python of the build that was run; of a saved plan: none */
    bool kept;                         /* host_orch.py was not run: its recording was kept */
    char plan_hash[CONTENT_HASH_SIZE]; /* of the saved plan; "": none */
};

/* Open the build, apply overrides, find the inputs. `out` is zeroed by the caller; whatever happens,
 * recording_free() cleans up. */
int recording_open(struct recording *out, const struct run_options *options, struct error *err);

/* Record host_orch.py, or load the saved plan that the options name. */
int recording_record(struct recording *out, const struct run_options *options, struct error *err);

void recording_free(struct recording *r);

#endif

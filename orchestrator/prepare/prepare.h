/*
 * prepare - everything before the first kernel: from the build directory to a
 * filled segment. Process 0 does it; what fails here is INFRA.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_PREPARE_H
#define L3R_ORCHESTRATOR_PREPARE_PREPARE_H

#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/phases.h"
#include "orchestrator/prepare/prepare_job.h"
#include "orchestrator/prepare/prepared.h"

/* Fill `out`; on failure what was made stays in it for prepare_free(). */
int prepare(const struct run_options *options, const struct prepare_job *job, struct phases *phases,
            struct prepared *out, struct error *err);
void prepare_free(struct prepared *p);

#endif

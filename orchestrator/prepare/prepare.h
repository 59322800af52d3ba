/*
 * prepare - everything before the first kernel: from the build directory to a
 * filled segment. Process 0 does it; what fails here is INFRA.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_PREPARE_H
#define L3R_ORCHESTRATOR_PREPARE_PREPARE_H

#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/phases.h"
#include "orchestrator/prepare/prepared.h"

/* What the job of this process gives to preparing. */
struct prepare_job {
    int jobs; /* compilers at once in this process */
    /* Of fresh_options (fresh.h): have the other processes compile along. */
    int (*share)(void *context, const struct build *build, const struct program_table *programs, const bool *needed,
                 struct error *err);
    void *context;
};

/* Fill `out`; on failure what was made stays in it for prepare_free(). */
int prepare(const struct run_options *options, const struct prepare_job *job, struct phases *phases,
            struct prepared *out, struct error *err);
void prepare_free(struct prepared *p);

#endif

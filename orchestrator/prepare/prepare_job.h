/* prepare_job - what the job of this process gives to preparing a build (prepare.h). */
#ifndef L3R_ORCHESTRATOR_PREPARE_PREPARE_JOB_H
#define L3R_ORCHESTRATOR_PREPARE_PREPARE_JOB_H

#include "common/base/error.h"
#include "common/plan/program_table.h"
#include "orchestrator/open/build.h"

/* What the job of this process gives to preparing. */
struct prepare_job {
    int jobs; /* compilers at once in this process */
    /* Of fresh_options (fresh.h): have the other processes compile along. */
    int (*share)(void *context, const struct build *build, const struct program_table *programs, const bool *needed,
                 struct error *err);
    void *context;
};

#endif

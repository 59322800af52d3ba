/*
 * outcome - the end of a run: outputs compared and saved, the verdict told in
 * every form that was asked for.
 */
#ifndef L3R_ORCHESTRATOR_JOB_OUTCOME_H
#define L3R_ORCHESTRATOR_JOB_OUTCOME_H

#include <stdbool.h>

#include "orchestrator/job/result.h"
#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/phases.h"
#include "orchestrator/prepare/prepare.h"

struct outcome {
    enum result_verdict verdict;
    struct error error; /* when the verdict is not PASS */
    bool abrupt;        /* the other processes can no longer be asked to leave */
    uint64_t init_end_ns;
    int nproc;
    uint64_t clock_error_ns; /* as in result.h */
    struct phases phases;
    struct result_comparison *comparisons; /* what was compared; freed by outcome_report() */
    size_t ncomparison;
};

/* Save outputs and compare them; sets verdict and error. */
void outcome_verify(struct outcome *out, const struct run_options *options, const struct prepared *p);

/* Log the error, print summary and marker, write the result file. Returns the exit code. */
int outcome_report(struct outcome *out, const struct run_options *options, const struct prepared *p);

#endif

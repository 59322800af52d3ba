/*
 * outcome - the end of a run: outputs compared and saved, the verdict given in
 * every form that was asked for.
 */
#ifndef L3R_ORCHESTRATOR_JOB_OUTCOME_H
#define L3R_ORCHESTRATOR_JOB_OUTCOME_H

#include <stdbool.h>

#include "orchestrator/job/measures.h"
#include "orchestrator/job/result.h"
#include "orchestrator/prepare/changes.h"
#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/phases.h"
#include "orchestrator/prepare/prepare.h"
#include "orchestrator/repeat/repeat.h"

struct outcome {
    enum result_verdict verdict;
    struct error error;             /* when the verdict is not PASS */
    bool abrupt;                    /* the other processes can no longer be asked to leave */
    uint64_t begun_ns, init_end_ns; /* the command; MPI_Init was over */
    int nproc;
    uint32_t ncore;          /* of the job */
    bool paced;              /* members of a domain were kept in step */
    uint64_t nopened;        /* dispatches, over all passes, that no longer waited for other members */
    uint64_t clock_error_ns; /* as in result.h */
    struct phases phases;
    const struct changes *changes;         /* since the last replay; NULL: not looked for */
    struct result_comparison *comparisons; /* what was compared; freed by outcome_close() */
    size_t ncomparison;
    struct repeat *repeat;    /* --repeat: what the runs gave; NULL: there is one. Freed by outcome_close() */
    struct measures measures; /* of rounds */
    bool result_written;
    size_t nnotice; /* notes and warnings when it was written */
};

/* Compare the outputs of the run that is over; sets verdict and error. Of several runs only one is compared in this
 * way, so that it is reported once: the first that does not match, or the last one. */
void outcome_compare(struct outcome *out, const struct prepared *p);

/* The run could not go on, or an earlier one of several runs would have been the last. What is known to be wrong stays
 * FAIL, whatever came after, unless the user ended it. */
void outcome_fail(struct outcome *out, const struct error *err, bool interrupted);

/* Save outputs, and compare them where outcome_compare() was not called; sets verdict and error. */
void outcome_verify(struct outcome *out, const struct run_options *options, const struct prepared *p);

/* After outcome_verify(), when the plan has rounds: their times or, of two builds, their outputs. Sets verdict and error when
 * there are none, or outputs differ. */
void outcome_measure(struct outcome *out, const struct run_options *options, const struct prepared *p);

/* Log the error, print summary and marker, write the result file. Returns the exit code. */
int outcome_report(struct outcome *out, const struct run_options *options, const struct prepared *p);

/* When nothing more is reported: write the result file again when notes or warnings came after it, where it is a regular
 * file; and free. */
void outcome_close(struct outcome *out, const struct run_options *options, const struct prepared *p);

#endif

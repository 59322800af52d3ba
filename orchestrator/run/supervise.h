/*
 * supervise - while the plan runs: watch the executors of this process, and in
 * process 0 the whole job, until everybody is done or something went wrong.
 *
 * Process 0:  running -> (all processes DONE) -> over
 *             running -> (a lane failed | time-out | signal) -> stopping -> (all STOPPED, or 3 s) -> over
 * Others:     running -> (all lanes done) -> DONE sent -> FINISH -> over
 *             running -> (a lane failed) -> FAILED sent -> STOP -> STOPPED sent -> FINISH -> over
 *
 * Nothing here is in the way of a dispatch: lanes wait for each other on words
 * of the segment, and this side sleeps in poll().
 */
#ifndef L3R_ORCHESTRATOR_RUN_SUPERVISE_H
#define L3R_ORCHESTRATOR_RUN_SUPERVISE_H

#include <stdbool.h>

#include "common/segment.h"
#include "orchestrator/run/job_clocks.h"
#include "orchestrator/run/events.h"
#include "orchestrator/run/mpi_job.h"
#include "rank-worker/lanes/executors.h"

struct supervision {
    const struct mpi_job *job;
    struct segment *seg;
    struct events *events; /* NULL in a job of one process */
    struct executors *executors;
    int signal_fd;  /* signalfd for SIGCHLD, SIGINT, SIGTERM, SIGHUP */
    const struct job_clocks *clocks; /* process 0 only, for telling how long something lasts */
    double timeout; /* seconds without progress; 0: none. Process 0 only */
    bool interrupted; /* out: a signal ended it */
};

/* Process 0: returns 0 when every lane of the job was walked to its end; else -1 with `err` (kind FAIL or
 * INFRA), all executors of the job gone (or their processes unreachable). */
int supervise_root(struct supervision *s, struct error *err);

/* The others: returns when process 0 says FINISH, or on a signal (then `interrupted` is set). */
int supervise_worker(struct supervision *s, struct error *err);

/* Process 0: let the others go. */
void supervise_finish(struct supervision *s);

#endif

/*
 * participant - one process of the job while the plan runs: what it has open, and its executors.
 *
 * Connections, signals and mappings last for all passes (passes.h), executors and the sender of profiles for one.
 */
#ifndef L3R_ORCHESTRATOR_JOB_PARTICIPANT_H
#define L3R_ORCHESTRATOR_JOB_PARTICIPANT_H

#include <signal.h>

#include "common/segment/segment.h"
#include "orchestrator/clocks/job_clocks.h"
#include "orchestrator/gather/gather.h"
#include "orchestrator/messages/events.h"
#include "orchestrator/messages/mpi_job.h"
#include "orchestrator/messages/peers.h"
#include "orchestrator/supervise/supervision.h"
#include "rank-worker/lanes/executors.h"

struct participant {
    struct mpi_job job;
    struct events *events;
    struct executors *executors;
    int signal_fd; /* 0 or -1: signals are taken, not read */

    /* process 0 */
    struct peers *peers;              /* NULL: there are no others */
    struct supervision supervision;   /* of the pass under way, or of the last */
    struct gather_receiver *receiver; /* NULL: nothing is to be received */
    struct job_clocks clocks;

    /* the others */
    struct segment segment;       /* as mapped here */
    bool must_send;               /* profiles, since this process cannot write where they go */
    struct gather_sender *sender; /* of the pass under way, or of the last; NULL: there is nothing to send */
};

/* Signals that the loop that waits for the plan reads: interrupts, and the ends of executors. */
void participant_signals(sigset_t *set);

/* From here on signals are read, not taken: the loop that waits knows what to report. */
int participant_open_signals(struct participant *me, struct error *err);

/* Signals are taken again, those that waited at once: nobody waits for the plan. */
void participant_close_signals(struct participant *me);

/* Start the executors of this process's cards (and, in process 0, of the other lanes). `device_ids` by card; NULL: the
 * device ids do not matter. */
int participant_start_executors(struct participant *me, struct segment *seg, const int *device_ids, struct error *err);

void participant_end_executors(struct participant *me);

/* Warn when messages came that were not of this job. They had no effect. */
void participant_report_strangers(const struct participant *me);

/* Everything but the clocks, which MPI may still use. */
void participant_close(struct participant *me);

/* How many executors the job has: cards have one each; the other lanes, which process 0 runs, where there is something
 * to do. */
uint32_t participant_executors(const struct plan *plan);

#endif

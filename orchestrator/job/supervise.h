/*
 * supervise - while a pass of the plan runs: watch the executors of this process, and in
 * process 0 the whole job, until everybody is done or something went wrong.
 *
 * Process 0:  running -> (all processes DONE) -> over
 *             running -> (a lane failed | time-out | signal) -> stopping -> (all STOPPED, or 3 s) -> over
 * Others:     running -> (all lanes done) -> DONE sent -> FINISH -> over
 *             running -> (a lane failed) -> FAILED sent -> STOP -> STOPPED sent -> FINISH -> over
 * Who sends profiles does so all the while; what is left is sent after FINISH (supervise_send), and then GATHERED.
 *
 * Nothing here is in the way of a dispatch: lanes wait for each other on words
 * of the segment, and this side sleeps in poll().
 */
#ifndef L3R_ORCHESTRATOR_JOB_SUPERVISE_H
#define L3R_ORCHESTRATOR_JOB_SUPERVISE_H

#include <stdbool.h>

#include "common/segment/segment.h"
#include "orchestrator/clocks/job_clocks.h"
#include "orchestrator/gather/gather.h"
#include "orchestrator/messages/events.h"
#include "orchestrator/messages/mpi_job.h"
#include "orchestrator/messages/peers.h"
#include "rank-worker/lanes/executors.h"

struct supervision {
    const struct mpi_job *job;
    struct segment *seg;
    struct events *events;            /* NULL in a job of one process */
    const struct peers *peers;        /* process 0: the others; NULL: there are none */
    struct executors *executors;      /* NULL: none of this process lives any more */
    struct gather_receiver *receiver; /* process 0: of profiles; NULL: none are wanted */
    struct gather_sender *sender;     /* the others; NULL: there is nothing to send */
    int signal_fd;                    /* signalfd for SIGCHLD, SIGINT, SIGTERM, SIGHUP */
    const struct job_clocks *clocks;  /* process 0 only, for telling how long something lasts */
    double timeout;                   /* seconds without progress; 0: none. Process 0 only */
    const struct error *failure;      /* the others: why the pass could not begin here; NULL: it did */
    bool interrupted;                 /* out: a signal ended it */
    bool unsure;                      /* out, process 0: others can no longer be counted on to hear and answer */
};

/* Process 0: returns 0 when every lane of the job was walked to its end; else -1 with `err` (kind FAIL or
 * INFRA), all executors of the job gone (or their processes unreachable). */
int supervise_root(struct supervision *s, struct error *err);

/* The others: returns when process 0 says FINISH, or on a signal (then `interrupted` is set). */
int supervise_worker(struct supervision *s, struct error *err);

/* The others, when the pass is over: send what profiles are left, and say so. On a signal it returns 0 with
 * `interrupted` set. */
int supervise_send(struct supervision *s, struct error *err);

/* Process 0, when the pass is over and the others do supervise_send(): take what profiles there are still to come. What
 * does not come is a loss (the receiver's inbox lists it) and changes nothing else. -1 when MPI fails, a process is
 * silent for a minute, or on a signal (then `interrupted` is set): the others cannot be counted on any more. */
int supervise_gather(struct supervision *s, struct error *err);

/* Process 0: inform the others that the pass is over. Each sends nothing more until it has the next order, so that a
 * pass never reads events of the one before. */
void supervise_finish(struct supervision *s);

#endif

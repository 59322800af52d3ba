/*
 * supervision - one process of the job while a pass of the plan runs: its executors, its signals, its events, and one wait
 * for all of them.
 *
 * Nothing here is in the way of a dispatch: lanes wait for each other on words of the segment, and this side sleeps in poll().
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_SUPERVISION_H
#define L3R_ORCHESTRATOR_SUPERVISE_SUPERVISION_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"
#include "common/segment/segment.h"
#include "orchestrator/clocks/job_clocks.h"
#include "orchestrator/gather/gather.h"
#include "orchestrator/messages/events.h"
#include "orchestrator/messages/mpi_job.h"
#include "orchestrator/messages/peers.h"
#include "rank-worker/lanes/executors.h"

enum { SUPERVISION_TICK_MS = 200 };

static const uint64_t supervision_tick_ns = SUPERVISION_TICK_MS * UINT64_C(1000000);
static const uint64_t supervision_forever = UINT64_MAX;

struct supervision {
    const struct mpi_job *job;
    struct segment *seg;
    struct events *events;            /* NULL in a job of one process */
    const struct peers *peers;        /* process 0: the others; NULL: there are none */
    struct executors *executors;      /* NULL: none of this process lives any more */
    struct gather_receiver *receiver; /* process 0: of profiles; NULL: none are wanted */
    struct gather_sender *sender;     /* the others; NULL: there is nothing to send */
    int signal_fd;                    /* signalfd for SIGCHLD, SIGINT, SIGTERM, SIGHUP */
    const struct job_clocks *clocks;  /* process 0 only, to say for how long a lane has been running */
    double timeout;                   /* seconds without progress; 0: none. Process 0 only */
    const struct error *failure;      /* the others: why the pass could not begin here; NULL: it did */
    bool interrupted;                 /* out: a signal ended it */
    bool unsure;                      /* out, process 0: others can no longer be counted on to hear and answer */
};

/* What was found after one wait. */
struct wakeup {
    bool failed;   /* an own lane failed; `error` says why */
    bool all_gone; /* no executor of this process lives */
    int signal;    /* one that asks us to end; 0: none */
    pid_t sender;  /* of it */
    struct error error;
};

/* Sleep until something happens or `limit_ns` passed (supervision_forever: no limit); then collect it in `wakeup`, whose
 * error is that of the first lane that failed. Events are left to the caller. -1 with `err` when the system refuses to wait. */
int supervision_wait(struct supervision *s, uint64_t limit_ns, struct wakeup *wakeup, struct error *err);

#endif

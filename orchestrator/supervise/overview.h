/*
 * overview - what process 0 knows of the other processes while a pass runs: it reads their events, and nothing else changes
 * it but the stop that job_stop.h sends.
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_OVERVIEW_H
#define L3R_ORCHESTRATOR_SUPERVISE_OVERVIEW_H

#include <stdbool.h>

#include "common/segment/control_check.h"
#include "orchestrator/supervise/stall.h"
#include "orchestrator/supervise/supervision.h"

/* The job as process 0 sees it. */
struct overview {
    int nprocess;
    uint8_t *connected, *stop_sent, *done, *stopped; /* by process */
    int nstopped;
    bool stopping, own_done;
    struct control_check check;
    bool more; /* events may wait that poll() does not report again */
    uint64_t stop_at_ns;
    struct stall stall;
};

/* The pass begins now; no process has been heard of. Freed with overview_close(). -1 without memory. */
int overview_open(struct overview *o, const struct segment *seg, const struct mpi_job *job, struct error *err);
void overview_close(struct overview *o);

/* Read the events that are there, but no more than one parcel: signals and own executors must not wait for files. `*failed`
 * is set, and `err` filled, by the first event of a failure; when taking a parcel failed, `s->unsure` is set too. */
void overview_events(struct supervision *s, struct overview *o, bool *failed, struct error *err);

/* Whether every other process has said that its lanes are done or stopped. */
bool overview_is_over(const struct overview *o);

#endif

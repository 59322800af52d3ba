/*
 * lead - process 0 while the plan runs: its passes, one after the other, on one clock, and their profiles.
 */
#ifndef L3R_ORCHESTRATOR_JOB_LEAD_H
#define L3R_ORCHESTRATOR_JOB_LEAD_H

#include "orchestrator/job/outcome.h"
#include "orchestrator/job/participant.h"
#include "orchestrator/prepare/options.h"
#include "orchestrator/prepare/prepare.h"

/* Run all passes of what is prepared, with the whole job. Afterwards the segment holds outputs and times of the last
 * one, times on process 0's clock. Sets `abrupt` and `clock_error_ns` of `out`, and, when the replay is repeated, what
 * its runs gave. -1 with `err` when a pass failed; a run whose outputs are wrong did not fail in this sense. */
int lead_run(struct participant *me, const struct run_options *options, struct prepared *p, struct outcome *out,
             struct error *err);

/* After the verdict, which does not wait for profiles: take those that are still to come, and report losses. Sets
 * `abrupt` when the other processes can no longer be counted on. */
void lead_gather(struct participant *me, struct outcome *out);

/* After an interrupt, before the job is ended by force: leave the others a moment to remove what they have on their
 * disks. */
void lead_await_others(struct participant *me);

/* When nothing more is to be done: have the other processes leave. -1 when one does not answer, of which it warns: the
 * job is to be ended by force. */
int lead_dismiss(const struct participant *me);

#endif

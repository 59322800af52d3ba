/*
 * supervise_root - process 0 while a pass of the plan runs: it watches the whole job until everybody is done or something went
 * wrong.
 *
 *     running -> (all processes DONE) -> over
 *     running -> (a lane failed | time-out | signal) -> stopping -> (all STOPPED, or 3 s) -> over
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_SUPERVISE_ROOT_H
#define L3R_ORCHESTRATOR_SUPERVISE_SUPERVISE_ROOT_H

#include "orchestrator/supervise/supervision.h"

/* Returns 0 when every lane of the job was walked to its end; else -1 with `err` (kind FAIL or INFRA), all executors of the
 * job gone (or their processes unreachable). */
int supervise_root(struct supervision *s, struct error *err);

/* When the pass is over and the others do supervise_send(): take what profiles there are still to come. What does not come is
 * a loss (the receiver's inbox lists it) and changes nothing else. -1 when MPI fails, a process is silent for a minute, or on
 * a signal (then `interrupted` is set): the others cannot be counted on any more. */
int supervise_gather(struct supervision *s, struct error *err);

/* Inform the others that the pass is over. Each sends nothing more until it has the next order, so that a pass never reads
 * events of the one before. */
void supervise_finish(struct supervision *s);

#endif

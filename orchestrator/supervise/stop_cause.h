/*
 * stop_cause - why process 0 stops a run: the error, and before it the table of what every lane was in.
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_STOP_CAUSE_H
#define L3R_ORCHESTRATOR_SUPERVISE_STOP_CAUSE_H

#include "orchestrator/supervise/supervision.h"

/* All return -1 with `err` filled. */

/* No dispatch ended for `s->timeout` seconds: FAIL at the node that has been running longest; INFRA when none runs or not all
 * executors got ready. */
int stop_cause_timeout(const struct supervision *s, struct error *err);

/* No dispatch ended while `lane` (PLAN_NONE: not known) was writing profiles for `saving_ns`. */
int stop_cause_profiles(const struct supervision *s, uint32_t lane, uint64_t saving_ns, struct error *err);

/* Process `rank` of the job has ended before its time; sets `s->interrupted`. */
int stop_cause_peer(struct supervision *s, int rank, struct error *err);

/* The signal of `wakeup` came to process 0; sets `s->interrupted`. */
int stop_cause_signal(struct supervision *s, const struct wakeup *wakeup, struct error *err);

#endif

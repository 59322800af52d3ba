/*
 * supervise_worker - the processes of the job other than process 0 while a pass of the plan runs.
 *
 *     running -> (all lanes done) -> DONE sent -> FINISH -> over
 *     running -> (a lane failed) -> FAILED sent -> STOP -> STOPPED sent -> FINISH -> over
 *
 * Who sends profiles does so all the while; what is left is sent after FINISH (supervise_send), and then GATHERED.
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_SUPERVISE_WORKER_H
#define L3R_ORCHESTRATOR_SUPERVISE_SUPERVISE_WORKER_H

#include "orchestrator/supervise/supervision.h"

/* Returns 0 when process 0 says FINISH, or on a signal (then `interrupted` is set); -1 with `err` when an event cannot be sent
 * or the system refuses to wait. */
int supervise_worker(struct supervision *s, struct error *err);

/* When the pass is over: send what profiles are left, and say so. On a signal it returns 0 with `interrupted` set. */
int supervise_send(struct supervision *s, struct error *err);

#endif

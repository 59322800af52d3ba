/*
 * job_stop - ending the executors of the whole job before their lanes are done.
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_JOB_STOP_H
#define L3R_ORCHESTRATOR_SUPERVISE_JOB_STOP_H

#include "orchestrator/supervise/overview.h"

/* Kill own executors, and have every connected process kill its own; one that connects later gets the event from the next
 * call. */
void stop_begin(struct supervision *s, struct overview *o);

/* All work is done, so nothing that is left to run can change the outcome: executors that do not end in time are ended.
 * Called until all are gone; -1 with `err` when a process of the job does not answer (then `s->unsure` is set). */
int stop_what_is_left(struct supervision *s, struct overview *o, struct error *err);

/* Stop the job and wait until every process has said that it did, or 3 s; `s->unsure` when one did not. */
void stop_all_processes(struct supervision *s, struct overview *o);

#endif

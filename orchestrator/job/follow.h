/*
 * follow - what the processes of a job but process 0 do: its orders, until there are no more.
 */
#ifndef L3R_ORCHESTRATOR_JOB_FOLLOW_H
#define L3R_ORCHESTRATOR_JOB_FOLLOW_H

#include "orchestrator/job/participant.h"

/* Returns the exit code, after MPI_Finalize; ends the whole job when this process cannot go on. */
int follow_process_0(struct participant *me);

#endif

/*
 * farewell - the end of the job. MPI_Finalize waits for all processes of the job, without a limit, and one of them may have
 * been stopped. So process 0 first waits until the others say that they leave, and MPI_Finalize has a limit of its own.
 */
#ifndef L3R_ORCHESTRATOR_JOB_FAREWELL_H
#define L3R_ORCHESTRATOR_JOB_FAREWELL_H

#include "orchestrator/messages/mpi_job.h"

enum { FAREWELL_LIMIT_S = 10 };

/* In process 0, after ORDER_LEAVE: -1 when a process does not answer within the limit; `err` names the first that does
 * not. The verdict is out by then: the caller ends the job with mpi_job_abort(). */
int farewell_await(const struct mpi_job *job, struct error *err);

/* In the others, on ORDER_LEAVE. */
int farewell_say(const struct mpi_job *job, struct error *err);

/* MPI_Finalize. When it does not return within the limit, say so and leave with `exit_code`: mpirun ends the others. */
void farewell_end(const struct mpi_job *job, int exit_code);

#endif

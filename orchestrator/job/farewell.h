/*
 * farewell - the end of the job. MPI_Finalize waits for all processes of the job, without a limit, and one of them may have
 * been stopped. So process 0 first waits until the others say that they leave, MPI_Finalize has a limit of its own, and those that
 * do not end after it, for which mpirun would wait, are killed. The notes and warnings of the others come to process 0 with it (notices.h).
 */
#ifndef L3R_ORCHESTRATOR_JOB_FAREWELL_H
#define L3R_ORCHESTRATOR_JOB_FAREWELL_H

#include "orchestrator/messages/mpi_job.h"

enum { FAREWELL_LIMIT_S = 10 };

/* Descriptors of the other processes (pidfd), by rank; -1: none. Zeros where nothing is to be watched. */
struct farewell {
    int count;
    int *processes;
};

/* In process 0, after ORDER_LEAVE: -1 when a process does not answer within the limit; `err` names the first that does
 * not. The verdict is out by then: the caller ends the job with mpi_job_abort(). */
int farewell_await(struct farewell *f, const struct mpi_job *job, struct error *err);

/* In the others, on ORDER_LEAVE. */
int farewell_say(const struct mpi_job *job, struct error *err);

/* MPI_Finalize, and then wait for the end of those in `f`, which is freed. MPI_Finalize that does not return within the limit
 * ends this process with `exit_code`, and so mpirun ends the others; a process that does not end is killed. A warning says
 * so. */
void farewell_end(struct farewell *f, const struct mpi_job *job, int exit_code);

#endif

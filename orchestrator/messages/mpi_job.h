/*
 * mpi_job - the MPI job: who is in it, and waiting for it without burning a core.
 *
 * Open MPI waits by polling; with more processes than cores that takes the
 * cores from the compilers and kernels that are waited for. So every wait of
 * ours that may be long is a non-blocking call, tested at growing intervals
 * with sleep in between (at most 1 ms: little beside what is waited for).
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_MPI_JOB_H
#define L3R_ORCHESTRATOR_MESSAGES_MPI_JOB_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct mpi_job {
    int rank, size;
    int node_size;        /* processes of this job on this node */
    uint64_t init_end_ns; /* clock_now_ns() when MPI_Init was over */
};

/* MPI_Init. Fails when the job spans several nodes, which this version does not replay. */
int mpi_job_start(struct mpi_job *job, int *argc, char ***argv, struct error *err);

/* Process 0's `nbytes` at `buf` to all. */
int mpi_job_share(const struct mpi_job *job, void *buf, size_t nbytes, struct error *err);

/* Wait for a request of a non-blocking call, which `call` names. 0: it is complete; 1: it is not by `deadline_ns`
 * (clock_now_ns(); 0: wait for ever) and is still under way. `brisk` polls for the first moment, for answers that come
 * within microseconds and whose time counts. -1 also when a signal waits that is blocked (interrupt.h): whoever reads
 * signals must get to it. Then too the request is still under way. */
int mpi_job_wait(MPI_Request *request, uint64_t deadline_ns, bool brisk, const char *call, struct error *err);

/* The error of an MPI call that returned `code`. Returns -1. */
int mpi_job_error(struct error *err, int code, const char *call);

void mpi_job_end(void);

/* End every process of the job at once. For use when the others can no longer be asked. */
_Noreturn void mpi_job_abort(const struct mpi_job *job, int exit_code);

#endif

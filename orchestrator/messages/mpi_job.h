/*
 * mpi_job - the MPI job: who is in it, and what process 0 sends to all. Waits do not burn a core (mpi_call.h).
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_MPI_JOB_H
#define L3R_ORCHESTRATOR_MESSAGES_MPI_JOB_H

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

/* A job of this process alone, which needs no MPI, and starts none. */
void mpi_job_start_alone(struct mpi_job *job);

/* Process 0's `nbytes` at `buf` to all. */
int mpi_job_share(const struct mpi_job *job, void *buf, size_t nbytes, struct error *err);

/* Name and version of the MPI library in `buf`. */
void mpi_job_library(char *buf, size_t size);

void mpi_job_end(void);

/* End every process of the job at once. For use when the others can no longer be asked. */
_Noreturn void mpi_job_abort(const struct mpi_job *job, int exit_code);

#endif

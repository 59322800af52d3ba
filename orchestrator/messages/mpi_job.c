#include "orchestrator/messages/mpi_job.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/private_dir.h"
#include "orchestrator/messages/mpi_call.h"

int mpi_job_start(struct mpi_job *job, int *argc, char ***argv, struct error *err)
{
    MPI_Comm node;
    int rc = MPI_Init(argc, argv);

    memset(job, 0, sizeof *job);
    job->init_end_ns = clock_now_ns();
    if (rc != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Init");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if ((rc = MPI_Comm_rank(MPI_COMM_WORLD, &job->rank)) != MPI_SUCCESS ||
        (rc = MPI_Comm_size(MPI_COMM_WORLD, &job->size)) != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Comm_rank");
    }
    rc = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (rc != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Comm_split_type");
    }
    MPI_Comm_size(node, &job->node_size);
    MPI_Comm_free(&node);
    if (job->node_size != job->size) {
        return error_set(err, NULL, "start all processes on one host (mpirun --host localhost:<slots>)",
                         "the job's %d processes are on several hosts; this version replays on one", job->size);
    }
    return 0;
}

void mpi_job_start_alone(struct mpi_job *job)
{
    *job = (struct mpi_job){.size = 1, .node_size = 1, .init_end_ns = clock_now_ns()};
}

int mpi_job_share(const struct mpi_job *job, void *buf, size_t nbytes, struct error *err)
{
    MPI_Request request;
    int rc;

    if (job->size == 1) {
        return 0;
    }
    rc = MPI_Ibcast(buf, (int)nbytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    if (rc != MPI_SUCCESS) {
        return mpi_call_error(err, rc, "MPI_Ibcast");
    }
    return mpi_call_wait(&request, 0, false, "MPI_Ibcast", err);
}

void mpi_job_library(char *buf, size_t size)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int n = 0;

    MPI_Get_library_version(library, &n);
    library[strcspn(library, ",\n")] = '\0';
    snprintf(buf, size, "%s", library);
}

void mpi_job_end(void)
{
    int initialized = 0, finalized = 0;

    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized) {
        MPI_Finalize();
    }
}

void mpi_job_abort(const struct mpi_job *job, int exit_code)
{
    private_dir_remove_all();
    if (job->size > 1) {
        MPI_Abort(MPI_COMM_WORLD, exit_code);
    }
    _Exit(exit_code); /* MPI_Abort may return on some errors */
}

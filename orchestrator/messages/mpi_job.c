#include "orchestrator/messages/mpi_job.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "orchestrator/job/interrupt.h"

enum { BRISK_NS = 200000 };

int mpi_job_error(struct error *err, int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;

    MPI_Error_string(code, text, &n);
    return error_set(err, call, "look at what mpirun prints", "MPI: %.*s", n, text);
}

int mpi_job_wait(MPI_Request *request, uint64_t deadline_ns, bool brisk, const char *call, struct error *err)
{
    const uint64_t brisk_until_ns = brisk ? clock_now_ns() + BRISK_NS : 0;
    struct timespec nap = {.tv_nsec = 20000};
    int done = 0;

    for (;;) {
        int rc = MPI_Test(request, &done, MPI_STATUS_IGNORE);

        if (rc != MPI_SUCCESS)
            return mpi_job_error(err, rc, call);
        if (done)
            return 0;
        if (brisk && clock_now_ns() < brisk_until_ns) {
            sched_yield(); /* who is to answer may need this core */
            continue;
        }
        if (deadline_ns && clock_now_ns() >= deadline_ns)
            return 1;
        if (interrupt_is_pending())
            return error_set(err, call, NULL, "the job was interrupted");
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < 1000000)
            nap.tv_nsec += nap.tv_nsec / 2;
    }
}

int mpi_job_start(struct mpi_job *job, int *argc, char ***argv, struct error *err)
{
    MPI_Comm node;
    int rc = MPI_Init(argc, argv);

    memset(job, 0, sizeof *job);
    job->init_end_ns = clock_now_ns();
    if (rc != MPI_SUCCESS)
        return mpi_job_error(err, rc, "MPI_Init");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if ((rc = MPI_Comm_rank(MPI_COMM_WORLD, &job->rank)) != MPI_SUCCESS ||
        (rc = MPI_Comm_size(MPI_COMM_WORLD, &job->size)) != MPI_SUCCESS)
        return mpi_job_error(err, rc, "MPI_Comm_rank");
    rc = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    if (rc != MPI_SUCCESS)
        return mpi_job_error(err, rc, "MPI_Comm_split_type");
    MPI_Comm_size(node, &job->node_size);
    MPI_Comm_free(&node);
    if (job->node_size != job->size)
        return error_set(err, NULL, "start all processes on one host (mpirun --host localhost:<slots>)",
                         "the job's %d processes are on several hosts; this version replays on one", job->size);
    return 0;
}

int mpi_job_share(const struct mpi_job *job, void *buf, size_t nbytes, struct error *err)
{
    MPI_Request request;
    int rc;

    if (job->size == 1)
        return 0;
    rc = MPI_Ibcast(buf, (int)nbytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    if (rc != MPI_SUCCESS)
        return mpi_job_error(err, rc, "MPI_Ibcast");
    return mpi_job_wait(&request, 0, false, "MPI_Ibcast", err);
}

void mpi_job_end(void)
{
    int initialized = 0, finalized = 0;

    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized)
        MPI_Finalize();
}

void mpi_job_abort(const struct mpi_job *job, int exit_code)
{
    if (job->size > 1)
        MPI_Abort(MPI_COMM_WORLD, exit_code);
    _Exit(exit_code); /* MPI_Abort may return on some errors */
}

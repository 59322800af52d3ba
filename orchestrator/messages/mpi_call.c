#include "orchestrator/messages/mpi_call.h"

#include <sched.h>
#include <time.h>

#include "common/base/clock.h"
#include "orchestrator/messages/stop_signals.h"

enum { BRISK_NS = 200000 };

int mpi_call_error(struct error *err, int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;

    MPI_Error_string(code, text, &n);
    return error_set(err, call, "look at what mpirun prints", "MPI: %.*s", n, text);
}

int mpi_call_wait(MPI_Request *request, uint64_t deadline_ns, bool brisk, const char *call, struct error *err)
{
    const uint64_t brisk_until_ns = brisk ? clock_now_ns() + BRISK_NS : 0;
    struct timespec nap = {.tv_nsec = 20000};
    int done = 0;

    for (;;) {
        int rc = MPI_Test(request, &done, MPI_STATUS_IGNORE);

        if (rc != MPI_SUCCESS) {
            return mpi_call_error(err, rc, call);
        }
        if (done) {
            return 0;
        }
        if (brisk && clock_now_ns() < brisk_until_ns) {
            sched_yield(); /* who is to answer may need this core */
            continue;
        }
        if (deadline_ns && clock_now_ns() >= deadline_ns) {
            return 1;
        }
        if (stop_signal_is_pending()) {
            return error_set(err, call, NULL, "the job was interrupted");
        }
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < 1000000) {
            nap.tv_nsec += nap.tv_nsec / 2;
        }
    }
}

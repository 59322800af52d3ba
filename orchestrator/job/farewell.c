#include "orchestrator/job/farewell.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "orchestrator/messages/mpi_message.h"

/* Process 0 gives up first, since it says who is missing. */
enum { TAG_LEAVE = 1801, LONGER_S = 5 };

static volatile sig_atomic_t code_at_limit;
static volatile sig_atomic_t first;

static uint64_t deadline_ns(int limit_s)
{
    return clock_now_ns() + (uint64_t)limit_s * 1000000000u;
}

int farewell_await(const struct mpi_job *job, struct error *err)
{
    const uint64_t until_ns = deadline_ns(FAREWELL_LIMIT_S);
    char word;

    for (int r = 1; r < job->size; r++) {
        int rc = mpi_message_receive(&word, sizeof word, r, TAG_LEAVE, until_ns, false, err);

        if (rc > 0) {
            return error_set(err, NULL, "see whether it is stopped (ps: state T), or its host too busy",
                             "the replay is over, but process %d of the job does not end: it was ended", r);
        }
        if (rc < 0) {
            return -1;
        }
    }
    return 0;
}

int farewell_say(const struct mpi_job *job, struct error *err)
{
    static const char word = 0;

    int rc = mpi_message_send(&word, sizeof word, 0, TAG_LEAVE, deadline_ns(FAREWELL_LIMIT_S + LONGER_S), err);

    return rc <= 0 ? rc
                   : error_set(err, NULL, "see whether it is stopped (ps: state T)",
                               "process %d of the job wants to end, and process 0 does not answer", job->rank);
}

static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        return; /* nobody is left to read it */
    }
}

/* Only what is safe in a signal handler. */
static void leave(int sig)
{
    (void)sig;
    if (first) {
        put("l3replay: warning: MPI_Finalize did not end in time: a process of the job is stopped, or its host too "
            "busy; "
            "the job is ended\n");
    }
    _exit(code_at_limit);
}

void farewell_end(const struct mpi_job *job, int exit_code)
{
    const struct sigaction action = {.sa_handler = leave};

    code_at_limit = exit_code;
    first = job->rank == 0;
    if (sigaction(SIGALRM, &action, NULL) == 0) {
        alarm(FAREWELL_LIMIT_S + (first ? 0 : LONGER_S));
    }
    mpi_job_end();
    alarm(0);
}

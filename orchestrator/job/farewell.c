#include "orchestrator/job/farewell.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "orchestrator/job/notices.h"
#include "orchestrator/messages/mpi_message.h"

/* Process 0 gives up first, since it says who is missing. */
enum { TAG_LEAVE = 1801, TAG_NOTICES, LONGER_S = 5 };

static volatile sig_atomic_t code_at_limit;
static volatile sig_atomic_t first;

static uint64_t deadline_ns(int limit_s)
{
    return clock_now_ns() + (uint64_t)limit_s * 1000000000u;
}

/* What a process says; `nbytes` of text follow where there are some. */
struct last_words {
    int32_t pid;
    uint32_t nbytes;
};

/* Notes and warnings of process `r`. 0, 1 when they did not come in time, -1 on error. */
static int receive_notices(int r, uint32_t nbytes, uint64_t until_ns, struct error *err)
{
    char *text;
    int rc;

    if (nbytes > NOTICES_TEXT_MAX) {
        return error_set(err, "process of the job", NULL, "process %d announced %u bytes of notes", r, nbytes);
    }
    text = malloc(nbytes);
    if (!text) {
        return error_nomem(err, "notes", nbytes);
    }
    rc = mpi_message_receive(text, nbytes, r, TAG_NOTICES, until_ns, false, err);
    if (rc == 0) {
        notices_unpack(text, nbytes);
    }
    free(text);
    return rc;
}

int farewell_await(struct farewell *f, const struct mpi_job *job, struct error *err)
{
    const uint64_t until_ns = deadline_ns(FAREWELL_LIMIT_S);
    struct last_words words;

    if (job->size == 1) {
        return 0;
    }
    f->processes = calloc((size_t)job->size, sizeof *f->processes);
    if (!f->processes) {
        return error_nomem(err, "processes", (size_t)job->size * sizeof *f->processes);
    }
    f->processes[f->count++] = -1;
    for (int r = 1; r < job->size; r++) {
        int rc = mpi_message_receive(&words, sizeof words, r, TAG_LEAVE, until_ns, false, err);

        if (rc == 0 && words.nbytes) {
            rc = receive_notices(r, words.nbytes, until_ns, err);
        }
        if (rc > 0) {
            return error_set(err, NULL, "see whether it is stopped (ps: state T), or its host too busy",
                             "the replay is over, but process %d of the job does not end: it was ended", r);
        }
        if (rc < 0) {
            return -1;
        }
        /* Before MPI_Finalize no process ends. Old kernels have no such descriptor: mpirun waits for the process then. */
        f->processes[f->count++] = (int)syscall(SYS_pidfd_open, (pid_t)words.pid, 0u);
    }
    return 0;
}

int farewell_say(const struct mpi_job *job, struct error *err)
{
    static struct last_words words; /* may belong to MPI for good, and so may the text */
    const uint64_t until_ns = deadline_ns(FAREWELL_LIMIT_S + LONGER_S);
    size_t nbytes;
    char *text = notices_pack(&nbytes);
    int rc;

    words = (struct last_words){.pid = getpid(), .nbytes = (uint32_t)nbytes};
    rc = mpi_message_send(&words, sizeof words, 0, TAG_LEAVE, until_ns, err);
    if (rc == 0 && text) {
        rc = mpi_message_send(text, nbytes, 0, TAG_NOTICES, until_ns, err);
    }
    if (rc == 0) {
        free(text);
    }
    return rc <= 0 ? rc
                   : error_set(err, NULL, "see whether it is stopped (ps: state T)",
                               "process %d of the job wants to end, and process 0 does not answer", job->rank);
}

/* mpirun would wait for it without a limit. */
static void see_off(int process, int rank, int64_t until_ms)
{
    struct pollfd end = {.fd = process, .events = POLLIN};
    int rc;

    do {
        const int64_t left_ms = until_ms - clock_now_ms();

        rc = poll(&end, 1, left_ms > 0 ? (int)left_ms : 0);
    } while (rc < 0 && errno == EINTR);
    if (rc == 0 && syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0u) == 0) {
        log_msg(LOG_WARN,
                "the replay is over, but process %d of the job does not end: it was killed; see whether it was "
                "stopped, or its host too busy",
                rank);
    }
    close(process);
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

void farewell_end(struct farewell *f, const struct mpi_job *job, int exit_code)
{
    const struct sigaction action = {.sa_handler = leave};
    int64_t until_ms;

    code_at_limit = exit_code;
    first = job->rank == 0;
    if (sigaction(SIGALRM, &action, NULL) == 0) {
        alarm(FAREWELL_LIMIT_S + (first ? 0 : LONGER_S));
    }
    mpi_job_end();
    alarm(0);
    until_ms = clock_now_ms() + (int64_t)FAREWELL_LIMIT_S * 1000;
    for (int r = 0; r < f->count; r++) {
        if (f->processes[r] >= 0) {
            see_off(f->processes[r], r, until_ms);
        }
    }
    free(f->processes);
    *f = (struct farewell){0};
}

#include "orchestrator/job/start_watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/private_dir.h"
#include "orchestrator/job/interrupt.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/messages/stop_signals.h"

/* The other processes wait longer, so that the first one reports it. */
enum { LONGER_MS = 3000, FEW_FILES = 64 };

static struct start_watch {
    pthread_t thread;
    int signals, over; /* signalfd; eventfd, written when the start is over */
    int64_t until_ms;  /* 0: no limit */
    double limit;
    bool first;
    pid_t process;
    atomic_bool starting;
} watch;

static _Noreturn void leave(const struct error *err)
{
    if (watch.first) {
        error_print(err);
        marker_print(RESULT_INFRA, NULL, 0, 0, 0);
    }
    private_dir_remove_all();
    if (!watch.first) {
        poll(NULL, 0, INTERRUPT_STAY_MS);
    }
    watch.starting = false;
    _exit(EXIT_CODE_INFRA);
}

/* Why Open MPI may have given up, as far as it can be seen from here. */
static const char *likely_cause(void)
{
    const char *tmpdir = getenv("TMPDIR");
    struct rlimit files;

    if (access(tmpdir && *tmpdir ? tmpdir : "/tmp", W_OK | X_OK) < 0) {
        return "TMPDIR (/tmp when not set) must be a directory that can be written and has space";
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FEW_FILES) {
        return "raise the limit on open files (ulimit -n): Open MPI needs some dozens";
    }
    return "look at Open MPI's messages above, at the settings OMPI_MCA_* in the environment, and at the space in "
           "TMPDIR "
           "and /dev/shm";
}

/* Also mpirun sends one, to those that are left when a process of the job could not start. */
static _Noreturn void leave_for_signal(void)
{
    struct signalfd_siginfo info = {0};
    struct error err;

    if (read(watch.signals, &info, sizeof info) != (ssize_t)sizeof info) {
        info.ssi_signo = 0;
    }
    error_set(&err, "MPI_Init", likely_cause(),
              "signal %u (%s) while MPI started: an interrupt, or another process of the job could not start",
              info.ssi_signo, strsignal((int)info.ssi_signo));
    leave(&err);
}

static _Noreturn void leave_for_time(void)
{
    struct error err;

    error_set(&err, "MPI_Init",
              "see whether a process of the job was stopped (ps: state T), look at the host, or raise --start-timeout",
              "MPI did not start within %.0f s: it waits for the other processes of the job", watch.limit);
    leave(&err);
}

static void *look(void *unused)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = watch.over, .events = POLLIN}, {.fd = watch.signals, .events = POLLIN}};
        const int64_t left_ms = watch.until_ms ? watch.until_ms - clock_now_ms() : -1;

        if (watch.until_ms && left_ms <= 0) {
            leave_for_time();
        }
        if (poll(fds, 2, (int)left_ms) < 0 && errno != EINTR) {
            return unused;
        }
        if (fds[0].revents) {
            return unused;
        }
        if (fds[1].revents) {
            leave_for_signal();
        }
    }
}

/* Open MPI ends a process in which it cannot start with this function of the C library. A program's own comes first. */
void _exit(int status)
{
    struct error err;

    if (watch.starting && watch.process == getpid()) {
        watch.starting = false;
        error_set(&err, "MPI_Init", likely_cause(), "MPI could not start");
        leave(&err);
    }
    for (;;) {
        syscall(SYS_exit_group, status);
    }
}

static int failed(struct error *err)
{
    error_errno(err, NULL, "raise the limits on open files and processes (ulimit -n, ulimit -u)",
                "cannot watch over the start of MPI");
    if (watch.signals >= 0) {
        close(watch.signals);
    }
    if (watch.over >= 0) {
        close(watch.over);
    }
    return -1;
}

int start_watch_begin(bool first, double limit, struct error *err)
{
    sigset_t set;
    int rc;

    stop_signals(&set);
    watch.first = first;
    watch.process = getpid();
    watch.limit = limit;
    watch.until_ms = limit > 0 ? clock_now_ms() + (int64_t)(limit * 1e3) + (first ? 0 : LONGER_MS) : 0;
    watch.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    watch.over = eventfd(0, EFD_CLOEXEC);
    if (watch.signals < 0 || watch.over < 0) {
        return failed(err);
    }
    rc = pthread_create(&watch.thread, NULL, look, NULL);
    if (rc) {
        errno = rc;
        return failed(err);
    }
    watch.starting = true;
    return 0;
}

void start_watch_end(void)
{
    const uint64_t one = 1;

    watch.starting = false;
    if (write(watch.over, &one, sizeof one) == (ssize_t)sizeof one) {
        pthread_join(watch.thread, NULL);
    }
    close(watch.signals);
    close(watch.over);
}

#include "common/process/child_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NOT_EXECUTED = 127, MOST_CLOSED = 65536 };

void child_reset_signals(unsigned long keep_ignored)
{
    struct sigaction dfl = {.sa_handler = SIG_DFL}, now;

    for (int sig = 1; sig < NSIG; sig++) {
        bool may_keep = sig < (int)(8 * sizeof keep_ignored) && (keep_ignored >> sig & 1);
        if (may_keep && sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN) {
            continue;
        }
        sigaction(sig, &dfl, NULL); /* fails for those that have no other, and those of the C library */
    }
}

/* Linux before 5.9 has no close_range(). */
static void close_from(int first)
{
    struct rlimit limit;
    int end = MOST_CLOSED;

    if (close_range((unsigned)first, ~0U, 0) == 0) {
        return;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < MOST_CLOSED) {
        end = (int)limit.rlim_cur;
    }
    for (int fd = first; fd < end; fd++) {
        close(fd);
    }
}

int child_place_fds(struct child_setup *c)
{
    int report = (int)c->nfd;

    for (unsigned i = 0; i < c->nfd; i++) {
        if (dup2(c->fds[i], (int)i) < 0) {
            return errno;
        }
    }
    if (dup3(c->report, report, O_CLOEXEC) < 0) {
        return errno;
    }
    c->report = report;
    close_from(report + 1);
    return 0;
}

void child_report(int fd, enum child_report_kind kind, int value)
{
    const struct child_report report = {kind, value};

    while (write(fd, &report, sizeof report) < 0 && errno == EINTR) {
        continue;
    }
}

/* Returns errno. */
static int become(struct child_setup *c)
{
    sigset_t none;
    int error;

    child_reset_signals(0);
    if (c->own_group && setpgid(0, 0) < 0) {
        return errno;
    }
    if (prctl(PR_SET_PDEATHSIG, c->death_signal) < 0) {
        return errno;
    }
    if (getppid() != c->parent) { /* it died before it could be watched */
        return ESRCH;
    }
    error = child_place_fds(c);
    if (error) {
        return error;
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* A path is executed as it is, without the shell that execvpe() tries. */
    if (strchr(c->argv[0], '/')) {
        execve(c->argv[0], (char *const *)c->argv, c->envp);
    } else {
        execvpe(c->argv[0], (char *const *)c->argv, c->envp);
    }
    return errno;
}

_Noreturn void child_become(struct child_setup *c)
{
    child_report(c->report, CHILD_FAILED, become(c));
    _exit(NOT_EXECUTED);
}

#include "common/process/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/process/descendants.h"

enum { END_LIMIT_MS = 1500 };

/* Start the command and learn whether it could be executed. Returns its process id, or minus errno. */
static pid_t start(struct child_setup *c)
{
    struct child_report report;
    int outer = c->report, fds[2];
    pid_t pid;
    ssize_t n;

    if (pipe2(fds, O_CLOEXEC) < 0) {
        return -errno;
    }
    c->parent = getpid();
    c->death_signal = SIGKILL;
    c->own_group = true;
    for (unsigned i = 0; i < c->nfd; i++) { /* keeper_run() has put them in their places */
        c->fds[i] = (int)i;
    }
    c->report = fds[1];
    pid = fork();
    if (pid == 0) {
        child_become(c);
    }
    c->report = outer;
    close(fds[1]);
    if (pid < 0) {
        return -errno;
    }
    while ((n = read(fds[0], &report, sizeof report)) < 0 && errno == EINTR) {
        continue;
    }
    close(fds[0]);
    return n == (ssize_t)sizeof report ? -report.value : pid;
}

/* Until the command has ended, or all are to end. What it left behind and has ended is collected meanwhile. */
static void watch(pid_t command, const sigset_t *signals)
{
    siginfo_t info;

    do {
        for (;;) {
            info.si_pid = 0;
            if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == command) {
                return;
            }
            if (info.si_pid == 0) {
                break;
            }
            waitpid(info.si_pid, NULL, WNOHANG);
        }
    } while (sigwaitinfo(signals, &info) != SIGTERM);
}

/* Kill the command and its group and wait for it. Until then no other group can have its id. Returns its wait status. */
static int end(pid_t command)
{
    int status = SIGKILL;

    kill(-command, SIGKILL);
    while (waitpid(command, &status, 0) < 0 && errno == EINTR) {
        continue;
    }
    return status;
}

_Noreturn void keeper_run(struct child_setup *c)
{
    sigset_t signals;
    pid_t parent = c->parent, command;
    int error, status;

    child_reset_signals(0);
    setpgid(0, 0);
    /* The owner's sockets and locks must close when it dies. */
    error = child_place_fds(c);
    if (error == 0 && (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)) {
        error = errno;
    }
    if (error == 0 && getppid() != parent) {
        error = ESRCH;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_SETMASK, &signals, NULL);
    command = error ? -error : start(c);
    if (command < 0) {
        child_report(c->report, CHILD_FAILED, -command);
        _exit(1);
    }
    child_report(c->report, CHILD_STARTED, command);
    for (unsigned i = 0; i < c->nfd; i++) { /* the command's end is the end of its pipes */
        close((int)i);
    }
    watch(command, &signals);
    status = end(command);
    process_end_all(END_LIMIT_MS);
    child_report(c->report, CHILD_ENDED, status);
    _exit(0);
}

#include "common/base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in the child, which shares the parent's memory until it executes: only system calls. Returns errno. */
static int become(const char *const *argv, int in, int out, pid_t parent, bool own_group)
{
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++) {
        struct sigaction old;
        if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN && old.sa_handler != SIG_DFL) {
            signal(sig, SIG_DFL);
        }
    }
    signal(SIGPIPE, SIG_DFL); /* ignored by us, which programs do not expect to inherit */
    if (own_group && setpgid(0, 0) < 0) {
        return errno;
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) {
        return errno;
    }
    if (getppid() != parent) {
        return ESRCH;
    }
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) {
        return errno;
    }
    execvp(argv[0], (char *const *)argv);
    return errno;
}

/* fork() would copy the page tables of a process that may have large segments mapped. */
static pid_t launch(const char *const *argv, int in, int out, bool own_group, int *failed)
{
    volatile int *report = failed;
    pid_t parent = getpid();
    pid_t pid = vfork();

    if (pid == 0) {
        *report = become(argv, in, out, parent, own_group);
        _exit(127);
    }
    return pid;
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

static void reap(pid_t pid, int *status)
{
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
        continue;
    }
}

/* A descriptor below 3 would be overwritten by the child's own dup2(). */
static int make_pipe(int fds[2], struct error *err)
{
    if (pipe2(fds, O_CLOEXEC) < 0) {
        return error_errno(err, NULL, "raise the limit of open files (ulimit -n)", "cannot make a pipe");
    }
    for (int i = 0; i < 2; i++) {
        int high;
        if (fds[i] > STDERR_FILENO) {
            continue;
        }
        high = fcntl(fds[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (high < 0) {
            return error_errno(err, NULL, "raise the limit of open files (ulimit -n)", "cannot make a pipe");
        }
        close(fds[i]);
        fds[i] = high;
    }
    return 0;
}

int spawn_start(struct spawned *s, const char *const *argv, bool own_group, struct error *err)
{
    int fds[4] = {-1, -1, -1, -1}; /* child's stdin: read, write; child's stdout: read, write */
    int failed = 0, status;
    sigset_t all, before;

    if (make_pipe(fds, err) < 0 || make_pipe(fds + 2, err) < 0) {
        goto fail;
    }
    if (fcntl(fds[1], F_SETFL, O_NONBLOCK) < 0 || fcntl(fds[2], F_SETFL, O_NONBLOCK) < 0) {
        error_errno(err, NULL, NULL, "cannot set up a pipe");
        goto fail;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of ours may run in the child */
    s->pid = launch(argv, fds[0], fds[3], own_group, &failed);
    if (s->pid < 0) {
        failed = errno;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        if (s->pid > 0) {
            reap(s->pid, &status);
        }
        errno = failed;
        error_errno(err, NULL, NULL, "cannot start %s", argv[0]);
        goto fail;
    }
    close(fds[0]);
    close(fds[3]);
    s->to = fds[1];
    s->from = fds[2];
    s->own_group = own_group;
    return 0;
fail:
    close_all(fds, 4);
    return -1;
}

bool spawn_has_ended(const struct spawned *s)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ? errno == ECHILD
                                                                               : info.si_pid == s->pid;
}

int spawn_finish(struct spawned *s, int kill_it)
{
    int status = -1;

    close_all((int[]){s->to, s->from}, 2);
    if (kill_it) {
        if (s->own_group) {
            kill(-s->pid, SIGKILL);
        }
        kill(s->pid, SIGKILL); /* it may have left its group */
    }
    reap(s->pid, &status);
    return status;
}

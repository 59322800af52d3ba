#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/process/child_setup.h"
#include "common/process/handle.h"
#include "common/process/keeper.h"
#include "common/process/process.h"

enum { START_LIMIT_MS = 30000 };

_Static_assert((int)CHILD_MOST == 3 + (int)PROCESS_PASS_MAX, "standard streams and what is passed");

static const char HINT_FILES[] = "raise the limit of open files (ulimit -n)";

/* Move `*fd` to where the child's own numbers do not collide with it. */
static int move_high(int *fd)
{
    int high = fcntl(*fd, F_DUPFD_CLOEXEC, CHILD_FIRST_FREE);

    close(*fd);
    *fd = high;
    return high < 0 ? -1 : 0;
}

/* `*child` and `*ours` are set as far as they were opened. */
static int make_pipe(int *child, int *ours, bool child_reads, const char *name, struct error *err)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0) {
        return error_errno(err, NULL, HINT_FILES, "cannot make a pipe for %s", name);
    }
    *child = fds[!child_reads];
    *ours = fds[child_reads];
    if (move_high(child) < 0 || move_high(ours) < 0 || fcntl(*ours, F_SETFL, O_NONBLOCK) < 0) {
        return error_errno(err, NULL, HINT_FILES, "cannot make a pipe for %s", name);
    }
    return 0;
}

static int open_null(int *child, struct error *err)
{
    *child = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (*child < 0) {
        return error_errno(err, "/dev/null", "make the device: mknod -m 666 /dev/null c 1 3", "cannot open /dev/null");
    }
    return move_high(child) < 0 ? error_errno(err, NULL, HINT_FILES, "cannot open /dev/null") : 0;
}

static int copy_fd(int from, int *child, struct error *err)
{
    *child = fcntl(from, F_DUPFD_CLOEXEC, CHILD_FIRST_FREE);
    if (*child < 0 && errno == EBADF && from <= STDERR_FILENO) {
        return open_null(child, err);
    }
    return *child < 0 ? error_errno(err, NULL, HINT_FILES, "cannot pass descriptor %d on", from) : 0;
}

static int open_stream(struct process *p, const struct process_options *o, int stream, struct child_setup *c,
                       struct error *err)
{
    int *child = &c->fds[stream];

    switch (o->streams[stream]) {
    case PROCESS_PIPE:
        return make_pipe(child, &p->fds[stream], stream == PROCESS_STDIN, o->argv[0], err);
    case PROCESS_OURS:
        return copy_fd(stream, child, err);
    case PROCESS_AS_STDOUT:
        return copy_fd(c->fds[PROCESS_STDOUT], child, err); /* opened before: stderr comes last */
    case PROCESS_NULL:
    default:
        return open_null(child, err);
    }
}

/* The child's descriptors, and our ends of them. */
static int open_fds(struct process *p, const struct process_options *o, struct child_setup *c, struct error *err)
{
    for (int i = 0; i < 3; i++, c->nfd++) {
        if (open_stream(p, o, i, c, err) < 0) {
            return -1;
        }
    }
    for (unsigned i = 0; i < o->npass; i++, c->nfd++) {
        if (copy_fd(o->pass[i], &c->fds[c->nfd], err) < 0) {
            return -1;
        }
    }
    return make_pipe(&c->report, &p->report, false, o->argv[0], err);
}

static void close_child_fds(struct child_setup *c)
{
    for (unsigned i = 0; i < CHILD_MOST; i++) {
        if (c->fds[i] >= 0) {
            close(c->fds[i]);
        }
    }
    if (c->report >= 0) {
        close(c->report);
    }
}

/* The back ends part here. The child of a vfork shares our memory until it executes, that of a fork has a copy. */
static pid_t launch(struct child_setup *c, bool kept)
{
    struct child_setup copy = *c; /* the child's, which changes it */
    pid_t pid;

    if (kept) {
        pid = fork();
        if (pid == 0) {
            keeper_run(&copy);
        }
        return pid;
    }
    pid = vfork();
    if (pid == 0) {
        child_become(&copy);
    }
    return pid;
}

static const char *start_hint(int errnum)
{
    switch (errnum) {
    case EAGAIN:
        return "end other processes on this host, or raise the limit on them (ulimit -u, pids of the cgroup)";
    case ENOMEM:
        return "free memory on this host, or raise limits on it (ulimit -v, memory of the cgroup)";
    case E2BIG:
        return "make the environment smaller";
    case EMFILE:
    case ENFILE:
        return HINT_FILES;
    default:
        return NULL;
    }
}

/* Whether the program was executed: its end of the pipe closes then, and a keeper says so. */
static int await_start(struct process *p, const char *name, struct error *err)
{
    struct pollfd answer = {p->report, POLLIN, 0};
    struct child_report report = {0};
    int64_t end = clock_now_ms() + START_LIMIT_MS, left;
    ssize_t n = -1;

    while (n < 0 && (left = end - clock_now_ms()) > 0) {
        if (poll(&answer, 1, (int)left) > 0) {
            n = read(p->report, &report, sizeof report);
        }
    }
    if (n < 0) {
        return error_set(err, NULL, "look at the disk that it is on", "%s could not be started within %d s", name,
                         START_LIMIT_MS / 1000);
    }
    if (report.kind == CHILD_FAILED) {
        errno = report.value;
        return error_errno(err, NULL, start_hint(errno), "cannot start %s", name);
    }
    if (p->kept && report.kind != CHILD_STARTED) {
        return error_set(err, NULL, NULL, "cannot start %s: its keeper was killed", name);
    }
    if (p->kept) {
        p->command = report.value;
    }
    return 0;
}

static void abandon(struct process *p)
{
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
            continue;
        }
    }
    for (int i = 0; i < 3; i++) {
        process_close_fd(p, (enum process_stream)i);
    }
    if (p->report >= 0) {
        close(p->report);
    }
    free(p);
}

static int start(struct process *p, const struct process_options *o, struct error *err)
{
    struct child_setup c = {.argv = o->argv,
                            .envp = o->envp ? o->envp : environ,
                            .fds = {-1, -1, -1, -1, -1, -1, -1},
                            .report = -1,
                            .parent = getpid(),
                            .death_signal = o->death_signal ? o->death_signal : SIGKILL,
                            .own_group = o->own_group};
    sigset_t all, before;
    int rc = open_fds(p, o, &c, err);

    if (rc == 0) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of ours may run in the child */
        p->pid = launch(&c, o->kept);
        p->command = p->pid;
        if (p->pid < 0) {
            rc = error_errno(err, NULL, start_hint(errno), "cannot start %s", o->argv[0]);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    close_child_fds(&c);
    return rc == 0 ? await_start(p, o->argv[0], err) : rc;
}

int process_start(struct process **out, const struct process_options *o, struct error *err)
{
    struct process *p = calloc(1, sizeof *p);

    *out = NULL;
    if (!p) {
        return error_nomem(err, o->argv[0], sizeof *p);
    }
    *p = (struct process){.fds = {-1, -1, -1},
                          .report = -1,
                          .status = -1,
                          .kept = o->kept,
                          .own_group = o->own_group,
                          .drain_ms = o->drain_ms ? o->drain_ms : PROCESS_DRAIN_MS};
    handles_lock();
    if (start(p, o, err) < 0) {
        handles_unlock();
        abandon(p);
        return -1;
    }
    handles_add(p);
    handles_unlock();
    if (!p->kept) {
        close(p->report);
        p->report = -1;
    }
    p->limit_at = o->limit_ms ? clock_now_ms() + o->limit_ms : 0;
    p->pidfd = pidfd_open(p->pid, 0);
    *out = p;
    return 0;
}

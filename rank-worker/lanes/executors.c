#include "rank-worker/lanes/executors.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/install.h"
#include "common/base/log.h"
#include "common/segment/control_check.h"
#include "rank-worker/lanes/child_log.h"
#include "rank-worker/lanes/postmortem.h"

extern char **environ;

struct executor {
    struct executor_lane lane;
    pid_t pid; /* 0: not running */
    struct child_log log;
};

struct executors {
    struct segment *seg;
    uint32_t count;
    bool killed;   /* by us: how they ended says nothing */
    bool reported; /* a failure was handed out */
    struct executor *items;
};

enum { SAVING_LIMIT_MS = 500 };

/* The parts of the segment have higher descriptors than those that they get. */
static int share_segment(posix_spawn_file_actions_t *actions, const struct segment *seg)
{
    int rc = 0;

    for (int i = 0; i < SEGMENT_PARTS && rc == 0; i++) {
        rc = posix_spawn_file_actions_adddup2(actions, seg->parts[i].fd, SEGMENT_FIRST_FD + i);
    }
    return rc;
}

/* The child sees stdin, its log and the segment, and none of our MPI and event descriptors. */
static int file_actions(posix_spawn_file_actions_t *actions, const struct segment *seg, int log_fd)
{
    int rc = posix_spawn_file_actions_init(actions);

    if (rc) {
        return rc;
    }
    if ((rc = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0)) ||
        (rc = posix_spawn_file_actions_adddup2(actions, log_fd, 1)) ||
        (rc = posix_spawn_file_actions_adddup2(actions, log_fd, 2)) || (rc = share_segment(actions, seg)) ||
        (rc = posix_spawn_file_actions_addclosefrom_np(actions, SEGMENT_FIRST_FD + SEGMENT_PARTS))) {
        posix_spawn_file_actions_destroy(actions);
    }
    return rc;
}

/* Default signals, nothing blocked, and a process group of its own: Ctrl-C is for the parent, which knows
 * what to report. */
static int attributes(posix_spawnattr_t *attr)
{
    sigset_t none, all;
    int rc = posix_spawnattr_init(attr);

    if (rc) {
        return rc;
    }
    sigemptyset(&none);
    sigfillset(&all);
    if ((rc = posix_spawnattr_setsigmask(attr, &none)) || (rc = posix_spawnattr_setsigdefault(attr, &all)) ||
        (rc = posix_spawnattr_setpgroup(attr, 0)) ||
        (rc = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))) {
        posix_spawnattr_destroy(attr);
    }
    return rc;
}

static int spawn(const char *path, char **argv, const struct segment *seg, int log_fd, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int rc = file_actions(&actions, seg, log_fd);

    if (rc) {
        return rc;
    }
    rc = attributes(&attr);
    if (rc == 0) {
        rc = posix_spawn(pid, path, &actions, &attr, argv, environ);
        posix_spawnattr_destroy(&attr);
    }
    posix_spawn_file_actions_destroy(&actions);
    return rc;
}

static int start_one(struct executors *e, struct executor *x, const char *path, struct error *err)
{
    char lane[16], device[16], cores[16], parent[16];
    char *argv[] = {(char *)(uintptr_t)path, lane, device, cores, parent, (char *)(uintptr_t)x->lane.dfx_dir, NULL};
    int pipefd[2], rc;

    snprintf(lane, sizeof lane, "%u", x->lane.lane);
    snprintf(device, sizeof device, "%d", x->lane.device_id);
    snprintf(cores, sizeof cores, "%d", x->lane.ncores);
    snprintf(parent, sizeof parent, "%ld", (long)getpid());
    if (pipe2(pipefd, O_CLOEXEC) < 0) {
        return error_errno(err, "executor", "raise the limit on open files (ulimit -n)", "cannot make a pipe");
    }
    child_log_open(&x->log, pipefd[0], x->lane.lane, e->seg->plan.world_size);
    rc = spawn(path, argv, e->seg, pipefd[1], &x->pid);
    close(pipefd[1]);
    if (rc) {
        x->pid = 0;
        errno = rc;
        return error_errno(err, path, "raise the limit on processes (ulimit -u), or install l3replay again",
                           "cannot start the executor of lane %u", x->lane.lane);
    }
    return 0;
}

int executors_start(struct executors **out, struct segment *seg, const struct executor_lane *lanes, uint32_t count,
                    struct error *err)
{
    struct executors *e = calloc(1, sizeof *e);
    char path[4096];

    *out = NULL;
    if (e) {
        e->items = calloc(count ? count : 1, sizeof *e->items);
    }
    if (!e || !e->items) {
        free(e);
        return error_nomem(err, "executors", count * sizeof *e->items);
    }
    e->seg = seg;
    for (uint32_t i = 0; i < count; i++) {
        e->items[i].lane = lanes[i];
        e->items[i].log.fd = -1;
    }
    if (install_find(INSTALL_EXECUTOR, path, sizeof path, err) < 0) {
        goto fail;
    }
    for (e->count = 0; e->count < count; e->count++) {
        if (start_one(e, &e->items[e->count], path, err) < 0) {
            e->count++;
            goto fail;
        }
    }
    *out = e;
    return 0;
fail:
    executors_free(e);
    return -1;
}

nfds_t executors_poll(const struct executors *e, struct pollfd *fds)
{
    nfds_t n = 0;

    for (uint32_t i = 0; e && i < e->count; i++) {
        if (e->items[i].log.fd >= 0) {
            fds[n++] = (struct pollfd){.fd = e->items[i].log.fd, .events = POLLIN};
        }
    }
    return n;
}

void executors_service(struct executors *e)
{
    for (uint32_t i = 0; e && i < e->count; i++) {
        child_log_read(&e->items[i].log);
    }
}

static void judge(struct executors *e, struct executor *x, int status, bool *failed, struct error *err)
{
    if (e->killed || e->reported || postmortem(e->seg, x->lane.lane, status, err) == 0) {
        return;
    }
    e->reported = true;
    *failed = true;
    child_log_show_last(&x->log);
}

/* Processes that kernels and sub-workers started go with their executor. Until it is collected, no other group can
 * have its id. */
static bool collect(const struct executor *x, int *status)
{
    siginfo_t info = {0};

    if (waitid(P_PID, (id_t)x->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid != x->pid) {
        return false;
    }
    kill(-x->pid, SIGKILL);
    return waitpid(x->pid, status, 0) == x->pid;
}

/* It was waited for: what it wrote last is passed on. */
static void forget(struct executor *x)
{
    x->pid = 0;
    child_log_read(&x->log);
    child_log_close(&x->log);
}

uint32_t executors_reap(struct executors *e, bool *failed, struct error *err)
{
    uint32_t alive = 0;

    for (uint32_t i = 0; e && i < e->count; i++) {
        struct executor *x = &e->items[i];
        int status;

        if (!x->pid) {
            continue;
        }
        if (!collect(x, &status)) {
            alive++;
            continue;
        }
        forget(x);
        judge(e, x, status, failed, err);
    }
    return alive;
}

static bool is_saving(const struct executors *e, const struct executor *x)
{
    siginfo_t info = {0};

    if (!x->pid || lane_view(e->seg, x->lane.lane).state != LANE_SAVING) {
        return false;
    }
    return waitid(P_PID, (id_t)x->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != x->pid;
}

/* Profiles of what had finished are kept. A lane that goes on meanwhile runs into its end. */
static void let_save(const struct executors *e)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    const uint64_t until_ns = clock_now_ns() + SAVING_LIMIT_MS * UINT64_C(1000000);

    for (uint32_t i = 0; i < e->count; i++) {
        while (is_saving(e, &e->items[i]) && clock_now_ns() < until_ns) {
            nanosleep(&nap, NULL);
        }
    }
}

void executors_kill(struct executors *e)
{
    if (!e) {
        return;
    }
    e->killed = true;
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->items[i].pid && !is_saving(e, &e->items[i])) {
            kill(-e->items[i].pid, SIGKILL);
        }
    }
    let_save(e);
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->items[i].pid) {
            kill(-e->items[i].pid, SIGKILL);
        }
    }
    for (uint32_t i = 0; i < e->count; i++) {
        struct executor *x = &e->items[i];
        int status;

        if (!x->pid) {
            continue;
        }
        kill(x->pid, SIGKILL);
        while (waitpid(x->pid, &status, 0) < 0 && errno == EINTR)
            ;
        forget(x);
    }
}

void executors_free(struct executors *e)
{
    if (!e) {
        return;
    }
    executors_kill(e);
    for (uint32_t i = 0; i < e->count; i++) {
        child_log_close(&e->items[i].log);
    }
    free(e->items);
    free(e);
}

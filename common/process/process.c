#include "common/process/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/process/child_setup.h"
#include "common/process/descendants.h"
#include "common/process/handle.h"

enum {
    LOOK_MS = 20,           /* between two looks where there is no pidfd (Linux before 5.3, some containers) */
    KEEPER_LIMIT_MS = 2000, /* for a keeper to end what it keeps; then it is killed itself */
    KILLED_LIMIT_MS = 10000,
    LEFT_LIMIT_MS = 2000,
    DRAIN_MOST_MS = 5000, /* for output that does come, beyond `drain_ms` */
};

pid_t process_id(const struct process *p)
{
    return p->command;
}

int process_fd(const struct process *p, enum process_stream stream)
{
    return p->fds[stream];
}

int process_take_fd(struct process *p, enum process_stream stream)
{
    int fd = p->fds[stream];

    p->fds[stream] = -1;
    return fd;
}

void process_close_fd(struct process *p, enum process_stream stream)
{
    if (p->fds[stream] >= 0) {
        close(p->fds[stream]);
        p->fds[stream] = -1;
    }
}

ssize_t process_read(struct process *p, enum process_stream stream, char *bytes, size_t size)
{
    ssize_t n;

    if (p->fds[stream] < 0) {
        return 0;
    }
    n = read(p->fds[stream], bytes, size);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
        return -1;
    }
    if (n <= 0) {
        process_close_fd(p, stream);
        return 0;
    }
    return n;
}

void process_poll(const struct process *p, struct pollfd fds[PROCESS_POLLS])
{
    fds[0] = (struct pollfd){.fd = p->state == PROCESS_RUNNING ? p->pidfd : -1, .events = POLLIN};
    fds[1] = (struct pollfd){.fd = p->fds[PROCESS_STDOUT], .events = POLLIN};
    fds[2] = (struct pollfd){.fd = p->fds[PROCESS_STDERR], .events = POLLIN};
}

static int64_t due(const struct process *p, int64_t now)
{
    int64_t at = INT64_MAX;

    if (p->state == PROCESS_CLOSING) {
        return p->drain_until;
    }
    if (p->state == PROCESS_ENDED) {
        return now;
    }
    if (p->pidfd < 0) {
        at = now + LOOK_MS;
    }
    if (p->limit_at && !p->killed_at && p->limit_at < at) {
        at = p->limit_at;
    }
    if (p->killed_at && p->kept && p->killed_at + KEEPER_LIMIT_MS < at) {
        at = p->killed_at + KEEPER_LIMIT_MS;
    }
    return at;
}

int process_patience(const struct process *p, int limit_ms)
{
    int64_t now = clock_now_ms(), left = due(p, now);

    if (left == INT64_MAX) {
        return limit_ms;
    }
    left = left > now ? left - now : 0;
    if (left > INT32_MAX) {
        left = INT32_MAX;
    }
    return limit_ms >= 0 && limit_ms < left ? limit_ms : (int)left;
}

/* What a keeper said of the command's end. */
static void read_end(struct process *p)
{
    struct child_report report = {0};
    ssize_t n;

    do {
        n = read(p->report, &report, sizeof report);
    } while (n < 0 && errno == EINTR);
    if (n == (ssize_t)sizeof report && report.kind == CHILD_ENDED) {
        p->status = report.value;
    }
    close(p->report);
    p->report = -1;
}

/* Wait for it without blocking, and end its group before: until it was waited for, no other group can have its id. */
static bool collect(struct process *p)
{
    siginfo_t info = {.si_pid = 0};
    int rc = waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT);

    if (rc == 0 && info.si_pid != p->pid) {
        return false;
    }
    if (rc == 0) {
        if (p->own_group && !p->kept) {
            kill(-p->pid, SIGKILL);
        }
        waitpid(p->pid, &p->status, 0);
    }
    if (p->kept) {
        read_end(p);
    }
    return true;
}

static void note_end(struct process *p)
{
    p->state = PROCESS_CLOSING;
    p->drain_until = clock_now_ms() + p->drain_ms;
    if (p->pidfd >= 0) {
        close(p->pidfd);
        p->pidfd = -1;
    }
    process_close_fd(p, PROCESS_STDIN);
}

static void update_running(struct process *p)
{
    int64_t now;

    if (collect(p)) {
        note_end(p);
        return;
    }
    now = clock_now_ms();
    if (p->limit_at && now >= p->limit_at && !p->killed_at) {
        p->timed_out = true;
        process_kill(p);
    }
    if (p->kept && p->killed_at && now >= p->killed_at + KEEPER_LIMIT_MS) {
        kill(p->pid, SIGKILL); /* and by that the command */
        p->killed_at = now;
    }
}

/* Whether output is left, or may still come. A reader that was held up must not lose what lies in the pipes. */
static bool is_draining(const struct process *p)
{
    struct pollfd fds[] = {{p->fds[PROCESS_STDOUT], POLLIN, 0}, {p->fds[PROCESS_STDERR], POLLIN, 0}};
    int64_t now = clock_now_ms();

    if (fds[0].fd < 0 && fds[1].fd < 0) {
        return false;
    }
    return now < p->drain_until || (now < p->drain_until + DRAIN_MOST_MS && poll(fds, 2, 0) > 0);
}

enum process_state process_update(struct process *p)
{
    if (p->state == PROCESS_RUNNING) {
        update_running(p);
    }
    if (p->state == PROCESS_CLOSING && !is_draining(p)) {
        process_close_fd(p, PROCESS_STDOUT);
        process_close_fd(p, PROCESS_STDERR);
        p->state = PROCESS_ENDED;
    }
    if (descendants_are_adopted()) {
        handles_lock();
        descendants_collect(handles_have);
        handles_unlock();
    }
    return (enum process_state)p->state;
}

bool process_wait(struct process *p, int limit_ms)
{
    int64_t end = clock_now_ms() + limit_ms;

    while (process_update(p) == PROCESS_RUNNING) {
        struct pollfd ended = {.fd = p->pidfd, .events = POLLIN};
        int64_t left = limit_ms < 0 ? -1 : end - clock_now_ms();

        if (limit_ms >= 0 && left <= 0) {
            return false;
        }
        poll(&ended, 1, process_patience(p, (int)left));
    }
    return true;
}

void process_signal(const struct process *p, int sig)
{
    if (p->state == PROCESS_RUNNING) {
        kill(p->command, sig);
    }
}

void process_kill(struct process *p)
{
    if (p->state != PROCESS_RUNNING) {
        return;
    }
    if (!p->killed_at) {
        p->killed_at = clock_now_ms();
    }
    if (p->kept) {
        kill(p->pid, SIGTERM);
        return;
    }
    if (p->own_group) {
        kill(-p->pid, SIGKILL);
    }
    kill(p->pid, SIGKILL); /* it may have left its group */
}

int process_status(const struct process *p)
{
    return p->status;
}

bool process_timed_out(const struct process *p)
{
    return p->timed_out;
}

void process_free(struct process *p)
{
    bool last;

    if (!p) {
        return;
    }
    process_kill(p);
    process_wait(p, KILLED_LIMIT_MS); /* a process that hangs in the kernel is left */
    for (int i = 0; i < 3; i++) {
        process_close_fd(p, (enum process_stream)i);
    }
    if (p->pidfd >= 0) {
        close(p->pidfd);
    }
    if (p->report >= 0) {
        close(p->report);
    }
    handles_lock();
    last = handles_remove(p);
    if (last && descendants_are_adopted()) {
        process_end_all(LEFT_LIMIT_MS);
    }
    handles_unlock();
    free(p);
}

void process_describe_end(int status, char *text, size_t size)
{
    if (status < 0) {
        snprintf(text, size, "ended its process");
    } else if (WIFSIGNALED(status)) {
        snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(text, size, "ended its process with exit status %d", WEXITSTATUS(status));
    }
}

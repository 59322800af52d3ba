#include "rank-worker/executor/python_child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"

int python_child_start(struct python_child *c, const char *python, const char *script, int segment_fd,
                       struct error *err)
{
    const char *argv[] = {python, "-B", "-X", "utf8", script, NULL};
    /* In this executor's group, which goes as a whole: what a sub-worker forked must not stay. */
    const struct process_options options = {
        .argv = argv, .streams = {PROCESS_PIPE, PROCESS_PIPE, PROCESS_OURS}, .pass = &segment_fd, .npass = 1};

    c->used = 0;
    if (process_start(&c->process, &options, err) < 0) {
        return -1;
    }
    signal(SIGPIPE, SIG_IGN); /* write() reports a process that has ended */
    return 0;
}

/* Wait until `fd` can be used as `events` says, or the process is gone. Returns 1 or 0; -1 on an error. `end_ms` is the time
 * when it is too late; 0: never. */
static int wait_for(struct python_child *c, int fd, short events, int64_t end_ms, struct error *err)
{
    bool ended = process_update(c->process) != PROCESS_RUNNING; /* before looking: nothing more comes then */
    int64_t left = end_ms ? end_ms - clock_now_ms() : -1;
    struct pollfd fds[2] = {{fd, events, 0}}, watched[PROCESS_POLLS];

    if (end_ms && left <= 0) {
        return error_set(
            err, "sub-workers",
            "look at what they import; if it really takes longer, set L3REPLAY_RECORD_TIMEOUT to more seconds",
            "Python did not answer in time when it loaded the sub-workers");
    }
    process_poll(c->process, watched);
    fds[1] = watched[0];
    if (poll(fds, 2, ended ? 0 : process_patience(c->process, (int)left)) < 0 && errno != EINTR) {
        return error_errno(err, "sub-workers", NULL, "cannot wait for Python");
    }
    return fds[0].revents || !ended ? 1 : 0;
}

static int send_all(struct python_child *c, const char *text, size_t size, int64_t end_ms, struct error *err)
{
    while (size) {
        int fd = process_fd(c->process, PROCESS_STDIN), rc;
        ssize_t n = fd < 0 ? 0 : write(fd, text, size);

        if (n > 0) {
            text += n;
            size -= (size_t)n;
            continue;
        }
        if (fd < 0 || (n < 0 && errno == EPIPE)) {
            return 0;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return error_errno(err, "sub-workers", NULL, "cannot write to Python");
        }
        rc = wait_for(c, fd, POLLOUT, end_ms, err);
        if (rc <= 0) {
            return rc;
        }
    }
    return 1;
}

static int receive(struct python_child *c, int64_t end_ms, struct error *err)
{
    c->used = 0;
    for (;;) {
        ssize_t n = process_read(c->process, PROCESS_STDOUT, c->answer + c->used, sizeof c->answer - c->used);
        char *newline;
        int rc;

        if (n > 0) {
            c->used += (size_t)n;
            newline = memchr(c->answer, '\n', c->used);
            if (newline) {
                *newline = '\0';
                return 1;
            }
            if (c->used == sizeof c->answer) { /* no answer of ours is so long: the reader refuses it */
                c->answer[c->used - 1] = '\0';
                return 1;
            }
            continue;
        }
        if (n == 0) {
            return 0;
        }
        rc = wait_for(c, process_fd(c->process, PROCESS_STDOUT), POLLIN, end_ms, err);
        if (rc <= 0) {
            return rc;
        }
    }
}

int python_child_ask(struct python_child *c, const char *line, double limit_s, struct error *err)
{
    int64_t end_ms = limit_s > 0 ? clock_now_ms() + (int64_t)(limit_s * 1000) : 0;
    int rc = send_all(c, line, strlen(line), end_ms, err);

    if (rc == 1) {
        rc = send_all(c, "\n", 1, end_ms, err);
    }
    return rc == 1 ? receive(c, end_ms, err) : rc;
}

int python_child_end(struct python_child *c, int grace_ms)
{
    int status;

    if (!c->process) {
        return -1;
    }
    process_close_fd(c->process, PROCESS_STDIN);
    if (!process_wait(c->process, grace_ms)) {
        process_kill(c->process);
        process_wait(c->process, -1);
    }
    status = process_status(c->process);
    process_free(c->process);
    c->process = NULL;
    return status;
}

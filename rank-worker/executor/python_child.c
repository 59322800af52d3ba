#include "rank-worker/executor/python_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

int python_child_start(struct python_child *c, const char *python, const char *script, struct error *err)
{
    const char *argv[] = {python, "-B", "-X", "utf8", script, NULL};

    c->used = 0;
    c->running = false;
    /* In this executor's group, which goes as a whole: what a sub-worker forked must not stay. */
    if (spawn_start(&c->process, argv, false, err) < 0) {
        return -1;
    }
    c->running = true;
    c->pidfd = pidfd_open(c->process.pid, 0);
    if (c->pidfd < 0) {
        error_errno(err, python, NULL, "cannot watch the Python of sub-workers");
        python_child_end(c, 0);
        return -1;
    }
    signal(SIGPIPE, SIG_IGN); /* write() reports a process that has ended */
    return 0;
}

/* Wait until `fd` can be used as `events` says, or the process is gone. Returns 1 or 0; -1 on an error. */
static int wait_for(const struct python_child *c, int fd, short events, struct error *err)
{
    struct pollfd fds[2] = {{fd, events, 0}, {c->pidfd, POLLIN, 0}};

    while (poll(fds, 2, -1) < 0) {
        if (errno != EINTR) {
            return error_errno(err, "sub-workers", NULL, "cannot wait for Python");
        }
    }
    return fds[0].revents ? 1 : 0;
}

static int send_all(struct python_child *c, const char *text, size_t size, struct error *err)
{
    while (size) {
        ssize_t n = write(c->process.to, text, size);
        int rc;

        if (n > 0) {
            text += n;
            size -= (size_t)n;
            continue;
        }
        if (n < 0 && errno == EPIPE) {
            return 0;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            return error_errno(err, "sub-workers", NULL, "cannot write to Python");
        }
        rc = wait_for(c, c->process.to, POLLOUT, err);
        if (rc <= 0) {
            return rc;
        }
    }
    return 1;
}

static int receive(struct python_child *c, struct error *err)
{
    c->used = 0;
    for (;;) {
        ssize_t n = read(c->process.from, c->answer + c->used, sizeof c->answer - c->used);
        char *newline;
        int rc;

        if (n > 0) {
            c->used += (size_t)n;
            newline = memchr(c->answer, '\n', c->used);
            if (newline) {
                *newline = '\0';
                return 1;
            }
            if (c->used == sizeof c->answer) {
                return error_set(err, "sub-workers", "report this as a fault of l3replay",
                                 "Python's answer is too long");
            }
            continue;
        }
        if (n == 0) {
            return 0;
        }
        if (errno != EAGAIN && errno != EINTR) {
            return error_errno(err, "sub-workers", NULL, "cannot read from Python");
        }
        rc = wait_for(c, c->process.from, POLLIN, err);
        if (rc <= 0) {
            return rc;
        }
    }
}

int python_child_ask(struct python_child *c, const char *line, struct error *err)
{
    int rc = send_all(c, line, strlen(line), err);

    if (rc == 1) {
        rc = send_all(c, "\n", 1, err);
    }
    return rc == 1 ? receive(c, err) : rc;
}

int python_child_end(struct python_child *c, int grace_ms)
{
    struct pollfd ended = {c->pidfd, POLLIN, 0};
    int gone = 0;

    if (!c->running) {
        return -1;
    }
    c->running = false;
    close(c->process.to);
    c->process.to = -1;
    if (c->pidfd >= 0) {
        gone = poll(&ended, 1, grace_ms) > 0;
        close(c->pidfd);
    }
    return spawn_finish(&c->process, !gone);
}

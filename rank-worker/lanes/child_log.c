#include "rank-worker/lanes/child_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/plan/plan.h"

/* At once: who writes without end must not keep the caller from its other work. */
enum { MOST_READS = 64 };

void child_log_open(struct child_log *log, int fd, uint32_t lane, uint32_t world_size)
{
    log->fd = fd;
    log->used = log->nlines = 0;
    plan_lane_name(world_size, lane, log->prefix, sizeof log->prefix);
    fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void finish_line(struct child_log *log)
{
    char out[CHILD_LOG_LINE + 32];
    int n;

    log->line[log->used] = '\0';
    memcpy(log->kept[log->nlines++ % CHILD_LOG_KEPT], log->line, log->used + 1);
    log->used = 0;
    if (!log_take_line(log->prefix, log->line)) {
        return;
    }
    n = snprintf(out, sizeof out, "%s| %s\n", log->prefix, log->line);
    if (n > 0 && write(STDERR_FILENO, out, (size_t)n) < 0) {
        return; /* nobody reads our stderr: the kept lines are still there for the report */
    }
}

static void take(struct child_log *log, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n') {
            finish_line(log);
            continue;
        }
        if (log->used == CHILD_LOG_LINE - 1) {
            finish_line(log);
        }
        log->line[log->used++] = text[i];
    }
}

void child_log_read(struct child_log *log)
{
    char buf[16 * 1024];

    for (int i = 0; log->fd >= 0 && i < MOST_READS; i++) {
        ssize_t n = read(log->fd, buf, sizeof buf);

        if (n > 0) {
            take(log, buf, (size_t)n);
            continue;
        }
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n == 0 || errno != EAGAIN) {
            child_log_close(log);
        }
        return;
    }
}

void child_log_show_last(const struct child_log *log)
{
    uint32_t first = log->nlines > CHILD_LOG_KEPT ? log->nlines - CHILD_LOG_KEPT : 0;

    if (log->nlines) {
        log_msg(LOG_ERROR, "last lines of %s:", log->prefix);
    }
    for (uint32_t i = first; i < log->nlines; i++) {
        log_msg(LOG_ERROR, "  | %s", log->kept[i % CHILD_LOG_KEPT]);
    }
}

void child_log_close(struct child_log *log)
{
    if (log->fd < 0) {
        return;
    }
    if (log->used) {
        finish_line(log);
    }
    close(log->fd);
    log->fd = -1;
}

#include "orchestrator/record/helper.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/install.h"
#include "common/base/log.h"
#include "common/base/python.h"
#include "common/process/process.h"

enum { READ_SIZE = 1 << 16, LINE_MAX_BYTES = 64 << 20 };
enum { START_MS = 10000, NOTE_MS = 5000, ANSWER_MS = 2000, TRACE_MS = 300, END_MS = 10000 };

/* How converse() ended, beside -1 for an error. */
enum { GO_ON, LAST_LINE, END_OF_FILE, SILENT };

static const char HINT_PYTHON[] = "install Python 3.8 or later, or name an interpreter in L3REPLAY_PYTHON";

struct conversation {
    struct process *child;
    const char *request;
    size_t sent, size;
    char *line; /* what was read and not yet taken */
    size_t used, capacity;
    bool spoke;   /* printed a line */
    bool printed; /* the build's Python did */
    int timeout_ms, limit_ms;
    int64_t started, deadline;
    int64_t end; /* when it has printed for too long; 0: it has printed nothing yet */
    bool overdue;
    int asked;  /* signals sent for being silent */
    bool noted; /* that it takes long */
    helper_line_fn *on_line;
    void *context;
};

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

int helper_timeout(double *seconds, struct error *err)
{
    double limit;

    if (python_limit(&limit, err) < 0) {
        return -1;
    }
    if (!(*seconds > 0 && *seconds < limit)) {
        *seconds = limit;
    }
    return 0;
}

char *helper_python(struct error *err)
{
    const char *given = setting("L3REPLAY_PYTHON");
    char *python = NULL;

    if (!given) {
        return python_find(&python, err) < 0 ? NULL : python;
    }
    python = strdup(given);
    if (!python) {
        error_nomem(err, given, strlen(given));
    }
    return python;
}

static int start(struct conversation *c, const char *python, struct error *err)
{
    char dir[PATH_MAX], *script = NULL;
    const char *argv[] = {python, "-S", "-B", "-X", "utf8", NULL, NULL};
    const struct process_options options = {
        .argv = argv, .streams = {PROCESS_PIPE, PROCESS_PIPE, PROCESS_PIPE}, .kept = true};
    int rc = -1;

    if (install_find(INSTALL_RECORDER, dir, sizeof dir, err) == 0) {
        script = file_join(dir, "__main__.py", err);
    }
    if (script) {
        argv[5] = script;
        rc = process_start(&c->child, &options, err);
        if (rc < 0 && err && !err->hint[0]) { /* it could not be executed */
            snprintf(err->hint, sizeof err->hint, "%s", HINT_PYTHON);
        }
    }
    free(script);
    return rc;
}

/* Send what the pipe takes. A child that reads no more says why on its own way. */
static void send_request(struct conversation *c)
{
    while (c->sent < c->size) {
        ssize_t n = write(process_fd(c->child, PROCESS_STDIN), c->request + c->sent, c->size - c->sent);
        if (n > 0) {
            c->sent += (size_t)n;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && errno == EAGAIN) {
            return;
        } else {
            break;
        }
    }
    process_close_fd(c->child, PROCESS_STDIN);
}

/* Once it was asked where it is, lines before its answer may be cut, and are of no use; an empty one ends such a line. */
static bool is_wanted(const struct conversation *c, const char *line)
{
    return (*line && !c->asked) || strncmp(line, "{\"error\"", 8) == 0;
}

/* Hand the complete lines on; the rest moves to the front. */
static int take_lines(struct conversation *c, size_t fresh, struct error *err)
{
    char *at = c->line, *end = c->line + c->used, *newline;
    size_t known = c->used - fresh; /* holds no newline */
    int rc = 0;

    while (rc == 0 && (newline = memchr(at + known, '\n', (size_t)(end - at) - known))) {
        *newline = '\0';
        rc = is_wanted(c, at) ? c->on_line(c->context, at, (size_t)(newline - at), err) : GO_ON;
        at = newline + 1;
        known = 0;
    }
    c->used = (size_t)(end - at);
    memmove(c->line, at, c->used);
    return rc;
}

static int read_some(struct conversation *c, struct error *err)
{
    ssize_t n;

    if (c->used >= LINE_MAX_BYTES) {
        return error_set(err, NULL, "look at the names and sizes that host_orch.py and the kernel_config.py files give",
                         "the recorder printed a line of more than %d MB", LINE_MAX_BYTES >> 20);
    }
    if (array_room(&c->line, &c->capacity, c->used + READ_SIZE - 1, 1)) {
        return error_nomem(err, "the recorder's output", c->used + READ_SIZE);
    }
    n = process_read(c->child, PROCESS_STDOUT, c->line + c->used, c->capacity - c->used);
    if (n < 0) {
        return 0;
    }
    if (n == 0) {
        return END_OF_FILE;
    }
    c->used += (size_t)n;
    c->spoke = true;
    return take_lines(c, (size_t)n, err);
}

/* What the user's Python prints. It has a pipe of its own: a process that it leaves behind must not hold our stderr. */
static void pass_messages(struct conversation *c)
{
    char bytes[16384];
    ssize_t n = process_read(c->child, PROCESS_STDERR, bytes, sizeof bytes);

    if (n > 0) {
        c->printed = true;
        log_bytes(bytes, (size_t)n);
    }
}

/* It was silent for too long, or goes on for too long: first it may say itself where it is. */
static int ask(struct conversation *c)
{
    const int signals[] = {c->overdue ? SIGXCPU : SIGUSR1, SIGUSR2}, patience_ms[] = {ANSWER_MS, TRACE_MS};

    if (c->asked == 2) {
        return SILENT;
    }
    process_signal(c->child, signals[c->asked]);
    c->deadline = clock_now_ms() + patience_ms[c->asked];
    c->asked++;
    return GO_ON;
}

/* Milliseconds until something is due; what is due by now is done. */
static int until_due(struct conversation *c, int *rc)
{
    int64_t now = clock_now_ms(), next = c->deadline;

    if (!c->noted && now - c->started >= NOTE_MS) {
        c->noted = true;
        log_note("host_orch.py is still being recorded after %d s", NOTE_MS / 1000);
    }
    if (!c->noted && c->started + NOTE_MS < next) {
        next = c->started + NOTE_MS;
    }
    if (!c->asked && c->end && c->end < next) {
        next = c->end;
    }
    c->overdue = c->overdue || (!c->asked && c->end && now >= c->end);
    *rc = now >= c->deadline || (c->overdue && !c->asked) ? ask(c) : GO_ON;
    return next > now ? (int)(next - now) : 0;
}

static int converse(struct conversation *c, struct error *err)
{
    int rc;

    c->started = clock_now_ms();
    /* The interpreter's own start, which a busy host makes long, is no fault of host_orch.py. */
    c->deadline = c->started + (c->timeout_ms > START_MS ? c->timeout_ms : START_MS);
    for (;;) {
        struct pollfd fds[PROCESS_POLLS + 1], *in = &fds[PROCESS_POLLS];
        int left = until_due(c, &rc);
        bool ended = process_update(c->child) != PROCESS_RUNNING; /* before looking for output: no more comes then */

        if (rc != GO_ON) {
            return rc;
        }
        process_poll(c->child, fds);
        *in = (struct pollfd){process_fd(c->child, PROCESS_STDIN), POLLOUT, 0};
        if (poll(fds, PROCESS_POLLS + 1, ended ? 0 : process_patience(c->child, left)) < 0) {
            if (errno != EINTR) {
                return error_errno(err, NULL, NULL, "cannot wait for the recorder");
            }
            continue;
        }
        pass_messages(c);
        if (in->fd >= 0 && in->revents) {
            send_request(c);
        }
        if (fds[1].revents) {
            rc = read_some(c, err);
            if (rc != GO_ON) {
                return rc;
            }
            if (!c->end && c->spoke) {
                c->end = clock_now_ms() + c->limit_ms;
            }
            if (!c->asked) {
                c->deadline = clock_now_ms() + c->timeout_ms;
            }
        } else if (ended) {
            return END_OF_FILE; /* though a process that it left behind may hold the pipe */
        }
    }
}

/* Pass messages on until it is in `state`. False when that takes longer than to c->deadline. */
static bool await(struct conversation *c, enum process_state state)
{
    while (process_update(c->child) < state) {
        struct pollfd fds[PROCESS_POLLS];
        int64_t left = c->deadline - clock_now_ms();

        if (left <= 0) {
            return false;
        }
        process_poll(c->child, fds);
        poll(fds, PROCESS_POLLS, process_patience(c->child, (int)left));
        pass_messages(c);
    }
    return true;
}

/* End it, and pass on what it printed last. Returns its wait status. */
static int finish(struct conversation *c)
{
    int status;

    process_kill(c->child);
    process_close_fd(c->child, PROCESS_STDOUT);
    c->deadline = clock_now_ms() + END_MS;
    await(c, PROCESS_ENDED);
    status = process_status(c->child);
    process_free(c->child);
    return status;
}

static int ended_early(bool spoke, int status, struct error *err)
{
    static const char hint[] = "look at the messages above; host_orch.py may have ended the process (os._exit, a crash "
                               "in an extension), or memory ran out";

    if (status >= 0 && WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM)) {
        return error_set(err, NULL, NULL, "recording host_orch.py was interrupted (%s)", strsignal(WTERMSIG(status)));
    }
    if (status >= 0 && WIFSIGNALED(status)) {
        return error_set(err, NULL, hint, "the recorder was killed while it ran host_orch.py: %s",
                         strsignal(WTERMSIG(status)));
    }
    return error_set(err, NULL, spoke ? hint : HINT_PYTHON,
                     "the recorder ended before host_orch.py did (exit status %d)",
                     status >= 0 ? WEXITSTATUS(status) : -1);
}

int helper_run(const char *python, const char *request, const struct helper_limits *limits, helper_line_fn *on_line,
               void *context, bool *printed, struct error *err)
{
    struct conversation c = {.request = request,
                             .size = strlen(request),
                             .timeout_ms = (int)(limits->timeout * 1000) + 1,
                             .limit_ms = (int)(limits->limit * 1000) + 1,
                             .on_line = on_line,
                             .context = context};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    int rc, status;

    if (start(&c, python, err) < 0) {
        return -1;
    }
    sigaction(SIGPIPE, &ignore, &before);
    rc = converse(&c, err);
    sigaction(SIGPIPE, &before, NULL);
    /* The pipe's end may come before the process's own, which says more. */
    if (rc == END_OF_FILE && !await(&c, PROCESS_CLOSING)) {
        rc = SILENT;
    }
    status = finish(&c);
    free(c.line);
    *printed = c.printed;
    if (rc == LAST_LINE) {
        return 0;
    }
    if (rc == END_OF_FILE && !c.asked) {
        return ended_early(c.spoke, status, err);
    }
    if (rc == END_OF_FILE || rc == SILENT) {
        return error_set(err, NULL,
                         "look for an endless loop at the line that the traceback above names, in host_orch.py or a "
                         "kernel_config.py; if it really takes longer, set L3REPLAY_RECORD_TIMEOUT or --timeout to "
                         "more seconds",
                         c.overdue ? "the recorder went on for %g s and was stopped"
                                   : "the recorder printed nothing for %g s and was stopped",
                         c.overdue ? limits->limit : limits->timeout);
    }
    return -1;
}

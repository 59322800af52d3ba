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
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "common/install.h"
#include "common/python.h"
#include "common/spawn.h"

enum { DEFAULT_TIMEOUT_S = 60, READ_SIZE = 1 << 16 };

static const char MEND_PYTHON[] = "install Python 3.8 or later, or name an interpreter in L3REPLAY_PYTHON";

struct conversation {
    struct spawned child;
    const char *request;
    size_t sent, size;
    char *line; /* what was read and not yet taken */
    size_t used, capacity;
    bool spoke; /* printed something */
    int timeout_ms;
    helper_line_fn *on_line;
    void *context;
};

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int read_timeout(int *milliseconds, struct error *err)
{
    const char *text = setting("L3REPLAY_RECORD_TIMEOUT");
    char *end;
    double seconds = DEFAULT_TIMEOUT_S;

    if (text) {
        seconds = strtod(text, &end);
        if (*end || !(seconds > 0 && seconds <= INT_MAX / 1000))
            return error_set(err, "L3REPLAY_RECORD_TIMEOUT", "give seconds, as in L3REPLAY_RECORD_TIMEOUT=300",
                             "'%s' is not a positive number of seconds", text);
    }
    *milliseconds = (int)(seconds * 1000) + 1;
    return 0;
}

static int start(struct conversation *c, struct error *err)
{
    const char *python = setting("L3REPLAY_PYTHON");
    char dir[PATH_MAX], found[PATH_MAX], *script;
    const char *argv[] = {python ? python : found, "-S", "-B", "-X", "utf8", NULL, NULL};
    int rc;

    python_find(found, sizeof found);
    if (install_find(INSTALL_RECORDER, dir, sizeof dir, err) < 0)
        return -1;
    script = file_join(dir, "__main__.py", err);
    if (!script)
        return -1;
    argv[5] = script;
    rc = spawn_start(&c->child, argv, err);
    if (rc < 0 && err)
        snprintf(err->mend, sizeof err->mend, "%s", MEND_PYTHON);
    free(script);
    return rc;
}

/* Send what the pipe takes. A child that reads no more tells why on its own way. */
static void send_request(struct conversation *c)
{
    while (c->sent < c->size) {
        ssize_t n = write(c->child.to, c->request + c->sent, c->size - c->sent);
        if (n > 0)
            c->sent += (size_t)n;
        else if (n < 0 && errno == EINTR)
            continue;
        else if (n < 0 && errno == EAGAIN)
            return;
        else
            break;
    }
    close(c->child.to);
    c->child.to = -1;
}

/* Hand the complete lines on; the rest moves to the front. */
static int take_lines(struct conversation *c, size_t fresh, struct error *err)
{
    char *at = c->line, *end = c->line + c->used, *newline;
    size_t known = c->used - fresh; /* holds no newline */
    int rc = 0;

    while (rc == 0 && (newline = memchr(at + known, '\n', (size_t)(end - at) - known))) {
        *newline = '\0';
        rc = c->on_line(c->context, at, (size_t)(newline - at), err);
        at = newline + 1;
        known = 0;
    }
    c->used = (size_t)(end - at);
    memmove(c->line, at, c->used);
    return rc;
}

/* Returns 0 to go on, 1 at the last line, 2 at end of file, -1 on an error. */
static int read_some(struct conversation *c, struct error *err)
{
    ssize_t n;

    if (c->capacity - c->used < READ_SIZE) {
        size_t capacity = c->capacity * 2 + READ_SIZE;
        char *grown = realloc(c->line, capacity);
        if (!grown)
            return error_nomem(err, "the recorder's output", capacity);
        c->line = grown;
        c->capacity = capacity;
    }
    n = read(c->child.from, c->line + c->used, c->capacity - c->used);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (n < 0)
        return error_errno(err, NULL, NULL, "cannot read from the recorder");
    if (n == 0)
        return 2;
    c->used += (size_t)n;
    c->spoke = true;
    return take_lines(c, (size_t)n, err);
}

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* As read_some(); 3 when the helper was silent for too long. */
static int converse(struct conversation *c, struct error *err)
{
    int64_t deadline = now_ms() + c->timeout_ms;

    for (;;) {
        struct pollfd fds[2] = {{c->child.from, POLLIN, 0}, {c->child.to, POLLOUT, 0}};
        int64_t left = deadline - now_ms();
        int n = left > 0 ? poll(fds, c->child.to >= 0 ? 2 : 1, (int)left) : 0;

        if (n < 0 && errno != EINTR)
            return error_errno(err, NULL, NULL, "cannot wait for the recorder");
        if (left <= 0)
            return 3;
        if (n <= 0)
            continue;
        if (c->child.to >= 0 && fds[1].revents)
            send_request(c);
        if (fds[0].revents) {
            int rc = read_some(c, err);
            if (rc != 0)
                return rc;
            deadline = now_ms() + c->timeout_ms;
        }
    }
}

static int ended_early(bool spoke, int status, struct error *err)
{
    static const char mend[] = "look at the messages above; host_orch.py may have ended the process (os._exit, a crash "
                               "in an extension), or memory ran out";

    if (status >= 0 && WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM))
        return error_set(err, NULL, NULL, "recording host_orch.py was interrupted (%s)", strsignal(WTERMSIG(status)));
    if (status >= 0 && WIFSIGNALED(status))
        return error_set(err, NULL, mend, "the recorder was killed while it ran host_orch.py: %s",
                         strsignal(WTERMSIG(status)));
    return error_set(err, NULL, spoke ? mend : MEND_PYTHON,
                     "the recorder ended before host_orch.py did (exit status %d)",
                     status >= 0 ? WEXITSTATUS(status) : -1);
}

int helper_run(const char *request, helper_line_fn *on_line, void *context, struct error *err)
{
    struct conversation c = {.request = request, .size = strlen(request), .on_line = on_line, .context = context};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    int rc, status;

    if (read_timeout(&c.timeout_ms, err) < 0 || start(&c, err) < 0)
        return -1;
    sigaction(SIGPIPE, &ignore, &before);
    rc = converse(&c, err);
    sigaction(SIGPIPE, &before, NULL);
    status = spawn_finish(&c.child, rc != 2);
    free(c.line);
    if (rc == 1)
        return 0;
    if (rc == 2)
        return ended_early(c.spoke, status, err);
    if (rc == 3)
        return error_set(err, NULL,
                         "look for an endless loop in host_orch.py; if it really takes longer, set "
                         "L3REPLAY_RECORD_TIMEOUT to more seconds",
                         "host_orch.py submitted nothing for %d seconds and was stopped", c.timeout_ms / 1000);
    return -1;
}

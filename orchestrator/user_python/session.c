#include "orchestrator/user_python/session.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/args.h"
#include "common/base/array.h"
#include "common/base/clock.h"
#include "common/base/executable.h"
#include "common/base/file.h"
#include "common/base/install.h"
#include "common/base/log.h"
#include "common/base/python.h"
#include "common/process/process.h"

enum { ANSWER_MAX = 16 << 20, READ_SIZE = 1 << 16, NOTE_MS = 5000 };

static const char HINT_PYTHON[] = "name a Python that has torch with --python, or replay without: --no-golden";
static const char HINT_ANSWER[] = "see whether the file writes to descriptors that it did not open";

struct user_session {
    double limit_s;
    struct process *child; /* NULL: not started */
    char python[PATH_MAX];
    char *line; /* what was read and not yet taken */
    size_t used, capacity;
};

int user_session_open(struct user_session **out, double limit_s, struct error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) {
        return error_nomem(err, "Python", sizeof **out);
    }
    (*out)->limit_s = limit_s;
    return 0;
}

static void end(struct user_session *s)
{
    if (s->child) {
        process_kill(s->child);
        process_free(s->child);
    }
    s->child = NULL;
    s->used = 0;
}

void user_session_close(struct user_session *s)
{
    if (s) {
        end(s);
        free(s->line);
        free(s);
    }
}

static int start(struct user_session *s, const char *python, struct error *err)
{
    char dir[PATH_MAX], *script;
    const char *argv[] = {python, "-B", "-X", "utf8", NULL, NULL};
    const struct process_options options = {
        .argv = argv, .streams = {PROCESS_PIPE, PROCESS_PIPE, PROCESS_PIPE}, .kept = true};
    int rc;

    if (install_find(INSTALL_RECORDER, dir, sizeof dir, err) < 0 || !(script = file_join(dir, "user_python.py", err))) {
        return -1;
    }
    argv[4] = script;
    snprintf(s->python, sizeof s->python, "%s", python);
    rc = process_start(&s->child, &options, err);
    if (rc < 0 && err && !err->hint[0]) { /* it could not be executed */
        snprintf(err->hint, sizeof err->hint, "%s", HINT_PYTHON);
    }
    free(script);
    return rc;
}

/* --- a request and its answer ------------------------------------------------ */

struct exchange {
    struct user_session *s;
    const char *doing, *text;
    size_t left;
    int64_t begun_ms;
    bool noted;
};

/* A child that reads no more says why on its own way. */
static void send_some(struct exchange *x)
{
    ssize_t n = write(process_fd(x->s->child, PROCESS_STDIN), x->text, x->left);

    if (n > 0) {
        x->text += n;
        x->left -= (size_t)n;
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
        x->left = 0;
    }
}

/* What the user's code prints. It has a pipe of its own: a process that it leaves behind must not hold our stderr. */
static void pass_messages(struct user_session *s)
{
    char bytes[16384];
    ssize_t n;

    while ((n = process_read(s->child, PROCESS_STDERR, bytes, sizeof bytes)) > 0) {
        log_bytes(bytes, (size_t)n);
    }
}

/* 1: a line is there, without its newline; 0: not yet; -1: too much, or no memory. */
static int read_some(struct user_session *s, struct error *err)
{
    char *newline;
    ssize_t n;

    if (s->used >= ANSWER_MAX) {
        return error_set(err, s->python, HINT_ANSWER, "Python gave an answer of more than %d MB", ANSWER_MAX >> 20);
    }
    if (array_room(&s->line, &s->capacity, s->used + READ_SIZE, 1)) {
        return error_nomem(err, "Python's answer", s->used + READ_SIZE);
    }
    n = process_read(s->child, PROCESS_STDOUT, s->line + s->used, s->capacity - s->used - 1);
    if (n <= 0) {
        return 0;
    }
    s->used += (size_t)n;
    newline = memchr(s->line + s->used - (size_t)n, '\n', (size_t)n);
    if (!newline) {
        return 0;
    }
    *newline = '\0';
    s->used = (size_t)(newline - s->line); /* it says nothing that was not asked for */
    return 1;
}

static int too_late(const struct exchange *x, struct error *err)
{
    return error_set(err, x->doing, "look for an endless loop in it, or raise --golden-timeout",
                     "%s took longer than %g s and was stopped", x->doing, x->s->limit_s);
}

static int ended(struct exchange *x, struct error *err)
{
    char how[128];
    int status;

    process_wait(x->s->child, NOTE_MS); /* the pipe's end may come before the process's own, which says more */
    pass_messages(x->s);
    status = process_status(x->s->child);
    process_describe_end(status, how, sizeof how);
    return error_set(err, x->doing, "look at the messages above; it may have called os._exit, or memory ran out",
                     "%s %s", x->doing, how);
}

/* Milliseconds until something is due: a note, or the end. */
static int until_due(struct exchange *x, bool *late)
{
    const int64_t now = clock_now_ms(), spent = now - x->begun_ms;
    int64_t left = x->s->limit_s > 0 ? (int64_t)(x->s->limit_s * 1000) - spent : INT_MAX;

    *late = left <= 0;
    if (!x->noted && spent >= NOTE_MS) {
        x->noted = true;
        log_note("%s is still running after %d s", x->doing, NOTE_MS / 1000);
    }
    if (!x->noted && NOTE_MS - spent < left) {
        left = NOTE_MS - spent;
    }
    return left > INT_MAX ? INT_MAX : left > 0 ? (int)left : 0;
}

static int converse(struct exchange *x, struct error *err)
{
    struct user_session *s = x->s;

    for (;;) {
        struct pollfd fds[PROCESS_POLLS + 1];
        bool late, over = process_update(s->child) != PROCESS_RUNNING; /* before looking: nothing more comes then */
        int left = until_due(x, &late), rc;

        if (late) {
            return too_late(x, err);
        }
        process_poll(s->child, fds);
        fds[PROCESS_POLLS] = (struct pollfd){x->left ? process_fd(s->child, PROCESS_STDIN) : -1, POLLOUT, 0};
        if (poll(fds, PROCESS_POLLS + 1, over ? 0 : process_patience(s->child, left)) < 0) {
            if (errno != EINTR) {
                return error_errno(err, x->doing, NULL, "cannot wait for Python");
            }
            continue;
        }
        pass_messages(s);
        if (fds[PROCESS_POLLS].fd >= 0 && fds[PROCESS_POLLS].revents) {
            send_some(x);
        }
        rc = read_some(s, err);
        if (rc) {
            pass_messages(s); /* printed before the answer, and perhaps after the look above */
            return rc < 0 ? -1 : 0;
        }
        if (over || process_fd(s->child, PROCESS_STDOUT) < 0) {
            return ended(x, err);
        }
    }
}

/* --- answers ------------------------------------------------------------------ */

/* An answer that is no answer: 1 when a module is missing, -1 otherwise. */
static int refused(const struct user_session *s, const cJSON *json, const char *label, const char *doing,
                   struct error *err)
{
    const char *text = json_text_of(json, "error"), *missing = json_text_of(json, "missing");
    const char *where = json_text_of(json, "where");
    const struct json_source quiet = {0};
    bool raised = false;
    char hint[400];

    if (missing) {
        snprintf(hint, sizeof hint, "install %.60s for it (%s%.60s), or %s", *missing ? missing : "what is missing",
                 strcmp(missing, "torch") == 0 ? "Debian's python3-torch, or python3 -m pip install " : "pip install ",
                 missing, HINT_PYTHON);
        error_set(err, where, hint, "%s cannot be run by %s: %s", label, s->python, text);
        return 1;
    }
    if (json_get_bool(&quiet, json, "raised", &raised) == 0 && raised) {
        return error_set(err, where, "the traceback is above", "%s raised %s", doing, text);
    }
    return error_set(err, where, "correct the file", "%s: %s", label, text);
}

/* Ask, and read the answer into `*out`. 0; 1: refused since a module is missing, with `err`; -1. */
static int ask(struct user_session *s, const char *request, const char *label, const char *doing, cJSON **out,
               struct json_source *src, struct error *err)
{
    struct exchange x = {.s = s, .doing = doing, .text = request, .left = strlen(request), .begun_ms = clock_now_ms()};
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    bool ok = false;
    int rc;

    *out = NULL;
    *src = (struct json_source){.file = label, .hint = HINT_ANSWER, .err = err};
    s->used = 0;
    sigaction(SIGPIPE, &ignore, &before); /* write() reports a process that has ended */
    rc = converse(&x, err);
    sigaction(SIGPIPE, &before, NULL);
    if (rc < 0) {
        end(s);
        return -1;
    }
    *out = json_parse(src, s->line, s->used);
    if (!*out) {
        return -1;
    }
    if (json_text_of(*out, "error")) {
        rc = refused(s, *out, label, doing, err);
    } else if (json_get_bool(src, *out, "ok", &ok) < 0) {
        rc = -1;
    } else if (!ok) {
        rc = json_fail(src, *out, "ok", "is false");
    }
    if (rc) {
        cJSON_Delete(*out);
        *out = NULL;
    }
    return rc;
}

static char *load_request(const char *file, uint64_t seed, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w);

    json_put_string(&w, root, "op", "load");
    json_put_string(&w, root, "file", file);
    json_put_number(&w, root, "seed", (double)(seed % (uint64_t)JSON_EXACT));
    return json_finish_line(&w, root, "Python", err);
}

/* Each request is a line. */
static char *with_newline(char *request, struct error *err)
{
    char *line = request ? text_format("%s\n", request) : NULL;

    if (request && !line) {
        error_nomem(err, "Python", strlen(request));
    }
    free(request);
    return line;
}

cJSON *user_session_load(struct user_session *s, const char *file, const char *label, uint64_t seed,
                         struct json_source *src, struct error *err)
{
    char pythons[PYTHON_USER_MAX][PATH_MAX], *line = with_newline(load_request(file, seed, err), err);
    const unsigned count = s->child ? 1 : python_for_user(pythons); /* what runs has other files loaded */
    struct error first = {0};
    cJSON *json = NULL;
    int rc = line ? 1 : -1;

    for (unsigned i = 0; i < count && rc == 1; i++) {
        struct error *each = i ? &first : err;

        rc = s->child || start(s, pythons[i], each) == 0 ? ask(s, line, label, label, &json, src, each) : 1;
        if (rc == 1 && count > 1) {
            end(s);
        }
        if (rc < 0 && i) { /* it is not the module that is missing here */
            *err = first;
        }
    }
    src->err = err;
    free(line);
    return json;
}

cJSON *user_session_ask(struct user_session *s, char *request, const char *label, const char *doing,
                        struct json_source *src, struct error *err)
{
    char *line = with_newline(request, err);
    cJSON *json = NULL;

    if (line && !s->child) {
        error_set(err, label, NULL, "Python has ended");
    } else if (line) {
        ask(s, line, label, doing, &json, src, err);
    }
    free(line);
    return json;
}

char *user_session_interpreter(void)
{
    char pythons[PYTHON_USER_MAX][PATH_MAX], *text = NULL, *before, *path;
    const unsigned count = python_for_user(pythons);

    for (unsigned i = 0; i < count; i++) {
        const char *rest = getenv("PATH");
        struct stat st = {0};

        path = strchr(pythons[i], '/') ? strdup(pythons[i]) : NULL;
        if (!path && executable_next(pythons[i], &rest, &path, NULL) < 0) {
            path = NULL;
        }
        if (path) {
            stat(path, &st);
        }
        before = text;
        text = text_format("%s%s %lld %lld\n", before ? before : "", path ? path : pythons[i], (long long)st.st_size,
                           (long long)st.st_mtime);
        free(before);
        free(path);
        if (!text) {
            return NULL;
        }
    }
    return text;
}

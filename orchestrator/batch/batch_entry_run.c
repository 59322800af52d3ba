#include "orchestrator/batch/batch_entry_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/json.h"
#include "common/base/result_marker.h"
#include "common/process/end_signals.h"
#include "common/process/process.h"

enum { LINE = 4096, RESULT_MAX = 256 << 20, END_MS = 4000, DRAIN_MS = 1000, LOOK_MS = 200 };

struct running {
    struct process *process;
    struct batch_outcome *out;
    char line[LINE];
    size_t used;
    bool broken;      /* our stdout takes no more */
    int64_t until_ms; /* when it is stopped; 0: no limit */
    int64_t kill_ms;  /* when it is killed after having been asked to stop; 0: it was not */
    bool late;
};

static int make_command(const struct batch_entry *e, const struct batch_options *o, const char *result_file,
                        struct args *argv, struct error *err)
{
    args_add(argv, "%s", o->program);
    args_add(argv, "run");
    args_add(argv, "%s", e->work_dir);
    if (e->platform) {
        args_add(argv, "--platform=%s", e->platform);
    }
    if (e->device_ids) {
        args_add(argv, "--device-ids=%s", e->device_ids);
    }
    if (e->device_id) {
        args_add(argv, "--device-id=%s", e->device_id);
    }
    args_add(argv, "--result=%s", result_file);
    args_add_all(argv, (const char *const *)o->options->v, o->options->n);
    return args_done(argv, err);
}

/* The marker is kept, all else passed on. */
static void end_line(struct running *r)
{
    const size_t n = sizeof RESULT_MARKER - 1;

    r->line[r->used] = '\0';
    if (strncmp(r->line, RESULT_MARKER, n) == 0) {
        char *word = r->line + n, *device = strstr(word, " device=");

        r->out->device = device ? atoi(device + strlen(" device=")) : -1;
        word[strcspn(word, " ")] = '\0';
        r->out->verdict = batch_verdict_of(word);
    } else if (!r->broken) {
        r->broken = puts(r->line) < 0 || fflush(stdout) != 0;
    }
    r->used = 0;
}

static void take(struct running *r, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '\n' || r->used == LINE - 1) {
            end_line(r);
        }
        if (bytes[i] != '\n') {
            r->line[r->used++] = bytes[i];
        }
    }
}

static void read_output(struct running *r)
{
    char bytes[8192];
    ssize_t n = process_read(r->process, PROCESS_STDOUT, bytes, sizeof bytes);

    if (n > 0) {
        take(r, bytes, (size_t)n);
    }
}

static void stop(struct running *r, int sig)
{
    if (!r->kill_ms) {
        r->kill_ms = clock_now_ms() + END_MS;
        process_signal(r->process, sig);
    }
}

static void take_signals(struct running *r, struct batch_signals *signals)
{
    int sig;

    while ((sig = end_signals_read(signals->fd))) {
        signals->asked++;
        stop(r, sig);
        if (signals->asked > 1) {
            process_kill(r->process);
        }
    }
}

static void watch(struct running *r, struct batch_signals *signals)
{
    while (process_update(r->process) != PROCESS_ENDED) {
        struct pollfd fds[PROCESS_POLLS + 1];
        const int64_t now = clock_now_ms();

        if (r->until_ms && now >= r->until_ms && !r->kill_ms) {
            r->late = true;
            stop(r, SIGTERM);
        }
        if (r->kill_ms && now >= r->kill_ms) {
            process_kill(r->process);
        }
        process_poll(r->process, fds);
        fds[PROCESS_POLLS] = (struct pollfd){.fd = signals->fd, .events = POLLIN};
        if (poll(fds, PROCESS_POLLS + 1, process_patience(r->process, LOOK_MS)) < 0 && errno != EINTR) {
            break;
        }
        read_output(r);
        take_signals(r, signals);
    }
    if (r->used) {
        end_line(r);
    }
}

static void copy_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

/* What the result file says is wrong, where there is one. */
static void read_error(const char *result_file, struct error *error)
{
    struct json_source src = {.file = result_file};
    cJSON *result = json_read(&src, RESULT_MAX);
    const cJSON *found = json_member(result, "error");

    copy_text(error->what, sizeof error->what, json_text_of(found, "what"));
    copy_text(error->where, sizeof error->where, json_text_of(found, "where"));
    copy_text(error->hint, sizeof error->hint, json_text_of(found, "hint"));
    cJSON_Delete(result);
}

static void conclude(const struct running *r, const struct batch_options *o, const char *result_file, int status)
{
    struct batch_outcome *out = r->out;
    char end[128];

    if (out->verdict == BATCH_PASS) {
        return;
    }
    read_error(result_file, &out->error);
    if (r->late) {
        out->verdict = out->verdict == BATCH_FAIL ? BATCH_FAIL : BATCH_INFRA;
        error_set(&out->error, NULL, "raise --entry-timeout", "it took longer than %g s, and was stopped",
                  o->entry_timeout);
    }
    if (out->verdict == BATCH_NOT_RUN) {
        out->verdict = BATCH_INFRA;
        process_describe_end(status, end, sizeof end);
        if (!out->error.what[0]) {
            error_set(&out->error, NULL, "see what is printed above", "the replay %s, without a result", end);
        }
    }
}

void batch_entry_run(const struct batch_entry *e, const struct batch_options *o, const char *result_file,
                     struct batch_signals *signals, struct batch_outcome *out)
{
    struct running r = {.out = out};
    const int64_t begun = clock_now_ms();
    struct process_options options = {.streams = {PROCESS_NULL, PROCESS_PIPE, PROCESS_OURS},
                                      .own_group = true,
                                      .death_signal = SIGTERM,
                                      .drain_ms = DRAIN_MS};
    struct args argv = {0};
    int status;

    out->device = -1;
    unlink(result_file);
    fflush(stdout);
    if (make_command(e, o, result_file, &argv, &out->error) == 0) {
        options.argv = (const char *const *)argv.v;
        r.until_ms = o->entry_timeout > 0 ? begun + (int64_t)(o->entry_timeout * 1e3) : 0;
        if (process_start(&r.process, &options, &out->error) == 0) {
            watch(&r, signals);
            status = process_status(r.process);
            process_free(r.process);
            conclude(&r, o, result_file, status);
        }
    }
    if (out->verdict == BATCH_NOT_RUN) { /* it was not started */
        out->verdict = BATCH_INFRA;
    }
    out->seconds = (double)(clock_now_ms() - begun) / 1e3;
    args_free(&argv);
}

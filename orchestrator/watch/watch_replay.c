#include "orchestrator/watch/watch_replay.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/array.h"
#include "common/base/clock.h"
#include "common/base/json.h"

enum { RESULT_MAX = 256 << 20, STOP_MS = 4000, DRAIN_MS = 1000 };

int watch_replay_start(struct watch_replay *r, const struct args *argv, const char *result_file, struct error *err)
{
    const struct process_options options = {.argv = (const char *const *)argv->v,
                                            .streams = {PROCESS_NULL, PROCESS_PIPE, PROCESS_PIPE},
                                            .own_group = true,
                                            .death_signal = SIGTERM,
                                            .drain_ms = DRAIN_MS};

    r->noutput = r->nerrors = 0;
    r->was_stopped = false;
    r->begun_ms = clock_now_ms();
    unlink(result_file);
    return process_start(&r->process, &options, err);
}

void watch_replay_poll(const struct watch_replay *r, struct pollfd fds[PROCESS_POLLS])
{
    for (int i = 0; i < PROCESS_POLLS; i++) {
        fds[i] = (struct pollfd){.fd = -1};
    }
    if (r->process) {
        process_poll(r->process, fds);
    }
}

int watch_replay_patience(const struct watch_replay *r, int limit_ms)
{
    return r->process ? process_patience(r->process, limit_ms) : limit_ms;
}

static void take(struct process *p, enum process_stream stream, char **text, size_t *used, size_t *room)
{
    char bytes[16384];
    ssize_t n;

    while ((n = process_read(p, stream, bytes, sizeof bytes)) > 0) {
        if (*used + (size_t)n < WATCH_OUTPUT_MAX && array_room(text, room, *used + (size_t)n, 1) == 0) {
            memcpy(*text + *used, bytes, (size_t)n);
            *used += (size_t)n;
            (*text)[*used] = '\0';
        }
    }
}

/* --- the result ------------------------------------------------------------------ */

static void read_span(const cJSON *result, struct watch_result *out)
{
    const struct json_source quiet = {.file = "result"};
    uint64_t first = UINT64_MAX, last = 0;
    const cJSON *card;

    cJSON_ArrayForEach(card, json_member(result, "cards")) {
        uint64_t start, end;

        if (json_get_u64(&quiet, card, "start_ns", &start) == 0 && json_get_u64(&quiet, card, "end_ns", &end) == 0) {
            first = start < first ? start : first;
            last = end > last ? end : last;
        }
    }
    out->span_ms = last > first ? (double)(last - first) / 1e6 : -1;
}

static void read_changes(const cJSON *result, struct watch_result *out)
{
    const cJSON *changes = json_member(result, "changes"), *unknown = json_member(changes, "unknown"), *item;
    const struct json_source quiet = {.file = "result"};
    bool compared = false;
    const char *text;

    json_get_bool(&quiet, changes, "compared", &compared);
    out->known = compared && !(unknown && unknown->child);
    cJSON_ArrayForEach(item, json_member(changes, "changed")) {
        if (json_get_string(&quiet, item, NULL, &text) == 0) {
            args_add(&out->changed, "%s", text);
        }
    }
}

static void read_result(const char *result_file, struct watch_result *out)
{
    struct json_source src = {.file = result_file};
    cJSON *result = json_read(&src, RESULT_MAX);
    const char *verdict = json_text_of(result, "result"), *what = json_text_of(json_member(result, "error"), "what");
    int64_t number;

    if (verdict) {
        snprintf(out->verdict, sizeof out->verdict, "%s", verdict);
    }
    if (what) {
        snprintf(out->error, sizeof out->error, "%.399s", what);
    }
    if (json_get_int(&src, result, "compared", 0, INT32_MAX, &number) == 0) {
        out->compared = (int)number;
    }
    if (json_get_int(&src, result, "outputs", 0, INT32_MAX, &number) == 0) {
        out->outputs = (int)number;
    }
    read_span(result, out);
    read_changes(result, out);
    cJSON_Delete(result);
}

bool watch_replay_update(struct watch_replay *r, const char *result_file, struct watch_result *out)
{
    const enum process_state state = process_update(r->process);
    int status;

    take(r->process, PROCESS_STDOUT, &r->output, &r->noutput, &r->output_room);
    take(r->process, PROCESS_STDERR, &r->errors, &r->nerrors, &r->errors_room);
    if (state != PROCESS_ENDED) {
        return false;
    }
    *out = (struct watch_result){.seconds = (double)(clock_now_ms() - r->begun_ms) / 1e3,
                                 .span_ms = -1,
                                 .compared = -1,
                                 .outputs = -1,
                                 .exit_code = -1};
    status = process_status(r->process);
    if (status >= 0 && WIFEXITED(status)) {
        out->exit_code = WEXITSTATUS(status);
    }
    read_result(result_file, out);
    if (!out->verdict[0] && !out->error[0] && out->exit_code != 2) {
        process_describe_end(status, out->error, sizeof out->error);
    }
    process_free(r->process);
    r->process = NULL;
    return true;
}

void watch_replay_stop(struct watch_replay *r)
{
    if (!r->process) {
        return;
    }
    if (r->was_stopped) {
        process_kill(r->process);
        return;
    }
    r->was_stopped = true;
    process_signal(r->process, SIGTERM);
}

void watch_replay_free(struct watch_replay *r)
{
    if (r->process && r->was_stopped) {
        process_wait(r->process, STOP_MS);
    }
    process_free(r->process);
    free(r->output);
    free(r->errors);
    *r = (struct watch_replay){0};
}

void watch_result_free(struct watch_result *result)
{
    args_free(&result->changed);
}

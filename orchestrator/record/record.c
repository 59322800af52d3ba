#include "orchestrator/record/record.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/args.h"
#include "common/base/array.h"
#include "common/base/json.h"
#include "common/base/json_write.h"
#include "common/base/log.h"
#include "common/plan/plan_names.h"
#include "common/plan/plan_stream.h"
#include "common/plan/program_read.h"
#include "orchestrator/record/helper.h"
#include "orchestrator/record/helper_error.h"
#include "orchestrator/record/kept_recording.h"
#include "orchestrator/record/one_dispatch.h"

struct session {
    struct program_table *programs; /* NULL: not wanted */
    struct plan_stream *stream;     /* NULL: no plan wanted */
    struct record_files *files;     /* NULL: not wanted */
    /* For keeping. */
    const struct build *build;
    bool keeps;  /* the lines so far may be kept */
    char *lines; /* each with its newline */
    size_t used, capacity;
    struct args paths; /* of what was executed */
};

static void put_sizes(struct json_writer *w, cJSON *object, const char *key, const int64_t *sizes, uint32_t count)
{
    cJSON *list = json_put_list(w, object, key);

    for (uint32_t i = 0; i < count; i++) {
        json_append_number(w, list, (double)sizes[i]);
    }
}

static void put_program(struct json_writer *w, cJSON *configs, cJSON *names, const char *name, const char *dir)
{
    cJSON *entry = json_append_object(w, configs);

    json_put_text(w, entry, "name", name);
    json_put_text(w, entry, "dir", dir);
    json_append_text(w, names, name);
}

static void put_programs(struct json_writer *w, cJSON *root, const struct build *build)
{
    cJSON *configs = json_put_list(w, root, "configs"), *names = json_put_list(w, root, "programs");
    const char *base = strrchr(build->dir, '/');

    if (build->kind == BUILD_L2) {
        put_program(w, configs, names, base ? base + 1 : build->dir, build->dir);
        return;
    }
    for (uint32_t i = 0; i < build->nprogram; i++) {
        char *dir;
        if (asprintf(&dir, "%s/next_levels/%s", build->dir, build->program_names[i]) < 0) {
            w->failed = true;
            return;
        }
        put_program(w, configs, names, build->program_names[i], dir);
        free(dir);
    }
}

static void put_params(struct json_writer *w, cJSON *root, const struct build *build)
{
    cJSON *list = json_put_list(w, root, "params");

    for (uint32_t i = 0; i < build->nparam; i++) {
        const struct build_param *p = &build->params[i];
        cJSON *item = json_append_object(w, list);
        json_put_text(w, item, "name", p->name);
        json_put_text(w, item, "direction", plan_direction_names[p->direction]);
        json_put_text(w, item, "dtype", p->dtype_text);
        if (p->scalar) {
            json_put_null(w, item, "shape");
        } else {
            put_sizes(w, item, "shape", p->shape, p->ndim);
        }
    }
}

static void put_given(struct json_writer *w, cJSON *root, const struct record_request *request)
{
    cJSON *scalars = json_put_object(w, root, "scalars"), *shapes = json_put_object(w, root, "shapes");
    cJSON *subs = json_put_list(w, root, "sub_workers");

    for (size_t i = 0; request && i < request->nscalar; i++) {
        json_put_text(w, scalars, request->scalars[i].name, request->scalars[i].text);
    }
    for (size_t i = 0; request && i < request->nshape; i++) {
        put_sizes(w, shapes, request->shapes[i].name, request->shapes[i].shape, request->shapes[i].ndim);
    }
    for (size_t i = 0; request && i < request->nsub; i++) {
        json_append_text(w, subs, request->subs[i]);
    }
}

/* The request as text, to be freed with free(); see recorder/__main__.py. */
static char *make_request(const struct build *build, const char *op, double timeout, double limit,
                          const struct record_request *request, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w);

    json_put_text(&w, root, "op", op);
    json_put_text(&w, root, "dir", build->dir);
    json_put_number(&w, root, "timeout", timeout);
    json_put_number(&w, root, "limit", limit);
    json_put_number(&w, root, "max_nodes", request && request->max_nodes ? request->max_nodes : RECORD_MAX_NODES);
    json_put_number(&w, root, "world_size", build->ndevice);
    json_put_number(&w, root, "aicpu_thread_num", build->aicpu_thread_num);
    put_programs(&w, root, build);
    put_params(&w, root, build);
    put_given(&w, root, request);
    return json_finish(&w, root, "the request to the recorder", err);
}

static int add_file(struct record_files *files, const char *name, const char *hash, struct error *err)
{
    struct record_file *f;

    if (array_room(&files->items, &files->capacity, files->count, sizeof *files->items)) {
        return error_nomem(err, HELPER_OUTPUT, sizeof *files->items);
    }
    f = &files->items[files->count++];
    *f = (struct record_file){strdup(name), strdup(hash)};
    return f->name && f->hash ? 0 : error_nomem(err, HELPER_OUTPUT, strlen(name));
}

static int take_loaded(struct session *s, const char *line, size_t length, struct error *err)
{
    struct json_source src = {.file = HELPER_OUTPUT, .hint = HELPER_REPORT, .err = err};
    cJSON *root = json_parse(&src, line, length);
    const char *name, *hash;
    int rc = -1;

    if (root && json_get_string(&src, root, "loaded", &name) == 0 && json_get_string(&src, root, "hash", &hash) == 0) {
        if (s->keeps) {
            args_add(&s->paths, "%s/%s", s->build->dir, name);
        }
        rc = s->files ? add_file(s->files, name, hash, err) : 0;
    }
    cJSON_Delete(root);
    return rc;
}

void record_files_free(struct record_files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->items[i].name);
        free(f->items[i].hash);
    }
    free(f->items);
    *f = (struct record_files){0};
}

static bool is_record(const char *line, const char *kind)
{
    size_t n = strlen(kind);

    return strncmp(line, "{\"", 2) == 0 && strncmp(line + 2, kind, n) == 0 && line[2 + n] == '"';
}

/* Take a copy of a line, before others modify it. */
static void remember(struct session *s, const char *line, size_t length)
{
    if (!s->keeps || is_record(line, "alive")) {
        return;
    }
    if (s->used + length + 1 > KEPT_RECORDING_MAX || is_record(line, "unrepeatable") ||
        array_room(&s->lines, &s->capacity, s->used + length + 1, 1)) {
        log_msg(LOG_INFO, "the recording is not kept: %.400s",
                s->used + length < KEPT_RECORDING_MAX ? line : "too long");
        s->keeps = false;
        return;
    }
    memcpy(s->lines + s->used, line, length);
    s->used += length;
    s->lines[s->used++] = '\n';
}

static int take_line(void *context, char *line, size_t length, struct error *err)
{
    struct session *s = context;

    remember(s, line, length);
    if (is_record(line, "unrepeatable")) {
        return 0;
    }
    if (is_record(line, "kernel_config")) {
        return s->programs ? program_read(s->programs, line, length, HELPER_OUTPUT, HELPER_REPORT, err) : 0;
    }
    if (is_record(line, "alive")) {
        return 0;
    }
    if (is_record(line, "loaded")) {
        return take_loaded(s, line, length, err);
    }
    if (is_record(line, "done")) {
        return 1;
    }
    if (is_record(line, "error")) {
        return helper_error(line, length, err);
    }
    if (!s->stream) {
        return error_set(err, NULL, HELPER_REPORT, "the recorder printed '%.60s'", line);
    }
    return plan_stream_line(s->stream, line, length, err);
}

/* The lines of an earlier recording, as the recorder printed them. */
static int take_kept(struct session *s, char *lines, struct error *err)
{
    char *at = lines, *newline;
    int rc = 0;

    s->keeps = false;
    while (rc == 0 && (newline = strchr(at, '\n'))) {
        *newline = '\0';
        rc = take_line(s, at, (size_t)(newline - at), err);
        at = newline + 1;
    }
    return rc == 0  ? error_set(err, "object store", "remove it: l3replay cache --clear", "a kept recording has no end")
           : rc < 0 ? -1
                    : 0;
}

/* Start the recorder, and keep what comes out the same each time. */
static int run_helper(struct session *s, const char *python, const char *text, const struct helper_limits *limits,
                      struct kept_recording *kept, struct error *err)
{
    bool printed = false;
    int rc = helper_run(python, text, limits, take_line, s, &printed, err);

    if (rc == 0 && s->keeps && !printed) {
        kept_recording_keep(kept, s->lines, s->used, &s->paths);
    }
    free(s->lines);
    args_free(&s->paths);
    s->lines = NULL;
    s->used = s->capacity = 0;
    return rc;
}

/* Recordings are kept; the programs alone are looked at by commands that should leave nothing behind. */
static int run(struct session *s, const struct build *build, const char *op, const struct record_request *request,
               struct error *err)
{
    struct helper_limits limits = {.timeout = request ? request->timeout : 0};
    struct kept_recording kept = {0};
    char *text, *python, *lines = NULL;
    int rc = -1;

    if (helper_timeout(&limits.timeout, err) < 0 || helper_timeout(&limits.limit, err) < 0) {
        return -1;
    }
    text = make_request(build, op, limits.timeout, limits.limit, request, err);
    python = text ? helper_python(err) : NULL;
    if (python && request) {
        kept_recording_open(&kept, build, text, python);
        lines = request->fresh ? NULL : kept_recording_find(&kept);
        s->keeps = kept.path != NULL;
        s->build = build;
    }
    if (lines) {
        log_msg(LOG_INFO, "host_orch.py is not run: its recording is kept, and nothing that decides it has changed");
        rc = take_kept(s, lines, err);
    } else if (python) {
        rc = run_helper(s, python, text, &limits, &kept, err);
    }
    if (request && request->kept) {
        *request->kept = lines != NULL;
    }
    kept_recording_close(&kept);
    free(lines);
    free(python);
    free(text);
    return rc;
}

int record_programs(const struct build *build, struct program_table *programs, struct error *err)
{
    struct session s = {.programs = programs};

    memset(programs, 0, sizeof *programs);
    if (run(&s, build, "programs", NULL, err) < 0) {
        program_table_free(programs);
        return -1;
    }
    return 0;
}

static int check_build(const struct build *build, struct error *err)
{
    for (uint32_t i = 0; i < build->nparam; i++) {
        if (build->params[i].dtype == DTYPE_COUNT) {
            return error_set(err, build->dir, "compile the program with another dtype",
                             "parameter %s has dtype %s, which no device can be given", build->params[i].name,
                             build->params[i].dtype_text);
        }
    }
    return 0;
}

/* An L2 build: its kernel_config.py is evaluated, and that is all there is to record. */
static int record_one_dispatch(const struct record_request *request, struct session *s, struct plan *plan,
                               struct error *err)
{
    struct program_table own = {0};
    int rc = -1;

    s->programs = s->programs ? s->programs : &own;
    if (run(s, request->build, "programs", request, err) == 0) {
        rc = s->programs->count == 1
                 ? one_dispatch_plan(request, s->programs->items[0].name, plan, err)
                 : error_set(err, HELPER_OUTPUT, HELPER_REPORT, "%zu programs were read, not one", s->programs->count);
    }
    if (s->programs == &own) {
        s->programs = NULL;
    }
    program_table_free(&own);
    return rc;
}

static int record_host_orch(const struct record_request *request, struct session *s, struct plan *plan,
                            struct error *err)
{
    int rc = -1;

    s->stream = plan_stream_new(HELPER_OUTPUT, err);
    if (s->stream) {
        plan_stream_set_hint(s->stream, HELPER_REPORT);
    }
    if (s->stream && run(s, request->build, "plan", request, err) == 0) {
        rc = plan_stream_finish(s->stream, plan, err);
    }
    plan_stream_free(s->stream);
    return rc;
}

int record_plan(const struct record_request *request, struct program_table *programs, struct plan *plan,
                struct error *err)
{
    struct session s = {.programs = programs, .files = request->files};
    int rc;

    if (programs) {
        memset(programs, 0, sizeof *programs);
    }
    if (check_build(request->build, err) < 0) {
        return -1;
    }
    rc = request->build->kind == BUILD_L2 ? record_one_dispatch(request, &s, plan, err)
                                          : record_host_orch(request, &s, plan, err);
    if (rc < 0 && programs) {
        program_table_free(programs);
    }
    return rc;
}

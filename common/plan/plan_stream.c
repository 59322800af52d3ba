#include "common/plan/plan_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "common/plan/plan_build.h"
#include "common/plan/plan_record.h"

#define RERECORD "record the plan again with this l3replay"

struct plan_stream {
    char *origin;
    const char *hint;
    struct plan_builder *builder; /* NULL before the header */
    struct plan_record_scratch scratch;
    unsigned long long line;
    bool ended;
};

struct plan_stream *plan_stream_new(const char *origin, struct error *err)
{
    struct plan_stream *s = calloc(1, sizeof *s);

    if (s) {
        s->origin = strdup(origin);
        s->hint = RERECORD;
    }
    if (!s || !s->origin) {
        free(s);
        error_nomem(err, origin, sizeof *s + strlen(origin));
        return NULL;
    }
    return s;
}

void plan_stream_set_hint(struct plan_stream *s, const char *hint)
{
    s->hint = hint;
}

void plan_stream_free(struct plan_stream *s)
{
    if (!s) {
        return;
    }
    plan_builder_free(s->builder);
    plan_record_scratch_free(&s->scratch);
    free(s->origin);
    free(s);
}

static int read_header(struct plan_stream *s, const struct json_source *src, const cJSON *record)
{
    int64_t version = 0, world_size = 0;

    if (strcmp(record->child->string, "plan") != 0) {
        return json_fail(src, NULL, NULL, "the first line is not the header of a plan, {\"plan\":%d,...}",
                         PLAN_VERSION);
    }
    if (json_get_int(src, record, "plan", 0, UINT32_MAX, &version)) {
        return -1;
    }
    if (version != PLAN_VERSION) {
        return json_fail(src, record, "plan", "the plan has version %lld of the format, this l3replay reads version %d",
                         (long long)version, PLAN_VERSION);
    }
    if (json_get_int(src, record, "world_size", 0, PLAN_MAX_CARDS, &world_size)) {
        return -1;
    }
    s->builder = plan_builder_new((uint32_t)world_size, src->err);
    return s->builder ? 0 : -1;
}

static int read_end(struct plan_stream *s, const struct json_source *src, const cJSON *record)
{
    uint32_t nnode = plan_builder_plan(s->builder)->nnode;
    int64_t count = 0;

    if (json_get_int(src, record, "end", 0, UINT32_MAX, &count)) {
        return -1;
    }
    if (count != nnode) {
        return json_fail(src, record, "end", "the plan ends with %u nodes, but says that it has %lld", nnode,
                         (long long)count);
    }
    s->ended = true;
    return 0;
}

static int read_record(struct plan_stream *s, const struct json_source *src, const cJSON *record)
{
    if (!record->child || !record->child->string) {
        return json_fail(src, NULL, NULL, "the line is not a JSON object with a record in it");
    }
    if (s->ended) {
        return json_fail(src, NULL, NULL, "there is a record after the end record");
    }
    if (!s->builder) {
        return read_header(s, src, record);
    }
    if (strcmp(record->child->string, "end") == 0) {
        return read_end(s, src, record);
    }
    if (strcmp(record->child->string, "plan") == 0) {
        return json_fail(src, NULL, NULL, "there is a second header");
    }
    return plan_record_add(s->builder, src, &s->scratch, record);
}

/* The line of the stream, and the one of host_orch.py that the record (NULL: none was read) came from, if it says so. */
static void describe_place(const struct plan_stream *s, const cJSON *record, char *buf, size_t size)
{
    struct json_source quiet = {.file = ""};
    char user[48] = "";
    int64_t line = 0;

    if (json_member(record, "line") && json_get_int(&quiet, record, "line", 1, UINT32_MAX, &line) == 0) {
        snprintf(user, sizeof user, " (host_orch.py:%lld)", (long long)line);
    }
    snprintf(buf, size, "%s, line %llu%s", s->origin, s->line, user);
}

static int parse_line(struct plan_stream *s, char *line, size_t length, struct error *err)
{
    char place[512]; /* as much as error.where holds */
    struct json_source src = {.file = place, .hint = s->hint, .err = err, .bytes = true};
    cJSON *record;
    int rc;

    describe_place(s, NULL, place, sizeof place);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
        line[--length] = '\0';
    }
    if (length == 0) {
        return json_fail(&src, NULL, NULL, "the line is empty");
    }
    record = json_parse(&src, line, length);
    if (!record) {
        return -1;
    }
    describe_place(s, record, place, sizeof place);
    rc = read_record(s, &src, record);
    if (rc < 0 && err && !err->where[0]) {
        snprintf(err->where, sizeof err->where, "%s", place);
    }
    cJSON_Delete(record);
    return rc;
}

int plan_stream_line(struct plan_stream *s, char *line, size_t length, struct error *err)
{
    s->line++;
    if (parse_line(s, line, length, err) == 0) {
        return 0;
    }
    if (err && !err->hint[0]) {
        snprintf(err->hint, sizeof err->hint, "%s", s->hint);
    }
    return -1;
}

void plan_stream_skip(struct plan_stream *s)
{
    s->line++;
}

int plan_stream_finish(struct plan_stream *s, struct plan *out, struct error *err)
{
    char where[sizeof err->where];

    if (!s->ended) {
        snprintf(where, sizeof where, "%s, line %llu", s->origin, s->line);
        return error_set(err, where, s->hint, "the plan has no end record: it is cut off after %u nodes",
                         s->builder ? plan_builder_plan(s->builder)->nnode : 0);
    }
    plan_builder_finish(s->builder, out);
    s->builder = NULL;
    return 0;
}

static int load_lines(struct plan_stream *s, FILE *f, const char *path, struct error *err)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int rc = 0;

    errno = 0;
    while (rc == 0 && (length = getline(&line, &size, f)) >= 0) {
        rc = plan_stream_line(s, line, (size_t)length, err);
    }
    if (rc == 0 && !feof(f)) {
        rc = error_errno(err, path, NULL, "the plan cannot be read");
    }
    free(line);
    return rc;
}

int plan_load(const char *path, struct plan *out, struct error *err)
{
    struct plan_stream *s = NULL;
    FILE *f;
    int rc = -1;

    *out = (struct plan){0};
    f = fopen(path, "re");
    if (!f) {
        return error_errno(err, path, "give the path of a plan that l3replay plan --format json has written",
                           "the plan cannot be opened");
    }
    s = plan_stream_new(path, err);
    if (s && load_lines(s, f, path, err) == 0) {
        rc = plan_stream_finish(s, out, err);
    }
    plan_stream_free(s);
    fclose(f);
    return rc;
}

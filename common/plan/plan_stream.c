#include "common/plan/plan_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/plan_build.h"
#include "common/plan/plan_json.h"
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

static int read_header(struct plan_stream *s, const cJSON *record, struct error *err)
{
    const cJSON *first = record->child;
    uint64_t version = 0, world_size = 0;

    if (strcmp(first->string, "plan") != 0) {
        return error_set(err, NULL, NULL, "the first line is not the header of a plan, {\"plan\":%d,...}",
                         PLAN_VERSION);
    }
    if (plan_json_number(first, "plan", UINT32_MAX, &version, err)) {
        return -1;
    }
    if (version != PLAN_VERSION) {
        return error_set(err, NULL, NULL, "the plan has version %llu of the format, this l3replay reads version %d",
                         (unsigned long long)version, PLAN_VERSION);
    }
    if (plan_json_field(record, "world_size", PLAN_MAX_CARDS, &world_size, err)) {
        return -1;
    }
    s->builder = plan_builder_new((uint32_t)world_size, err);
    return s->builder ? 0 : -1;
}

static int read_end(struct plan_stream *s, const cJSON *record, struct error *err)
{
    uint32_t nnode = plan_builder_plan(s->builder)->nnode;
    uint64_t count = 0;

    if (plan_json_number(record->child, "end", UINT32_MAX, &count, err)) {
        return -1;
    }
    if (count != nnode) {
        return error_set(err, NULL, NULL, "the plan ends with %u nodes, but says that it has %llu", nnode,
                         (unsigned long long)count);
    }
    s->ended = true;
    return 0;
}

static int read_record(struct plan_stream *s, const cJSON *record, struct error *err)
{
    if (!cJSON_IsObject(record) || !record->child) {
        return error_set(err, NULL, NULL, "the line is not a JSON object with a record in it");
    }
    if (s->ended) {
        return error_set(err, NULL, NULL, "there is a record after the end record");
    }
    if (!s->builder) {
        return read_header(s, record, err);
    }
    if (strcmp(record->child->string, "end") == 0) {
        return read_end(s, record, err);
    }
    if (strcmp(record->child->string, "plan") == 0) {
        return error_set(err, NULL, NULL, "there is a second header");
    }
    return plan_record_add(s->builder, &s->scratch, record, err);
}

/* The line of the stream, and the one of host_orch.py that `record` (NULL: none was read) came from, if it says so. */
static void say_where(const struct plan_stream *s, const cJSON *record, struct error *err)
{
    const cJSON *line = cJSON_GetObjectItemCaseSensitive(record, "line");
    char user[48] = "";

    if (!err || err->where[0]) {
        return;
    }
    if (cJSON_IsNumber(line) && line->valuedouble >= 1 && line->valuedouble <= UINT32_MAX) {
        snprintf(user, sizeof user, " (host_orch.py:%.0f)", line->valuedouble);
    }
    snprintf(err->where, sizeof err->where, "%s, line %llu%s", s->origin, s->line, user);
}

static int parse_line(struct plan_stream *s, const char *line, size_t length, struct error *err)
{
    const char *end = NULL;
    cJSON *record;
    int rc;

    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r')) {
        length--;
    }
    if (length == 0) {
        return error_set(err, NULL, NULL, "the line is empty");
    }
    if (memchr(line, '\0', length)) {
        return error_set(err, NULL, NULL, "the line has a zero byte in it");
    }
    errno = 0;
    record = cJSON_ParseWithLengthOpts(line, length, &end, false);
    if (!record && errno == ENOMEM) { /* of malloc(): cJSON reports no more than that it failed */
        return error_nomem(err, NULL, length);
    }
    if (!record) {
        return error_set(err, NULL, NULL, "the line is not JSON, from byte %zu on", end ? (size_t)(end - line) : 0);
    }
    while (end < line + length && (*end == ' ' || *end == '\t')) {
        end++;
    }
    if (end != line + length) {
        rc = error_set(err, NULL, NULL, "the line has something after its JSON object, at byte %zu",
                       (size_t)(end - line));
    } else {
        rc = read_record(s, record, err);
    }
    if (rc < 0) {
        say_where(s, record, err);
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
    say_where(s, NULL, err);
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

#include "rank-worker/cache/stamp.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/base/json_write.h"

enum { SCHEMA = 1, STAMP_MAX = 1 << 20 };

enum { FIELDS = 4 };

struct field {
    const char *key, *name;
    const char *value;
};

static void list_fields(const struct cache_identity *id, struct field fields[FIELDS])
{
    fields[0] = (struct field){"platform", "platform", id->platform};
    fields[1] = (struct field){"runtime_name", "runtime", id->runtime_name};
    fields[2] = (struct field){"runtime_revision", "runtime revision", id->runtime_revision};
    fields[3] = (struct field){"pto_isa_revision", "PTO-ISA revision", id->pto_isa_revision};
}

static void verdict(struct stamp_verdict *out, enum stamp_reason reason, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void verdict(struct stamp_verdict *out, enum stamp_reason reason, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    out->reason = reason;
    vsnprintf(out->text, sizeof out->text, fmt, ap);
    va_end(ap);
}

static const char *unknown(const struct field fields[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        if (!fields[i].value || !*fields[i].value) {
            return fields[i].name;
        }
    }
    return NULL;
}

/* NULL when there is none (`*missing`) or it is no JSON object, and then `err` says why. */
static cJSON *read_stamp(const char *dir, bool *missing, struct error *err)
{
    char *path = file_join(dir, STAMP_FILE, err);
    struct json_source source = {.file = path, .err = err};
    const cJSON *object;
    cJSON *root = NULL;

    *missing = path && access(path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR);
    if (path && !*missing) {
        root = json_read(&source, STAMP_MAX);
    }
    if (root && json_get_object(&source, root, NULL, &object)) {
        cJSON_Delete(root);
        root = NULL;
    }
    free(path);
    return root;
}

static void compare(const cJSON *root, const struct field fields[FIELDS], struct stamp_verdict *out)
{
    struct json_source source = {.file = STAMP_FILE};
    const cJSON *item;
    int64_t schema;
    char shown[64];
    int count = 0;

    if (json_get_int(&source, root, "schema", SCHEMA, SCHEMA, &schema)) {
        item = json_member(root, "schema");
        verdict(out, STAMP_DIFFERS, "schema %s -> %d", item ? json_show(item, shown, sizeof shown) : "none", SCHEMA);
        return;
    }
    for (int i = 0; i < FIELDS; i++) {
        const char *was = json_text_of(root, fields[i].key);
        if (!was || strcmp(was, fields[i].value) != 0) {
            verdict(out, STAMP_DIFFERS, "%s %s -> %s", fields[i].name, was ? was : "none", fields[i].value);
            return;
        }
    }
    cJSON_ArrayForEach(item, root) {
        count++;
    }
    /* Something that we do not know of decided about these binaries as well. */
    if (count != FIELDS + 1) {
        verdict(out, STAMP_DIFFERS, "the stamp has more fields than are known");
    }
}

void stamp_check(const char *dir, const struct cache_identity *identity, bool forced, struct stamp_verdict *out)
{
    struct field fields[FIELDS];
    struct error err = {0};
    bool missing;
    cJSON *root;

    list_fields(identity, fields);
    *out = (struct stamp_verdict){.reason = STAMP_CURRENT, .text = "current"};
    if (forced) {
        verdict(out, STAMP_FORCED, "forced");
        return;
    }
    if (unknown(fields)) {
        verdict(out, STAMP_REVISION_UNKNOWN, "%s unknown", unknown(fields));
        return;
    }
    root = read_stamp(dir, &missing, &err);
    if (!root && missing) {
        verdict(out, STAMP_NONE, "no stamp");
    } else if (!root) {
        verdict(out, STAMP_DAMAGED, "the stamp is damaged: %.200s", err.what);
    } else {
        compare(root, fields, out);
    }
    cJSON_Delete(root);
}

int stamp_discard(const char *dir, struct error *err)
{
    char *path = file_join(dir, STAMP_FILE, err);
    int rc = path ? 0 : -1;

    if (path && (file_clear_place(path) < 0 || unlink(path) < 0) && errno != ENOENT && errno != ENOTDIR) {
        rc = error_errno(err, path, file_errno_hint(errno), "cannot delete %s", path);
    }
    free(path);
    return rc;
}

int stamp_write(const char *dir, const struct cache_identity *identity, struct error *err)
{
    struct json_writer json = {0};
    struct field fields[FIELDS];
    cJSON *root;
    char *path;
    int rc;

    list_fields(identity, fields);
    if (unknown(fields)) {
        return 0;
    }
    path = file_join(dir, STAMP_FILE, err);
    if (!path) {
        return -1;
    }
    root = json_new_object(&json);
    for (int i = 0; i < FIELDS; i++) {
        json_put_text(&json, root, fields[i].key, fields[i].value);
    }
    json_put_number(&json, root, "schema", SCHEMA);
    rc = json_save(&json, root, path, JSON_REPLACE, err);
    free(path);
    return rc;
}

#include "orchestrator/batch/manifest.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "common/base/args.h"
#include "common/base/clean_name.h"
#include "common/base/file.h"
#include "common/base/json.h"

enum { MANIFEST_MAX = 64 << 20 };

static int copy(char **to, const char *text, struct error *err)
{
    *to = strdup(text);
    return *to ? 0 : error_nomem(err, "batch", strlen(text));
}

/* "0,1" of [0, 1], or the text itself. */
static int read_device_ids(const struct json_source *src, const cJSON *item, char **out)
{
    const cJSON *list = json_member(item, "device_ids"), *id;
    const char *text = json_text_of(item, "device_ids");
    char *joined = NULL;
    size_t size;
    int64_t number;
    FILE *f;

    if (text) {
        return copy(out, text, src->err);
    }
    if (json_get_list(src, item, "device_ids", &list, NULL) < 0) {
        return -1;
    }
    f = open_memstream(&joined, &size);
    if (!f) {
        return error_nomem(src->err, "batch", 1);
    }
    cJSON_ArrayForEach(id, list) {
        if (json_get_int(src, id, NULL, 0, INT_MAX, &number) < 0) {
            fclose(f);
            free(joined);
            return -1;
        }
        fprintf(f, "%s%" PRId64, id == list->child ? "" : ",", number);
    }
    if (fclose(f) != 0) {
        free(joined);
        return error_nomem(src->err, "batch", 1);
    }
    *out = joined;
    return 0;
}

/* What the entry asks for; -1 with what is wrong with it in src->err. */
static int read_entry(const struct json_source *src, const cJSON *item, struct batch_entry *e)
{
    const char *text;
    char number[24];
    int64_t id;

    if (json_get_object(src, item, NULL, &item) < 0 || json_get_string(src, item, "work_dir", &text) < 0) {
        return -1;
    }
    free(e->work_dir);
    if (copy(&e->work_dir, text, src->err) < 0) {
        return -1;
    }
    clean_name(e->work_dir);
    if (!*text) {
        return json_fail(src, item, "work_dir", "it is empty");
    }
    if (json_has(item, "platform") &&
        (json_get_string(src, item, "platform", &text) < 0 || copy(&e->platform, text, src->err) < 0)) {
        return -1;
    }
    if (json_has(item, "device_id")) {
        if (json_get_int(src, item, "device_id", 0, INT_MAX, &id) < 0) {
            return -1;
        }
        snprintf(number, sizeof number, "%" PRId64, id);
        if (copy(&e->device_id, number, src->err) < 0) {
            return -1;
        }
    }
    return json_has(item, "device_ids") ? read_device_ids(src, item, &e->device_ids) : 0;
}

static int read_entries(struct json_source *src, const cJSON *document, struct manifest *m, struct error *err)
{
    const cJSON *list, *item;
    char name[32];
    size_t count;

    if (json_get_list(src, document, NULL, &list, &count) < 0) {
        return -1;
    }
    m->entries = calloc(count + 1, sizeof *m->entries);
    if (!m->entries) {
        return error_nomem(err, "batch", count * sizeof *m->entries);
    }
    cJSON_ArrayForEach(item, list) {
        struct batch_entry *e = &m->entries[m->count];

        snprintf(name, sizeof name, "entry-%zu", m->count++);
        if (copy(&e->work_dir, name, err) < 0) {
            return -1;
        }
        src->err = &e->fault;
        if (read_entry(src, item, e) < 0 && !e->work_dir) {
            *err = e->fault; /* out of memory */
            return -1;
        }
        src->err = err;
    }
    return 0;
}

int manifest_read(struct manifest *m, const char *path, struct error *err)
{
    struct json_source src = {
        .file = path, .hint = "give a JSON list of objects: [{\"work_dir\": \"build_output/a\"}, ...]", .err = err};
    size_t size;
    char *text = file_read(path, MANIFEST_MAX, &size, err);
    cJSON *document;
    XXH128_hash_t hash;
    int rc;

    *m = (struct manifest){0};
    if (!text) {
        return -1;
    }
    hash = XXH3_128bits(text, size);
    snprintf(m->content, sizeof m->content, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
    document = json_parse(&src, text, size);
    free(text);
    rc = document ? read_entries(&src, document, m, err) : -1;
    cJSON_Delete(document);
    if (rc < 0) {
        manifest_free(m);
    }
    return rc;
}

int manifest_of_one(struct manifest *m, const char *work_dir, const char *platform, const char *device_id,
                    struct error *err)
{
    *m = (struct manifest){.entries = calloc(1, sizeof *m->entries)};
    if (!m->entries) {
        return error_nomem(err, "batch", sizeof *m->entries);
    }
    m->count = 1;
    if (copy(&m->entries->work_dir, work_dir, err) < 0 ||
        (platform && copy(&m->entries->platform, platform, err) < 0) ||
        (device_id && copy(&m->entries->device_id, device_id, err) < 0)) {
        manifest_free(m);
        return -1;
    }
    return 0;
}

void manifest_free(struct manifest *m)
{
    for (size_t i = 0; m->entries && i < m->count; i++) {
        free(m->entries[i].work_dir);
        free(m->entries[i].platform);
        free(m->entries[i].device_ids);
        free(m->entries[i].device_id);
    }
    free(m->entries);
    *m = (struct manifest){0};
}

#include "orchestrator/open/metadata.h"
#include "orchestrator/open/build_target.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <xxhash.h>

#include "common/base/file.h"
#include "common/base/json.h"
#include "common/plan/plan_names.h"

enum { META_MAX_BYTES = 64 << 20 };

static const char *const hint = "compile the program again, or put back what the compiler wrote there";

static char *copy_text(const struct json_source *src, const char *text)
{
    char *copy = strdup(text);

    if (!copy) {
        error_nomem(src->err, src->file, strlen(text) + 1);
    }
    return copy;
}

/* --- parameters --------------------------------------------------------- */

static int read_dtype(const struct json_source *src, const cJSON *entry, struct build_param *p)
{
    /* Names that the compiler can write and the runtime's numbering lacks. */
    static const char *const unnumbered[] = {"fp8e5m2", "hf4", "hf8", "int4", "uint4", "task_id"};
    const char *text;

    if (json_get_string(src, entry, "dtype", &text)) {
        return -1;
    }
    p->dtype = DTYPE_COUNT;
    for (size_t i = 0; i < sizeof unnumbered / sizeof *unnumbered; i++) {
        if (strcmp(text, unnumbered[i]) == 0) {
            return (p->dtype_text = copy_text(src, text)) ? 0 : -1;
        }
    }
    /* No short forms, and no fp64: the compiler has no such parameters. */
    if (dtype_parse(text, &p->dtype) || p->dtype == DTYPE_FLOAT64 ||
        (strcmp(text, dtype_name(p->dtype)) != 0 && strcmp(text, "index") != 0)) {
        p->dtype = DTYPE_COUNT;
        return json_fail(src, entry, "dtype",
                         "\"%.60s\" is not a dtype; known are fp16, fp32, bfloat16, int8, int16, int32, int64, uint8, "
                         "uint16, uint32, uint64, bool, index, fp8e4m3fn, fp8e5m2, fp8e8m0, fp4, hf4, hf8, int4, "
                         "uint4, task_id",
                         text);
    }
    return (p->dtype_text = copy_text(src, text)) ? 0 : -1;
}

static int read_shape(const struct json_source *src, const cJSON *entry, struct build_param *p)
{
    const cJSON *list = json_member(entry, "shape"), *dim;
    char shown[80];

    if (!list) {
        return json_fail(src, entry, "shape", "it is missing; null (a scalar) or a list of integers is needed");
    }
    if (!json_has(entry, "shape")) {
        p->scalar = true;
        return 0;
    }
    if (json_get_list(src, entry, "shape", &list, NULL)) {
        return json_fail(src, entry, "shape", "null (a scalar) or a list of integers is needed, not %s",
                         json_show(list, shown, sizeof shown));
    }
    cJSON_ArrayForEach(dim, list) {
        if (p->ndim == PLAN_MAX_DIMS) {
            return json_fail(src, entry, "shape", "it has more than %d dimensions", PLAN_MAX_DIMS);
        }
        if (json_get_int(src, dim, NULL, -1, INT64_C(1) << 48, &p->shape[p->ndim])) {
            return -1;
        }
        p->ndim++;
    }
    return 0;
}

static int read_direction(const struct json_source *src, const cJSON *entry, struct build_param *p)
{
    size_t which = 0;

    if (json_get_choice(src, entry, "direction", plan_direction_names, PLAN_DIRECTION_COUNT, &which)) {
        return -1;
    }
    p->direction = (enum plan_direction)which;
    return 0;
}

/* Parameter names become Python keys, and names of files beside the build. */
static bool is_identifier(const char *s)
{
    if (!*s || (*s >= '0' && *s <= '9') || strlen(s) > 200) {
        return false;
    }
    for (; *s; s++) {
        bool word = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_' ||
                    (unsigned char)*s >= 0x80;
        if (!word) {
            return false;
        }
    }
    return true;
}

static int read_name(const struct json_source *src, const cJSON *entry, const struct build *b, uint32_t index,
                     struct build_param *p)
{
    const char *name;

    if (json_get_string(src, entry, "name", &name)) {
        return -1;
    }
    if (!is_identifier(name)) {
        return json_fail(src, entry, "name", "\"%.60s\" is not a parameter name (letters, digits and _)", name);
    }
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(b->params[i].name, name) == 0) {
            return json_fail(src, entry, "name", "params[%u] is called \"%.60s\" too", i, name);
        }
    }
    return (p->name = copy_text(src, name)) ? 0 : -1;
}

static int read_params(const struct json_source *src, const cJSON *root, struct build *b)
{
    const cJSON *list, *entry;
    size_t count;

    if (json_get_list(src, root, "params", &list, &count)) {
        return -1;
    }
    if (count > 4096) {
        return json_fail(src, root, "params", "%zu parameters; at most 4096 are possible", count);
    }
    b->params = calloc(count + 1, sizeof *b->params);
    if (!b->params) {
        return error_nomem(src->err, src->file, (count + 1) * sizeof *b->params);
    }
    cJSON_ArrayForEach(entry, list) {
        struct build_param *p = &b->params[b->nparam++]; /* build_free() also frees a half-read one */
        const cJSON *object;

        if (json_get_object(src, entry, NULL, &object) || read_name(src, object, b, b->nparam - 1, p) ||
            read_direction(src, object, p) || read_shape(src, object, p) || read_dtype(src, object, p)) {
            return -1;
        }
    }
    return 0;
}

/* --- distributed_config ------------------------------------------------- */

static int read_device_ids(const struct json_source *src, const cJSON *config, struct build *b)
{
    const cJSON *list, *item;
    size_t count;

    if (!json_member(config, "device_ids")) {
        return 0;
    }
    if (json_get_list(src, config, "device_ids", &list, &count)) {
        return -1;
    }
    if (count == 0) {
        return json_fail(src, config, "device_ids", "the list is empty; one device id a card is needed");
    }
    if (count > BUILD_MAX_CARDS) {
        return json_fail(src, config, "device_ids", "%zu cards; at most %d are possible", count, BUILD_MAX_CARDS);
    }
    b->device_ids = malloc(count * sizeof *b->device_ids);
    if (!b->device_ids) {
        return error_nomem(src->err, src->file, count * sizeof *b->device_ids);
    }
    cJSON_ArrayForEach(item, list) {
        int64_t id;
        if (json_get_int(src, item, NULL, 0, INT_MAX, &id)) {
            return -1;
        }
        for (uint32_t i = 0; i < b->ndevice; i++) {
            if (b->device_ids[i] == (int)id) {
                return json_fail(src, item, NULL, "device %d is listed twice; two cards cannot share one", (int)id);
            }
        }
        b->device_ids[b->ndevice++] = (int)id;
    }
    return 0;
}

static int check_config_keys(const struct json_source *src, const cJSON *config)
{
    static const char *const known[] = {"device_ids", "num_sub_workers", "runtime", "aicpu_thread_num"};
    const cJSON *item;

    cJSON_ArrayForEach(item, config) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            found = found || strcmp(item->string, known[i]) == 0;
        }
        if (!found) {
            return json_fail(src, config, NULL,
                             "unknown key \"%.60s\"; known are device_ids, num_sub_workers, runtime, aicpu_thread_num",
                             item->string);
        }
    }
    return 0;
}

/* An absent key keeps the default in `*out`. */
static int optional_int(const struct json_source *src, const cJSON *object, const char *key, int *out)
{
    int64_t n = *out;

    if (json_optional_int(src, object, key, 0, INT_MAX, &n)) {
        return -1;
    }
    *out = (int)n;
    return 0;
}

static int read_config(const struct json_source *src, const cJSON *root, struct build *b)
{
    const cJSON *config;
    const char *runtime;

    if (!json_member(root, "distributed_config")) {
        return 0;
    }
    if (json_get_object(src, root, "distributed_config", &config) || check_config_keys(src, config) ||
        read_device_ids(src, config, b) || optional_int(src, config, "num_sub_workers", &b->num_sub_workers) ||
        optional_int(src, config, "aicpu_thread_num", &b->aicpu_thread_num)) {
        return -1;
    }
    if (b->aicpu_thread_num == 1) {
        return json_fail(src, config, "aicpu_thread_num",
                         "1 is below the runtime's least; 0 (the platform's default), 2 or more are possible");
    }
    if (!json_member(config, "runtime")) {
        return 0;
    }
    if (json_get_string(src, config, "runtime", &runtime) || !(b->runtime = copy_text(src, runtime))) {
        return -1;
    }
    return 0;
}

static int default_device_ids(const struct json_source *src, struct build *b)
{
    if (b->device_ids) {
        return 0;
    }
    b->device_ids = calloc(1, sizeof *b->device_ids);
    if (!b->device_ids) {
        return error_nomem(src->err, src->file, sizeof *b->device_ids);
    }
    b->ndevice = 1;
    return 0;
}

/* --- target ------------------------------------------------------------- */

static int read_simulated(const struct json_source *src, const cJSON *root, bool *simulated)
{
    const char *text;
    int mode;

    if (json_get_string(src, root, "execution_mode", &text)) {
        return -1;
    }
    mode = target_mode(text);
    *simulated = mode > 0;
    return mode >= 0 ? 0
                     : json_fail(src, root, "execution_mode", "\"%.60s\" is not known; known are " TARGET_MODES, text);
}

static int read_target(const struct json_source *src, const cJSON *root, struct build *b)
{
    bool has_backend = json_member(root, "backend_type") != NULL, has_mode = json_has(root, "execution_mode");
    const char *text, *named;
    bool simulated = true;
    size_t which = 0;

    if ((has_backend && json_get_choice(src, root, "backend_type", target_backends, 2, &which)) ||
        !(b->backend_type = copy_text(src, target_backends[which])) ||
        (has_mode && read_simulated(src, root, &simulated))) {
        return -1;
    }
    named = target_platform((int)which, simulated);
    if (json_has(root, "platform")) {
        if (json_get_string(src, root, "platform", &text)) {
            return -1;
        }
        if (!build_platform_is_known(text)) {
            return json_fail(src, root, "platform", "\"%.60s\" is not known; known are %s", text,
                             build_platform_names());
        }
        if (has_mode && strcmp(text, named) != 0) {
            return json_fail(src, root, "platform", "\"%s\" contradicts backend_type and execution_mode, which mean %s",
                             text, named);
        }
        if (has_backend &&
            strncmp(target_platform((int)which, false), text, strlen(target_platform((int)which, false))) != 0 &&
            build_add_note(b, src->err,
                           "the build is for %s, and its platform %s is another chip's: it is replayed as "
                           "%s",
                           b->backend_type, text, text)) {
            return -1;
        }
        named = text;
    }
    return (b->platform = copy_text(src, named)) ? 0 : -1;
}

/* ------------------------------------------------------------------------ */

static int read_document(const struct json_source *src, const cJSON *document, struct build *b)
{
    static const int schemas[] = {[BUILD_L2] = 1, [BUILD_L3] = 2};
    const cJSON *root;
    int64_t number;

    if (json_get_object(src, document, NULL, &root) ||
        json_get_int(src, root, "schema", INT32_MIN, INT32_MAX, &number)) {
        return -1;
    }
    if (number != schemas[b->kind]) {
        return json_fail(src, root, "schema",
                         "it is %d, and this program reads %d: another version of the compiler wrote it", (int)number,
                         schemas[b->kind]);
    }
    if (read_params(src, root, b) || read_target(src, root, b) ||
        optional_int(src, root, "num_return_types", &b->num_return_types)) {
        return -1;
    }
    if (b->kind == BUILD_L3 && read_config(src, root, b)) {
        return -1;
    }
    return default_device_ids(src, b);
}

int metadata_parse(const char *path, const char *text, size_t size, struct build *out, struct error *err)
{
    struct json_source src = {.file = path, .hint = hint, .err = err};
    cJSON *root = json_parse(&src, text, size);
    int rc = root ? read_document(&src, root, out) : -1;

    cJSON_Delete(root);
    return rc;
}

int metadata_read(const char *path, struct build *out, struct error *err)
{
    size_t size;
    char *text = file_read(path, META_MAX_BYTES, &size, err);
    XXH128_hash_t hash;
    int rc;

    if (!text) {
        if (err && !err->hint[0]) {
            snprintf(err->hint, sizeof err->hint, "%s", hint);
        }
        return -1;
    }
    hash = XXH3_128bits(text, size);
    snprintf(out->meta_hash, sizeof out->meta_hash, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
    rc = metadata_parse(path, text, size, out, err);
    free(text);
    return rc;
}

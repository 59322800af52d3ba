#include "orchestrator/open/metadata.h"

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

enum { META_MAX_BYTES = 64 << 20, FIELD_SIZE = 160 };

static const char *const hint = "compile the program again, or put back what the compiler wrote there";

static char *copy_text(const struct json_source *src, const char *text)
{
    char *copy = strdup(text);

    if (!copy) {
        error_nomem(src->err, src->file, strlen(text) + 1);
    }
    return copy;
}

/* `*out` becomes one of `names`, or the field is at fault; `what` names the kind of thing. */
static int one_of(const struct json_source *src, const char *field, const char *text, const char *const *names,
                  size_t count, size_t *out)
{
    char list[256] = "";

    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(list);
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return 0;
        }
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return json_fail(src, field, "\"%.60s\" is not known; known are %s", text, list);
}

/* --- parameters --------------------------------------------------------- */

static int read_dtype(const struct json_source *src, const char *field, const cJSON *value, struct build_param *p)
{
    /* Names that the compiler can write and the runtime's numbering lacks. */
    static const char *const unnumbered[] = {"fp8e5m2", "hf4", "hf8", "int4", "uint4", "task_id"};
    const char *text;

    if (json_string(src, field, value, &text)) {
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
        return json_fail(src, field,
                         "\"%.60s\" is not a dtype; known are fp16, fp32, bfloat16, int8, int16, int32, int64, uint8, "
                         "uint16, uint32, uint64, bool, index, fp8e4m3fn, fp8e5m2, fp8e8m0, fp4, hf4, hf8, int4, "
                         "uint4, task_id",
                         text);
    }
    return (p->dtype_text = copy_text(src, text)) ? 0 : -1;
}

static int read_shape(const struct json_source *src, const char *field, const cJSON *value, struct build_param *p)
{
    char element[FIELD_SIZE + 24];
    const cJSON *dim;

    if (cJSON_IsNull(value)) {
        p->scalar = true;
        return 0;
    }
    if (!cJSON_IsArray(value)) {
        char shown[80];
        if (!value) {
            return json_fail(src, field, "it is missing; null (a scalar) or a list of integers is needed");
        }
        return json_fail(src, field, "null (a scalar) or a list of integers is needed, not %s",
                         json_show(value, shown, sizeof shown));
    }
    cJSON_ArrayForEach(dim, value) {
        int64_t n;
        if (p->ndim == PLAN_MAX_DIMS) {
            return json_fail(src, field, "it has %d dimensions; at most %d are possible", cJSON_GetArraySize(value),
                             PLAN_MAX_DIMS);
        }
        snprintf(element, sizeof element, "%s[%u]", field, p->ndim);
        if (json_int(src, element, dim, -1, INT64_C(1) << 48, &n)) {
            return -1;
        }
        p->shape[p->ndim++] = n;
    }
    return 0;
}

static int read_direction(const struct json_source *src, const char *field, const cJSON *value, struct build_param *p)
{
    const char *text;
    size_t which = 0;

    if (json_string(src, field, value, &text) ||
        one_of(src, field, text, plan_direction_names, PLAN_DIRECTION_COUNT, &which)) {
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

static int read_param(const struct json_source *src, const cJSON *entry, const struct build *b, uint32_t index,
                      struct build_param *p)
{
    char field[FIELD_SIZE];
    const char *name;

    snprintf(field, sizeof field, "params[%u]", index);
    if (json_object(src, field, entry)) {
        return -1;
    }
    snprintf(field, sizeof field, "params[%u].name", index);
    if (json_string(src, field, cJSON_GetObjectItemCaseSensitive(entry, "name"), &name)) {
        return -1;
    }
    if (!is_identifier(name)) {
        return json_fail(src, field, "\"%.60s\" is not a parameter name (letters, digits and _)", name);
    }
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(b->params[i].name, name) == 0) {
            return json_fail(src, field, "params[%u] is called \"%.60s\" too", i, name);
        }
    }
    if (!(p->name = copy_text(src, name))) {
        return -1;
    }
    snprintf(field, sizeof field, "params[%u].direction", index);
    if (read_direction(src, field, cJSON_GetObjectItemCaseSensitive(entry, "direction"), p)) {
        return -1;
    }
    snprintf(field, sizeof field, "params[%u].shape", index);
    if (read_shape(src, field, cJSON_GetObjectItemCaseSensitive(entry, "shape"), p)) {
        return -1;
    }
    snprintf(field, sizeof field, "params[%u].dtype", index);
    return read_dtype(src, field, cJSON_GetObjectItemCaseSensitive(entry, "dtype"), p);
}

static int read_params(const struct json_source *src, const cJSON *root, struct build *b)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "params"), *entry;
    size_t count;

    if (json_array(src, "params", list)) {
        return -1;
    }
    count = (size_t)cJSON_GetArraySize(list);
    if (count > 4096) {
        return json_fail(src, "params", "%zu parameters; at most 4096 are possible", count);
    }
    b->params = calloc(count + 1, sizeof *b->params);
    if (!b->params) {
        return error_nomem(src->err, src->file, (count + 1) * sizeof *b->params);
    }
    cJSON_ArrayForEach(entry, list) {
        b->nparam++; /* build_free() also frees a half-read one */
        if (read_param(src, entry, b, b->nparam - 1, &b->params[b->nparam - 1])) {
            return -1;
        }
    }
    return 0;
}

/* --- distributed_config ------------------------------------------------- */

static int read_device_ids(const struct json_source *src, const cJSON *list, struct build *b)
{
    char field[FIELD_SIZE];
    const cJSON *item;
    size_t count;

    if (json_array(src, "distributed_config.device_ids", list)) {
        return -1;
    }
    count = (size_t)cJSON_GetArraySize(list);
    if (count == 0) {
        return json_fail(src, "distributed_config.device_ids", "the list is empty; one device id a card is needed");
    }
    if (count > BUILD_MAX_CARDS) {
        return json_fail(src, "distributed_config.device_ids", "%zu cards; at most %d are possible", count,
                         BUILD_MAX_CARDS);
    }
    b->device_ids = malloc(count * sizeof *b->device_ids);
    if (!b->device_ids) {
        return error_nomem(src->err, src->file, count * sizeof *b->device_ids);
    }
    cJSON_ArrayForEach(item, list) {
        int64_t id;
        snprintf(field, sizeof field, "distributed_config.device_ids[%u]", b->ndevice);
        if (json_int(src, field, item, 0, INT_MAX, &id)) {
            return -1;
        }
        for (uint32_t i = 0; i < b->ndevice; i++) {
            if (b->device_ids[i] == (int)id) {
                return json_fail(src, field, "device %d is listed twice; two cards cannot share one", (int)id);
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
            return json_fail(src, "distributed_config",
                             "unknown key \"%.60s\"; known are device_ids, num_sub_workers, runtime, aicpu_thread_num",
                             item->string);
        }
    }
    return 0;
}

/* An absent key keeps the default in `*out`. */
static int optional_int(const struct json_source *src, const char *field, const cJSON *object, const char *key,
                        int *out)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    int64_t n;

    if (!value) {
        return 0;
    }
    if (json_int(src, field, value, 0, INT_MAX, &n)) {
        return -1;
    }
    *out = (int)n;
    return 0;
}

static int read_config(const struct json_source *src, const cJSON *root, struct build *b)
{
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(root, "distributed_config"), *value;
    const char *runtime;

    if (config && (json_object(src, "distributed_config", config) || check_config_keys(src, config))) {
        return -1;
    }
    value = cJSON_GetObjectItemCaseSensitive(config, "device_ids");
    if (value && read_device_ids(src, value, b)) {
        return -1;
    }
    if (optional_int(src, "distributed_config.num_sub_workers", config, "num_sub_workers", &b->num_sub_workers) ||
        optional_int(src, "distributed_config.aicpu_thread_num", config, "aicpu_thread_num", &b->aicpu_thread_num)) {
        return -1;
    }
    if (b->aicpu_thread_num == 1) {
        return json_fail(src, "distributed_config.aicpu_thread_num",
                         "1 is below the runtime's least; 0 (the platform's default), 2 or more are possible");
    }
    value = cJSON_GetObjectItemCaseSensitive(config, "runtime");
    if (!value) {
        return 0;
    }
    if (json_string(src, "distributed_config.runtime", value, &runtime) || !(b->runtime = copy_text(src, runtime))) {
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

static int read_simulated(const struct json_source *src, const cJSON *value, bool *simulated)
{
    static const struct {
        const char *word;
        bool simulated;
    } words[] = {{"sim", true},       {"simulator", true}, {"simulation", true}, {"onboard", false},
                 {"hardware", false}, {"device", false},   {"npu", false}};
    const char *text;

    if (json_string(src, "execution_mode", value, &text)) {
        return -1;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i].word) == 0) {
            *simulated = words[i].simulated;
            return 0;
        }
    }
    return json_fail(src, "execution_mode",
                     "\"%.60s\" is not known; known are sim, simulator, simulation, onboard, hardware, device, npu",
                     text);
}

static int read_target(const struct json_source *src, const cJSON *root, struct build *b)
{
    static const char *const backends[] = {"Ascend910B", "Ascend950"};
    static const char *const platforms[][2] = {{"a2a3", "a2a3sim"}, {"a5", "a5sim"}};
    const cJSON *backend = cJSON_GetObjectItemCaseSensitive(root, "backend_type");
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(root, "execution_mode");
    const cJSON *platform = cJSON_GetObjectItemCaseSensitive(root, "platform");
    const char *text = backends[0], *named;
    bool simulated = true;
    size_t which = 0;

    if (backend &&
        (json_string(src, "backend_type", backend, &text) || one_of(src, "backend_type", text, backends, 2, &which))) {
        return -1;
    }
    if (!(b->backend_type = copy_text(src, text))) {
        return -1;
    }
    if (mode && !cJSON_IsNull(mode) && read_simulated(src, mode, &simulated)) {
        return -1;
    }
    named = platforms[which][simulated];
    if (platform && !cJSON_IsNull(platform)) {
        if (json_string(src, "platform", platform, &text)) {
            return -1;
        }
        if (!build_platform_is_known(text)) {
            return json_fail(src, "platform", "\"%.60s\" is not known; known are %s", text, build_platform_names());
        }
        if (mode && !cJSON_IsNull(mode) && strcmp(text, named) != 0) {
            return json_fail(src, "platform", "\"%s\" contradicts backend_type and execution_mode, which mean %s", text,
                             named);
        }
        if (backend && strncmp(platforms[which][0], text, strlen(platforms[which][0])) != 0 &&
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

static int read_document(const struct json_source *src, const cJSON *root, struct build *b)
{
    static const int schemas[] = {[BUILD_L2] = 1, [BUILD_L3] = 2};
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
    int64_t number;

    if (!cJSON_IsObject(root)) {
        char shown[80];
        return json_fail(src, NULL, "an object is needed, not %s", json_show(root, shown, sizeof shown));
    }
    if (json_int(src, "schema", schema, INT32_MIN, INT32_MAX, &number)) {
        return -1;
    }
    if (number != schemas[b->kind]) {
        return json_fail(src, "schema", "it is %d, and this program reads %d: another version of the compiler wrote it",
                         (int)number, schemas[b->kind]);
    }
    if (read_params(src, root, b) || read_target(src, root, b) ||
        optional_int(src, "num_return_types", root, "num_return_types", &b->num_return_types)) {
        return -1;
    }
    if (b->kind == BUILD_L3 && read_config(src, root, b)) {
        return -1;
    }
    return default_device_ids(src, b);
}

int metadata_parse(const char *path, const char *text, size_t size, struct build *out, struct error *err)
{
    const struct json_source src = {.file = path, .hint = hint, .err = err};
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

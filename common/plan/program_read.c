#include "common/plan/program_read.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/json.h"

static int take_string(const struct json_source *src, const cJSON *object, const char *key, char **out)
{
    const char *text;

    if (json_get_string(src, object, key, &text) < 0) {
        return -1;
    }
    *out = strdup(text);
    return *out ? 0 : error_nomem(src->err, src->file, strlen(text) + 1);
}

static int take_int(const struct json_source *src, const cJSON *object, const char *key, int max, int32_t *out)
{
    int64_t value;

    if (json_get_int(src, object, key, 0, max, &value) < 0) {
        return -1;
    }
    *out = (int32_t)value;
    return 0;
}

static int take_signature(const struct json_source *src, const cJSON *object, struct signature *out)
{
    const cJSON *list, *item;
    size_t count;

    if (!json_has(object, "signature")) {
        return 0;
    }
    if (json_get_list(src, object, "signature", &list, &count) < 0) {
        return -1;
    }
    out->directions = malloc(count + 1);
    if (!out->directions) {
        return error_nomem(src->err, src->file, count + 1);
    }
    out->given = true;
    cJSON_ArrayForEach(item, list) {
        int64_t direction;
        if (json_get_int(src, item, NULL, ARG_SCALAR, ARG_INOUT, &direction) < 0) {
            return -1;
        }
        out->directions[out->count++] = (uint8_t)direction;
    }
    return 0;
}

static int take_includes(const struct json_source *src, const cJSON *object, struct kernel *k)
{
    const cJSON *list, *item;
    size_t count;

    if (json_get_list(src, object, "include", &list, &count) < 0) {
        return -1;
    }
    k->include_dirs = calloc(count + 1, sizeof *k->include_dirs);
    if (!k->include_dirs) {
        return error_nomem(src->err, src->file, (count + 1) * sizeof *k->include_dirs);
    }
    cJSON_ArrayForEach(item, list) {
        const char *text;
        if (json_get_string(src, item, NULL, &text) < 0) {
            return -1;
        }
        k->include_dirs[k->ninclude] = strdup(text);
        if (!k->include_dirs[k->ninclude]) {
            return error_nomem(src->err, src->file, strlen(text) + 1);
        }
        k->ninclude++;
    }
    return 0;
}

static int take_kernel(const struct json_source *src, const cJSON *object, struct kernel *k)
{
    static const char *const cores[] = {[CORE_AIC] = "aic", [CORE_AIV] = "aiv"};
    size_t core = CORE_AIC;

    if (take_int(src, object, "func_id", INT_MAX, &k->func_id) < 0 || take_string(src, object, "name", &k->name) < 0 ||
        take_string(src, object, "source", &k->source) < 0 || take_signature(src, object, &k->signature) < 0 ||
        take_includes(src, object, k) < 0 || json_get_choice(src, object, "core", cores, 2, &core) < 0 ||
        (json_has(object, "external") && json_get_bool(src, object, "external", &k->external) < 0)) {
        return -1;
    }
    k->core = (enum core_type)core;
    return 0;
}

static int take_kernels(const struct json_source *src, const cJSON *object, struct program *p)
{
    const cJSON *list, *item;
    size_t count;

    if (json_get_list(src, object, "kernels", &list, &count) < 0) {
        return -1;
    }
    p->kernels = calloc(count + 1, sizeof *p->kernels);
    if (!p->kernels) {
        return error_nomem(src->err, src->file, (count + 1) * sizeof *p->kernels);
    }
    cJSON_ArrayForEach(item, list) {
        if (take_kernel(src, item, &p->kernels[p->nkernel++]) < 0) {
            return -1;
        }
    }
    return 0;
}

static int take_program(const struct json_source *src, const cJSON *object, struct program *p)
{
    int32_t threads;

    if (take_string(src, object, "kernel_config", &p->name) < 0 || take_string(src, object, "dir", &p->dir) < 0 ||
        take_string(src, object, "runtime", &p->runtime) < 0 ||
        take_string(src, object, "orchestration", &p->orchestration) < 0 ||
        take_string(src, object, "function_name", &p->function_name) < 0 ||
        take_string(src, object, "config_name", &p->config_name) < 0 ||
        take_int(src, object, "aicpu_thread_num", INT_MAX, &threads) < 0 ||
        take_signature(src, object, &p->signature) < 0 ||
        (json_has(object, "enable_sdma") && json_get_bool(src, object, "enable_sdma", &p->enable_sdma) < 0)) {
        return -1;
    }
    p->aicpu_thread_num = threads;
    return take_kernels(src, object, p);
}

static int not_there_yet(const struct json_source *src, const struct program_table *table, const struct program *p)
{
    for (size_t i = 0; i < table->count; i++) {
        if (&table->items[i] != p && strcmp(table->items[i].name, p->name) == 0) {
            return json_fail(src, src->root, "kernel_config", "program \"%.200s\" is there twice", p->name);
        }
    }
    return 0;
}

int program_read(struct program_table *table, const char *line, size_t length, const char *origin, const char *hint,
                 struct error *err)
{
    struct json_source src = {.file = origin, .hint = hint, .err = err};
    const cJSON *object;
    struct program *items;
    cJSON *json;
    int rc = -1;

    if (array_room(&table->items, &table->capacity, table->count, sizeof *table->items)) {
        return error_nomem(err, src.file, (table->count + 1) * sizeof *table->items);
    }
    items = table->items;
    memset(&items[table->count], 0, sizeof *items);
    json = json_parse(&src, line, length);
    if (json && json_get_object(&src, json, NULL, &object) == 0) {
        rc = take_program(&src, object, &items[table->count++]);
        if (rc == 0) {
            rc = not_there_yet(&src, table, &items[table->count - 1]);
        }
    }
    cJSON_Delete(json);
    return rc;
}

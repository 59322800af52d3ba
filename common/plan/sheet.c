#include "common/plan/sheet.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

static const char *string_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
}

static int damaged(struct error *err)
{
    return error_set(err, "sheet of programs", "run the l3replay and l3replay-executor of one installation",
                     "the sheet of programs is not one of this version");
}

static int parse_signature(const cJSON *json, struct sheet_program *p, struct error *err)
{
    const cJSON *item;
    int32_t n = 0;

    p->nsignature = -1;
    if (!cJSON_IsArray(json)) {
        return 0;
    }
    p->nsignature = cJSON_GetArraySize(json);
    p->signature = calloc((size_t)p->nsignature + 1, 1);
    if (!p->signature) {
        return error_nomem(err, "sheet of programs", (uint64_t)p->nsignature);
    }
    cJSON_ArrayForEach(item, json) {
        p->signature[n++] = (uint8_t)item->valueint;
    }
    return 0;
}

static int parse_kernels(const cJSON *json, struct sheet_program *p, struct error *err)
{
    const cJSON *item;

    p->kernels = calloc((size_t)cJSON_GetArraySize(json) + 1, sizeof *p->kernels);
    if (!p->kernels) {
        return error_nomem(err, "sheet of programs", (uint64_t)cJSON_GetArraySize(json) * sizeof *p->kernels);
    }
    cJSON_ArrayForEach(item, json) {
        struct sheet_kernel *k = &p->kernels[p->nkernel];
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(item, "func_id");
        const cJSON *core = cJSON_GetObjectItemCaseSensitive(item, "core");

        k->name = string_of(item, "name");
        k->path = string_of(item, "path");
        if (!k->name || !k->path || !cJSON_IsNumber(id) || !cJSON_IsNumber(core)) {
            return damaged(err);
        }
        k->func_id = id->valueint;
        k->core = core->valueint ? CORE_AIV : CORE_AIC;
        p->nkernel++;
    }
    return 0;
}

static int parse_program(const cJSON *json, struct sheet_program *p, struct error *err)
{
    if (cJSON_IsNull(json)) {
        return 0;
    }
    p->name = string_of(json, "name");
    p->orchestration = string_of(json, "orchestration");
    p->function_name = string_of(json, "function_name");
    p->config_name = string_of(json, "config_name");
    if (!p->name || !p->orchestration || !p->function_name || !p->config_name) {
        return damaged(err);
    }
    if (parse_signature(cJSON_GetObjectItemCaseSensitive(json, "signature"), p, err) < 0) {
        return -1;
    }
    return parse_kernels(cJSON_GetObjectItemCaseSensitive(json, "kernels"), p, err);
}

int sheet_parse(const char *text, struct sheet *out, struct error *err)
{
    const cJSON *item, *programs, *subs;
    cJSON *json;

    memset(out, 0, sizeof *out);
    json = cJSON_Parse(text);
    out->json = json;
    programs = cJSON_GetObjectItemCaseSensitive(json, "programs");
    subs = cJSON_GetObjectItemCaseSensitive(json, "sub_workers");
    if (!cJSON_IsArray(programs) || !cJSON_IsArray(subs)) {
        damaged(err);
        goto fail;
    }
    out->programs = calloc((size_t)cJSON_GetArraySize(programs) + 1, sizeof *out->programs);
    out->sub_workers = cJSON_PrintUnformatted(subs);
    if (!out->programs || !out->sub_workers) {
        error_nomem(err, "sheet of programs", (uint64_t)cJSON_GetArraySize(programs) * sizeof *out->programs);
        goto fail;
    }
    cJSON_ArrayForEach(item, programs) {
        if (parse_program(item, &out->programs[out->count++], err) < 0) {
            goto fail;
        }
    }
    return 0;
fail:
    sheet_free(out);
    return -1;
}

void sheet_free(struct sheet *sheet)
{
    for (uint32_t i = 0; i < sheet->count; i++) {
        free(sheet->programs[i].signature);
        free(sheet->programs[i].kernels);
    }
    free(sheet->programs);
    cJSON_free(sheet->sub_workers);
    cJSON_Delete(sheet->json);
    memset(sheet, 0, sizeof *sheet);
}

struct sheet_writer {
    cJSON *root, *programs, *subs; /* the arrays are owned by the root */
};

struct sheet_writer *sheet_writer_new(struct error *err)
{
    struct sheet_writer *w = calloc(1, sizeof *w);

    if (w) {
        w->root = cJSON_CreateObject();
        w->programs = cJSON_AddArrayToObject(w->root, "programs");
        w->subs = cJSON_AddArrayToObject(w->root, "sub_workers");
    }
    if (!w || !w->programs || !w->subs) {
        sheet_writer_free(w);
        error_nomem(err, "sheet of programs", sizeof *w);
        return NULL;
    }
    return w;
}

void sheet_writer_free(struct sheet_writer *w)
{
    if (!w) {
        return;
    }
    cJSON_Delete(w->root);
    free(w);
}

static bool add_signature(cJSON *object, const struct signature *signature)
{
    cJSON *array;

    if (!signature->given) {
        return cJSON_AddNullToObject(object, "signature") != NULL;
    }
    array = cJSON_AddArrayToObject(object, "signature");
    for (uint32_t i = 0; array && i < signature->count; i++) {
        if (!cJSON_AddItemToArray(array, cJSON_CreateNumber(signature->directions[i]))) {
            return false;
        }
    }
    return array != NULL;
}

static bool add_kernel(cJSON *array, const struct kernel *kernel, const char *path)
{
    cJSON *object = cJSON_CreateObject();

    return cJSON_AddItemToArray(array, object) && cJSON_AddNumberToObject(object, "func_id", kernel->func_id) &&
           cJSON_AddNumberToObject(object, "core", kernel->core) &&
           cJSON_AddStringToObject(object, "name", kernel->name) && cJSON_AddStringToObject(object, "path", path);
}

int sheet_write(struct sheet_writer *w, const struct program *program, const char *orchestration, char *const *kernels,
                struct error *err)
{
    cJSON *object = program ? cJSON_CreateObject() : cJSON_CreateNull();
    cJSON *array;
    bool ok = cJSON_AddItemToArray(w->programs, object);

    if (ok && program) {
        ok = cJSON_AddStringToObject(object, "name", program->name) &&
             cJSON_AddStringToObject(object, "orchestration", orchestration) &&
             cJSON_AddStringToObject(object, "function_name", program->function_name) &&
             cJSON_AddStringToObject(object, "config_name", program->config_name) &&
             add_signature(object, &program->signature);
        array = cJSON_AddArrayToObject(object, "kernels");
        ok = ok && array;
        for (size_t i = 0; ok && i < program->nkernel; i++) {
            ok = add_kernel(array, &program->kernels[i], kernels[i]);
        }
    }
    return ok ? 0 : error_nomem(err, "sheet of programs", 0);
}

int sheet_write_sub_worker(struct sheet_writer *w, const char *name, const char *file, const char *function,
                           struct error *err)
{
    cJSON *object = cJSON_CreateObject();

    if (cJSON_AddItemToArray(w->subs, object) && cJSON_AddStringToObject(object, "name", name) &&
        cJSON_AddStringToObject(object, "file", file) && cJSON_AddStringToObject(object, "function", function)) {
        return 0;
    }
    return error_nomem(err, "sheet of programs", strlen(file));
}

char *sheet_writer_text(struct sheet_writer *w, struct error *err)
{
    char *text = cJSON_PrintUnformatted(w->root);

    sheet_writer_free(w);
    if (!text) {
        error_nomem(err, "sheet of programs", 0);
    }
    return text;
}

#include "common/plan/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/json.h"
#include "common/base/json_write.h"

static const char what[] = "sheet of programs";

static const char hint[] = "run the l3replay and l3replay-executor of one installation";

static int parse_signature(const struct json_source *src, const cJSON *object, struct sheet_program *p)
{
    const cJSON *list, *item;
    size_t count;

    p->nsignature = -1;
    if (!json_has(object, "signature")) {
        return 0;
    }
    if (json_get_list(src, object, "signature", &list, &count)) {
        return -1;
    }
    p->signature = calloc(count + 1, 1);
    if (!p->signature) {
        return error_nomem(src->err, what, count);
    }
    p->nsignature = 0;
    cJSON_ArrayForEach(item, list) {
        int64_t direction;
        if (json_get_int(src, item, NULL, ARG_SCALAR, ARG_INOUT, &direction)) {
            return -1;
        }
        p->signature[p->nsignature++] = (uint8_t)direction;
    }
    return 0;
}

static int parse_kernels(const struct json_source *src, const cJSON *object, struct sheet_program *p)
{
    const cJSON *list, *item;
    size_t count;

    if (json_get_list(src, object, "kernels", &list, &count)) {
        return -1;
    }
    p->kernels = calloc(count + 1, sizeof *p->kernels);
    if (!p->kernels) {
        return error_nomem(src->err, what, count * sizeof *p->kernels);
    }
    cJSON_ArrayForEach(item, list) {
        struct sheet_kernel *k = &p->kernels[p->nkernel];
        int64_t id, core;

        if (json_get_string(src, item, "name", &k->name) || json_get_string(src, item, "path", &k->path) ||
            json_get_int(src, item, "func_id", 0, INT32_MAX, &id) ||
            json_get_int(src, item, "core", CORE_AIC, CORE_AIV, &core)) {
            return -1;
        }
        k->func_id = (int32_t)id;
        k->core = (enum core_type)core;
        p->nkernel++;
    }
    return 0;
}

static int parse_program(const struct json_source *src, const cJSON *item, struct sheet_program *p)
{
    if (json_is_null(item)) {
        return 0;
    }
    return json_get_string(src, item, "name", &p->name) ||
                   json_get_string(src, item, "orchestration", &p->orchestration) ||
                   json_get_string(src, item, "function_name", &p->function_name) ||
                   json_get_string(src, item, "config_name", &p->config_name) || parse_signature(src, item, p) ||
                   parse_kernels(src, item, p)
               ? -1
               : 0;
}

static int parse_sheet(const struct json_source *src, struct sheet *out)
{
    const cJSON *programs, *subs, *item;
    size_t count;

    if (json_get_list(src, out->json, "programs", &programs, &count) ||
        json_get_list(src, out->json, "sub_workers", &subs, NULL)) {
        return -1;
    }
    out->programs = calloc(count + 1, sizeof *out->programs);
    if (!out->programs) {
        return error_nomem(src->err, what, count * sizeof *out->programs);
    }
    cJSON_ArrayForEach(item, programs) {
        if (parse_program(src, item, &out->programs[out->count++])) {
            return -1;
        }
    }
    return 0;
}

int sheet_parse(const char *text, struct sheet *out, struct error *err)
{
    struct json_source src = {.file = what, .hint = hint, .err = err, .bytes = true};

    memset(out, 0, sizeof *out);
    out->json = json_parse(&src, text, strlen(text));
    if (out->json && parse_sheet(&src, out) == 0) {
        return 0;
    }
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
    cJSON_Delete(sheet->json);
    memset(sheet, 0, sizeof *sheet);
}

static int copy_sub_worker(const struct json_source *src, const cJSON *item, struct json_writer *w, cJSON *list)
{
    static const char *const keys[] = {"name", "file", "function"};
    cJSON *object = json_append_object(w, list);

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text;
        if (json_get_string(src, item, keys[i], &text)) {
            return -1;
        }
        json_put_string(w, object, keys[i], text);
    }
    return w->failed ? error_nomem(src->err, what, 0) : 0;
}

char *sheet_sub_workers(const struct sheet *sheet, const bool *wanted, size_t count, struct error *err)
{
    struct json_source src = {.file = what, .hint = hint, .err = err, .bytes = true};
    struct json_writer w = {.bytes = true};
    cJSON *root = json_new_object(&w), *list = json_put_list(&w, root, "sub_workers");
    const cJSON *subs = NULL, *item;
    char *text = NULL;
    size_t at = 0;
    int rc = json_get_list(&src, sheet->json, "sub_workers", &subs, NULL);

    cJSON_ArrayForEach(item, subs) {
        if (rc == 0 && at < count && wanted[at]) {
            rc = copy_sub_worker(&src, item, &w, list);
        }
        at++;
    }
    if (rc == 0) {
        text = json_line(list, what, err);
    }
    cJSON_Delete(root);
    return text;
}

struct sheet_writer {
    struct json_writer json;
    cJSON *root, *programs, *subs; /* the arrays are owned by the root */
};

static int written(const struct sheet_writer *w, struct error *err)
{
    return w->json.failed ? error_nomem(err, what, 0) : 0;
}

struct sheet_writer *sheet_writer_new(struct error *err)
{
    struct sheet_writer *w = calloc(1, sizeof *w);

    if (!w) {
        error_nomem(err, what, sizeof *w);
        return NULL;
    }
    w->json.bytes = true;
    w->root = json_new_object(&w->json);
    w->programs = json_put_list(&w->json, w->root, "programs");
    w->subs = json_put_list(&w->json, w->root, "sub_workers");
    if (written(w, err)) {
        sheet_writer_free(w);
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

static void put_signature(struct sheet_writer *w, cJSON *object, const struct signature *signature)
{
    cJSON *list;

    if (!signature->given) {
        json_put_null(&w->json, object, "signature");
        return;
    }
    list = json_put_list(&w->json, object, "signature");
    for (uint32_t i = 0; i < signature->count; i++) {
        json_append_number(&w->json, list, signature->directions[i]);
    }
}

static void put_kernel(struct sheet_writer *w, cJSON *list, const struct kernel *kernel, const char *path)
{
    cJSON *object = json_append_object(&w->json, list);

    json_put_number(&w->json, object, "func_id", kernel->func_id);
    json_put_number(&w->json, object, "core", kernel->core);
    json_put_string(&w->json, object, "name", kernel->name);
    json_put_string(&w->json, object, "path", path);
}

int sheet_write(struct sheet_writer *w, const struct program *program, const char *orchestration, char *const *kernels,
                struct error *err)
{
    cJSON *object, *list;

    if (!program) {
        json_append_null(&w->json, w->programs);
        return written(w, err);
    }
    object = json_append_object(&w->json, w->programs);
    json_put_string(&w->json, object, "name", program->name);
    json_put_string(&w->json, object, "orchestration", orchestration);
    json_put_string(&w->json, object, "function_name", program->function_name);
    json_put_string(&w->json, object, "config_name", program->config_name);
    put_signature(w, object, &program->signature);
    list = json_put_list(&w->json, object, "kernels");
    for (size_t i = 0; i < program->nkernel; i++) {
        put_kernel(w, list, &program->kernels[i], kernels[i]);
    }
    return written(w, err);
}

int sheet_write_sub_worker(struct sheet_writer *w, const char *name, const char *file, const char *function,
                           struct error *err)
{
    cJSON *object = json_append_object(&w->json, w->subs);

    json_put_string(&w->json, object, "name", name);
    json_put_string(&w->json, object, "file", file);
    json_put_string(&w->json, object, "function", function);
    return written(w, err);
}

char *sheet_writer_text(struct sheet_writer *w, struct error *err)
{
    char *text = json_finish_line(&w->json, w->root, what, err);

    free(w);
    return text;
}

#include "orchestrator/open/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/json_write.h"
#include "common/plan/plan_names.h"
#include "orchestrator/tensor_file/tensor.h"

enum { INSPECT_VERSION = 1 };

static const char *const cores[] = {[CORE_AIC] = "aic", [CORE_AIV] = "aiv"};

/* Paths within the build are shown relative to it. */
static const char *relative(const struct build *b, const char *path)
{
    size_t n = strlen(b->dir);

    if (!path || strncmp(path, b->dir, n) != 0 || (path[n] && path[n] != '/')) {
        return path ? path : "";
    }
    return path[n] ? path + n + 1 : ".";
}

static int finish(FILE *f, struct error *err)
{
    if (fflush(f) || ferror(f)) {
        return error_errno(err, NULL, NULL, "cannot write the output");
    }
    return 0;
}

/* --- text --------------------------------------------------------------- */

static int widest(int width, const char *text)
{
    int n = (int)strlen(text);

    return n > width ? n : width;
}

static void text_shape(const struct build_param *p, char *buf, size_t size)
{
    if (p->scalar || p->unknown) {
        snprintf(buf, size, "%s", p->scalar ? "scalar" : "?");
    } else {
        tensor_shape_text(p->ndim, p->shape, buf, size);
    }
}

static void text_head(FILE *f, const struct build *b)
{
    fprintf(f, "build        %s\n", b->dir);
    fprintf(f, "kind         %s\n", b->kind == BUILD_L3 ? "L3, several cards" : "L2, one chip");
    fprintf(f, "platform     %s (backend %s)\n", b->platform, b->backend_type);
    if (b->kind == BUILD_L2) { /* the rest is in kernel_config.py */
        return;
    }
    fprintf(f, "cards        %u, on device%s ", b->ndevice, b->ndevice == 1 ? "" : "s");
    for (uint32_t i = 0; i < b->ndevice; i++) {
        fprintf(f, "%s%d", i ? "," : "", b->device_ids[i]);
    }
    fprintf(f, "\nruntime      %s\n", b->runtime ? b->runtime : "tensormap_and_ringbuffer (not named)");
    if (b->num_sub_workers) {
        fprintf(f, "sub-workers  asks for %d processes\n", b->num_sub_workers);
    }
    if (b->aicpu_thread_num) {
        fprintf(f, "aicpu threads %d\n", b->aicpu_thread_num);
    }
}

static void text_params(FILE *f, const struct build *b)
{
    int name = 4, dtype = 5;
    char shape[400];

    for (uint32_t i = 0; i < b->nparam; i++) {
        name = widest(name, b->params[i].name);
        dtype = widest(dtype, b->params[i].dtype_text);
    }
    fprintf(f, "\nparameters   %u, in argument order; -1 is a dynamic dimension\n", b->nparam);
    if (b->nparam) {
        fprintf(f, "  %-*s  direction  %-*s  shape\n", name, "name", dtype, "dtype");
    }
    for (uint32_t i = 0; i < b->nparam; i++) {
        const struct build_param *p = &b->params[i];
        text_shape(p, shape, sizeof shape);
        fprintf(f, "  %-*s  %-9s  %-*s  %s\n", name, p->name, plan_direction_names[p->direction], dtype, p->dtype_text,
                shape);
    }
}

static void text_program(FILE *f, const struct build *b, const struct program *p)
{
    int name = 6;

    for (size_t i = 0; i < p->nkernel; i++) {
        name = widest(name, p->kernels[i].name);
    }
    fprintf(f, "  %s\n", p->name);
    fprintf(f, "    orchestration  %s, function %s\n", relative(b, p->orchestration), p->function_name);
    if (p->enable_sdma) {
        fprintf(f, "    uses SDMA\n");
    }
    if (p->nkernel) {
        fprintf(f, "    func_id  core  %-*s  source\n", name, "kernel");
    }
    for (size_t i = 0; i < p->nkernel; i++) {
        const struct kernel *k = &p->kernels[i];
        fprintf(f, "    %7d  %-4s  %-*s  %s%s\n", k->func_id, cores[k->core], name, k->name, relative(b, k->source),
                k->external ? " (outside the build)" : "");
    }
}

static void text_sub_workers(FILE *f, const struct build *b)
{
    const struct sub_workers *subs = &b->sub_workers;
    int name = 0;

    if (subs->count) {
        fprintf(f, "\nsub-workers  %zu\n", subs->count);
    }
    for (size_t i = 0; i < subs->count; i++) {
        name = widest(name, subs->items[i].name);
    }
    for (size_t i = 0; i < subs->count; i++) {
        const struct sub_worker *s = &subs->items[i];
        if (s->required) {
            fprintf(f, "  %-*s  has no body: --sub-worker %s=FILE.py binds it\n", name, s->name, s->name);
        } else {
            fprintf(f, "  %-*s  %s\n", name, s->name, relative(b, s->file));
        }
    }
}

int inspect_print_text(FILE *f, const struct build *b, const struct program_table *programs, struct error *err)
{
    text_head(f, b);
    text_params(f, b);
    fprintf(f, "\nprograms     %zu\n", programs->count);
    for (size_t i = 0; i < programs->count; i++) {
        text_program(f, b, &programs->items[i]);
    }
    text_sub_workers(f, b);
    if (b->nnote) {
        fprintf(f, "\nnotes\n");
    }
    for (uint32_t i = 0; i < b->nnote; i++) {
        fprintf(f, "  - %s\n", b->notes[i]);
    }
    return finish(f, err);
}

/* --- JSON --------------------------------------------------------------- */

static void json_params(struct json_writer *w, cJSON *root, const struct build *b)
{
    cJSON *list = json_put_list(w, root, "params"), *item, *shape;

    for (uint32_t i = 0; i < b->nparam; i++) {
        const struct build_param *p = &b->params[i];
        item = json_append_object(w, list);
        json_put_text(w, item, "name", p->name);
        json_put_text(w, item, "direction", plan_direction_names[p->direction]);
        json_put_text(w, item, "dtype", p->unknown ? NULL : p->dtype_text);
        if (p->scalar || p->unknown) {
            json_put_null(w, item, "shape");
            continue;
        }
        shape = json_put_list(w, item, "shape");
        for (uint32_t d = 0; d < p->ndim; d++) {
            json_append_number(w, shape, (double)p->shape[d]);
        }
    }
}

static void json_programs(struct json_writer *w, cJSON *root, const struct build *b,
                          const struct program_table *programs)
{
    cJSON *list = json_put_list(w, root, "programs"), *item, *kernels, *entry;

    for (size_t i = 0; i < programs->count; i++) {
        const struct program *p = &programs->items[i];
        item = json_append_object(w, list);
        json_put_text(w, item, "name", p->name);
        json_put_text(w, item, "dir", relative(b, p->dir));
        json_put_text(w, item, "runtime", p->runtime);
        json_put_text(w, item, "orchestration", relative(b, p->orchestration));
        json_put_text(w, item, "function_name", p->function_name);
        json_put_bool(w, item, "enable_sdma", p->enable_sdma);
        kernels = json_put_list(w, item, "kernels");
        for (size_t k = 0; k < p->nkernel; k++) {
            entry = json_append_object(w, kernels);
            json_put_number(w, entry, "func_id", p->kernels[k].func_id);
            json_put_text(w, entry, "name", p->kernels[k].name);
            json_put_text(w, entry, "core", cores[p->kernels[k].core]);
            json_put_text(w, entry, "source", relative(b, p->kernels[k].source));
            json_put_bool(w, entry, "external", p->kernels[k].external);
        }
    }
}

static void json_sub_workers(struct json_writer *w, cJSON *root, const struct build *b)
{
    const struct sub_workers *subs = &b->sub_workers;
    cJSON *list = json_put_list(w, root, "sub_workers"), *item;

    for (size_t i = 0; i < subs->count; i++) {
        item = json_append_object(w, list);
        json_put_text(w, item, "name", subs->items[i].name);
        json_put_bool(w, item, "required", subs->items[i].required);
        if (subs->items[i].file) {
            json_put_text(w, item, "file", relative(b, subs->items[i].file));
        }
    }
}

static void json_head(struct json_writer *w, cJSON *root, const struct build *b)
{
    cJSON *list;

    json_put_number(w, root, "inspect", INSPECT_VERSION);
    json_put_text(w, root, "build", b->dir);
    json_put_text(w, root, "kind", b->kind == BUILD_L3 ? "L3" : "L2");
    json_put_text(w, root, "platform", b->platform);
    json_put_text(w, root, "backend_type", b->backend_type);
    json_put_number(w, root, "num_return_types", b->num_return_types);
    if (b->kind == BUILD_L2) {
        return;
    }
    json_put_number(w, root, "world_size", b->ndevice);
    list = json_put_list(w, root, "device_ids");
    for (uint32_t i = 0; i < b->ndevice; i++) {
        json_append_number(w, list, b->device_ids[i]);
    }
    json_put_text(w, root, "runtime", b->runtime);
    json_put_number(w, root, "num_sub_workers", b->num_sub_workers);
    json_put_number(w, root, "aicpu_thread_num", b->aicpu_thread_num);
}

int inspect_print_json(FILE *f, const struct build *b, const struct program_table *programs, struct error *err)
{
    struct json_writer w = {.failed = false};
    cJSON *root = json_new_object(&w), *notes;

    json_head(&w, root, b);
    json_params(&w, root, b);
    json_programs(&w, root, b, programs);
    if (b->kind == BUILD_L3) {
        json_sub_workers(&w, root, b);
    }
    notes = json_put_list(&w, root, "notes");
    for (uint32_t i = 0; i < b->nnote; i++) {
        json_append_text(&w, notes, b->notes[i]);
    }
    return json_print(&w, root, b->dir, f, err) < 0 ? -1 : finish(f, err);
}

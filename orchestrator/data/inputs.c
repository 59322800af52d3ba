#include "orchestrator/data/inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/log.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/data/generate.h"
#include "orchestrator/tensor_file/tensor_pool.h"
#include "orchestrator/tensor_file/tensor_read.h"

struct source {
    char *name; /* the parameter's full name; as typed while there is no build to look it up in */
    char *file; /* what messages call it */
    const struct tensor_file *from;
    const struct tensor *tensor; /* of `from` */
    char *scalar;                /* value as text, when the parameter is a scalar */
};

struct inputs {
    uint64_t seed;
    bool names_as_typed; /* there was no build to look them up in */
    size_t count, capacity;
    struct source *sources;
    struct tensor_pool files, added; /* `added`: of inputs_add() */
};

static const struct source *find_source(const struct inputs *in, const char *param)
{
    for (size_t i = 0; i < in->count; i++) {
        if (strcmp(in->sources[i].name, param) == 0) {
            return &in->sources[i];
        }
    }
    return NULL;
}

static int add_source(struct inputs *in, const char *name, const char *file, const char *label, struct error *err)
{
    struct source *s;

    if (array_room(&in->sources, &in->capacity, in->count, sizeof *in->sources)) {
        return error_nomem(err, file, (in->count + 1) * sizeof *in->sources);
    }
    s = &in->sources[in->count];
    *s = (struct source){0};
    s->name = strdup(name);
    s->file = strdup(label ? label : file);
    if (!s->name || !s->file) {
        free(s->name);
        free(s->file);
        return error_nomem(err, file, strlen(name) + strlen(file) + 2);
    }
    in->count++;
    return tensor_pool_open(label ? &in->added : &in->files, file, name, fit_name_length(name), &s->from, &s->tensor,
                            err);
}

/* --- scalars ------------------------------------------------------------ */

static int scalar_text(struct source *s, enum dtype type, struct error *err)
{
    char shape[400], text[64];
    uint64_t bits = 0;
    int rc;

    if (s->tensor->count != 1) {
        return error_set(err, s->file, "give an array with one element, or --scalar",
                         "parameter %s is a scalar, and %s has shape %s", s->name, s->file,
                         tensor_shape_text(s->tensor->ndim, s->tensor->shape, shape, sizeof shape));
    }
    if (fit_is_widened(type, s->tensor)) {
        type = DTYPE_FLOAT32; /* rounded where the scalar is used */
    }
    rc = tensor_read(s->from, s->tensor, &bits, err);
    if (rc) {
        return -1;
    }
    if (type == DTYPE_UINT64) {
        snprintf(text, sizeof text, "%" PRIu64, bits);
    } else if (type == DTYPE_INT64) {
        snprintf(text, sizeof text, "%" PRId64, (int64_t)bits);
    } else {
        snprintf(text, sizeof text, "%.17g", dtype_load(type, &bits));
    }
    s->scalar = strdup(text);
    return s->scalar ? 0 : error_nomem(err, s->file, strlen(text) + 1);
}

/* --- opening ------------------------------------------------------------ */

static int open_source(struct inputs *in, const struct build_param *p, const char *file, const char *label,
                       struct error *err)
{
    struct source *s;

    if (p->dtype == DTYPE_COUNT) {
        return error_set(err, file, "leave the file out, or compile the program with another dtype",
                         "parameter %s is %s, for which no array can be given", p->name, p->dtype_text);
    }
    if (add_source(in, p->name, file, label, err)) {
        return -1;
    }
    s = &in->sources[in->count - 1];
    if (fit_dtype(p->name, p->dtype, s->file, s->tensor, err)) {
        return -1;
    }
    if (p->scalar) {
        return scalar_text(s, p->dtype, err);
    }
    return fit_rank(p->ndim, p->shape, s->tensor) ? 0 : fit_shape(p->name, p->ndim, p->shape, s->file, s->tensor, err);
}

static int open_given(struct inputs *in, const struct build *build, const struct named_file *given, struct error *err)
{
    const struct build_param *p = NULL;

    if (build && !(p = build_find_param(build, given->name, err))) {
        return -1;
    }
    if (find_source(in, p ? p->name : given->name)) {
        return error_set_kind(err, ERROR_USAGE, "--input", "give one file for it", "parameter %s is given two files",
                              p ? p->name : given->name);
    }
    return p ? open_source(in, p, given->file, NULL, err) : add_source(in, given->name, given->file, NULL, err);
}

/* Files of the build, for what was not given on the command line. */
static int open_of_build(struct inputs *in, const struct build *build, struct error *err)
{
    for (uint32_t i = 0; i < build->nparam; i++) {
        const struct build_param *p = &build->params[i];
        char *file;
        int rc;
        if (p->direction == PLAN_OUT || find_source(in, p->name)) {
            continue;
        }
        if (fit_find(build, "data/in", p->name, &file, err)) {
            return -1;
        }
        rc = file ? open_source(in, p, file, NULL, err) : 0;
        free(file);
        if (rc) {
            return -1;
        }
    }
    return 0;
}

int inputs_open(struct inputs **out, const struct build *build, const struct named_file *given, size_t ngiven,
                uint64_t seed, struct error *err)
{
    struct inputs *in = calloc(1, sizeof *in);
    int rc = 0;

    *out = NULL;
    if (!in) {
        return error_nomem(err, "inputs", sizeof *in);
    }
    in->seed = seed;
    in->names_as_typed = !build;
    for (size_t i = 0; i < ngiven && rc == 0; i++) {
        rc = open_given(in, build, &given[i], err);
    }
    if (rc == 0 && build) {
        rc = open_of_build(in, build, err);
    }
    if (rc) {
        inputs_free(in);
        return -1;
    }
    *out = in;
    return 0;
}

int inputs_add(struct inputs *in, const struct build *build, const struct named_file *files, size_t count,
               const char *label, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct build_param *p = build_find_param(build, files[i].name, err);

        if (!p || open_source(in, p, files[i].file, label, err)) {
            return -1;
        }
    }
    return 0;
}

void inputs_release(struct inputs *in)
{
    tensor_pool_release(&in->added);
}

void inputs_free(struct inputs *in)
{
    if (!in) {
        return;
    }
    for (size_t i = 0; i < in->count; i++) {
        free(in->sources[i].name);
        free(in->sources[i].file);
        free(in->sources[i].scalar);
    }
    free(in->sources);
    tensor_pool_close(&in->files);
    tensor_pool_close(&in->added);
    free(in);
}

/* --- asking ------------------------------------------------------------- */

bool inputs_shape(const struct inputs *in, const char *param, uint32_t *ndim, int64_t *shape)
{
    const struct source *s = find_source(in, param);

    if (!s || s->scalar) {
        return false;
    }
    *ndim = s->tensor->ndim;
    memcpy(shape, s->tensor->shape, s->tensor->ndim * sizeof *shape);
    return true;
}

const char *inputs_scalar(const struct inputs *in, const char *param)
{
    const struct source *s = find_source(in, param);

    return s ? s->scalar : NULL;
}

const char *inputs_file(const struct inputs *in, const char *param)
{
    const struct source *s = find_source(in, param);

    return s ? s->file : NULL;
}

int inputs_is_of_build(const struct inputs *in, const struct build *build, const char *param, struct error *err)
{
    const struct source *s = find_source(in, param);
    const struct tensor_file *own;
    const struct tensor *tensor;
    struct tensor_pool files = {0};
    bool equal = false;
    char *path;
    int rc = 0;

    if (!s || fit_find(build, "data/in", param, &path, NULL) || !path) {
        return 0; /* what is there and cannot be read is not what was given */
    }
    if (tensor_pool_open(&files, path, param, fit_name_length(param), &own, &tensor, NULL) == 0) {
        rc = tensor_equal(s->from, s->tensor, own, tensor, &equal, err);
    }
    tensor_pool_close(&files);
    free(path);
    return rc < 0 ? -1 : equal;
}

/* The source of a parameter storage, also when its name was typed plain and there was no build. */
static const struct source *storage_source(const struct inputs *in, const struct plan *plan, uint32_t storage)
{
    const struct source *s = find_source(in, plan_text(plan, plan->storages[storage].name));

    if (s) {
        return s->scalar ? NULL : s;
    }
    for (size_t i = 0; in->names_as_typed && i < in->count; i++) {
        if (fit_storage(plan, in->sources[i].name, NULL) == (long)storage) {
            return &in->sources[i];
        }
    }
    return NULL;
}

static int check_source(const struct source *s, const struct plan *plan, uint32_t storage, struct error *err)
{
    const struct plan_storage *st = &plan->storages[storage];
    const char *name = plan_text(plan, st->name);

    if (fit_dtype(name, st->dtype, s->file, s->tensor, err)) {
        return -1;
    }
    return fit_shape(name, st->ndim, plan->dims + st->dims, s->file, s->tensor, err);
}

int inputs_check(const struct inputs *in, const struct plan *plan, struct error *err)
{
    bool *given = calloc(plan->nstorage + 1u, sizeof *given);
    int rc = given ? 0 : error_nomem(err, "inputs", plan->nstorage + 1u);

    for (size_t i = 0; i < in->count && rc == 0; i++) {
        const struct source *s = &in->sources[i];
        long storage;

        if (s->scalar) {
            continue;
        }
        storage = fit_storage(plan, s->name, err);
        if (storage < 0 || check_source(s, plan, (uint32_t)storage, err)) {
            rc = -1;
        } else if (given[storage]) {
            rc = error_set_kind(err, ERROR_USAGE, "--input", "give one file for it", "parameter %s is given two files",
                                plan_text(plan, plan->storages[storage].name));
        } else {
            given[storage] = true;
        }
    }
    free(given);
    return rc;
}

int inputs_check_shapes(const struct inputs *in, const struct build *build, bool strict, struct error *err)
{
    for (uint32_t i = 0; i < build->nparam; i++) {
        const struct build_param *p = &build->params[i];
        const struct source *s = p->scalar ? NULL : find_source(in, p->name);
        char own[TENSOR_SHAPE_SIZE], found[TENSOR_SHAPE_SIZE];

        if (!s || !fit_rank(p->ndim, p->shape, s->tensor)) {
            continue;
        }
        if (strict) {
            return fit_shape(p->name, p->ndim, p->shape, s->file, s->tensor, err);
        }
        log_msg(LOG_WARN, "parameter %s has shape %s, and %s has %s: taken as it is (--strict-shapes refuses it)",
                p->name, tensor_shape_text(p->ndim, p->shape, own, sizeof own), s->file,
                tensor_shape_text(s->tensor->ndim, s->tensor->shape, found, sizeof found));
    }
    return 0;
}

static void generate_storage(const struct inputs *in, const struct plan *plan, uint32_t storage, void *dst)
{
    const struct plan_storage *st = &plan->storages[storage];

    if (st->direction == PLAN_OUT) {
        memset(dst, 0, st->nbytes);
    } else {
        generate(st->dtype, in->seed, plan_text(plan, st->name), dst, st->nbytes / dtype_size(st->dtype));
    }
}

/* Generates, or fills `job` for what comes from a file; a float32 array for a bfloat16 parameter is rounded. */
static int fill(const struct inputs *in, const struct plan *plan, uint32_t storage, void *dst, struct tensor_job *job,
                struct error *err)
{
    const struct plan_storage *st = &plan->storages[storage];
    const struct source *s = storage_source(in, plan, storage);

    *job = (struct tensor_job){0};
    if (!s) {
        generate_storage(in, plan, storage, dst);
        return 0;
    }
    if (check_source(s, plan, storage, err)) {
        return -1;
    }
    *job = (struct tensor_job){s->from, s->tensor, dst, fit_is_widened(st->dtype, s->tensor)};
    if (job->round) {
        log_note("%s holds float32: rounded to bfloat16 for parameter %s", s->file, plan_text(plan, st->name));
    }
    return 0;
}

int inputs_fill(const struct inputs *in, const struct plan *plan, uint32_t storage, void *dst, struct error *err)
{
    struct tensor_job job;

    if (fill(in, plan, storage, dst, &job, err)) {
        return -1;
    }
    return job.file ? tensor_read_all(&job, 1, err) : 0;
}

int inputs_fill_all(const struct inputs *in, const struct plan *plan, void *const *dst, struct error *err)
{
    struct tensor_job *jobs = calloc(plan->nstorage + 1u, sizeof *jobs);
    size_t count = 0;
    int rc = jobs ? 0 : error_nomem(err, "inputs", plan->nstorage * sizeof *jobs);

    for (uint32_t i = 0; i < plan->nstorage && rc == 0; i++) {
        if (dst[i]) {
            rc = fill(in, plan, i, dst[i], &jobs[count], err);
            count += rc == 0 && jobs[count].file;
        }
    }
    if (rc == 0) {
        rc = tensor_read_all(jobs, count, err);
    }
    free(jobs);
    return rc;
}

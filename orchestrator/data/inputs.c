#include "orchestrator/data/inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/log.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/data/generate.h"
#include "orchestrator/npy/npy.h"

struct source {
    char *name; /* the parameter's full name; as typed while there is no build to look it up in */
    char *file;
    struct npy_file array;
    char *scalar; /* value as text, when the parameter is a scalar */
    bool added;   /* by inputs_add() */
};

struct inputs {
    uint64_t seed;
    bool names_as_typed; /* there was no build to look them up in */
    size_t count, capacity;
    struct source *sources;
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
    *s = (struct source){.array = {.fd = -1}};
    s->name = strdup(name);
    s->file = strdup(label ? label : file);
    if (!s->name || !s->file) {
        free(s->name);
        free(s->file);
        return error_nomem(err, file, strlen(name) + strlen(file) + 2);
    }
    in->count++;
    return npy_file_open(&s->array, file, err);
}

/* --- scalars ------------------------------------------------------------ */

static int scalar_text(struct source *s, enum dtype type, struct error *err)
{
    char shape[400], text[64];
    uint64_t bits = 0;
    int rc;

    if (s->array.header.count != 1) {
        return error_set(err, s->file, "give an array with one element, or --scalar",
                         "parameter %s is a scalar, and %s has shape %s", s->name, s->file,
                         npy_shape_text(s->array.header.ndim, s->array.header.shape, shape, sizeof shape));
    }
    if (fit_is_widened(type, &s->array.header)) {
        type = DTYPE_FLOAT32; /* rounded where the scalar is used */
    }
    rc = npy_file_read(&s->array, s->file, &bits, err);
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
    if (fit_dtype(p->name, p->dtype, s->file, &s->array.header, err)) {
        return -1;
    }
    if (p->scalar) {
        return scalar_text(s, p->dtype, err);
    }
    return fit_shape(p->name, p->ndim, p->shape, s->file, &s->array.header, err);
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
        if (!file && fit_has_pt(build, "data/in", p->name)) {
            log_note("data/in/%s.pt is not read, numbers are generated: save it as .npy to use it", p->name);
        }
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
        in->sources[in->count - 1].added = true;
    }
    return 0;
}

void inputs_release(struct inputs *in)
{
    for (size_t i = 0; i < in->count; i++) {
        if (in->sources[i].added) {
            npy_file_close(&in->sources[i].array);
        }
    }
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
        npy_file_close(&in->sources[i].array);
    }
    free(in->sources);
    free(in);
}

/* --- asking ------------------------------------------------------------- */

bool inputs_shape(const struct inputs *in, const char *param, uint32_t *ndim, int64_t *shape)
{
    const struct source *s = find_source(in, param);

    if (!s || s->scalar) {
        return false;
    }
    *ndim = s->array.header.ndim;
    memcpy(shape, s->array.header.shape, s->array.header.ndim * sizeof *shape);
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
    struct npy_file own;
    bool equal = false;
    char *path;
    int rc = 0;

    if (!s || fit_find(build, "data/in", param, &path, NULL) || !path) {
        return 0; /* what is there and cannot be read is not what was given */
    }
    if (npy_file_open(&own, path, NULL) == 0) {
        rc = npy_file_equal(&s->array, s->file, &own, path, &equal, err);
        npy_file_close(&own);
    }
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

    if (fit_dtype(name, st->dtype, s->file, &s->array.header, err)) {
        return -1;
    }
    return fit_shape(name, st->ndim, plan->dims + st->dims, s->file, &s->array.header, err);
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

/* A float32 array for a bfloat16 parameter: nearest value, ties to even. */
static int read_rounded(const struct source *s, const char *name, unsigned char *dst, struct error *err)
{
    float *wide = malloc(s->array.header.count * sizeof *wide + 1);
    int rc;

    if (!wide) {
        return error_nomem(err, s->file, s->array.header.count * sizeof *wide);
    }
    rc = npy_file_read(&s->array, s->file, wide, err);
    for (uint64_t i = 0; rc == 0 && i < s->array.header.count; i++) {
        dtype_store(DTYPE_BFLOAT16, dst + i * dtype_size(DTYPE_BFLOAT16), (double)wide[i]);
    }
    free(wide);
    if (rc == 0) {
        log_note("%s holds float32: rounded to bfloat16 for parameter %s", s->file, name);
    }
    return rc;
}

int inputs_fill(const struct inputs *in, const struct plan *plan, uint32_t storage, void *dst, struct error *err)
{
    const struct plan_storage *st = &plan->storages[storage];
    const struct source *s = storage_source(in, plan, storage);

    if (s && check_source(s, plan, storage, err)) {
        return -1;
    }
    if (s && fit_is_widened(st->dtype, &s->array.header)) {
        return read_rounded(s, plan_text(plan, st->name), dst, err);
    }
    if (s) {
        return npy_file_read(&s->array, s->file, dst, err);
    }
    if (st->direction == PLAN_OUT) {
        memset(dst, 0, st->nbytes);
    } else {
        generate(st->dtype, in->seed, plan_text(plan, st->name), dst, st->nbytes / dtype_size(st->dtype));
    }
    return 0;
}

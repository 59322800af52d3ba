#include "orchestrator/prepare/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/record/scalar_value.h"
#include "orchestrator/tensor_file/tensor_write.h"

static bool is_of_build(const struct run_options *o)
{
    return !*o->save_data;
}

/* <data>/<side>, or a file `name` in it; to be freed. */
static char *path_of(const struct run_options *o, const struct build *build, const char *side, const char *name,
                     size_t length, struct error *err)
{
    const bool own = is_of_build(o);
    char *path;

    if (asprintf(&path, "%s%s/%s%s%.*s%s", own ? build->dir : o->save_data, own ? "/data" : "", side, *name ? "/" : "",
                 (int)length, name, *name ? ".pt" : "") < 0) {
        error_nomem(err, side, strlen(build->dir) + length);
        return NULL;
    }
    return path;
}

static int check_side(const struct run_options *o, const struct build *build, const char *side, struct error *err)
{
    char *path = path_of(o, build, side, "", 0, err);
    int rc = path ? file_check_makeable(path, err) : -1;

    free(path);
    return rc;
}

/* A file of the build that feeds this replay stays as it is; another one would be lost, or be taken instead. */
static int check_input(const struct build *build, const struct inputs *inputs, const struct build_param *param,
                       struct error *err)
{
    char *file;
    int same;

    if (fit_find(build, "data/in", param->name, &file, err)) {
        return -1;
    }
    same = file ? inputs_is_of_build(inputs, build, param->name, err) : 1;
    if (same == 0) {
        error_set(err, "--save-data", "name another directory: --save-data=DIR",
                  "%s is there and is not what parameter %s is fed with", file, param->name);
        same = -1;
    }
    free(file);
    return same < 0 ? -1 : 0;
}

int snapshot_check(const struct run_options *o, const struct build *build, const struct inputs *inputs,
                   struct error *err)
{
    if (!o->save_data) {
        return 0;
    }
    if (check_side(o, build, "in", err) || check_side(o, build, "out", err)) {
        return -1;
    }
    for (uint32_t i = 0; is_of_build(o) && i < build->nparam; i++) {
        if (build->params[i].direction != PLAN_OUT && check_input(build, inputs, &build->params[i], err)) {
            return -1;
        }
    }
    return 0;
}

/* What the build has already stays: 1. */
static int is_there(const struct run_options *o, const struct build *build, const char *dir, const char *name,
                    struct error *err)
{
    char *file = NULL;
    int rc = is_of_build(o) && fit_find(build, dir, name, &file, err) ? -1 : file != NULL;

    free(file);
    return rc;
}

static int save(const struct run_options *o, const struct build *build, const char *side, const char *name,
                enum dtype type, uint32_t ndim, const int64_t *shape, const void *data, struct error *err)
{
    char dir[16], *place, *path;
    int rc;

    snprintf(dir, sizeof dir, "data/%s", side);
    rc = is_there(o, build, dir, name, err);
    if (rc) {
        return rc < 0 ? -1 : 0;
    }
    place = path_of(o, build, side, "", 0, err);
    path = place ? path_of(o, build, side, name, fit_file_length(build, name), err) : NULL;
    rc = path && file_make_dirs(place, err) == 0 ? tensor_write(path, TENSOR_PT, name, type, ndim, shape, data, err)
                                                 : -1;
    free(path);
    free(place);
    return rc;
}

/* The value of a scalar as text: as given, or what recording takes where nothing was. */
static const char *scalar_text(const struct build_param *param, const struct golden_scalar *scalars, size_t nscalar)
{
    for (size_t i = 0; i < nscalar; i++) {
        if (strcmp(scalars[i].param, param->name) == 0) {
            return scalars[i].text;
        }
    }
    return "1";
}

static int save_scalar(const struct run_options *o, const struct build *build, const struct build_param *param,
                       const char *text, struct error *err)
{
    uint64_t bits;
    float number;

    if (scalar_value(param, text, &bits, err)) {
        return -1;
    }
    if (dtype_is_float(param->dtype)) { /* which have come as a float32 */
        memcpy(&number, &bits, sizeof number);
        dtype_store(param->dtype, &bits, (double)number);
    }
    return save(o, build, "in", param->name, param->dtype, 0, NULL, &bits, err);
}

/* The parameter storages that are not `other` alone. */
static int save_storages(const struct run_options *o, const struct build *build, const struct segment *seg,
                         const char *side, enum plan_direction other, struct error *err)
{
    const struct plan *plan = &seg->plan;

    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const struct plan_storage *s = &plan->storages[i];

        if (s->kind == PLAN_PARAM && s->direction != other &&
            save(o, build, side, plan_text(plan, s->name), s->dtype, s->ndim, plan->dims + s->dims,
                 segment_storage(seg, i), err)) {
            return -1;
        }
    }
    return 0;
}

int snapshot_save_inputs(const struct run_options *o, const struct build *build, const struct segment *seg,
                         const struct golden_scalar *scalars, size_t nscalar, struct error *err)
{
    if (!o->save_data) {
        return 0;
    }
    for (uint32_t i = 0; i < build->nparam; i++) {
        const struct build_param *param = &build->params[i];

        if (param->scalar && save_scalar(o, build, param, scalar_text(param, scalars, nscalar), err)) {
            return -1;
        }
    }
    return save_storages(o, build, seg, "in", PLAN_OUT, err);
}

int snapshot_save_outputs(const struct run_options *o, const struct build *build, const struct segment *seg,
                          struct error *err)
{
    return o->save_data ? save_storages(o, build, seg, "out", PLAN_IN, err) : 0;
}

#include "orchestrator/data/fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"

static const char *dtype_hint(enum dtype type)
{
    switch (type) {
    case DTYPE_BFLOAT16:
        return "numpy has no bfloat16: save the values as float32, or the raw bits as uint16";
    case DTYPE_FP8E4M3FN:
    case DTYPE_FP8E8M0:
    case DTYPE_FP4E2M1:
        return "numpy has no such type: save its raw bits as uint8, or from ml_dtypes";
    default:
        return "save the array again after .astype() to the parameter's dtype";
    }
}

bool fit_is_widened(enum dtype type, const struct npy *header)
{
    return type == DTYPE_BFLOAT16 && npy_holds(header, DTYPE_FLOAT32);
}

int fit_dtype(const char *param, enum dtype type, const char *file, const struct npy *header, struct error *err)
{
    char name[32];

    if (npy_holds(header, type) || fit_is_widened(type, header)) {
        return 0;
    }
    return error_set(err, file, dtype_hint(type), "parameter %s is %s, and %s holds %s", param, dtype_name(type), file,
                     npy_type_name(header, name, sizeof name));
}

int fit_shape(const char *param, uint32_t ndim, const int64_t *shape, const char *file, const struct npy *header,
              struct error *err)
{
    char wanted[400], found[400];
    bool dynamic = false, same = ndim == header->ndim;

    for (uint32_t i = 0; i < ndim; i++) {
        dynamic = dynamic || shape[i] < 0;
        if (same && shape[i] >= 0 && shape[i] != header->shape[i]) {
            same = false;
        }
    }
    if (same) {
        return 0;
    }
    return error_set(err, file,
                     dynamic ? "give an array of that shape (-1 takes any length)"
                             : "give an array of that shape; where the dimension is dynamic, --shape sets it",
                     "parameter %s has shape %s, and %s has %s", param,
                     npy_shape_text(ndim, shape, wanted, sizeof wanted), file,
                     npy_shape_text(header->ndim, header->shape, found, sizeof found));
}

int fit_typed_shape(const struct build_param *p, uint32_t ndim, const int64_t *shape, struct error *err)
{
    char typed[PLAN_MAX_DIMS * 24], own[PLAN_MAX_DIMS * 24];
    bool fits = ndim == p->ndim;

    if (p->scalar) {
        return error_set_kind(err, ERROR_USAGE, "--shape", "give it with --scalar",
                              "parameter %s is a scalar and has no shape", p->name);
    }
    for (uint32_t i = 0; fits && i < ndim; i++) {
        fits = p->shape[i] < 0 || p->shape[i] == shape[i];
    }
    return fits ? 0
                : error_set_kind(err, ERROR_USAGE, "--shape", "-1 stands for any length",
                                 "shape %s does not fit parameter %s, whose shape is %s",
                                 npy_shape_text(ndim, shape, typed, sizeof typed), p->name,
                                 npy_shape_text(p->ndim, p->shape, own, sizeof own));
}

static const char *param_name(const void *of, size_t i)
{
    const struct plan *plan = of;

    return plan->storages[i].kind == PLAN_PARAM ? plan_text(plan, plan->storages[i].name) : NULL;
}

long fit_storage(const struct plan *plan, const char *name, struct error *err)
{
    return build_match_name(param_name, plan, plan->nstorage, name, err);
}

static bool plain_is_unique(const struct build *build, const char *param)
{
    size_t n = build_plain_length(param);
    uint32_t same = 0;

    for (uint32_t i = 0; i < build->nparam; i++) {
        const char *other = build->params[i].name;
        same += build_plain_length(other) == n && strncmp(other, param, n) == 0;
    }
    return same == 1;
}

/* Does <build>/<dir> exist? `dir` has a directory above it in the build, which may be missing too. */
static int has_directory(const struct build *build, const char *dir, struct error *err)
{
    size_t above = strcspn(dir, "/"), length = strlen(dir);
    int there = 1;

    for (size_t part = above; there == 1; part = length) {
        char *path;
        if (asprintf(&path, "%s/%.*s", build->dir, (int)part, dir) < 0) {
            return error_nomem(err, build->dir, strlen(build->dir) + part);
        }
        there = file_is_there(path, err);
        if (there == 1 && !file_is_directory(path)) {
            there = error_set(err, path, "remove or rename it", "%s is not a directory", path);
        }
        free(path);
        if (part == length) {
            break;
        }
    }
    return there;
}

static int find_named(const struct build *build, const char *dir, const char *name, size_t length, char **file,
                      const char *suffix, struct error *err)
{
    int there;

    if (asprintf(file, "%s/%s/%.*s.%s", build->dir, dir, (int)length, name, suffix) < 0) {
        *file = NULL;
        return error_nomem(err, build->dir, strlen(build->dir) + length);
    }
    there = file_is_there(*file, err);
    if (there == 1 && !file_is_regular(*file)) {
        there = error_set(err, *file, "remove or rename it", "%s is not a regular file", *file);
    }
    if (there != 1) {
        free(*file);
        *file = NULL;
    }
    return there < 0 ? -1 : 0;
}

static int find_file(const struct build *build, const char *dir, const char *param, char **file, const char *suffix,
                     struct error *err)
{
    size_t plain = build_plain_length(param);
    int there = has_directory(build, dir, err);

    *file = NULL;
    if (there != 1) {
        return there;
    }
    if (find_named(build, dir, param, strlen(param), file, suffix, err)) {
        return -1;
    }
    if (*file || !param[plain] || !plain_is_unique(build, param)) {
        return 0;
    }
    return find_named(build, dir, param, plain, file, suffix, err);
}

int fit_find(const struct build *build, const char *dir, const char *param, char **file, struct error *err)
{
    return find_file(build, dir, param, file, "npy", err);
}

bool fit_has_pt(const struct build *build, const char *dir, const char *param)
{
    char *file;
    bool found = find_file(build, dir, param, &file, "pt", NULL) == 0 && file;

    free(file);
    return found;
}

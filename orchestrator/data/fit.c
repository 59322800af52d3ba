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

bool fit_is_widened(enum dtype type, const struct tensor *t)
{
    return type == DTYPE_BFLOAT16 && tensor_holds(t, DTYPE_FLOAT32);
}

int fit_dtype(const char *param, enum dtype type, const char *file, const struct tensor *t, struct error *err)
{
    if (tensor_holds(t, type) || fit_is_widened(type, t)) {
        return 0;
    }
    return error_set(err, file, dtype_hint(type), "parameter %s is %s, and %s holds %s", param, dtype_name(type), file,
                     t->type);
}

int fit_shape(const char *param, uint32_t ndim, const int64_t *shape, const char *file, const struct tensor *t,
              struct error *err)
{
    char wanted[400], found[400];
    bool dynamic = false, same = ndim == t->ndim;

    for (uint32_t i = 0; i < ndim; i++) {
        dynamic = dynamic || shape[i] < 0;
        if (same && shape[i] >= 0 && shape[i] != t->shape[i]) {
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
                     tensor_shape_text(ndim, shape, wanted, sizeof wanted), file,
                     tensor_shape_text(t->ndim, t->shape, found, sizeof found));
}

bool fit_rank(uint32_t ndim, const int64_t *shape, const struct tensor *t)
{
    bool differs = false;

    for (uint32_t i = 0; i < ndim && ndim == t->ndim; i++) {
        differs = differs || (shape[i] >= 0 && shape[i] != t->shape[i]);
    }
    return differs;
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
                                 tensor_shape_text(ndim, shape, typed, sizeof typed), p->name,
                                 tensor_shape_text(p->ndim, p->shape, own, sizeof own));
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

#include "common/plan/plan_view.h"

#include "common/plan/plan_rules.h"

static uint64_t extent(const struct plan_tensor *t)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0) {
            return 0;
        }
        last += (uint64_t)(t->shape[i] - 1) * (uint64_t)t->stride[i];
    }
    return (last + 1) * dtype_size(t->dtype);
}

struct plan_tensor plan_view_tensor(const struct plan *p, const struct plan_view *v)
{
    struct plan_tensor t = {.storage = v->storage,
                            .dtype = v->dtype,
                            .ndim = v->ndim,
                            .shape = p->dims + v->dims,
                            .offset = v->offset * dtype_size(v->dtype)};

    t.stride = t.shape + v->ndim;
    t.nbytes = extent(&t);
    return t;
}

int plan_view_resolve(const struct plan *p, uint32_t view, struct plan_tensor *out, struct error *err)
{
    struct plan_view v;

    if (view >= p->nview) {
        return error_set(err, NULL, NULL, "there is no view %u, there are %u", view, p->nview);
    }
    v = p->views[view];
    if (v.dims > p->ndim || 2 * (uint64_t)v.ndim > p->ndim - v.dims) {
        return error_set(err, NULL, NULL, "view %u has its shape outside of the plan", view);
    }
    if (plan_rule_view(p, &v, p->dims + v.dims, err) < 0) {
        return -1;
    }
    *out = plan_view_tensor(p, &v);
    return 0;
}

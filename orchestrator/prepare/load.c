#include "orchestrator/prepare/load.h"

#include <stdlib.h>

static void fill_temp(const struct plan_storage *s, void *dst)
{
    size_t size = dtype_size(s->dtype);

    for (uint64_t at = 0; at + size <= s->nbytes; at += size) {
        dtype_store(s->dtype, (char *)dst + at, s->fill);
    }
}

int load_storages(struct segment *seg, const struct inputs *inputs, struct error *err)
{
    const struct plan *plan = &seg->plan;
    void **params = calloc(plan->nstorage + 1u, sizeof *params);
    int rc;

    if (!params) {
        return error_nomem(err, "inputs", plan->nstorage * sizeof *params);
    }
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const struct plan_storage *s = &plan->storages[i];

        if (s->kind == PLAN_PARAM) {
            params[i] = segment_storage(seg, i);
        }
        if (s->kind == PLAN_TEMP && s->fill != 0) {
            fill_temp(s, segment_storage(seg, i));
        }
    }
    rc = inputs_fill_all(inputs, plan, params, err);
    free((void *)params);
    return rc;
}

#include "orchestrator/prepare/load.h"

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

    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const struct plan_storage *s = &plan->storages[i];
        void *dst = segment_storage(seg, i);

        if (s->kind == PLAN_PARAM && inputs_fill(inputs, plan, i, dst, err) < 0) {
            return -1;
        }
        if (s->kind == PLAN_TEMP && s->fill != 0) {
            fill_temp(s, dst);
        }
    }
    return 0;
}

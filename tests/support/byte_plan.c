#include "tests/support/byte_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

void byte_plan_must(int rc, const struct error *err)
{
    if (rc) {
        fail_msg("%s", err->what);
    }
}

void byte_plan_storage(struct plan_builder *b, uint32_t ndim, const int64_t *shape, uint64_t nbytes)
{
    struct plan_storage s = {.kind = PLAN_TEMP,
                             .dtype = DTYPE_UINT8,
                             .ndim = (uint8_t)ndim,
                             .nbytes = nbytes,
                             .domain = PLAN_NONE,
                             .card = PLAN_NONE,
                             .direction = PLAN_INOUT};
    struct error err;
    char name[16];

    snprintf(name, sizeof name, "t%u", plan_builder_plan(b)->nstorage);
    byte_plan_must(plan_add_storage(b, &s, name, shape, NULL, &err), &err);
}

uint32_t byte_plan_view(struct plan_builder *b, uint32_t storage, uint64_t offset, uint32_t ndim, const int64_t *shape,
                        const int64_t *stride)
{
    struct error err;
    uint32_t id = 0;

    byte_plan_must(plan_add_view(b, storage, DTYPE_UINT8, offset, ndim, shape, stride, &id, &err), &err);
    return id;
}

/* byte_plan - plans whose tensors are bytes, built by hand. What cannot be done fails the test. */
#ifndef L3R_TESTS_SUPPORT_BYTE_PLAN_H
#define L3R_TESTS_SUPPORT_BYTE_PLAN_H

#include "common/plan/plan_build.h"

/* Fail with the error's text unless `rc` is 0. */
void byte_plan_must(int rc, const struct error *err);

/* Append a temporary of `nbytes` bytes. */
void byte_plan_storage(struct plan_builder *b, uint32_t ndim, const int64_t *shape, uint64_t nbytes);

/* Append a view; returns its number. Offset and strides are in bytes. */
uint32_t byte_plan_view(struct plan_builder *b, uint32_t storage, uint64_t offset, uint32_t ndim, const int64_t *shape,
                        const int64_t *stride);

#endif

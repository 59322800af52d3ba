/*
 * plan_view - a view of a plan, resolved: which bytes of which storage it is, and how its elements lie there.
 *
 * Everybody who uses a view gets it here: executors, sub-workers, the analysis of edges, and what prints plans.
 */
#ifndef L3R_COMMON_PLAN_PLAN_VIEW_H
#define L3R_COMMON_PLAN_PLAN_VIEW_H

#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/dtype.h"
#include "common/plan/plan.h"

/* Element (i0, i1, ...) begins at byte offset + (i0 * stride[0] + i1 * stride[1] + ...) * dtype_size(dtype). */
struct plan_tensor {
    uint32_t storage;
    enum dtype dtype;
    uint64_t offset;       /* bytes, from the storage's first byte to the view's first element */
    uint64_t nbytes;       /* from there to one past the last byte that an element has; 0: there are no elements */
    uint32_t ndim;         /* at most PLAN_MAX_DIMS */
    const int64_t *shape;  /* ndim, as are strides; both are the plan's */
    const int64_t *stride; /* elements */
};

/* A view of a plan that was checked (plan_check). */
struct plan_tensor plan_view_tensor(const struct plan *p, const struct plan_view *v);

/* View number `view`, with a check of its own: for executors, whose plan another process made. -1 when there is none, or
 * when an element would lie outside of its storage. */
int plan_view_resolve(const struct plan *p, uint32_t view, struct plan_tensor *out, struct error *err);

#endif

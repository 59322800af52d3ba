/*
 * plan_rules - what must hold for one piece of a plan, given the pieces before it.
 *
 * Shared by the builder, which checks what it adds, and plan_check(), which
 * checks a plan that came from another process. Each returns 0, or -1 with
 * `err` filled (`where` empty). Private to common/plan/plan*.c.
 */
#ifndef L3R_COMMON_PLAN_PLAN_RULES_H
#define L3R_COMMON_PLAN_PLAN_RULES_H

#include "common/plan/plan.h"

/* `shape` has s->ndim entries. For a parameter or an intermediate nbytes must be what the shape takes. */
int plan_rule_storage(const struct plan *p, const struct plan_storage *s, const int64_t *shape, struct error *err);

/* `dims` has the shape, then the strides. */
int plan_rule_view(const struct plan *p, const struct plan_view *v, const int64_t *dims, struct error *err);

/* Window size and members; `workers` has nworkers entries. */
int plan_rule_domain(const struct plan *p, uint64_t window_nbytes, const uint32_t *workers, uint32_t nworkers,
                     struct error *err);

/* `id` is the node's index; domains that ended before it must not be used by it. `*ngroup` is above the groups
 * of the nodes before it, and comes out above this one's. */
int plan_rule_node(const struct plan *p, uint32_t id, const struct plan_node *node, const struct plan_arg *args,
                   const struct plan_scalar *scalars, uint32_t *ngroup, struct error *err);

/* Bytes that `count` elements of a tensor of this shape take; -1 when a dimension is negative or it is too much. */
int plan_shape_bytes(uint32_t ndim, const int64_t *shape, size_t element, uint64_t *nbytes);

/* Element strides of a row-major tensor without gaps; a size of 0 counts as 1. `stride` gets ndim entries.
 * For a shape of more than PLAN_MAX_BYTES they are meaningless, but defined. */
void plan_contiguous_strides(uint32_t ndim, const int64_t *shape, int64_t *stride);

#endif

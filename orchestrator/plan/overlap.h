/*
 * overlap - whether two strided views of one storage share a byte.
 *
 * A view is first brought to a normal form: runs of contiguous bytes, repeated
 * along as few dimensions as possible. Two normal forms share a byte exactly
 * when a bounded linear Diophantine form takes a value in an interval. That is
 * decided exactly: terms are merged, then cut into coarse and fine ones of
 * which few combinations are possible, down to two terms, for which there is a
 * closed form. Only when more than OVERLAP_BUDGET combinations were tried is
 * the answer not exact: then it is "overlap", which costs an edge and never
 * loses one. Views that index a row-major tensor take a handful.
 */
#ifndef L3R_ORCHESTRATOR_PLAN_OVERLAP_H
#define L3R_ORCHESTRATOR_PLAN_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/plan/plan.h"

enum { OVERLAP_BUDGET = 1 << 14 };

/* Bytes offset + sum(i[d] * stride[d]) + 0..run-1 for 0 <= i[d] < count[d]. Strides are bytes, descending,
 * each greater than `run`; counts are at least 2. No bytes at all: run is 0. */
struct overlap_form {
    uint64_t offset, run;
    uint64_t extent; /* from offset to one past the last byte */
    uint32_t ndim;
    uint64_t count[PLAN_MAX_DIMS], stride[PLAN_MAX_DIMS];
};

/* Normal form of a view of `p`. Views that touch the same bytes mostly, not always, have the same form. */
void overlap_form(const struct plan *p, const struct plan_view *v, struct overlap_form *out);

/* Both forms are of one storage. */
bool overlap_forms(const struct overlap_form *a, const struct overlap_form *b);

/* Views of different storages never overlap. */
bool overlap_views(const struct plan *p, uint32_t view_a, uint32_t view_b);

#endif

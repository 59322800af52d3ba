/*
 * edges_box - views as boxes in the coordinates of their storage.
 *
 * A storage's row-major shape gives axes, outermost first; the innermost one
 * counts bytes. Strides that views have and the shape does not add axes. A
 * view's box bounds it on every axis. For the views that programs make (rows,
 * column blocks, sub-blocks) the box is the view, so two of them overlap exactly
 * when their boxes meet; this is what keeps the column blocks of a matrix apart
 * without comparing each with each. Private to orchestrator/plan/edges*.c.
 */
#ifndef L3R_ORCHESTRATOR_PLAN_EDGES_BOX_H
#define L3R_ORCHESTRATOR_PLAN_EDGES_BOX_H

#include "orchestrator/plan/overlap.h"

enum { BOX_MAX_AXES = 4 };

struct box_axes {
    uint32_t n;
    uint64_t size[PLAN_MAX_DIMS];  /* entries along the axis; the last of the outermost may be cut off */
    uint64_t pitch[PLAN_MAX_DIMS]; /* bytes from one entry to the next; 1 on the last axis */
};

struct box {
    bool exact;                                       /* the view has every byte of the box */
    uint64_t low[PLAN_MAX_DIMS], high[PLAN_MAX_DIMS]; /* inclusive */
};

/* All the axes of a storage: those of more than one entry. */
void box_axes_of(const struct plan *p, uint32_t storage, struct box_axes *out);

/* Cut the axis along which `stride` bytes is one of several steps, so that a step is one entry of an axis: for views
 * that see rows where their storage has none. Nothing happens when there is such an axis, or none can be. */
void box_axes_cut(struct box_axes *axes, uint64_t stride);

/* Join axis `at` and the one after it. */
void box_axes_join(struct box_axes *axes, uint32_t at);

/* `form` must not be empty. */
void box_of(const struct box_axes *axes, const struct overlap_form *form, struct box *out);

#endif

/*
 * segment_layout - where things lie in the parts of a segment. Used by segment.c alone.
 */
#ifndef L3R_COMMON_SEGMENT_SEGMENT_LAYOUT_H
#define L3R_COMMON_SEGMENT_SEGMENT_LAYOUT_H

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/segment/segment_format.h"

/* The arrays of the plan part, to be freed with segment_layout_free(). */
struct segment_layout {
    uint64_t *lanes, *storages, *guards;
    uint32_t *slots;
};

/* Lay out the segment for `plan`: fills the offsets and sizes of `h`, whose counts, page, plan_nbytes and sheet_nbytes
 * are set. */
int segment_lay_out(struct segment_layout *layout, struct segment_header *h, const struct plan *plan,
                    struct error *err);
void segment_layout_free(struct segment_layout *layout);

#endif

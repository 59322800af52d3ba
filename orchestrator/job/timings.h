/*
 * timings - when each dispatch ran, read from the segment after a run.
 */
#ifndef L3R_ORCHESTRATOR_JOB_TIMINGS_H
#define L3R_ORCHESTRATOR_JOB_TIMINGS_H

#include <stdint.h>

#include "common/segment/segment.h"
#include "orchestrator/job/result.h"

/* Rows for the result file; both arrays are owned by the struct. */
struct timings {
    struct result_card *cards;
    struct result_dispatch *dispatches;
    size_t ncard, ndispatch;
};

/* Dispatches of the plan. */
uint32_t timings_dispatches(const struct segment *seg);

/* When the first node started (clock_now_ns); 0 when none did. */
uint64_t timings_first_start_ns(const struct segment *seg);

/* First start to last end over all nodes that ran, in ns; 0 when none did. */
uint64_t timings_span_ns(const struct segment *seg);

/* Rows of what ran. `device_ids` by card; `nproc` processes share the cards in blocks. */
int timings_collect(struct timings *out, const struct segment *seg, const int *device_ids, int nproc,
                    struct error *err);
void timings_free(struct timings *t); /* a zeroed struct is fine */

#endif

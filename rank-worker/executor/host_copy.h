/*
 * host_copy - one copy between views of the shared segment, or a fill of one.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_HOST_COPY_H
#define L3R_RANK_WORKER_EXECUTOR_HOST_COPY_H

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/segment/segment.h"

/* Run the copy node `node` of the segment's plan: args[0] from args[1], element by element with conversion
 * as C converts, or, with one argument, the double in scalars[0] into every element. Views that overlap
 * within one storage are copied as if the source had been read whole first. */
int host_copy_run(const struct segment *seg, const struct plan_node *node, struct error *err);

#endif

/*
 * snapshot - the inputs and outputs of a replay as `in/NAME.pt` and `out/NAME.pt`, which a later replay and the golden
 * runner of the model repository take (docs/formats.md, "Snapshots").
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_SNAPSHOT_H
#define L3R_ORCHESTRATOR_PREPARE_SNAPSHOT_H

#include "common/segment/segment.h"
#include "orchestrator/prepare/options.h"
#include "orchestrator/user_python/golden.h"

/* Before anything runs: that `<data>/in` and `out` can be made, and that data/in of the build, when that is the place, holds
 * nothing but what this replay reads. */
int snapshot_check(const struct run_options *options, const struct build *build, const struct inputs *inputs,
                   struct error *err);

/* Save what parameters hold before the run; the segment is loaded. Does nothing without --save-data. */
int snapshot_save_inputs(const struct run_options *options, const struct build *build, const struct segment *seg,
                         const struct golden_scalar *scalars, size_t nscalar, struct error *err);

/* Save what the run has left in the parameters that it writes; the same. */
int snapshot_save_outputs(const struct run_options *options, const struct build *build, const struct segment *seg,
                          struct error *err);

#endif

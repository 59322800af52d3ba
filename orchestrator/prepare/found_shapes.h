/*
 * found_shapes - dtypes and shapes for the parameters of an L2 build without metadata.
 *
 * A tensor has those of the first of these that there is: the file of --input, the file of --expect, the shape of --shape
 * (fp32), the file in data/in, and for what is written the one in data/out. A value of --scalar for the name that follows the last one makes a scalar: int64, or
 * fp32 when it is written with a point or an exponent.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_FOUND_SHAPES_H
#define L3R_ORCHESTRATOR_PREPARE_FOUND_SHAPES_H

#include "orchestrator/open/build_info.h"
#include "orchestrator/prepare/options.h"

/* Settle every unknown parameter of `build`. One error names all for which there is nothing. */
int found_shapes(struct build *build, const struct run_options *options, struct error *err);

#endif

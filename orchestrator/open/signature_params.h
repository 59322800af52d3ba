/*
 * signature_params - parameters of an L2 build without metadata, as far as its kernel_config.py gives them.
 *
 * The signature of the orchestration has a direction for each argument and no names, dtypes or shapes. Arguments become
 * arg0, arg1, ... in its order; tensors are `unknown` until their dtype and shape are found (prepare/found_shapes.h),
 * scalars are int64.
 */
#ifndef L3R_ORCHESTRATOR_OPEN_SIGNATURE_PARAMS_H
#define L3R_ORCHESTRATOR_OPEN_SIGNATURE_PARAMS_H

#include "common/plan/program_table.h"
#include "orchestrator/open/build_info.h"

/* Fill the parameters of `b`, which has none, from the signature of its only program. Without a signature: -1, and the
 * error says what is missing. */
int signature_params(struct build *b, const struct program *program, struct error *err);

/* One more scalar behind them, since generated signatures list tensors only. */
int signature_add_scalar(struct build *b, enum dtype type, struct error *err);

#endif

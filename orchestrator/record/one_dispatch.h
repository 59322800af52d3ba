/*
 * one_dispatch - the plan of an L2 build: one dispatch of its one program, with all parameters in order.
 *
 * This is what an L2 build has in place of a recording of host_orch.py. Tensors come before scalars, as on the runtime's
 * wire; docs/formats.md, "L2 builds".
 */
#ifndef L3R_ORCHESTRATOR_RECORD_ONE_DISPATCH_H
#define L3R_ORCHESTRATOR_RECORD_ONE_DISPATCH_H

#include "orchestrator/record/record_request.h"

/* The plan for one card, of a dispatch of `program` with the parameters of `request->build` and the values and shapes of
 * the request. A dynamic dimension that nothing gives is 1 and a scalar that nothing gives 1, each with a note in the
 * plan. A value or shape that does not fit is an error of kind ERROR_USAGE. */
int one_dispatch_plan(const struct record_request *request, const char *program, struct plan *plan, struct error *err);

#endif

/*
 * other_inputs - are the inputs of this replay those that the build's references in data/out were made of?
 *
 * A reference belongs to the inputs in data/in. A replay of other inputs that is compared with it says FAIL of a kernel
 * that is right.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_OTHER_INPUTS_H
#define L3R_ORCHESTRATOR_PREPARE_OTHER_INPUTS_H

#include "orchestrator/data/inputs.h"
#include "orchestrator/prepare/options.h"

/* What makes an input differ from data/in, as "--input a, b is not in data/in" in `text`; "" when there is nothing. An option
 * that gives what data/in holds makes no difference. -1 with `err` when a name is no parameter, or files cannot be
 * compared. */
int other_inputs(const struct run_options *options, const struct build *build, const struct inputs *inputs, char *text,
                 size_t size, struct error *err);

#endif

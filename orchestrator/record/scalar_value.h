/*
 * scalar_value - the value of a scalar parameter, from what was typed to the bits that a kernel gets.
 */
#ifndef L3R_ORCHESTRATOR_RECORD_SCALAR_VALUE_H
#define L3R_ORCHESTRATOR_RECORD_SCALAR_VALUE_H

#include <stdint.h>

#include "common/base/error.h"
#include "orchestrator/open/build_info.h"

/* The 64 bits that the runtime passes for `text` as the value of `param`: floats of every type as the bits of a float32,
 * integers extended by their sign. No number, a fraction for an integer, or a value out of range: -1, ERROR_USAGE. */
int scalar_value(const struct build_param *param, const char *text, uint64_t *bits, struct error *err);

#endif

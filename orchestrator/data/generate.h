/*
 * generate - numbers for parameters that no file feeds.
 *
 * docs/formats.md, "Generated inputs". Element i depends on the seed, the parameter's
 * name and i alone.
 */
#ifndef L3R_ORCHESTRATOR_DATA_GENERATE_H
#define L3R_ORCHESTRATOR_DATA_GENERATE_H

#include <stdint.h>

#include "common/plan/dtype.h"

/* Fill `count` elements: floats normal(0,1), integers uniform in 0..7, bool 0 or 1. `dst` needs no alignment. */
void generate(enum dtype type, uint64_t seed, const char *name, void *dst, uint64_t count);

#endif

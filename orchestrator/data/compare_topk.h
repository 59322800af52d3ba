/*
 * compare_topk - the indices of a top-k, of which those that tie may stand in another order.
 *
 * Where an index is another one than expected, the value at that place must be in order with its neighbours along the last
 * dimension, in the values that came out. Rule: docs/formats.md, "Comparison".
 */
#ifndef L3R_ORCHESTRATOR_DATA_COMPARE_TOPK_H
#define L3R_ORCHESTRATOR_DATA_COMPARE_TOPK_H

#include "orchestrator/data/compare.h"

struct topk_values {
    enum dtype type;
    const void *data; /* as many elements as there are indices, row-major */
    uint64_t length;  /* of the last dimension */
    bool ascending;
};

/* Whether the value at `index` is in order with its neighbours; a NaN is in order with nothing. */
bool topk_is_tie(const struct topk_values *v, uint64_t index);

/* Compare `count` indices, which are equal or tie. `out` has those that do neither; returns how many tie. */
uint64_t compare_topk(enum dtype type, const void *actual, enum dtype expected_type, const void *expected,
                      uint64_t count, const struct topk_values *values, struct comparison *out);

#endif

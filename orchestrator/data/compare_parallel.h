/*
 * compare_parallel - whole arrays compared, many elements in several threads.
 */
#ifndef L3R_ORCHESTRATOR_DATA_COMPARE_PARALLEL_H
#define L3R_ORCHESTRATOR_DATA_COMPARE_PARALLEL_H

#include "orchestrator/data/compare.h"

/* Compare `count` elements, of type `type` in both arrays, or, with bfloat16, float32 in `expected`
 * (`expected_type`). With `nan_is_any`, a NaN in `expected` matches anything. */
void compare_arrays(enum dtype type, const void *actual, enum dtype expected_type, const void *expected, uint64_t count,
                    struct tolerance tol, bool nan_is_any, struct comparison *out);

/* The same for `count` elements from number `first` of the arrays on; the numbers are added to those in `out`. Many elements are
 * dealt to threads, one for each core that this process may use, 16 at most; the numbers do not depend on it. */
void compare_more(enum dtype type, const void *actual, enum dtype expected_type, const void *expected, uint64_t first,
                  uint64_t count, struct tolerance tol, bool nan_is_any, struct comparison *out);

/* The same for arrays of one type. */
void compare_elements(enum dtype type, const void *actual, const void *expected, uint64_t count, struct tolerance tol,
                      bool nan_is_any, struct comparison *out);

#endif

/*
 * compare - arrays compared element by element, within tolerances.
 *
 * Rule: docs/formats.md, "Comparison".
 */
#ifndef L3R_ORCHESTRATOR_DATA_COMPARE_H
#define L3R_ORCHESTRATOR_DATA_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/plan/dtype.h"

#define TOLERANCE_DEFAULT ((struct tolerance){.rtol = 1e-5, .atol = 1e-5})

struct tolerance {
    double rtol, atol; /* |actual - expected| <= atol + rtol * |expected| */
};

struct mismatch {
    uint64_t index; /* flat, row-major */
    double actual, expected;
};

enum { VERIFY_MAX_SHOWN = 20 };

struct comparison {
    uint64_t count, mismatched;
    uint64_t ignored;     /* NaN in `expected` that matched anything */
    double max_abs_error; /* over the elements compared; infinite when a difference is not finite */
    uint32_t nshown;
    struct mismatch shown[VERIFY_MAX_SHOWN];
};

/* Compare `count` elements, of type `type` in both arrays, or, with bfloat16, float32 in `expected`
 * (`expected_type`). With `nan_is_any`, a NaN in `expected` matches anything. */
void compare_arrays(enum dtype type, const void *actual, enum dtype expected_type, const void *expected, uint64_t count,
                    struct tolerance tol, bool nan_is_any, struct comparison *out);

/* The same for `count` elements from number `first` of the arrays on; the numbers are added to those in `out`. */
void compare_more(enum dtype type, const void *actual, enum dtype expected_type, const void *expected, uint64_t first,
                  uint64_t count, struct tolerance tol, bool nan_is_any, struct comparison *out);

/* The same for arrays of one type. */
void compare_elements(enum dtype type, const void *actual, const void *expected, uint64_t count, struct tolerance tol,
                      bool nan_is_any, struct comparison *out);

#endif

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
    double reldiff; /* > 0: in place of these, the relative difference r <= reldiff (docs/formats.md, "Comparison") */
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
    uint64_t max_index;   /* of the first element with that difference; where it is 0, nothing */
    double max_reldiff;   /* with `reldiff`: the greatest r of the elements that are off */
    uint32_t nshown;
    struct mismatch shown[VERIFY_MAX_SHOWN];
};

/* Called for each element that differs, in their order. */
typedef void compare_visit(void *context, uint64_t index);

/* Compare `count` elements from number `first` of the arrays on, of type `type` in both or, with bfloat16, float32 in `expected`
 * (`expected_type`); the numbers are added to those in `out`. With `nan_is_any`, a NaN in `expected` matches anything. `visit` is called for each
 * element that differs; NULL: it is not wanted. Many elements: compare_parallel.h. */
void compare_span(enum dtype type, const void *actual, enum dtype expected_type, const void *expected, uint64_t first,
                  uint64_t count, struct tolerance tol, bool nan_is_any, compare_visit *visit, void *context,
                  struct comparison *out);

#endif

/*
 * compare_rule - how one output is compared: tolerances, how many elements may be off, which rows count.
 *
 * Rule: docs/formats.md, "Comparison".
 */
#ifndef L3R_ORCHESTRATOR_DATA_COMPARE_RULE_H
#define L3R_ORCHESTRATOR_DATA_COMPARE_RULE_H

#include <stddef.h>

#include "common/base/error.h"
#include "orchestrator/data/compare.h"

enum { COMPARE_ALL_ROWS = -1 };

struct compare_rule {
    struct tolerance tol;
    double
        error_ratio; /* share of elements that may be off; then nothing may be NaN or infinite. < 0: none may be off */
    int64_t valid_rows; /* along valid_axis; COMPARE_ALL_ROWS: all */
    uint32_t valid_axis;
    bool zero_tail;      /* behind the valid rows everything is zero */
    double reldiff_most; /* with tol.reldiff: no element's relative difference may reach this; 0: any may */
};

/* With a relative difference, so large a share may be off unless another one is given. */
#define COMPARE_RELDIFF_RATIO 0.05

/* Of an option: for one output, or (name NULL) for all that have none of their own. */
struct compare_setting {
    enum compare_what {
        COMPARE_RTOL = 0,
        COMPARE_ATOL,
        COMPARE_RATIO,
        COMPARE_ROWS,
        COMPARE_AXIS,
        COMPARE_TAIL,
        COMPARE_RELDIFF,
        COMPARE_RELDIFF_MOST
    } what;
    const char *name;
    double value;
};

/* What came out beside the numbers of `struct comparison`, whose count is of the elements that counted. */
struct compare_verdict {
    uint64_t allowed;      /* elements that may be off */
    uint64_t not_finite;   /* NaN and infinities, where none may be */
    uint64_t tail_nonzero; /* elements behind the valid rows that are not zero, where all must be */
    bool too_far;          /* a relative difference reached the rule's most */
    bool passed;
};

/* The rule of an output for which nothing is said. */
struct compare_rule compare_rule_default(struct tolerance tol);

/* The share of elements that may be off; then nothing may be NaN or infinite. Negative: none may, and a NaN that is expected
 * matches anything. */
double compare_rule_ratio(const struct compare_rule *rule);

/* Set what `s` says. */
void compare_rule_set(struct compare_rule *rule, const struct compare_setting *s);

/* The rule fits a tensor of this shape; else an error of kind ERROR_USAGE that names `param`. */
int compare_rule_check(const struct compare_rule *rule, const char *param, uint32_t ndim, const int64_t *shape,
                       struct error *err);

/* Compare a row-major tensor by a rule that was checked for its shape. Types and NaN as in compare_arrays(). */
void compare_by_rule(const struct compare_rule *rule, enum dtype type, uint32_t ndim, const int64_t *shape,
                     const void *actual, enum dtype expected_type, const void *expected, struct comparison *out,
                     struct compare_verdict *verdict);

/* Call `visit` for each element that differs by the rule, in their order. */
void compare_visit_by_rule(const struct compare_rule *rule, enum dtype type, uint32_t ndim, const int64_t *shape,
                           const void *actual, enum dtype expected_type, const void *expected, compare_visit *visit,
                           void *context);

/* "rtol 1e-05, atol 1e-05, at most 0.005 of the elements, rows 0 to 7 of axis 0" in `buf`. */
const char *compare_rule_text(const struct compare_rule *rule, char *buf, size_t size);

#endif

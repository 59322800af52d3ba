/*
 * verify - compare what the cards left with what was expected.
 *
 * Expected arrays: --expect NAME=FILE.npy, then data/out/<name>.npy of the
 * build. Rule: docs/formats.md, "Comparison".
 */
#ifndef L3R_ORCHESTRATOR_DATA_VERIFY_H
#define L3R_ORCHESTRATOR_DATA_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/plan.h"
#include "orchestrator/data/inputs.h"
#include "orchestrator/open/build.h"

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
    uint64_t ignored; /* NaN in `expected` that matched anything */
    double max_abs_error; /* over the elements compared; infinite when a difference is not finite */
    uint32_t nshown;
    struct mismatch shown[VERIFY_MAX_SHOWN];
};

/* Compare `count` elements, of type `type` in both arrays, or, with bfloat16, float32 in `expected`
 * (`expected_type`). With `nan_is_any`, a NaN in `expected` matches anything. */
void compare_arrays(enum dtype type, const void *actual, enum dtype expected_type, const void *expected,
                    uint64_t count, struct tolerance tol, bool nan_is_any, struct comparison *out);

/* The same for arrays of one type. */
void compare_elements(enum dtype type, const void *actual, const void *expected, uint64_t count,
                      struct tolerance tol, bool nan_is_any, struct comparison *out);

struct verify; /* the expected files, checked to exist and to fit */

int verify_open(struct verify **out, const struct build *build, const struct plan *plan,
                const struct named_file *given, size_t ngiven, struct tolerance tol, struct error *err);
void verify_free(struct verify *v); /* NULL is fine */

/* How many parameters are compared; 0 means that nothing is known about the result. */
uint32_t verify_count(const struct verify *v);

/* Is parameter storage `storage` compared? */
bool verify_has(const struct verify *v, uint32_t storage);

/* Parameter storage `storage` holds `actual`. Returns 0 when it matches or is not compared; -1 with kind
 * ERROR_FAIL (how many of how many, tolerances) on a mismatch, after logging the first 20. */
int verify_storage(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err);

/* The same; `*found` and `*file` (the expected file, owned by `v`) tell the numbers when it was compared, else
 * `*file` is NULL. */
int verify_storage_full(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                        struct comparison *found, const char **file, struct error *err);

/* The same without a word: 1 when it matches or is not compared, 0 when it does not; -1 with `err` when that cannot be
 * found out. */
int verify_matches(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err);

/* Write parameter `storage` as <dir>/<name>.npy (whole or not at all); makes `dir`. */
int save_output(const char *dir, const struct plan *plan, uint32_t storage, const void *data, struct error *err);

#endif

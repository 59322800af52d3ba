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

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "orchestrator/data/compare.h"
#include "orchestrator/data/inputs.h"
#include "orchestrator/open/build_info.h"

struct verify; /* the expected files, checked to exist and to fit */

int verify_open(struct verify **out, const struct build *build, const struct plan *plan, const struct named_file *given,
                size_t ngiven, struct tolerance tol, struct error *err);
void verify_free(struct verify *v); /* NULL is fine */

/* How many parameters are compared; 0 means that nothing is known about the result. */
uint32_t verify_count(const struct verify *v);

/* Is parameter storage `storage` compared? */
bool verify_has(const struct verify *v, uint32_t storage);

/* The file that parameter storage `storage` is compared with; NULL: it is not compared. Owned by `v`. */
const char *verify_file(const struct verify *v, uint32_t storage);

/* Parameter storage `storage` holds `actual`. Returns 0 when it matches or is not compared; -1 with kind
 * ERROR_FAIL (how many of how many, tolerances) on a mismatch, after logging the first 20. */
int verify_storage(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err);

/* The same; `*found` and `*file` (the expected file, owned by `v`) get the numbers when it was compared, else
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

/*
 * verify - compare what the cards left with what was expected.
 *
 * Expected arrays: those of references.h. Rule: docs/formats.md, "Comparison".
 */
#ifndef L3R_ORCHESTRATOR_DATA_VERIFY_H
#define L3R_ORCHESTRATOR_DATA_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "orchestrator/data/compare_rule.h"
#include "orchestrator/data/mismatch_places.h"
#include "orchestrator/data/references.h"
#include "orchestrator/tensor_file/tensor_file.h"

struct verify; /* the references of a plan's parameters, checked to fit */

/* Takes over what `references` holds, also when it fails. `unused` says why the references of the build are not among
 * them; NULL: they are. `build` may be NULL. A reference that was given for no parameter of the plan is an error of kind
 * ERROR_USAGE. */
int verify_open(struct verify **out, struct references *references, const struct build *build, const struct plan *plan,
                struct tolerance tol, const char *unused, struct error *err);

/* Compare by these rules: those of an output by name win over those for all, later ones over earlier ones. Names of no output, and
 * rules that do not fit its shape, are an error of kind ERROR_USAGE. */
int verify_set_rules(struct verify *v, const struct plan *plan, const struct compare_setting *settings, size_t count,
                     struct error *err);

/* Compare an output of indices with ties allowed where the values of another output are in order: `pairs` as typed, VALUES and
 * INDICES[:asc]. Names of no output, and outputs of different shapes, are an error of kind ERROR_USAGE. */
int verify_set_topk(struct verify *v, const struct plan *plan, const struct named_file *pairs, size_t count,
                    struct error *err);

/* Where the values of such pairs are found when outputs are compared: `data(context, storage)` is what a parameter holds. */
typedef const void *verify_data(const void *context, uint32_t storage);
void verify_set_data(struct verify *v, verify_data *data, const void *context);

/* The rule for parameter storage `storage`. */
const struct compare_rule *verify_rule(const struct verify *v, uint32_t storage);
void verify_free(struct verify *v); /* NULL is fine */

/* How many parameters are compared; 0 means that nothing is known about the result. */
uint32_t verify_count(const struct verify *v);

/* Is parameter storage `storage` compared? */
bool verify_has(const struct verify *v, uint32_t storage);

/* Why storage `storage` is not compared, although the program writes it; NULL: it is, or is no output. */
const char *verify_why_not(const struct verify *v, uint32_t storage);

/* How many parameters the program writes. */
uint32_t verify_outputs(const struct plan *plan);

/* -1 with `err` when an output has no reference. */
int verify_require(const struct verify *v, const struct plan *plan, struct error *err);

/* The file that parameter storage `storage` is compared with; NULL: it is not compared. Owned by `v`. */
const char *verify_file(const struct verify *v, uint32_t storage);

/* Storage `storage` is compared in another way: the functions below find that it matches, and do not read it. */
void verify_leave(struct verify *v, uint32_t storage);

/* What storage `storage` is compared with: type of its elements and bytes; false: it is not compared. */
bool verify_expected_type(const struct verify *v, const struct plan *plan, uint32_t storage, enum dtype *type,
                          uint64_t *nbytes);

/* Read these bytes to `dst`. */
int verify_expected_read(const struct verify *v, uint32_t storage, void *dst, struct error *err);

/* The file itself, without the key of a tensor that was typed behind it; `*key` is the tensor's, "" where it has none. */
const char *verify_place(const struct verify *v, uint32_t storage, const char **key);

/* Whether golden.py computed what it is compared with. */
bool verify_is_computed(const struct verify *v, uint32_t storage);

/* Parameter storage `storage` holds `actual`. Returns 0 when it matches or is not compared; -1 with kind
 * ERROR_FAIL (how many of how many, tolerances) on a mismatch, after logging the first 20. */
int verify_storage(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err);

/* What a comparison found. */
struct verified {
    const char *file; /* the reference, owned by `v`; NULL: it was not compared, and the rest is zero */
    struct comparison numbers;
    struct compare_verdict verdict;
    uint64_t ties;                 /* indices that stand elsewhere and tie (verify_set_topk()) */
    struct mismatch_places places; /* where the verdict is not that it passed */
};

/* The same with the numbers. */
int verify_storage_full(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                        struct verified *found, struct error *err);

/* The same without a word: 1 when it matches or is not compared, 0 when it does not; -1 with `err` when that cannot be
 * found out. */
int verify_matches(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err);

/* Write parameter `storage` as <dir>/<name>.<suffix of `format`> (whole or not at all); makes `dir`. */
int save_output(const char *dir, enum tensor_format format, const struct plan *plan, uint32_t storage, const void *data,
                struct error *err);

#endif

#include "orchestrator/data/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/data/compare_topk.h"
#include "orchestrator/data/mismatch_show.h"
#include "orchestrator/data/verify_state.h"
#include "orchestrator/tensor_file/tensor_read.h"
#include "orchestrator/tensor_file/tensor_write.h"

/* --- comparing ---------------------------------------------------------- */

/* The values beside indices; false: this is no such output. */
static bool find_values(const struct verify *v, const struct plan *plan, uint32_t storage, struct topk_values *out)
{
    const struct topk_pair *pair = &v->topks[storage];
    const struct plan_storage *st = &plan->storages[storage];

    if (pair->values == PLAN_NONE || !v->data) {
        return false;
    }
    *out = (struct topk_values){.type = (enum dtype)plan->storages[pair->values].dtype,
                                .data = v->data(v->data_context, pair->values),
                                .length = st->ndim ? (uint64_t)plan->dims[st->dims + st->ndim - 1] : 1,
                                .ascending = pair->ascending};
    return true;
}

/* Compare; the caller frees `*wanted`, also after a failure. */
static int compare_with(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                        struct verified *found, void **wanted, struct error *err)
{
    const struct plan_storage *st = &plan->storages[storage];
    const struct reference *r = v->expected[storage];
    size_t nbytes = r->tensor->count * r->tensor->size;
    struct topk_values values;

    *wanted = malloc(nbytes ? nbytes : 1);
    if (!*wanted) {
        return error_nomem(err, r->path, nbytes);
    }
    if (tensor_read(r->file, r->tensor, *wanted, err)) {
        return -1;
    }
    if (find_values(v, plan, storage, &values)) {
        found->ties = compare_topk((enum dtype)st->dtype, actual, verify_file_type(st, r), *wanted, r->tensor->count,
                                   &values, &found->numbers);
        found->verdict.passed = !found->numbers.mismatched;
    } else {
        compare_by_rule(&v->rules[storage], st->dtype, st->ndim, plan->dims + st->dims, actual, verify_file_type(st, r),
                        *wanted, &found->numbers, &found->verdict);
    }
    return 0;
}

/* What is needed to go through the elements that differ once more. */
struct again {
    const struct verify *v;
    const struct plan *plan;
    uint32_t storage;
    const void *actual, *expected;
    enum dtype expected_type;
    bool is_topk;
    struct topk_values values;
    compare_visit *visit;
    void *context;
};

static void visit_unless_tie(void *context, uint64_t index)
{
    const struct again *a = context;

    if (!topk_is_tie(&a->values, index)) {
        a->visit(a->context, index);
    }
}

static void each_mismatch(void *of, compare_visit *visit, void *context)
{
    struct again *a = of;
    const struct plan_storage *st = &a->plan->storages[a->storage];
    struct compare_rule rule = a->v->rules[a->storage];

    a->visit = visit;
    a->context = context;
    if (a->is_topk) {
        rule = compare_rule_default((struct tolerance){0});
        rule.error_ratio = 0; /* a NaN matches nothing */
    }
    compare_visit_by_rule(&rule, st->dtype, st->ndim, a->plan->dims + st->dims, a->actual, a->expected_type,
                          a->expected, a->is_topk ? visit_unless_tie : visit, a->is_topk ? a : context);
}

static void show(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                 const void *expected, struct verified *found)
{
    const struct plan_storage *st = &plan->storages[storage];
    struct again a = {.v = v,
                      .plan = plan,
                      .storage = storage,
                      .actual = actual,
                      .expected = expected,
                      .expected_type = verify_file_type(st, v->expected[storage])};

    a.is_topk = find_values(v, plan, storage, &a.values);
    mismatch_places_find(&found->places, plan, storage, actual, a.expected_type, expected, each_mismatch, &a);
    log_msg(LOG_ERROR, "%s against %s:", plan_text(plan, st->name), v->expected[storage]->path);
    mismatch_show(plan, storage, &found->numbers, &found->places, actual, a.expected_type, expected);
}

static int mismatch(const struct verify *v, uint32_t storage, const char *name, const struct comparison *found,
                    const struct compare_verdict *verdict, struct error *err)
{
    char rule[160], more[160] = "";

    if (verdict->not_finite) {
        snprintf(more, sizeof more, ", %" PRIu64 " are NaN or infinite, which none may be", verdict->not_finite);
    } else if (verdict->tail_nonzero) {
        snprintf(more, sizeof more, ", %" PRIu64 " behind the valid rows are not zero", verdict->tail_nonzero);
    } else if (verdict->too_far) {
        snprintf(more, sizeof more, ", the greatest relative difference is %g", found->max_reldiff);
    } else if (verdict->allowed) {
        snprintf(more, sizeof more, ", %" PRIu64 " may", verdict->allowed);
    }
    return error_set_kind(err, ERROR_FAIL, v->expected[storage]->path, NULL,
                          "%s: %" PRIu64 " of %" PRIu64 " elements differ from what was expected%s (%s, "
                          "largest difference %g)",
                          name, found->mismatched, found->count, more,
                          compare_rule_text(&v->rules[storage], rule, sizeof rule), found->max_abs_error);
}

int verify_storage_full(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                        struct verified *found, struct error *err)
{
    const struct reference *r = v->expected[storage];
    const char *name = plan_text(plan, plan->storages[storage].name);
    const struct comparison *n = &found->numbers;
    void *wanted;

    *found = (struct verified){0};
    if (!r || v->left[storage]) {
        return 0;
    }
    if (compare_with(v, plan, storage, actual, found, &wanted, err) < 0) {
        free(wanted);
        return -1;
    }
    found->file = r->path;
    if (!found->verdict.passed && n->mismatched) {
        show(v, plan, storage, actual, wanted, found);
    }
    free(wanted);
    if (n->ignored) {
        log_note("%s: %" PRIu64 " of %" PRIu64 " expected elements are NaN and match anything", name, n->ignored,
                 n->count);
    }
    if (found->ties) {
        log_note("%s: %" PRIu64 " of %" PRIu64 " indices stand elsewhere and tie", name, found->ties, n->count);
    }
    if (found->verdict.passed && n->mismatched) {
        log_note("%s: %" PRIu64 " of %" PRIu64 " elements are off, and %" PRIu64 " may be", name, n->mismatched,
                 n->count, found->verdict.allowed);
    }
    return found->verdict.passed ? 0 : mismatch(v, storage, name, n, &found->verdict, err);
}

int verify_matches(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err)
{
    struct verified found = {0};
    void *wanted;
    int rc;

    if (!v->expected[storage] || v->left[storage]) {
        return 1;
    }
    rc = compare_with(v, plan, storage, actual, &found, &wanted, err);
    free(wanted);
    return rc < 0 ? -1 : found.verdict.passed;
}

int verify_storage(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err)
{
    struct verified found;

    return verify_storage_full(v, plan, storage, actual, &found, err);
}

/* --- keeping ------------------------------------------------------------ */

int save_output(const char *dir, enum tensor_format format, const struct plan *plan, uint32_t storage, const void *data,
                struct error *err)
{
    const struct plan_storage *st = &plan->storages[storage];
    const char *name = plan_text(plan, st->name);
    char *path;
    int rc;

    /* A plan can come from a file, and its names from anywhere. */
    if (!*name || *name == '.' || strchr(name, '/')) {
        return error_set(err, dir, "rename the parameter", "\"%.60s\" cannot be the name of a file", name);
    }
    if (file_make_dirs(dir, err)) {
        return -1;
    }
    if (asprintf(&path, "%s/%s.%s", dir, name, tensor_format_suffix(format)) < 0) {
        return error_nomem(err, dir, strlen(dir) + strlen(name) + 16);
    }
    rc = tensor_write(path, format, name, st->dtype, st->ndim, plan->dims + st->dims, data, err);
    free(path);
    return rc;
}

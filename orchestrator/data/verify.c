#include "orchestrator/data/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/data/element.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/tensor_file/tensor_read.h"
#include "orchestrator/tensor_file/tensor_write.h"

struct verify {
    uint32_t count, nstorage;
    struct compare_rule *rules; /* by storage */
    struct references references;
    const struct reference **expected; /* by storage; NULL: not compared */
    bool *left;                        /* by storage: compared in another way */
    char **why;                        /* by storage: why an output is not compared */
};

/* --- opening ------------------------------------------------------------ */

static bool is_output(const struct plan_storage *s)
{
    return s->kind == PLAN_PARAM && s->direction != PLAN_IN;
}

static int bind(struct verify *v, const struct plan *plan, const struct reference *r, struct error *err)
{
    const struct plan_storage *st;
    long storage = fit_storage(plan, r->name, r->given ? err : NULL);
    const char *name;

    if (storage < 0) {
        return r->given ? -1 : 0; /* a saved plan may be of a program without this parameter */
    }
    st = &plan->storages[storage];
    name = plan_text(plan, st->name);
    if (v->expected[storage] && !r->given) {
        return 0;
    }
    if (v->expected[storage]) {
        return error_set_kind(err, ERROR_USAGE, "--expect", "give one file for it", "parameter %s is given two files",
                              name);
    }
    if (fit_dtype(name, st->dtype, r->path, r->tensor, err) ||
        fit_shape(name, st->ndim, plan->dims + st->dims, r->path, r->tensor, err)) {
        return -1;
    }
    v->expected[storage] = r;
    v->count++;
    return 0;
}

static int explain(struct verify *v, const struct build *build, const struct plan *plan, uint32_t storage,
                   const char *unused, struct error *err)
{
    const char *name = plan_text(plan, plan->storages[storage].name);
    int rc;

    if (unused) {
        rc = asprintf(&v->why[storage], "%s", unused);
    } else if (!build) {
        rc = asprintf(&v->why[storage], "no --expect");
    } else {
        rc = asprintf(&v->why[storage], "no --expect, no data/out/%.*s.npy or .pt", (int)fit_name_length(name), name);
    }
    if (rc < 0) {
        v->why[storage] = NULL;
        return error_nomem(err, name, 128);
    }
    return 0;
}

static int bind_all(struct verify *v, const struct build *build, const struct plan *plan, const char *unused,
                    struct error *err)
{
    for (size_t i = 0; i < v->references.count; i++) {
        if (bind(v, plan, &v->references.items[i], err)) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        if (is_output(&plan->storages[i]) && !v->expected[i] && explain(v, build, plan, i, unused, err)) {
            return -1;
        }
    }
    return 0;
}

int verify_open(struct verify **out, struct references *references, const struct build *build, const struct plan *plan,
                struct tolerance tol, const char *unused, struct error *err)
{
    struct verify *v = calloc(1, sizeof *v);

    *out = NULL;
    if (!v) {
        references_free(references);
        return error_nomem(err, "verify", sizeof *v);
    }
    v->nstorage = plan->nstorage;
    v->references = *references;
    *references = (struct references){0};
    v->expected = calloc(plan->nstorage + 1u, sizeof *v->expected);
    v->why = calloc(plan->nstorage + 1u, sizeof *v->why);
    v->left = calloc(plan->nstorage + 1u, sizeof *v->left);
    v->rules = calloc(plan->nstorage + 1u, sizeof *v->rules);
    if (!v->expected || !v->why || !v->left || !v->rules) {
        error_nomem(err, "verify", plan->nstorage * (sizeof *v->expected + sizeof *v->why));
        verify_free(v);
        return -1;
    }
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        v->rules[i] = (struct compare_rule){.tol = tol, .error_ratio = -1, .valid_rows = COMPARE_ALL_ROWS};
    }
    if (bind_all(v, build, plan, unused, err)) {
        verify_free(v);
        return -1;
    }
    *out = v;
    return 0;
}

void verify_free(struct verify *v)
{
    if (!v) {
        return;
    }
    for (uint32_t i = 0; v->why && i < v->nstorage; i++) {
        free(v->why[i]);
    }
    free(v->why);
    free((void *)v->expected);
    free(v->left);
    free(v->rules);
    references_free(&v->references);
    free(v);
}

/* Those for all come first, so that those of an output win. */
static int set_rules(struct verify *v, const struct plan *plan, const struct compare_setting *s, struct error *err)
{
    long storage;

    if (!s->name) {
        for (uint32_t i = 0; i < v->nstorage; i++) {
            compare_rule_set(&v->rules[i], s);
        }
        return 0;
    }
    storage = fit_storage(plan, s->name, err);
    if (storage < 0) {
        return -1;
    }
    if (!is_output(&plan->storages[storage])) {
        return error_set_kind(err, ERROR_USAGE, s->name, "name an output",
                              "parameter %s is not written, and not compared",
                              plan_text(plan, plan->storages[storage].name));
    }
    compare_rule_set(&v->rules[storage], s);
    return 0;
}

int verify_set_rules(struct verify *v, const struct plan *plan, const struct compare_setting *settings, size_t count,
                     struct error *err)
{
    for (int named = 0; named < 2; named++) {
        for (size_t i = 0; i < count; i++) {
            if ((settings[i].name != NULL) == named && set_rules(v, plan, &settings[i], err) < 0) {
                return -1;
            }
        }
    }
    for (uint32_t i = 0; i < v->nstorage; i++) {
        const struct plan_storage *st = &plan->storages[i];

        if (v->expected[i] &&
            compare_rule_check(&v->rules[i], plan_text(plan, st->name), st->ndim, plan->dims + st->dims, err) < 0) {
            return -1;
        }
    }
    return 0;
}

const struct compare_rule *verify_rule(const struct verify *v, uint32_t storage)
{
    return &v->rules[storage];
}

uint32_t verify_count(const struct verify *v)
{
    return v->count;
}

bool verify_has(const struct verify *v, uint32_t storage)
{
    return v->expected[storage] != NULL;
}

const char *verify_why_not(const struct verify *v, uint32_t storage)
{
    return v->why[storage];
}

uint32_t verify_outputs(const struct plan *plan)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->nstorage; i++) {
        count += is_output(&plan->storages[i]);
    }
    return count;
}

int verify_require(const struct verify *v, const struct plan *plan, struct error *err)
{
    uint32_t lacking = 0, first = 0;

    for (uint32_t i = plan->nstorage; i-- > 0;) {
        if (v->why[i]) {
            lacking++;
            first = i;
        }
    }
    if (!lacking) {
        return 0;
    }
    return error_set(err, "--require-check", "give a reference for each output, or leave --require-check out",
                     "%u of %u output%s would not be compared, the first is %s: %s", lacking, verify_outputs(plan),
                     verify_outputs(plan) == 1 ? "" : "s", plan_text(plan, plan->storages[first].name), v->why[first]);
}

const char *verify_file(const struct verify *v, uint32_t storage)
{
    return storage < v->nstorage && v->expected[storage] ? v->expected[storage]->path : NULL;
}

const char *verify_place(const struct verify *v, uint32_t storage, const char **key)
{
    *key = "";
    if (!verify_file(v, storage)) {
        return NULL;
    }
    *key = v->expected[storage]->tensor->name;
    return v->expected[storage]->file->source.path;
}

bool verify_is_computed(const struct verify *v, uint32_t storage)
{
    return storage < v->nstorage && v->expected[storage] && v->expected[storage]->computed;
}

/* --- comparing ---------------------------------------------------------- */

/* What the elements of an expected file are. */
static enum dtype file_dtype(const struct plan_storage *st, const struct reference *r)
{
    return fit_is_widened(st->dtype, r->tensor) ? DTYPE_FLOAT32 : (enum dtype)st->dtype;
}

void verify_leave(struct verify *v, uint32_t storage)
{
    v->left[storage] = true;
}

bool verify_expected_type(const struct verify *v, const struct plan *plan, uint32_t storage, enum dtype *type,
                          uint64_t *nbytes)
{
    const struct reference *r = v->expected[storage];

    if (!r) {
        return false;
    }
    *type = file_dtype(&plan->storages[storage], r);
    *nbytes = r->tensor->count * r->tensor->size;
    return true;
}

int verify_expected_read(const struct verify *v, uint32_t storage, void *dst, struct error *err)
{
    return tensor_read(v->expected[storage]->file, v->expected[storage]->tensor, dst, err);
}

static void show_mismatches(const struct plan *plan, uint32_t storage, const struct comparison *found,
                            const void *actual, enum dtype expected_type, const void *expected)
{
    const struct plan_storage *st = &plan->storages[storage];
    size_t element = dtype_size(st->dtype), expected_element = dtype_size(expected_type);
    char index[ELEMENT_INDEX_SIZE], got[ELEMENT_VALUE_SIZE], want[ELEMENT_VALUE_SIZE];

    for (uint32_t i = 0; i < found->nshown; i++) {
        uint64_t at = found->shown[i].index;

        log_msg(LOG_ERROR, "%s%s: actual %s, expected %s", plan_text(plan, st->name),
                element_index(plan, storage, at, index, sizeof index),
                element_value(st->dtype, (const char *)actual + at * element, got, sizeof got),
                element_value(expected_type, (const char *)expected + at * expected_element, want, sizeof want));
    }
    if (found->mismatched > found->nshown) {
        log_msg(LOG_ERROR, "%s: and %" PRIu64 " more", plan_text(plan, st->name), found->mismatched - found->nshown);
    }
}

/* Compare; the caller frees `*wanted`, also after a failure. */
static int compare_with(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                        struct comparison *found, struct compare_verdict *verdict, void **wanted, struct error *err)
{
    const struct plan_storage *st = &plan->storages[storage];
    const struct reference *r = v->expected[storage];
    size_t nbytes = r->tensor->count * r->tensor->size;

    *wanted = malloc(nbytes ? nbytes : 1);
    if (!*wanted) {
        return error_nomem(err, r->path, nbytes);
    }
    if (tensor_read(r->file, r->tensor, *wanted, err)) {
        return -1;
    }
    compare_by_rule(&v->rules[storage], st->dtype, st->ndim, plan->dims + st->dims, actual, file_dtype(st, r), *wanted,
                    found, verdict);
    return 0;
}

static int mismatch(const struct verify *v, uint32_t storage, const char *name, const struct comparison *found,
                    const struct compare_verdict *verdict, struct error *err)
{
    char rule[160], more[160] = "";

    if (verdict->not_finite) {
        snprintf(more, sizeof more, ", %" PRIu64 " are NaN or infinite, which none may be", verdict->not_finite);
    } else if (verdict->tail_nonzero) {
        snprintf(more, sizeof more, ", %" PRIu64 " behind the valid rows are not zero", verdict->tail_nonzero);
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
                        struct comparison *found, struct compare_verdict *verdict, const char **file, struct error *err)
{
    const struct reference *r = v->expected[storage];
    const struct plan_storage *st = &plan->storages[storage];
    const char *name = plan_text(plan, st->name);
    void *wanted;

    *file = NULL;
    if (!r || v->left[storage]) {
        return 0;
    }
    if (compare_with(v, plan, storage, actual, found, verdict, &wanted, err) < 0) {
        free(wanted);
        return -1;
    }
    *file = r->path;
    if (!verdict->passed && found->mismatched) {
        log_msg(LOG_ERROR, "%s against %s:", name, r->path);
        show_mismatches(plan, storage, found, actual, file_dtype(st, r), wanted);
    }
    free(wanted);
    if (found->ignored) {
        log_note("%s: %" PRIu64 " of %" PRIu64 " expected elements are NaN and match anything", name, found->ignored,
                 found->count);
    }
    if (verdict->passed && found->mismatched) {
        log_note("%s: %" PRIu64 " of %" PRIu64 " elements are off, and %" PRIu64 " may be", name, found->mismatched,
                 found->count, verdict->allowed);
    }
    return verdict->passed ? 0 : mismatch(v, storage, name, found, verdict, err);
}

int verify_matches(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err)
{
    struct compare_verdict verdict;
    struct comparison found;
    void *wanted;
    int rc;

    if (!v->expected[storage] || v->left[storage]) {
        return 1;
    }
    rc = compare_with(v, plan, storage, actual, &found, &verdict, &wanted, err);
    free(wanted);
    return rc < 0 ? -1 : verdict.passed;
}

int verify_storage(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err)
{
    struct compare_verdict verdict;
    struct comparison found;
    const char *file;

    return verify_storage_full(v, plan, storage, actual, &found, &verdict, &file, err);
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

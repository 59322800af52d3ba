#include "orchestrator/data/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/data/verify_state.h"
#include "orchestrator/tensor_file/tensor_read.h"

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
    v->topks = calloc(plan->nstorage + 1u, sizeof *v->topks);
    if (!v->expected || !v->why || !v->left || !v->rules || !v->topks) {
        error_nomem(err, "verify", plan->nstorage * (sizeof *v->expected + sizeof *v->why));
        verify_free(v);
        return -1;
    }
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        v->rules[i] = compare_rule_default(tol);
        v->topks[i].values = PLAN_NONE;
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
    free(v->topks);
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

/* "NAME:asc" is NAME, ascending. */
static long find_indices(const struct plan *plan, const char *text, bool *ascending, struct error *err)
{
    static const char suffix[] = ":asc";
    const size_t n = strlen(text), k = sizeof suffix - 1;
    char *name;
    long storage;

    *ascending = n > k && strcmp(text + n - k, suffix) == 0;
    name = strndup(text, *ascending ? n - k : n);
    if (!name) {
        return error_nomem(err, text, n);
    }
    storage = fit_storage(plan, name, err);
    free(name);
    return storage;
}

static bool same_shape(const struct plan *plan, const struct plan_storage *a, const struct plan_storage *b)
{
    return a->ndim == b->ndim && memcmp(plan->dims + a->dims, plan->dims + b->dims, a->ndim * sizeof *plan->dims) == 0;
}

int verify_set_topk(struct verify *v, const struct plan *plan, const struct named_file *pairs, size_t count,
                    struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        bool ascending = false;
        const long values = fit_storage(plan, pairs[i].name, err);
        const long indices = values < 0 ? -1 : find_indices(plan, pairs[i].file, &ascending, err);
        const struct plan_storage *a, *b;

        if (indices < 0) {
            return -1;
        }
        a = &plan->storages[values];
        b = &plan->storages[indices];
        if (!is_output(a) || !is_output(b) || !same_shape(plan, a, b) || values == indices) {
            return error_set_kind(err, ERROR_USAGE, "--topk", "name two outputs of one shape: VALUES=INDICES",
                                  "%s and %s are not the values and the indices of a top-k", plan_text(plan, a->name),
                                  plan_text(plan, b->name));
        }
        v->topks[indices] = (struct topk_pair){.values = (uint32_t)values, .ascending = ascending};
    }
    return 0;
}

void verify_set_data(struct verify *v, verify_data *data, const void *context)
{
    v->data = data;
    v->data_context = context;
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
    *type = verify_file_type(&plan->storages[storage], r);
    *nbytes = r->tensor->count * r->tensor->size;
    return true;
}

int verify_expected_read(const struct verify *v, uint32_t storage, void *dst, struct error *err)
{
    return tensor_read(v->expected[storage]->file, v->expected[storage]->tensor, dst, err);
}

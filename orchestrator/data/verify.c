#include "orchestrator/data/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/data/element.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/npy/npy.h"

struct expected {
    uint32_t storage;
    char *file;
    struct npy header;
};

struct verify {
    struct tolerance tol;
    uint32_t count;
    size_t capacity;
    struct expected *items;
};

static const struct expected *find_expected(const struct verify *v, uint32_t storage)
{
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->items[i].storage == storage) {
            return &v->items[i];
        }
    }
    return NULL;
}

/* --- opening ------------------------------------------------------------ */

static int add_expected(struct verify *v, const struct plan *plan, uint32_t storage, const char *file,
                        struct error *err)
{
    const struct plan_storage *st = &plan->storages[storage];
    const char *name = plan_text(plan, st->name);
    struct expected *e;

    if (array_room(&v->items, &v->capacity, v->count, sizeof *v->items)) {
        return error_nomem(err, file, (v->count + 1) * sizeof *v->items);
    }
    e = &v->items[v->count];
    memset(e, 0, sizeof *e);
    e->storage = storage;
    e->file = strdup(file);
    if (!e->file) {
        return error_nomem(err, file, strlen(file) + 1);
    }
    v->count++;
    if (npy_open(file, &e->header, err) || fit_dtype(name, st->dtype, file, &e->header, err)) {
        return -1;
    }
    return fit_shape(name, st->ndim, plan->dims + st->dims, file, &e->header, err);
}

static int add_given(struct verify *v, const struct plan *plan, const struct named_file *given, struct error *err)
{
    long storage = fit_storage(plan, given->name, err);

    if (storage < 0) {
        return -1;
    }
    if (find_expected(v, (uint32_t)storage)) {
        return error_set_kind(err, ERROR_USAGE, "--expect", "give one file for it", "parameter %s is given two files",
                              plan_text(plan, plan->storages[storage].name));
    }
    return add_expected(v, plan, (uint32_t)storage, given->file, err);
}

static int add_of_build(struct verify *v, const struct build *build, const struct plan *plan, struct error *err)
{
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        const struct plan_storage *st = &plan->storages[i];
        char *file;
        int rc;
        if (st->kind != PLAN_PARAM || st->direction == PLAN_IN || find_expected(v, i)) {
            continue;
        }
        if (fit_find(build, "data/out", plan_text(plan, st->name), &file, err)) {
            return -1;
        }
        rc = file ? add_expected(v, plan, i, file, err) : 0;
        if (!file && fit_has_pt(build, "data/out", plan_text(plan, st->name))) {
            log_note("data/out/%s.pt is not read, the parameter is not compared: save it as .npy to compare",
                     plan_text(plan, st->name));
        }
        free(file);
        if (rc) {
            return -1;
        }
    }
    return 0;
}

int verify_open(struct verify **out, const struct build *build, const struct plan *plan, const struct named_file *given,
                size_t ngiven, struct tolerance tol, struct error *err)
{
    struct verify *v = calloc(1, sizeof *v);
    int rc = 0;

    *out = NULL;
    if (!v) {
        return error_nomem(err, "verify", sizeof *v);
    }
    v->tol = tol;
    for (size_t i = 0; i < ngiven && rc == 0; i++) {
        rc = add_given(v, plan, &given[i], err);
    }
    if (rc == 0 && build) {
        rc = add_of_build(v, build, plan, err);
    }
    if (rc) {
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
    for (uint32_t i = 0; i < v->count; i++) {
        free(v->items[i].file);
    }
    free(v->items);
    free(v);
}

uint32_t verify_count(const struct verify *v)
{
    return v->count;
}

bool verify_has(const struct verify *v, uint32_t storage)
{
    return find_expected(v, storage) != NULL;
}

const char *verify_file(const struct verify *v, uint32_t storage)
{
    const struct expected *e = find_expected(v, storage);

    return e ? e->file : NULL;
}

/* --- comparing ---------------------------------------------------------- */

/* What the elements of an expected file are. */
static enum dtype file_dtype(const struct plan_storage *st, const struct expected *e)
{
    return fit_is_widened(st->dtype, &e->header) ? DTYPE_FLOAT32 : (enum dtype)st->dtype;
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

/* Compare; the caller frees `*expected`, also after a failure. */
static int compare_with(const struct expected *e, const struct verify *v, const struct plan *plan, const void *actual,
                        struct comparison *found, void **expected, struct error *err)
{
    const struct plan_storage *st = &plan->storages[e->storage];
    size_t nbytes = e->header.count * e->header.size;

    *expected = malloc(nbytes ? nbytes : 1);
    if (!*expected) {
        return error_nomem(err, e->file, nbytes);
    }
    if (npy_read(e->file, &e->header, *expected, err)) {
        return -1;
    }
    compare_arrays(st->dtype, actual, file_dtype(st, e), *expected, e->header.count, v->tol, true, found);
    return 0;
}

int verify_storage_full(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                        struct comparison *found, const char **file, struct error *err)
{
    const struct plan_storage *st = &plan->storages[storage];
    const struct expected *e = find_expected(v, storage);
    const char *name = plan_text(plan, st->name);
    void *expected;

    *file = NULL;
    if (!e) {
        return 0;
    }
    if (compare_with(e, v, plan, actual, found, &expected, err) < 0) {
        free(expected);
        return -1;
    }
    *file = e->file;
    if (found->mismatched) {
        show_mismatches(plan, storage, found, actual, file_dtype(st, e), expected);
    }
    free(expected);
    if (found->ignored) {
        log_note("%s: %" PRIu64 " of %" PRIu64 " expected elements are NaN and match anything", name, found->ignored,
                 found->count);
    }
    if (!found->mismatched) {
        return 0;
    }
    return error_set_kind(err, ERROR_FAIL, e->file, NULL,
                          "%s: %" PRIu64 " of %" PRIu64 " elements differ from what was expected (rtol %g, atol %g, "
                          "largest difference %g)",
                          name, found->mismatched, found->count, v->tol.rtol, v->tol.atol, found->max_abs_error);
}

int verify_matches(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err)
{
    const struct expected *e = find_expected(v, storage);
    struct comparison found;
    void *expected;
    int rc;

    if (!e) {
        return 1;
    }
    rc = compare_with(e, v, plan, actual, &found, &expected, err);
    free(expected);
    return rc < 0 ? -1 : found.mismatched == 0;
}

int verify_storage(const struct verify *v, const struct plan *plan, uint32_t storage, const void *actual,
                   struct error *err)
{
    struct comparison found;
    const char *file;

    return verify_storage_full(v, plan, storage, actual, &found, &file, err);
}

/* --- keeping ------------------------------------------------------------ */

int save_output(const char *dir, const struct plan *plan, uint32_t storage, const void *data, struct error *err)
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
    if (asprintf(&path, "%s/%s.npy", dir, name) < 0) {
        return error_nomem(err, dir, strlen(dir) + strlen(name) + 6);
    }
    rc = npy_write(path, st->dtype, st->ndim, plan->dims + st->dims, data, err);
    free(path);
    return rc;
}

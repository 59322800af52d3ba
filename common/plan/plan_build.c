#include "common/plan/plan_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/base/array.h"
#include "common/base/intern.h"
#include "common/plan/plan_rules.h"

/* Entries allocated in each of the plan's arrays. */
struct capacity {
    size_t storages, views, domains, buffers, notes, programs, subs, nodes, cards, args, scalars, dims, text;
};

struct plan_builder {
    struct plan plan;
    struct capacity capacity;
    struct intern texts, params, programs, subs, views, dims;
};

void plan_builder_free(struct plan_builder *b)
{
    if (!b) {
        return;
    }
    plan_free(&b->plan);
    intern_free(&b->texts);
    intern_free(&b->params);
    intern_free(&b->programs);
    intern_free(&b->subs);
    intern_free(&b->views);
    intern_free(&b->dims);
    free(b);
}

const struct plan *plan_builder_plan(const struct plan_builder *b)
{
    return &b->plan;
}

/* Make room for `more` entries after `count`; `limit` is the greatest count that the index type can name. */
static int reserve(void *array, size_t *capacity, uint64_t count, uint64_t more, size_t size, uint64_t limit,
                   struct error *err)
{
    if (count + more > limit) {
        return error_set(err, NULL, "record a shorter program", "the plan is too big: more than %llu entries of a kind",
                         (unsigned long long)limit);
    }
    return array_reserve(array, capacity, count, more, size) ? error_nomem(err, NULL, (count + more) * size) : 0;
}

#define RESERVE(b, field, count, more, limit, err)                                                                     \
    reserve(&(b)->plan.field, &(b)->capacity.field, (count), (more), sizeof *(b)->plan.field, (limit), (err))

enum { COUNT_LIMIT = INT32_MAX }; /* ids stay below PLAN_NONE, and sums of two in 32 bits */
#define POOL_LIMIT (UINT64_C(1) << 40)

/* No array is NULL, also in a plan that has nothing in it: pointers into arrays are formed before counts are seen. */
static int reserve_all(struct plan_builder *b, struct error *err)
{
    b->plan.preds = calloc(1, sizeof *b->plan.preds);
    if (!b->plan.preds) {
        return error_nomem(err, NULL, sizeof *b->plan.preds);
    }
    return RESERVE(b, storages, 0, 1, COUNT_LIMIT, err) || RESERVE(b, views, 0, 1, COUNT_LIMIT, err) ||
                   RESERVE(b, domains, 0, 1, COUNT_LIMIT, err) || RESERVE(b, buffers, 0, 1, COUNT_LIMIT, err) ||
                   RESERVE(b, notes, 0, 1, COUNT_LIMIT, err) || RESERVE(b, programs, 0, 1, COUNT_LIMIT, err) ||
                   RESERVE(b, subs, 0, 1, COUNT_LIMIT, err) || RESERVE(b, nodes, 0, 1, COUNT_LIMIT, err) ||
                   RESERVE(b, cards, 0, 1, COUNT_LIMIT, err) || RESERVE(b, args, 0, 1, POOL_LIMIT, err) ||
                   RESERVE(b, scalars, 0, 1, POOL_LIMIT, err) || RESERVE(b, dims, 0, 1, POOL_LIMIT, err) ||
                   RESERVE(b, text, 0, 1, UINT32_MAX, err)
               ? -1
               : 0;
}

struct plan_builder *plan_builder_new(uint32_t world_size, struct error *err)
{
    struct plan_builder *b;

    if (world_size == 0 || world_size > PLAN_MAX_CARDS) {
        error_set(err, NULL, NULL, "a plan for %u cards is not possible: 1 to %d are", world_size, PLAN_MAX_CARDS);
        return NULL;
    }
    b = calloc(1, sizeof *b);
    if (!b) {
        error_nomem(err, NULL, sizeof *b);
        return NULL;
    }
    b->plan.world_size = world_size;
    b->plan.nsublane = 1;
    if (reserve_all(b, err)) {
        plan_builder_free(b);
        return NULL;
    }
    return b;
}

static int nomem_table(struct error *err)
{
    return error_nomem(err, NULL, sizeof(struct intern_slot));
}

static bool same_text(const void *context, uint64_t value, const void *key)
{
    const struct plan *p = context;

    return strcmp(p->text + value, key) == 0;
}

int plan_add_text(struct plan_builder *b, const char *text, uint32_t *out, struct error *err)
{
    size_t length = strlen(text) + 1;
    uint64_t hash = XXH3_64bits(text, length);
    uint64_t at = intern_find(&b->texts, hash, same_text, &b->plan, text);

    if (at == UINT64_MAX) {
        at = b->plan.ntext;
        if (RESERVE(b, text, at, length, UINT32_MAX, err)) {
            return -1;
        }
        if (intern_add(&b->texts, hash, at)) {
            return nomem_table(err);
        }
        memcpy(b->plan.text + at, text, length);
        b->plan.ntext += length;
    }
    if (out) {
        *out = (uint32_t)at;
    }
    return 0;
}

static bool same_name(const void *context, uint64_t value, const void *key)
{
    const uint32_t *names = context;

    return names[value] == *(const uint32_t *)key;
}

/* The place of `name` in a list of names, which has room for one more; it is put there when it is new. */
static int intern_name(struct plan_builder *b, struct intern *table, uint32_t *names, uint32_t *count, const char *name,
                       uint32_t *out, struct error *err)
{
    uint32_t text = 0;
    uint64_t hash, at;

    if (plan_add_text(b, name, &text, err)) {
        return -1;
    }
    hash = XXH3_64bits(&text, sizeof text);
    at = intern_find(table, hash, same_name, names, &text);
    if (at == UINT64_MAX) {
        at = *count;
        if (intern_add(table, hash, at)) {
            return nomem_table(err);
        }
        names[(*count)++] = text;
    }
    if (out) {
        *out = (uint32_t)at;
    }
    return 0;
}

int plan_add_program(struct plan_builder *b, const char *name, uint32_t *out, struct error *err)
{
    if (RESERVE(b, programs, b->plan.nprogram, 1, COUNT_LIMIT, err)) {
        return -1;
    }
    return intern_name(b, &b->programs, b->plan.programs, &b->plan.nprogram, name, out, err);
}

int plan_add_sub(struct plan_builder *b, const char *name, uint32_t *out, struct error *err)
{
    if (RESERVE(b, subs, b->plan.nsub, 1, COUNT_LIMIT, err)) {
        return -1;
    }
    return intern_name(b, &b->subs, b->plan.subs, &b->plan.nsub, name, out, err);
}

int plan_add_note(struct plan_builder *b, const char *text, struct error *err)
{
    uint32_t at = 0;

    if (plan_add_text(b, text, &at, err) || RESERVE(b, notes, b->plan.nnote, 1, COUNT_LIMIT, err)) {
        return -1;
    }
    b->plan.notes[b->plan.nnote++] = at;
    return 0;
}

/* A list of dimensions is kept once; a table value is its place in dims[] and, in the low bits, its length. */
enum { DIMS_BITS = 6 };

struct dims_key {
    const int64_t *dims;
    uint32_t count;
};

static bool same_dims(const void *context, uint64_t value, const void *key)
{
    const struct plan *p = context;
    const struct dims_key *k = key;

    return (value & ((1u << DIMS_BITS) - 1)) == k->count &&
           memcmp(p->dims + (value >> DIMS_BITS), k->dims, k->count * sizeof *k->dims) == 0;
}

static int add_dims(struct plan_builder *b, const int64_t *dims, uint32_t count, uint64_t *out, struct error *err)
{
    struct dims_key key = {dims, count};
    uint64_t hash, value;

    if (count == 0) {
        *out = 0;
        return 0;
    }
    hash = XXH3_64bits(dims, count * sizeof *dims);
    value = intern_find(&b->dims, hash, same_dims, &b->plan, &key);
    if (value == UINT64_MAX) {
        value = b->plan.ndim << DIMS_BITS | count;
        if (RESERVE(b, dims, b->plan.ndim, count, POOL_LIMIT, err)) {
            return -1;
        }
        if (intern_add(&b->dims, hash, value)) {
            return nomem_table(err);
        }
        memcpy(b->plan.dims + b->plan.ndim, dims, count * sizeof *dims);
        b->plan.ndim += count;
    }
    *out = value >> DIMS_BITS;
    return 0;
}

static bool same_param(const void *context, uint64_t value, const void *key)
{
    const struct plan *p = context;

    return p->storages[value].name == *(const uint32_t *)key;
}

/* Inputs, references and saved outputs go by a parameter's name. */
static int add_param_name(struct plan_builder *b, uint32_t name, struct error *err)
{
    uint64_t hash = XXH3_64bits(&name, sizeof name);

    if (intern_find(&b->params, hash, same_param, &b->plan, &name) != UINT64_MAX) {
        return error_set(err, NULL, NULL, "there are two parameters called %.200s", plan_text(&b->plan, name));
    }
    return intern_add(&b->params, hash, b->plan.nstorage) ? nomem_table(err) : 0;
}

int plan_add_storage(struct plan_builder *b, const struct plan_storage *proto, const char *name, const int64_t *shape,
                     uint32_t *out, struct error *err)
{
    struct plan_storage s = *proto;

    if (plan_rule_storage(&b->plan, &s, shape, err) || plan_add_text(b, name, &s.name, err) ||
        add_dims(b, shape, s.ndim, &s.dims, err) || RESERVE(b, storages, b->plan.nstorage, 1, COUNT_LIMIT, err) ||
        (s.kind == PLAN_PARAM && add_param_name(b, s.name, err))) {
        return -1;
    }
    if (out) {
        *out = b->plan.nstorage;
    }
    b->plan.storages[b->plan.nstorage++] = s;
    return 0;
}

static int add_window(struct plan_builder *b, const char *domain, uint32_t index, uint32_t card, uint64_t nbytes,
                      struct error *err)
{
    struct plan_storage s = {.kind = PLAN_WINDOW,
                             .dtype = DTYPE_UINT8,
                             .ndim = 1,
                             .direction = PLAN_INOUT,
                             .nbytes = nbytes,
                             .domain = index,
                             .card = card};
    int64_t shape[1] = {(int64_t)nbytes};
    size_t size = strlen(domain) + 16;
    char *name = malloc(size);
    int rc;

    if (!name) {
        return error_nomem(err, NULL, size);
    }
    snprintf(name, size, "%s[%u]", domain, card);
    rc = plan_add_storage(b, &s, name, shape, NULL, err);
    free(name);
    return rc;
}

int plan_add_domain(struct plan_builder *b, const char *name, const uint32_t *workers, uint32_t nworkers,
                    uint64_t window_nbytes, uint32_t *out, struct error *err)
{
    struct plan *p = &b->plan;
    struct plan_domain d = {.nworkers = nworkers,
                            .first_storage = p->nstorage,
                            .first_worker = p->ncard,
                            .window_nbytes = window_nbytes,
                            .end_node = PLAN_NONE,
                            .first_buffer = p->nbuffer};

    if (plan_rule_domain(p, window_nbytes, workers, nworkers, err) || plan_add_text(b, name, &d.name, err) ||
        RESERVE(b, domains, p->ndomain, 1, COUNT_LIMIT, err) ||
        RESERVE(b, cards, p->ncard, nworkers, COUNT_LIMIT, err)) {
        return -1;
    }
    memcpy(p->cards + p->ncard, workers, nworkers * sizeof *workers);
    p->ncard += nworkers;
    p->domains[p->ndomain++] = d;
    for (uint32_t i = 0; i < nworkers; i++) {
        if (add_window(b, name, p->ndomain - 1, workers[i], window_nbytes, err)) {
            return -1;
        }
    }
    if (out) {
        *out = p->ndomain - 1;
    }
    return 0;
}

int plan_add_buffer(struct plan_builder *b, const char *name, uint64_t offset, uint64_t nbytes, struct error *err)
{
    struct plan *p = &b->plan;
    struct plan_buffer buffer = {.offset = offset, .nbytes = nbytes};
    struct plan_domain *d;

    if (p->ndomain == 0) {
        return error_set(err, NULL, NULL, "buffer %s belongs to no domain", name);
    }
    d = &p->domains[p->ndomain - 1];
    if (offset > d->window_nbytes || nbytes > d->window_nbytes - offset) {
        return error_set(err, NULL, NULL, "buffer %s lies outside the window of domain %s", name,
                         plan_text(p, d->name));
    }
    if (plan_add_text(b, name, &buffer.name, err) || RESERVE(b, buffers, p->nbuffer, 1, COUNT_LIMIT, err)) {
        return -1;
    }
    p->buffers[p->nbuffer++] = buffer;
    d->nbuffer++;
    return 0;
}

int plan_end_domain(struct plan_builder *b, uint32_t domain, struct error *err)
{
    if (domain >= b->plan.ndomain) {
        return error_set(err, NULL, NULL, "domain %u does not exist, there are %u", domain, b->plan.ndomain);
    }
    if (b->plan.domains[domain].end_node != PLAN_NONE) {
        return error_set(err, NULL, NULL, "domain %u ends twice", domain);
    }
    b->plan.domains[domain].end_node = b->plan.nnode;
    return 0;
}

static bool same_view(const void *context, uint64_t value, const void *key)
{
    const struct plan *p = context;
    const struct plan_view *a = &p->views[value], *v = key;

    return a->storage == v->storage && a->dtype == v->dtype && a->ndim == v->ndim && a->offset == v->offset &&
           a->dims == v->dims;
}

int plan_add_view(struct plan_builder *b, uint32_t storage, enum dtype dtype, uint64_t offset, uint32_t ndim,
                  const int64_t *shape, const int64_t *stride, uint32_t *out, struct error *err)
{
    struct plan_view v = {.storage = storage, .dtype = (uint8_t)dtype, .ndim = (uint8_t)ndim, .offset = offset};
    int64_t dims[2 * PLAN_MAX_DIMS];
    uint64_t key[4], hash, at;

    if (ndim > PLAN_MAX_DIMS) {
        return error_set(err, NULL, NULL, "view has %u dimensions, at most %d are possible", ndim, PLAN_MAX_DIMS);
    }
    if (ndim) {
        memcpy(dims, shape, ndim * sizeof *dims);
        memcpy(dims + ndim, stride, ndim * sizeof *dims);
    }
    if (plan_rule_view(&b->plan, &v, dims, err) || add_dims(b, dims, 2 * ndim, &v.dims, err)) {
        return -1;
    }
    key[0] = storage;
    key[1] = (uint64_t)dtype << 8 | ndim;
    key[2] = offset;
    key[3] = v.dims;
    hash = XXH3_64bits(key, sizeof key);
    at = intern_find(&b->views, hash, same_view, &b->plan, &v);
    if (at == UINT64_MAX) {
        at = b->plan.nview;
        if (RESERVE(b, views, at, 1, COUNT_LIMIT, err)) {
            return -1;
        }
        if (intern_add(&b->views, hash, at)) {
            return nomem_table(err);
        }
        b->plan.views[b->plan.nview++] = v;
    }
    if (out) {
        *out = (uint32_t)at;
    }
    return 0;
}

int plan_add_node(struct plan_builder *b, const struct plan_node *proto, const struct plan_arg *args,
                  const struct plan_scalar *scalars, uint32_t *out, struct error *err)
{
    struct plan *p = &b->plan;
    struct plan_node n = *proto;
    uint32_t ngroup = p->ngroup;

    n.npred = 0;
    n.first_pred = 0;
    n.first_arg = p->narg;
    n.first_scalar = p->nscalar;
    if (plan_rule_node(p, p->nnode, &n, args, scalars, &ngroup, err) ||
        RESERVE(b, nodes, p->nnode, 1, COUNT_LIMIT, err) || RESERVE(b, args, p->narg, n.narg, POOL_LIMIT, err) ||
        RESERVE(b, scalars, p->nscalar, n.nscalar, POOL_LIMIT, err)) {
        return -1;
    }
    if (n.narg) {
        memcpy(p->args + p->narg, args, n.narg * sizeof *args);
    }
    if (n.nscalar) {
        memcpy(p->scalars + p->nscalar, scalars, n.nscalar * sizeof *scalars);
    }
    p->ngroup = ngroup;
    p->narg += n.narg;
    p->nscalar += n.nscalar;
    if (out) {
        *out = p->nnode;
    }
    p->nodes[p->nnode++] = n;
    return 0;
}

void plan_builder_finish(struct plan_builder *b, struct plan *out)
{
    for (uint32_t i = 0; i < b->plan.ndomain; i++) {
        if (b->plan.domains[i].end_node == PLAN_NONE) {
            b->plan.domains[i].end_node = b->plan.nnode;
        }
    }
    *out = b->plan;
    b->plan = (struct plan){0};
    plan_builder_free(b);
}

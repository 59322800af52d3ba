#include "orchestrator/data/mismatch_places.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"

/* Elements of which each one's last writer is looked for: 4 bytes each. */
enum { OWNED_MAX = 1 << 28 };

const char *const ulp_bucket_names[ULP_BUCKETS] = {"1",    "2 to 4",      "5 to 16", "17 to 256", "257 to 65536",
                                                   "more", "not a number"};

struct finding {
    struct mismatch_places *out;
    const struct plan_storage *st;
    const int64_t *shape;
    enum dtype type;
    const char *actual, *expected; /* expected: NULL where distances are not looked for */
    uint32_t nnode;
    const uint32_t *owner; /* by element: the node that wrote it last; NULL: not known */
    uint64_t *differ;      /* by node, and behind them for none: elements that differ */
};

/* --- distances -------------------------------------------------------------- */

/* Values of a floating type as integers in their order: neighbours differ by 1. */
static int64_t order_of(enum dtype type, const void *element)
{
    const unsigned bits = 8 * (unsigned)dtype_size(type);
    uint64_t raw = 0, magnitude;

    memcpy(&raw, element, dtype_size(type)); /* little-endian */
    if (type == DTYPE_FP8E8M0) {
        return (int64_t)raw; /* it has no sign */
    }
    magnitude = raw & ~(UINT64_C(1) << (bits - 1));
    return raw >> (bits - 1) ? -(int64_t)magnitude : (int64_t)magnitude;
}

uint64_t ulps_between(enum dtype type, const void *a, const void *b)
{
    int64_t x, y;

    if (isnan(dtype_load(type, a)) || isnan(dtype_load(type, b))) {
        return UINT64_MAX;
    }
    x = order_of(type, a);
    y = order_of(type, b);
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static unsigned bucket_of(uint64_t ulps)
{
    static const uint64_t most[] = {1, 4, 16, 256, 65536, UINT64_MAX - 1};
    unsigned i = 0;

    while (i < ULP_NONE && ulps > most[i]) {
        i++;
    }
    return i;
}

/* --- which node wrote what last ------------------------------------------------ */

struct painting {
    uint32_t *owner;
    uint64_t count; /* elements of `size` bytes */
    uint64_t size;
};

/* The elements of a view that begin at byte `at`, along dimension `d` and those behind it. */
static void paint(const struct painting *p, const struct plan *plan, const struct plan_view *v, uint32_t d, uint64_t at,
                  uint32_t node)
{
    const int64_t *shape = plan->dims + v->dims, *stride = shape + v->ndim;
    const uint64_t element = dtype_size((enum dtype)v->dtype);

    if (d == v->ndim) {
        for (uint64_t i = at / p->size; i <= (at + element - 1) / p->size && i < p->count; i++) {
            p->owner[i] = node;
        }
        return;
    }
    for (int64_t i = 0; i < shape[d]; i++) {
        paint(p, plan, v, d + 1, at + (uint64_t)(i * stride[d]) * element, node);
    }
}

static uint32_t *find_owners(const struct plan *plan, uint32_t storage, uint64_t count, uint64_t size)
{
    struct painting p = {.count = count, .size = size};

    p.owner = count <= OWNED_MAX ? malloc((count + 1) * sizeof *p.owner) : NULL;
    if (!p.owner) {
        return NULL;
    }
    memset(p.owner, 0xff, count * sizeof *p.owner); /* PLAN_NONE */
    for (uint32_t n = 0; n < plan->nnode; n++) {
        for (uint32_t i = 0; i < plan->nodes[n].narg; i++) {
            const struct plan_arg *arg = &plan->args[plan->nodes[n].first_arg + i];
            const struct plan_view *v = &plan->views[arg->view];

            if (v->storage == storage && plan_tag_writes(arg->tag)) {
                paint(&p, plan, v, 0, v->offset * dtype_size((enum dtype)v->dtype), n);
            }
        }
    }
    return p.owner;
}

static void take_writers(const struct finding *f, uint64_t count)
{
    struct mismatch_places *out = f->out;

    out->has_writers = true;
    for (uint32_t n = 0; n <= f->nnode; n++) {
        struct place_writer w = {.node = n < f->nnode ? n : PLAN_NONE, .mismatched = f->differ[n]};
        uint32_t at;

        if (!w.mismatched) {
            continue;
        }
        for (at = out->nwriter; at > 0 && out->writers[at - 1].mismatched < w.mismatched; at--) {
            if (at < PLACES_WRITERS) {
                out->writers[at] = out->writers[at - 1];
            }
        }
        if (at < PLACES_WRITERS) {
            out->writers[at] = w;
        }
        out->nmore += out->nwriter == PLACES_WRITERS;
        out->nwriter += out->nwriter < PLACES_WRITERS;
    }
    for (uint64_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < out->nwriter; k++) {
            out->writers[k].written += f->owner[i] == out->writers[k].node;
        }
    }
}

/* --- finding --------------------------------------------------------------------- */

static void take(void *context, uint64_t index)
{
    struct finding *f = context;
    struct mismatch_places *out = f->out;
    const size_t size = dtype_size(f->type);
    uint64_t rest = index;

    for (uint32_t d = f->st->ndim; d-- > 0;) {
        const uint64_t at = rest % (uint64_t)f->shape[d];

        rest /= (uint64_t)f->shape[d];
        out->low[d] = out->mismatched && out->low[d] < at ? out->low[d] : at;
        out->high[d] = out->mismatched && out->high[d] > at ? out->high[d] : at;
    }
    out->mismatched++;
    if (f->expected) {
        out->ulps[bucket_of(ulps_between(f->type, f->actual + index * size, f->expected + index * size))]++;
    }
    if (f->owner) {
        f->differ[f->owner[index] == PLAN_NONE ? f->nnode : f->owner[index]]++;
    }
}

static uint64_t count_of(const struct plan *plan, const struct plan_storage *st)
{
    uint64_t count = 1;

    for (uint32_t d = 0; d < st->ndim; d++) {
        count *= (uint64_t)plan->dims[st->dims + d];
    }
    return count;
}

void mismatch_places_find(struct mismatch_places *out, const struct plan *plan, uint32_t storage, const void *actual,
                          enum dtype expected_type, const void *expected, mismatch_each *each, void *of)
{
    const struct plan_storage *st = &plan->storages[storage];
    const enum dtype type = (enum dtype)st->dtype;
    const uint64_t count = count_of(plan, st);
    uint32_t *owner = find_owners(plan, storage, count, dtype_size(type));
    struct finding f = {.out = out,
                        .st = st,
                        .shape = plan->dims + st->dims,
                        .type = type,
                        .actual = actual,
                        .expected = dtype_is_float(type) && type == expected_type ? expected : NULL,
                        .nnode = plan->nnode,
                        .differ = calloc((size_t)plan->nnode + 1, sizeof *f.differ)};

    *out = (struct mismatch_places){.has_ulps = f.expected != NULL, .volume = 1};
    f.owner = f.differ ? owner : NULL;
    each(of, take, &f);
    for (uint32_t d = 0; d < st->ndim; d++) {
        out->volume *= out->mismatched ? out->high[d] - out->low[d] + 1 : 0;
    }
    if (f.owner) {
        take_writers(&f, count);
    }
    free(f.differ);
    free(owner);
}

/* --- printing -------------------------------------------------------------------- */

static void print_box(const struct mismatch_places *p, const struct plan *plan, const struct plan_storage *st)
{
    char box[PLAN_MAX_DIMS * 48] = "";
    bool whole = true;
    size_t used = 0;

    for (uint32_t d = 0; d < st->ndim && used < sizeof box; d++) {
        const uint64_t size = (uint64_t)plan->dims[st->dims + d], end = p->high[d] + 1;
        const char *comma = d ? ", " : "";

        if (p->low[d] == 0 && end == size) {
            used += (size_t)snprintf(box + used, sizeof box - used, "%s:", comma);
            continue;
        }
        whole = false;
        used += end == p->low[d] + 1
                    ? (size_t)snprintf(box + used, sizeof box - used, "%s%" PRIu64, comma, p->low[d])
                    : (size_t)snprintf(box + used, sizeof box - used, "%s%" PRIu64 ":%" PRIu64, comma, p->low[d], end);
    }
    if (!st->ndim) {
        return;
    }
    log_msg(LOG_ERROR, "%s: they lie %s%s%s: %" PRIu64 " of the %" PRIu64 " elements there", plan_text(plan, st->name),
            whole ? "all over the tensor" : "in [", whole ? "" : box, whole ? "" : "]", p->mismatched, p->volume);
}

static void print_ulps(const struct mismatch_places *p, const char *name)
{
    char text[ULP_BUCKETS * 48] = "";
    size_t used = 0;

    for (unsigned i = 0; i < ULP_BUCKETS && used < sizeof text; i++) {
        if (p->ulps[i]) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s: %" PRIu64, used ? ", " : "",
                                     ulp_bucket_names[i], p->ulps[i]);
        }
    }
    log_msg(LOG_ERROR, "%s: off by units in the last place: %s", name, text);
}

void mismatch_places_print(const struct mismatch_places *p, const struct plan *plan, uint32_t storage)
{
    const struct plan_storage *st = &plan->storages[storage];
    const char *name = plan_text(plan, st->name);
    char label[512];

    print_box(p, plan, st);
    if (p->has_ulps) {
        print_ulps(p, name);
    }
    for (uint32_t i = 0; i < p->nwriter; i++) {
        const struct place_writer *w = &p->writers[i];

        if (w->node == PLAN_NONE) {
            log_msg(LOG_ERROR, "%s: %" PRIu64 " of the %" PRIu64 " elements that nothing in the plan writes", name,
                    w->mismatched, w->written);
        } else {
            log_msg(LOG_ERROR, "%s: %" PRIu64 " of the %" PRIu64 " elements that %s wrote last", name, w->mismatched,
                    w->written, plan_node_label(plan, w->node, label, sizeof label));
        }
    }
    if (p->nmore) {
        log_msg(LOG_ERROR, "%s: and of those that %u more wrote last", name, p->nmore);
    }
}

#include "common/plan/plan_rules.h"

#include <inttypes.h>
#include <string.h>

int plan_shape_bytes(uint32_t ndim, const int64_t *shape, size_t element, uint64_t *nbytes)
{
    uint64_t product = element;
    bool empty = false;

    /* A zero anywhere makes the tensor empty, but must not hide a bad or huge dimension after it. */
    for (uint32_t i = 0; i < ndim; i++) {
        if (shape[i] < 0) {
            return -1;
        }
        if (shape[i] == 0) {
            empty = true;
        } else if (__builtin_mul_overflow(product, (uint64_t)shape[i], &product) || product > PLAN_MAX_BYTES) {
            return -1;
        }
    }
    *nbytes = empty ? 0 : product;
    return 0;
}

void plan_contiguous_strides(uint32_t ndim, const int64_t *shape, int64_t *stride)
{
    uint64_t step = 1;

    for (uint32_t i = ndim; i-- > 0;) {
        stride[i] = (int64_t)step;
        step *= shape[i] > 0 ? (uint64_t)shape[i] : 1;
    }
}

int plan_rule_storage(const struct plan *p, const struct plan_storage *s, const int64_t *shape, struct error *err)
{
    uint64_t nbytes;

    if (s->kind > PLAN_WINDOW) {
        return error_set(err, NULL, NULL, "storage kind %u is unknown", s->kind);
    }
    if (s->dtype >= DTYPE_COUNT) {
        return error_set(err, NULL, NULL, "storage has the unknown element type %u", s->dtype);
    }
    if (s->ndim > PLAN_MAX_DIMS) {
        return error_set(err, NULL, NULL, "storage has %u dimensions, at most %d are possible", s->ndim, PLAN_MAX_DIMS);
    }
    if (s->direction > PLAN_INOUT) {
        return error_set(err, NULL, NULL, "storage direction %u is unknown", s->direction);
    }
    if (plan_shape_bytes(s->ndim, shape, dtype_size(s->dtype), &nbytes)) {
        return error_set(err, NULL, NULL, "storage has a negative dimension or more than 2^60 bytes");
    }
    if (nbytes != s->nbytes) {
        return error_set(err, NULL, NULL, "storage of %" PRIu64 " bytes has a shape of %" PRIu64 " bytes", s->nbytes,
                         nbytes);
    }
    if (s->kind == PLAN_WINDOW ? s->domain >= p->ndomain || s->card >= p->world_size
                               : s->domain != PLAN_NONE || s->card != PLAN_NONE) {
        return error_set(err, NULL, NULL, "storage names domain %u and card %u, which cannot be", s->domain, s->card);
    }
    return 0;
}

/* Bytes from the first to one past the last byte touched; -1 when a dimension or stride is bad or it is too much. */
static int extent(const struct plan_view *v, const int64_t *dims, uint64_t *nbytes)
{
    uint64_t last = 0, element = dtype_size(v->dtype);
    bool empty = false;

    for (uint32_t i = 0; i < v->ndim; i++) {
        int64_t size = dims[i], stride = dims[v->ndim + i];
        uint64_t reach;

        if (size < 0 || stride < 0) {
            return -1;
        }
        if (size == 0) {
            empty = true;
        } else if (__builtin_mul_overflow((uint64_t)(size - 1), (uint64_t)stride, &reach) || reach > PLAN_MAX_BYTES ||
                   (last += reach) > PLAN_MAX_BYTES) {
            return -1;
        }
    }
    if (__builtin_mul_overflow(last + 1, element, nbytes) || *nbytes > PLAN_MAX_BYTES) {
        return -1;
    }
    if (empty) {
        *nbytes = 0;
    }
    return 0;
}

int plan_rule_view(const struct plan *p, const struct plan_view *v, const int64_t *dims, struct error *err)
{
    uint64_t nbytes, elements, begin; /* a view that overlaps itself has more elements than bytes below it */
    const struct plan_storage *s;

    if (v->storage >= p->nstorage) {
        return error_set(err, NULL, NULL, "view names storage %u, there are %u", v->storage, p->nstorage);
    }
    s = &p->storages[v->storage];
    if (v->dtype >= DTYPE_COUNT) {
        return error_set(err, NULL, NULL, "view has the unknown element type %u", v->dtype);
    }
    if (v->ndim > PLAN_MAX_DIMS) {
        return error_set(err, NULL, NULL, "view has %u dimensions, at most %d are possible", v->ndim, PLAN_MAX_DIMS);
    }
    if (extent(v, dims, &nbytes) || plan_shape_bytes(v->ndim, dims, dtype_size(v->dtype), &elements)) {
        return error_set(err, NULL, NULL, "view of %s has a negative or huge dimension or stride",
                         plan_text(p, s->name));
    }
    if (__builtin_mul_overflow(v->offset, (uint64_t)dtype_size(v->dtype), &begin) || begin > s->nbytes ||
        nbytes > s->nbytes - begin) {
        return error_set(err, NULL, NULL,
                         "view at element %" PRIu64 " of %s reaches %" PRIu64 " bytes from there, but %s has %" PRIu64
                         " bytes in all",
                         v->offset, plan_text(p, s->name), nbytes, plan_text(p, s->name), s->nbytes);
    }
    return 0;
}

int plan_rule_domain(const struct plan *p, uint64_t window_nbytes, const uint32_t *workers, uint32_t nworkers,
                     struct error *err)
{
    if (nworkers == 0) {
        return error_set(err, NULL, NULL, "domain has no members");
    }
    if (nworkers > PLAN_MAX_MEMBERS) {
        return error_set(err, NULL, "cut the domain into smaller ones in host_orch.py",
                         "domain has %u members, a kernel's context holds at most %d", nworkers, PLAN_MAX_MEMBERS);
    }
    if (nworkers > p->world_size) {
        return error_set(err, NULL, NULL, "domain has %u members, there are %u cards", nworkers, p->world_size);
    }
    if (window_nbytes > PLAN_MAX_BYTES) {
        return error_set(err, NULL, NULL, "domain has a window of %" PRIu64 " bytes", window_nbytes);
    }
    for (uint32_t i = 0; i < nworkers; i++) {
        if (workers[i] >= p->world_size) {
            return error_set(err, NULL, "give as many devices as the program has cards",
                             "domain has card %u as a member, there are %u cards", workers[i], p->world_size);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (workers[i] == workers[j]) {
                return error_set(err, NULL, NULL, "domain has card %u as a member twice", workers[i]);
            }
        }
    }
    return 0;
}

static int live_domain(const struct plan *p, uint32_t id, uint32_t domain, struct error *err)
{
    if (domain >= p->ndomain) {
        return error_set(err, NULL, NULL, "domain %u does not exist, there are %u", domain, p->ndomain);
    }
    if (p->domains[domain].end_node != PLAN_NONE && p->domains[domain].end_node <= id) {
        return error_set(err, NULL, "keep what uses a domain inside its with-block in host_orch.py",
                         "domain %s is used after its end", plan_text(p, p->domains[domain].name));
    }
    return 0;
}

static int scalar_rule(const struct plan *p, uint32_t id, const struct plan_scalar *s, struct error *err)
{
    const struct plan_domain *d;

    if (s->kind == PLAN_VALUE) {
        return 0;
    }
    if (s->kind > PLAN_WINDOW_BASE) {
        return error_set(err, NULL, NULL, "scalar kind %u is unknown", s->kind);
    }
    if (live_domain(p, id, s->domain, err)) {
        return -1;
    }
    d = &p->domains[s->domain];
    for (uint32_t i = 0; i < d->nworkers; i++) {
        if (p->cards[d->first_worker + i] == s->card) {
            return 0;
        }
    }
    return error_set(err, NULL, NULL, "card %u is no member of domain %s", s->card, plan_text(p, d->name));
}

/* As simpler's wire does (docs/formats.md, "Recording"): executors and devices rely on it. */
static int dispatch_view_rule(const struct plan *p, uint32_t arg, const struct plan_view *v, struct error *err)
{
    const int64_t *size = p->dims + v->dims, *stride = size + v->ndim;
    const char *name = plan_text(p, p->storages[v->storage].name);

    if (v->ndim > PLAN_DISPATCH_DIMS) {
        return error_set(err, NULL, "reshape the view in host_orch.py, and record the plan again",
                         "argument %u is a view of %s with %u dimensions, a dispatch takes at most %d", arg, name,
                         v->ndim, PLAN_DISPATCH_DIMS);
    }
    for (uint32_t d = 0; d < v->ndim; d++) {
        if (size[d] == 0) {
            return error_set(err, NULL, "check the bounds of the slice in host_orch.py, and record the plan again",
                             "argument %u is an empty view of %s, which a dispatch does not take", arg, name);
        }
        if (size[d] > UINT32_MAX || stride[d] > UINT32_MAX) {
            return error_set(err, NULL, "cut the tensor into smaller ones in host_orch.py, and record the plan again",
                             "argument %u is a view of %s with a size or stride of 2^32 elements or more, which a "
                             "dispatch does not take",
                             arg, name);
        }
        if (stride[d] == 0) {
            return error_set(err, NULL, "copy it into a tensor of its own in host_orch.py, and record the plan again",
                             "argument %u is an expanded view of %s (a stride is 0), which a dispatch does not take",
                             arg, name);
        }
    }
    return 0;
}

static int not_expanded(const struct plan *p, uint32_t arg, const struct plan_view *v, struct error *err)
{
    const int64_t *size = p->dims + v->dims, *stride = size + v->ndim;

    for (uint32_t d = 0; d < v->ndim; d++) {
        if (size[d] > 1 && stride[d] == 0) {
            return error_set(err, NULL, NULL,
                             "argument %u is an expanded view of %s (a stride is 0): only the source of a host copy "
                             "may be one",
                             arg, plan_text(p, p->storages[v->storage].name));
        }
    }
    return 0;
}

static int view_use_rule(const struct plan *p, const struct plan_node *node, uint32_t arg, const struct plan_view *v,
                         struct error *err)
{
    if (node->kind == PLAN_DISPATCH) {
        return dispatch_view_rule(p, arg, v, err);
    }
    return node->kind == PLAN_COPY && arg == 1 ? 0 : not_expanded(p, arg, v, err);
}

static int args_rule(const struct plan *p, uint32_t id, const struct plan_node *node, const struct plan_arg *args,
                     struct error *err)
{
    for (uint32_t i = 0; i < node->narg; i++) {
        const struct plan_storage *s;

        if (args[i].view >= p->nview) {
            return error_set(err, NULL, NULL, "argument %u names view %u, there are %u", i, args[i].view, p->nview);
        }
        if (args[i].tag >= PLAN_TAG_COUNT) {
            return error_set(err, NULL, NULL, "argument %u has the unknown tag %u", i, args[i].tag);
        }
        s = &p->storages[p->views[args[i].view].storage];
        if (s->kind == PLAN_WINDOW && live_domain(p, id, s->domain, err)) {
            return -1;
        }
        if (view_use_rule(p, node, i, &p->views[args[i].view], err)) {
            return -1;
        }
    }
    return 0;
}

static int copy_rule(const struct plan *p, const struct plan_node *node, const struct plan_arg *args,
                     const struct plan_scalar *scalars, struct error *err)
{
    const struct plan_view *dst, *src;

    if (node->narg == 1 && node->nscalar == 1 && args[0].tag == PLAN_TAG_OUTPUT_EXISTING &&
        scalars[0].kind == PLAN_VALUE) {
        return 0;
    }
    if (node->narg != 2 || node->nscalar != 0 || args[0].tag != PLAN_TAG_OUTPUT_EXISTING ||
        args[1].tag != PLAN_TAG_INPUT) {
        return error_set(err, NULL, NULL, "host copy has %u arguments and %u scalars", node->narg, node->nscalar);
    }
    dst = &p->views[args[0].view];
    src = &p->views[args[1].view];
    if (dst->ndim != src->ndim ||
        (dst->ndim && memcmp(p->dims + dst->dims, p->dims + src->dims, dst->ndim * sizeof *p->dims) != 0)) {
        return error_set(err, NULL, NULL, "host copy has a destination and a source of different shapes");
    }
    return 0;
}

static int lane_rule(const struct plan *p, const struct plan_node *node, struct error *err)
{
    switch (node->kind) {
    case PLAN_DISPATCH:
        if (node->narg > PLAN_DISPATCH_TENSORS || node->nscalar > PLAN_DISPATCH_SCALARS) {
            return error_set(err, NULL, "pass less in one dispatch in host_orch.py, and record the plan again",
                             "dispatch has %u tensors and %u scalars, at most %d and %d are possible", node->narg,
                             node->nscalar, PLAN_DISPATCH_TENSORS, PLAN_DISPATCH_SCALARS);
        }
        if (node->lane >= p->world_size) {
            return error_set(err, NULL, "give as many devices as the program has cards",
                             "dispatch goes to card %u, there are %u cards", node->lane, p->world_size);
        }
        if (node->program >= p->nprogram) {
            return error_set(err, NULL, NULL, "dispatch names program %u, there are %u", node->program, p->nprogram);
        }
        return 0;
    case PLAN_COPY:
        if (node->lane != p->world_size) {
            return error_set(err, NULL, NULL, "host copy is not on the host lane");
        }
        return 0;
    case PLAN_SUB:
        if (node->lane <= p->world_size || node->lane >= plan_lane_count(p)) {
            return error_set(err, NULL, NULL, "sub-worker call is not on a lane of sub-workers");
        }
        if (node->program >= p->nsub) {
            return error_set(err, NULL, NULL, "call names sub-worker %u, there are %u", node->program, p->nsub);
        }
        return 0;
    default:
        return error_set(err, NULL, NULL, "node kind %u is unknown", node->kind);
    }
}

static int group_rule(const struct plan *p, uint32_t id, const struct plan_node *node, uint32_t *ngroup,
                      struct error *err)
{
    if (node->group == PLAN_NONE || (id > 0 && p->nodes[id - 1].group == node->group)) {
        return 0;
    }
    if (node->group < *ngroup) {
        return error_set(err, NULL, NULL,
                         "dispatch belongs to group %u, which others have followed already: the members of a group "
                         "come one after the other, and groups in ascending order",
                         node->group);
    }
    *ngroup = node->group + 1;
    return 0;
}

int plan_rule_node(const struct plan *p, uint32_t id, const struct plan_node *node, const struct plan_arg *args,
                   const struct plan_scalar *scalars, uint32_t *ngroup, struct error *err)
{
    if (lane_rule(p, node, err) || args_rule(p, id, node, args, err)) {
        return -1;
    }
    if (node->kind == PLAN_COPY && copy_rule(p, node, args, scalars, err)) {
        return -1;
    }
    if (node->kind != PLAN_DISPATCH && (node->group != PLAN_NONE || node->k != PLAN_NONE)) {
        return error_set(err, NULL, NULL, "only dispatches have a group or a number k");
    }
    for (uint32_t i = 0; i < node->nscalar; i++) {
        if (scalar_rule(p, id, &scalars[i], err)) {
            return -1;
        }
    }
    return group_rule(p, id, node, ngroup, err);
}

#include "rank-worker/executor/host_copy.h"

#include <stdlib.h>
#include <string.h>

#include "common/plan/plan_view.h"

/* A view resolved to memory: bytes instead of elements. */
struct side {
    char *at;
    enum dtype dtype;
    uint32_t ndim;
    const int64_t *shape;
    int64_t stride[PLAN_MAX_DIMS]; /* bytes */
};

static int resolve(const struct segment *seg, uint32_t view, struct side *out, struct error *err)
{
    struct plan_tensor v;

    if (plan_view_resolve(&seg->plan, view, &v, err) < 0) {
        return -1;
    }
    out->dtype = v.dtype;
    out->ndim = v.ndim;
    out->shape = v.shape;
    out->at = (char *)segment_storage(seg, v.storage) + v.offset;
    for (uint32_t i = 0; i < v.ndim; i++) {
        out->stride[i] = v.stride[i] * (int64_t)dtype_size(v.dtype);
    }
    return 0;
}

static uint64_t numel(const struct side *s)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < s->ndim; i++) {
        n *= (uint64_t)s->shape[i];
    }
    return n;
}

static bool is_integer(enum dtype type)
{
    switch (type) {
    case DTYPE_INT64:
    case DTYPE_INT32:
    case DTYPE_INT16:
    case DTYPE_INT8:
    case DTYPE_UINT64:
    case DTYPE_UINT32:
    case DTYPE_UINT16:
    case DTYPE_UINT8:
    case DTYPE_BOOL:
        return true;
    default:
        return false;
    }
}

static int64_t load_integer(enum dtype type, const void *p)
{
    int64_t value = 0;
    bool is_signed = type == DTYPE_INT32 || type == DTYPE_INT16 || type == DTYPE_INT8;
    size_t size = dtype_size(type);

    memcpy(&value, p, size);
    if (is_signed && (value >> (8 * size - 1) & 1)) {
        value |= (int64_t)(~0ull << (8 * size));
    }
    return value;
}

static void store_integer(enum dtype type, void *p, int64_t value)
{
    if (type == DTYPE_BOOL) {
        value = value != 0;
    }
    memcpy(p, &value, dtype_size(type));
}

/* Integers go through 64 bits, since a double would lose the low ones. */
static void convert(enum dtype to, void *dst, enum dtype from, const void *src)
{
    if (to == from) {
        memcpy(dst, src, dtype_size(to));
    } else if (is_integer(to) && is_integer(from)) {
        store_integer(to, dst, load_integer(from, src));
    } else {
        dtype_store(to, dst, dtype_load(from, src));
    }
}

static void copy_axis(const struct side *dst, char *d, const struct side *src, const char *s, uint32_t axis)
{
    size_t size = dtype_size(dst->dtype);

    if (axis == dst->ndim) {
        convert(dst->dtype, d, src->dtype, s);
        return;
    }
    if (axis + 1 == dst->ndim && dst->dtype == src->dtype && dst->stride[axis] == (int64_t)size &&
        src->stride[axis] == (int64_t)size) {
        memcpy(d, s, (size_t)dst->shape[axis] * size);
        return;
    }
    for (int64_t i = 0; i < dst->shape[axis]; i++) {
        copy_axis(dst, d + i * dst->stride[axis], src, s + i * src->stride[axis], axis + 1);
    }
}

static void fill_axis(const struct side *dst, char *d, const void *element, uint32_t axis)
{
    if (axis == dst->ndim) {
        memcpy(d, element, dtype_size(dst->dtype));
        return;
    }
    for (int64_t i = 0; i < dst->shape[axis]; i++) {
        fill_axis(dst, d + i * dst->stride[axis], element, axis + 1);
    }
}

/* Read the source whole into `block` (row-major, its own dtype) and make `src` describe that. */
static void gather_source(struct side *src, char *block)
{
    struct side flat = *src;
    int64_t stride = (int64_t)dtype_size(src->dtype);

    flat.at = block;
    for (uint32_t i = src->ndim; i-- > 0;) {
        flat.stride[i] = stride;
        stride *= src->shape[i];
    }
    copy_axis(&flat, flat.at, src, src->at, 0);
    *src = flat;
}

int host_copy_run(const struct segment *seg, const struct plan_node *node, struct error *err)
{
    const struct plan_arg *args = &seg->plan.args[node->first_arg];
    struct side dst, src;
    char *block = NULL;

    if (resolve(seg, args[0].view, &dst, err) < 0) {
        return -1;
    }
    if (node->narg == 1) {
        char element[16] = {0};
        double value;

        memcpy(&value, &seg->plan.scalars[node->first_scalar].bits, sizeof value);
        dtype_store(dst.dtype, element, value);
        fill_axis(&dst, dst.at, element, 0);
        return 0;
    }
    if (resolve(seg, args[1].view, &src, err) < 0) {
        return -1;
    }
    if (numel(&dst) == 0) {
        return 0;
    }
    if (seg->plan.views[args[0].view].storage == seg->plan.views[args[1].view].storage) {
        uint64_t nbytes = numel(&src) * dtype_size(src.dtype);

        block = malloc(nbytes);
        if (!block) {
            return error_nomem(err, "host copy", nbytes);
        }
        gather_source(&src, block);
    }
    copy_axis(&dst, dst.at, &src, src.at, 0);
    free(block);
    return 0;
}

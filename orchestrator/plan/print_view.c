#include "orchestrator/plan/print_view.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/plan/plan_view.h"

struct text {
    char *buf;
    size_t size, used;
};

static void put(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *fmt, ...)
{
    va_list ap;
    int n;

    if (t->used + 1 >= t->size) {
        return;
    }
    va_start(ap, fmt);
    n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, ap);
    va_end(ap);
    if (n > 0) {
        t->used += (size_t)n;
    }
    if (t->used >= t->size) {
        t->used = t->size - 1;
        memcpy(t->buf + t->size - 4, "...", 4);
    }
}

static void put_dims(struct text *t, const int64_t *dims, uint32_t count)
{
    put(t, "[");
    for (uint32_t i = 0; i < count; i++) {
        put(t, "%s%" PRId64, i ? ", " : "", dims[i]);
    }
    put(t, "]");
}

/* How one dimension of the storage is taken. */
struct cut {
    int64_t start, count, step; /* count 0: the single entry `start`, and the view has no such dimension */
};

/* The view as a slice of its storage's shape. False when it is none. */
static bool as_slice(const struct plan *p, const struct plan_tensor *v, struct cut *cuts)
{
    const struct plan_storage *s = &p->storages[v->storage];
    const int64_t *size = p->dims + s->dims, *shape = v->shape, *stride = v->stride;
    uint64_t offset = v->offset / dtype_size(v->dtype),
             pitch = s->dtype == v->dtype ? s->nbytes / dtype_size(s->dtype) : 0;
    uint32_t dim = 0;

    if (pitch == 0 || s->kind == PLAN_WINDOW || v->ndim > s->ndim) {
        return false;
    }
    for (uint32_t d = 0; d < s->ndim; d++) {
        bool taken = false;

        pitch /= (uint64_t)size[d];
        cuts[d] = (struct cut){.start = (int64_t)(offset / pitch), .step = 1};
        offset %= pitch;
        if (dim < v->ndim) {
            /* A dimension of one entry goes here when the dimensions left would otherwise not all find a place. */
            taken = shape[dim] == 1 ? v->ndim - dim == s->ndim - d || size[d] == 1
                                    : stride[dim] % (int64_t)pitch == 0 && stride[dim] >= (int64_t)pitch &&
                                          stride[dim] < (int64_t)pitch * size[d];
        }
        if (!taken) {
            continue;
        }
        cuts[d].count = shape[dim];
        if (shape[dim] != 1) {
            cuts[d].step = stride[dim] / (int64_t)pitch;
        }
        if (shape[dim] == 0 || cuts[d].start + (shape[dim] - 1) * cuts[d].step >= size[d]) {
            return false;
        }
        dim++;
    }
    return dim == v->ndim && offset == 0;
}

static void put_slice(struct text *t, const struct plan *p, const struct plan_tensor *v, const struct cut *cuts)
{
    const struct plan_storage *s = &p->storages[v->storage];
    const int64_t *size = p->dims + s->dims;
    bool whole = true;

    for (uint32_t d = 0; d < s->ndim; d++) {
        whole = whole && cuts[d].count == size[d] && cuts[d].step == 1;
    }
    put(t, "%s", plan_text(p, s->name));
    if (whole) {
        return;
    }
    put(t, "[");
    for (uint32_t d = 0; d < s->ndim; d++) {
        const struct cut *c = &cuts[d];

        put(t, "%s", d ? ", " : "");
        if (c->count == 0) {
            put(t, "%" PRId64, c->start);
        } else if (c->count == size[d] && c->step == 1) {
            put(t, ":");
        } else if (c->step == 1) {
            put(t, "%" PRId64 ":%" PRId64, c->start, c->start + c->count);
        } else {
            put(t, "%" PRId64 ":%" PRId64 ":%" PRId64, c->start, c->start + (c->count - 1) * c->step + 1, c->step);
        }
    }
    put(t, "]");
}

/* The name of the window's buffer that holds the view, and where in it the view begins. */
static void put_window(struct text *t, const struct plan *p, const struct plan_tensor *v)
{
    const struct plan_storage *s = &p->storages[v->storage];
    const struct plan_domain *d = &p->domains[s->domain];
    uint64_t begin = v->offset, end = begin + v->nbytes;

    put(t, "%s", plan_text(p, s->name));
    for (uint32_t i = 0; i < d->nbuffer; i++) {
        const struct plan_buffer *b = &p->buffers[d->first_buffer + i];

        if (begin < b->offset || end > b->offset + b->nbytes) {
            continue;
        }
        put(t, ".%s", plan_text(p, b->name));
        begin -= b->offset;
        break;
    }
    if (begin) {
        put(t, "+%" PRIu64 "B", begin);
    }
}

static bool is_contiguous(const struct plan_tensor *v)
{
    int64_t step = 1;

    for (uint32_t i = v->ndim; i-- > 0;) {
        if (v->stride[i] != step && v->shape[i] != 1) {
            return false;
        }
        step *= v->shape[i] ? v->shape[i] : 1;
    }
    return true;
}

static void put_any(struct text *t, const struct plan *p, const struct plan_tensor *v)
{
    const uint64_t first = v->offset / dtype_size(v->dtype);
    bool contiguous = is_contiguous(v), window = p->storages[v->storage].kind == PLAN_WINDOW;

    if (window) {
        put_window(t, p, v);
    } else {
        put(t, "%s.flat[%" PRIu64 ":", plan_text(p, p->storages[v->storage].name), first);
    }
    if (!window && contiguous && v->ndim == 1) {
        put(t, "%" PRIu64 "]", first + (uint64_t)v->shape[0]);
        return;
    }
    put(t, "%s as ", window ? "" : "]");
    put_dims(t, v->shape, v->ndim);
    if (!contiguous) {
        put(t, " strides ");
        put_dims(t, v->stride, v->ndim);
    }
}

const char *print_view(const struct plan *p, uint32_t view, char *buf, size_t size)
{
    const struct plan_tensor v = plan_view_tensor(p, &p->views[view]);
    struct text t = {.buf = buf, .size = size};
    struct cut cuts[PLAN_MAX_DIMS];

    buf[0] = '\0';
    if (as_slice(p, &v, cuts)) {
        put_slice(&t, p, &v, cuts);
    } else {
        put_any(&t, p, &v);
    }
    return buf;
}

const char *print_lane(const struct plan *p, uint32_t lane, char *buf, size_t size)
{
    if (lane < p->world_size) {
        snprintf(buf, size, "card %u", lane);
    } else if (lane == plan_host_lane(p)) {
        snprintf(buf, size, "host");
    } else if (lane == plan_sub_lane(p)) {
        snprintf(buf, size, "sub-worker");
    } else {
        snprintf(buf, size, "sub-worker %u", lane - p->world_size);
    }
    return buf;
}

int print_written(FILE *f, struct error *err)
{
    if (fflush(f) == 0 && !ferror(f)) {
        return 0;
    }
    return error_errno(err, NULL, "free space where it is written, or write it elsewhere",
                       "the plan could not be written");
}

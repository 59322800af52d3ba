/*
 * depmap - which tasks wrote which parts of which buffers, in one dispatch.
 *
 * Writes are kept by buffer address; tensors of different addresses never meet,
 * even if the memory does. The rule of what overlaps is the runtime's, to the
 * letter, because an edge more can make a program hang: docs/formats.md, "Tasks
 * on the cpu device".
 */
#include "rank-worker/cpu/depmap.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/plan/dtype.h"
#include "rank-worker/cpu/profile/profile.h"

enum { BUCKET_BITS = 10, BUCKETS = 1 << BUCKET_BITS, MAX_BUFFERS = 8192 };

enum overlap { OVERLAP_NONE, OVERLAP_SOME, OVERLAP_COVERED };

struct span { /* elements of the buffer */
    uint64_t begin, end;
};

struct write {
    uint64_t task, offset;
    int32_t version;
    uint32_t ndims;
    uint8_t dtype;
    uint32_t shapes[L3R_MAX_DIMS], strides[L3R_MAX_DIMS];
};

/* Spans lie apart from the rest because most look-ups are decided by them alone. */
struct buffer {
    struct buffer *next;
    uint64_t addr, dispatch;
    uint32_t n;
    size_t cap;
    struct span *spans;
    struct write *writes;
};

struct depmap {
    uint64_t dispatch;
    uint64_t nwrite; /* of this dispatch */
    uint32_t nbuffer;
    struct buffer *buckets[BUCKETS];
};

struct depmap *cpu_depmap_new(void)
{
    return calloc(1, sizeof(struct depmap));
}

static void clear(struct depmap *map)
{
    for (uint32_t i = 0; i < BUCKETS; i++) {
        while (map->buckets[i]) {
            struct buffer *b = map->buckets[i];
            map->buckets[i] = b->next;
            free(b->spans);
            free(b->writes);
            free(b);
        }
    }
    map->nbuffer = 0;
}

void cpu_depmap_free(struct depmap *map)
{
    if (map) {
        clear(map);
        free(map);
    }
}

/* Buffers stay, since the next dispatch most likely has the same; their writes are stale by number. */
void cpu_depmap_reset(struct depmap *map)
{
    map->dispatch++;
    map->nwrite = 0;
    if (map->nbuffer > MAX_BUFFERS) {
        clear(map);
    }
}

static struct buffer **bucket_of(struct depmap *map, uint64_t addr)
{
    return &map->buckets[(addr * 0x9e3779b97f4a7c15ull) >> (64 - BUCKET_BITS)];
}

static struct buffer *find(struct depmap *map, uint64_t addr)
{
    struct buffer *b = *bucket_of(map, addr);
    while (b && b->addr != addr) {
        b = b->next;
    }
    if (b && b->dispatch != map->dispatch) {
        b->dispatch = map->dispatch;
        b->n = 0;
    }
    return b;
}

static uint64_t extent(const struct l3r_tensor *t)
{
    if (!t->contiguous) {
        return t->extent;
    }
    uint64_t n = 1;
    for (uint32_t i = 0; i < t->ndims; i++) {
        n *= t->shapes[i];
    }
    return n;
}

/* Both are boxes in one row-major array, whose extents `box` receives; false when that cannot be said. */
static bool same_array(const struct l3r_tensor *t, const struct write *w, uint64_t box[L3R_MAX_DIMS])
{
    const uint32_t n = t->ndims;
    if (t->dtype != w->dtype || t->dtype >= DTYPE_FLOAT64 || n != w->ndims || n == 0 || n > L3R_MAX_DIMS ||
        memcmp(t->strides, w->strides, n * sizeof(t->strides[0])) != 0 || t->strides[n - 1] != 1) {
        return false;
    }
    for (uint32_t i = 1; i < n; i++) {
        if (t->strides[i] == 0 || t->strides[i - 1] == 0 || t->strides[i - 1] % t->strides[i] != 0) {
            return false;
        }
        box[i] = t->strides[i - 1] / t->strides[i];
    }
    const uint64_t elements = t->size / dtype_size((enum dtype)t->dtype);
    box[0] = (uint32_t)(elements / t->strides[0]);
    return elements % t->strides[0] == 0;
}

static enum overlap compare(const struct l3r_tensor *t, const struct write *w)
{
    uint64_t box[L3R_MAX_DIMS];
    if (t->version > w->version || !same_array(t, w, box)) {
        return OVERLAP_SOME;
    }
    uint64_t at[L3R_MAX_DIMS], other[L3R_MAX_DIMS], rest = t->offset, other_rest = w->offset;
    for (uint32_t i = 0; i < t->ndims; i++) {
        at[i] = rest / t->strides[i];
        rest %= t->strides[i];
        other[i] = other_rest / t->strides[i];
        other_rest %= t->strides[i];
        if (at[i] + t->shapes[i] > box[i] || other[i] + w->shapes[i] > box[i]) {
            return OVERLAP_SOME;
        }
    }
    bool covered = true;
    for (uint32_t i = 0; i < t->ndims; i++) {
        const uint64_t end = at[i] + t->shapes[i], other_end = other[i] + w->shapes[i];
        if (end <= other[i] || other_end <= at[i]) {
            return OVERLAP_NONE;
        }
        covered = covered && at[i] <= other[i] && other_end <= end;
    }
    return covered ? OVERLAP_COVERED : OVERLAP_SOME;
}

/* Report an overlap to the profile, with the write as the tensor that it was. */
static void capture(struct device *dev, const struct l3r_tensor *tensor, const struct buffer *b, const struct write *w,
                    enum overlap how)
{
    struct l3r_tensor written = {.addr = b->addr,
                                 .size = tensor->size,
                                 .offset = w->offset,
                                 .version = w->version,
                                 .ndims = w->ndims,
                                 .dtype = w->dtype};
    memcpy(written.shapes, w->shapes, sizeof(w->shapes));
    memcpy(written.strides, w->strides, sizeof(w->strides));
    cpu_profile_overlap(dev, w->task, tensor, &written, how == OVERLAP_COVERED);
}

uint64_t cpu_depmap_count(const struct depmap *map)
{
    return map->nwrite;
}

void cpu_depmap_lookup(struct device *dev, const struct l3r_tensor *tensor, bool retire,
                       void (*found)(struct device *dev, uint64_t task))
{
    struct buffer *b = find(dev->map, tensor->addr);
    if (!b) {
        return;
    }
    const uint64_t begin = tensor->offset, end = begin + extent(tensor);
    for (uint32_t i = b->n; i-- > 0;) {
        if (tensor->version <= b->writes[i].version && (end <= b->spans[i].begin || b->spans[i].end <= begin)) {
            continue;
        }
        const enum overlap how = compare(tensor, &b->writes[i]);
        if (how == OVERLAP_NONE) {
            continue;
        }
        if (dev->profile) {
            capture(dev, tensor, b, &b->writes[i], how);
        }
        found(dev, b->writes[i].task);
        if (retire && how == OVERLAP_COVERED) {
            b->n--;
            dev->map->nwrite--;
            b->spans[i] = b->spans[b->n];
            b->writes[i] = b->writes[b->n];
        }
    }
}

static int grow(struct buffer *b)
{
    size_t nspan = b->cap; /* the two arrays have one capacity */
    return array_reserve(&b->spans, &nspan, b->n, 1, sizeof(*b->spans)) ||
                   array_reserve(&b->writes, &b->cap, b->n, 1, sizeof(*b->writes))
               ? -1
               : 0;
}

int cpu_depmap_insert(struct depmap *map, const struct l3r_tensor *t, uint64_t task)
{
    struct buffer *b = find(map, t->addr);
    if (!b) {
        b = calloc(1, sizeof(*b));
        if (!b) {
            return -1;
        }
        struct buffer **bucket = bucket_of(map, t->addr);
        b->addr = t->addr;
        b->dispatch = map->dispatch;
        b->next = *bucket;
        *bucket = b;
        map->nbuffer++;
    }
    if (b->n == b->cap && grow(b)) {
        return -1;
    }
    map->nwrite++;
    b->spans[b->n] = (struct span){t->offset, t->offset + extent(t)};
    struct write *w = &b->writes[b->n++];
    w->task = task;
    w->offset = t->offset;
    w->version = t->version;
    w->ndims = t->ndims;
    w->dtype = t->dtype;
    memcpy(w->shapes, t->shapes, sizeof(w->shapes));
    memcpy(w->strides, t->strides, sizeof(w->strides));
    return 0;
}

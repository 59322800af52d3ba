/*
 * memory - task records and outputs of a dispatch.
 *
 * Each scope depth (the deepest ones together) has a ring: records in chunks,
 * outputs in one reserved range. Both are freed in order, when a task is done, its
 * scope has ended and all that wait for it are done. Between dispatches everything
 * is kept for reuse. The main thread alone allocates and frees.
 */
#include "rank-worker/cpu/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/array.h"
#include "rank-worker/cpu/include/pto_runtime_status.h"
#include "rank-worker/cpu/state/fatal.h"
#include "rank-worker/cpu/threads.h"

enum { CHUNK_SIZE = 256 * 1024, LINE = 64 };

static size_t align_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static void no_memory(struct device *dev, uint64_t bytes)
{
    dev->out_of_memory = true;
    cpu_fatal(dev, PTO2_ERROR_HEAP_RING_DEADLOCK, "out of memory for %llu bytes", (unsigned long long)bytes);
}

void cpu_rings_reset(struct device *dev)
{
    for (int i = 0; i < CPU_RINGS; i++) {
        struct ring *r = &dev->rings[i];
        if (r->newest) {
            r->newest->next = dev->free_chunks;
            dev->free_chunks = r->oldest;
        }
        r->oldest = r->newest = NULL;
        r->first = r->next = r->closed = r->base = 0;
        r->top = r->tail = 0;
        r->heap_made = r->heap_extra = r->deps_made = r->deps_freed = 0;
    }
    while (dev->blocks) {
        struct block *b = dev->blocks;
        dev->blocks = b->next;
        munmap(b, b->size);
    }
}

void cpu_rings_free(struct device *dev)
{
    cpu_rings_reset(dev);
    for (int i = 0; i < CPU_RINGS; i++) {
        free(dev->rings[i].tasks);
        if (dev->rings[i].heap) {
            munmap(dev->rings[i].heap, CPU_HEAP_SIZE);
        }
    }
    while (dev->free_chunks) {
        struct chunk *c = dev->free_chunks;
        dev->free_chunks = c->next;
        free(c);
    }
}

struct task *cpu_ring_task(struct device *dev, uint64_t id)
{
    const uint64_t ring = id >> 32;
    const uint32_t local = (uint32_t)id;
    if (ring >= CPU_RINGS || local < dev->rings[ring].first || local >= dev->rings[ring].next) {
        return NULL;
    }
    return dev->rings[ring].tasks[local - dev->rings[ring].base];
}

static bool can_retire(const struct ring *r)
{
    if (r->first == r->closed || r->first == r->next) {
        return false;
    }
    const struct task *t = r->tasks[r->first - r->base];
    return t->state == TASK_DONE && t->nconsumer == 0;
}

/* Free what can be freed; true when something was. */
static bool retire(struct device *dev, struct ring *r)
{
    const uint32_t before = r->first;
    while (can_retire(r)) {
        r->tail = r->tasks[r->first - r->base]->heap_end;
        r->deps_freed += r->tasks[r->first - r->base]->nfanin;
        r->first++;
    }
    while (r->oldest != r->newest && r->oldest->last_local < r->first) {
        struct chunk *c = r->oldest;
        r->oldest = c->next;
        c->next = dev->free_chunks;
        dev->free_chunks = c;
    }
    if (r->first == r->next) {
        r->top = r->tail = 0;
    }
    return r->first != before;
}

/* Wait until something of the ring can be freed. False when it cannot happen: the oldest task's scope is open. */
static bool wait_retire(struct device *dev, struct ring *r)
{
    if (retire(dev, r)) {
        return true;
    }
    if (r->first == r->closed || r->first == r->next) {
        return false;
    }
    cpu_wait_task(dev, r->tasks[r->first - r->base], true);
    return !dev->fatal && retire(dev, r);
}

void cpu_window_wait(struct device *dev)
{
    struct ring *r = &dev->rings[cpu_ring_index(dev)];
    while (!dev->fatal && r->next - r->first >= CPU_WINDOW && wait_retire(dev, r)) {
    }
}

static void *chunk_alloc(struct device *dev, struct ring *r, size_t nbytes)
{
    struct chunk *c = r->newest;
    if (!c || c->size - c->used < nbytes) {
        const size_t head = align_up(sizeof(*c), LINE);
        const size_t size = head + nbytes > CHUNK_SIZE ? align_up(head + nbytes, LINE) : CHUNK_SIZE;
        c = dev->free_chunks;
        if (c && c->size >= size) {
            dev->free_chunks = c->next;
        } else {
            c = aligned_alloc(LINE, size);
            if (!c) {
                no_memory(dev, size);
                return NULL;
            }
            c->size = size;
        }
        c->next = NULL;
        c->used = head;
        CPU_APPEND(r->oldest, r->newest, c);
    }
    void *p = (char *)c + c->used;
    c->used += nbytes;
    c->last_local = r->next;
    return p;
}

/* Room for one more entry in r->tasks. */
static bool grow_table(struct device *dev, struct ring *r)
{
    if (r->next - r->base < r->cap) {
        return true;
    }
    if (r->first - r->base >= r->cap / 2 && r->cap > 0) {
        memmove(r->tasks, r->tasks + (r->first - r->base), (r->next - r->first) * sizeof(*r->tasks));
        r->base = r->first;
        return true;
    }
    if (array_reserve(&r->tasks, &r->cap, r->next - r->base, 1, sizeof(*r->tasks))) {
        no_memory(dev, r->cap * sizeof(*r->tasks));
        return false;
    }
    return true;
}

struct task *cpu_new_task(struct device *dev, uint32_t ntensor, uint32_t nscalar, uint32_t nfanin)
{
    const int index = cpu_ring_index(dev);
    struct ring *r = &dev->rings[index];
    const size_t head = align_up(sizeof(struct task), LINE);
    const size_t tensors = ntensor * sizeof(struct l3r_tensor);
    const size_t scalars = nscalar * sizeof(uint64_t);
    const size_t nbytes = align_up(head + tensors + scalars + nfanin * sizeof(struct edge), LINE);
    char *p = grow_table(dev, r) ? chunk_alloc(dev, r, nbytes) : NULL;
    if (!p) {
        return NULL;
    }
    struct task *t = (struct task *)p;
    memset(t, 0, sizeof(*t));
    t->tensors = (struct l3r_tensor *)(p + head);
    t->scalars = (uint64_t *)(p + head + tensors);
    t->fanin = (struct edge *)(p + head + tensors + scalars);
    t->ntensor = ntensor;
    t->nscalar = nscalar;
    t->nfanin = nfanin;
    t->nblock = 1;
    t->npending = 1; /* the submit itself: nothing may start it before it is complete */
    t->id = (uint64_t)index << 32 | r->next;
    t->heap_end = r->top;
    r->tasks[r->next - r->base] = t;
    r->next++;
    r->deps_made += nfanin;
    return t;
}

static void *bump(struct ring *r, uint64_t size)
{
    if (r->top == r->tail) {
        r->top = r->tail = 0;
    }
    uint64_t at = r->top;
    if (r->top >= r->tail) {
        if (size > CPU_HEAP_SIZE - r->top) {
            if (size >= r->tail) {
                return NULL;
            }
            at = 0;
        }
    } else if (size >= r->tail - r->top) {
        return NULL;
    }
    r->heap_made += at < r->top ? CPU_HEAP_SIZE - r->top + size : size;
    r->top = at + size;
    return r->heap + at;
}

static void *map(uint64_t size, int flags)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* More than the ring can hold while its scopes are open: memory of its own, until the dispatch ends. */
static void *extra_block(struct device *dev, uint64_t size)
{
    struct block *b = map(size + CPU_OUTPUT_ALIGN, 0);
    if (!b) {
        no_memory(dev, size);
        return NULL;
    }
    b->size = size + CPU_OUTPUT_ALIGN;
    b->next = dev->blocks;
    dev->blocks = b;
    struct ring *r = &dev->rings[cpu_ring_index(dev)];
    r->heap_made += size;
    r->heap_extra += size;
    return (char *)b + CPU_OUTPUT_ALIGN;
}

void *cpu_heap_alloc(struct device *dev, uint64_t size)
{
    struct ring *r = &dev->rings[cpu_ring_index(dev)];
    if (!r->heap) {
        r->heap = map(CPU_HEAP_SIZE, MAP_NORESERVE);
        if (!r->heap) {
            return extra_block(dev, size);
        }
    }
    void *p = bump(r, size);
    while (!p && size < CPU_HEAP_SIZE && wait_retire(dev, r)) {
        p = bump(r, size);
    }
    if (p || dev->fatal) {
        return p;
    }
    return extra_block(dev, size);
}

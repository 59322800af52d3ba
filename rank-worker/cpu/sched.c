/*
 * sched - which task runs next, on which lanes, and what follows from its end.
 *
 * Everything here is called under the lock. The ready list is in the order in
 * which tasks became ready; what does not fit on the free lanes is passed over.
 */
#include "rank-worker/cpu/internal.h"

#include <string.h>

enum { AIC_LANES = 0x249249, ALL_LANES = (1 << CPU_LANES) - 1 }; /* bit 3c: aic of cluster c */

static void append_ready(struct device *dev, struct task *task)
{
    task->state = TASK_READY;
    task->next = NULL;
    *dev->ready_end = task;
    dev->ready_end = &task->next;
    dev->nready += (uint32_t)task->nblock;
}

/* A task whose producers are done: to the ready list, or finished at once when there is nothing to run. */
void cpu_make_ready(struct device *dev, struct task *task)
{
    if (task->lanes) {
        append_ready(dev, task);
    } else {
        cpu_complete(dev, task);
    }
}

/* Tasks without lanes may form long chains, hence a list and no recursion. */
void cpu_complete(struct device *dev, struct task *task)
{
    struct task *todo = task;
    task->next = NULL;
    while (todo) {
        struct task *t = todo;
        todo = t->next;
        t->state = TASK_DONE;
        dev->nunfinished--;
        for (struct edge *e = t->consumers; e; e = e->next) {
            struct task *c = e->consumer;
            if (--c->npending > 0) {
                continue;
            }
            if (c->lanes) {
                append_ready(dev, c);
            } else {
                c->next = todo;
                todo = c;
            }
        }
        t->consumers = NULL;
        for (uint32_t i = 0; i < t->nfanin; i++) {
            t->fanin[i].producer->nconsumer--;
        }
    }
}

/* Signed comparison of the element with the target, whatever the element's type. */
static bool passes(const struct predicate *p)
{
    if (!p->addr) {
        return true;
    }
    uint64_t bits = 0;
    memcpy(&bits, p->addr, p->size);
    const int shift = 64 - 8 * p->size;
    const int64_t value = (int64_t)(bits << shift) >> shift;
    switch (p->op) {
    case L3R_PRED_EQ:
        return value == p->target;
    case L3R_PRED_NE:
        return value != p->target;
    case L3R_PRED_GT:
        return value > p->target;
    case L3R_PRED_LT:
        return value < p->target;
    case L3R_PRED_GE:
        return value >= p->target;
    case L3R_PRED_LE:
        return value <= p->target;
    default:
        return true;
    }
}

static bool is_mixed(const struct task *t)
{
    return (t->lanes & (t->lanes - 1)) != 0;
}

/* Lanes that the next block of `t` would take; 0: none are free. */
static uint32_t place(const struct task *t, uint32_t free_lanes)
{
    if (is_mixed(t)) {
        for (int c = 0; c < CPU_CLUSTERS; c++) {
            const uint32_t cluster = 7u << 3 * c;
            if ((free_lanes & cluster) == cluster) {
                return cluster;
            }
        }
        return 0;
    }
    const uint32_t fitting = free_lanes & (t->lanes == LANE_AIC ? AIC_LANES : ALL_LANES & ~AIC_LANES);
    return fitting & -fitting;
}

static bool all_fit(const struct device *dev, const struct task *t)
{
    uint32_t free_lanes = dev->free_lanes;
    for (int32_t i = 0; i < t->nblock; i++) {
        const uint32_t taken = place(t, free_lanes);
        if (!taken) {
            return false;
        }
        free_lanes &= ~taken;
    }
    return true;
}

static void fill_args(struct lane *lane, const struct task *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->ntensor; i++) {
        lane->args[n++] = (int64_t)(uintptr_t)&t->tensors[i];
    }
    for (uint32_t i = 0; i < t->nscalar; i++) {
        lane->args[n++] = (int64_t)t->scalars[i];
    }
    if (n < lane->nargs) { /* a kernel that reads more than it was given finds zeros */
        memset(lane->args + n, 0, (lane->nargs - n) * sizeof(lane->args[0]));
    }
    lane->nargs = n;
}

/* Put a block of `t` on the lanes of `taken`; returns them before `rest`. */
static struct lane *occupy(struct device *dev, struct task *t, uint32_t taken, struct lane *rest)
{
    const bool mixed = is_mixed(t);
    const int cluster = __builtin_ctz(taken) / 3;
    dev->free_lanes &= ~taken;
    for (int slot = 2; slot >= 0; slot--) {
        if (!(t->lanes & 1 << slot)) {
            continue;
        }
        struct lane *lane = &dev->lanes[mixed ? 3 * cluster + slot : __builtin_ctz(taken)];
        lane->task = t;
        lane->kernel = t->kernels[slot];
        lane->sub_block = slot == 2;
        lane->mixed = mixed;
        lane->local.block_idx = t->next_block;
        lane->local.block_num = t->nblock;
        lane->global.sub_block_id = slot == 2;
        fill_args(lane, t);
        lane->next = rest;
        rest = lane;
        t->nrunning++;
        dev->nbusy++;
        dev->cluster_lanes[cluster] += mixed;
    }
    t->next_block++;
    dev->nready--;
    return rest;
}

static void unlink_ready(struct device *dev, struct task **at)
{
    struct task *t = *at;
    *at = t->next;
    if (!t->next) {
        dev->ready_end = at;
    }
}

/* One block, or all blocks when they must start together; NULL when they do not fit now. */
static struct lane *start(struct device *dev, struct task **at)
{
    struct task *t = *at;
    if (t->sync_start && !all_fit(dev, t)) {
        return NULL;
    }
    struct lane *lanes = NULL;
    do {
        const uint32_t taken = place(t, dev->free_lanes);
        if (!taken) {
            break;
        }
        lanes = occupy(dev, t, taken, lanes);
    } while (t->sync_start && t->next_block < t->nblock);
    if (lanes) {
        t->state = TASK_STARTED;
    }
    if (t->next_block == t->nblock) {
        unlink_ready(dev, at);
    }
    return lanes;
}

struct lane *cpu_start_any(struct device *dev, struct task *only)
{
    struct task **at = &dev->ready;
    while (*at && dev->free_lanes && !dev->fatal) {
        struct task *t = *at;
        if (only && t != only) {
            at = &t->next;
            continue;
        }
        if (t->next_block == 0 && !passes(&t->predicate)) {
            dev->nready -= (uint32_t)t->nblock;
            unlink_ready(dev, at);
            cpu_complete(dev, t);
            continue;
        }
        struct lane *lanes = start(dev, at);
        if (lanes) {
            return lanes;
        }
        at = &t->next;
    }
    return NULL;
}

void cpu_finish_lane(struct device *dev, struct lane *lane)
{
    struct task *t = lane->task;
    dev->progress++;
    dev->nbusy--;
    if (!lane->mixed) {
        dev->free_lanes |= 1u << (lane - dev->lanes);
    } else if (--dev->cluster_lanes[lane->cluster] == 0) {
        dev->free_lanes |= 7u << 3 * lane->cluster;
    }
    lane->task = NULL;
    if (--t->nrunning == 0 && t->next_block == t->nblock) {
        cpu_complete(dev, t);
    }
}

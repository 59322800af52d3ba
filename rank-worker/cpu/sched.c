/*
 * sched - which task runs next, on which lanes, and what follows from its end.
 *
 * Everything here is called under the lock. Of the ready tasks the one that was
 * submitted first goes first: then one thread alone runs a program in the order in
 * which it was written, and what the runtime's rules leave open (a writer after a
 * reader) has the outcome that its author meant. What does not fit on the free lanes
 * is passed over.
 */
#include "rank-worker/cpu/sched.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "rank-worker/cpu/profile/profile.h"
#include "rank-worker/cpu/turns.h"

enum { AIC_LANES = 0x249249, ALL_LANES = (1 << CPU_LANES) - 1 }; /* bit 3c: aic of cluster c */

bool cpu_ready_reserve(struct device *dev, uint32_t ntask)
{
    return ntask <= dev->cap_ready || !array_reserve(&dev->ready, &dev->cap_ready, 0, ntask, sizeof(*dev->ready));
}

static void push(struct device *dev, struct ready item)
{
    uint32_t i = dev->nqueued++;
    while (i > 0 && dev->ready[(i - 1) / 2].order > item.order) {
        dev->ready[i] = dev->ready[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    dev->ready[i] = item;
}

/* Take entry `i` out. */
static struct ready take(struct device *dev, uint32_t i)
{
    const struct ready taken = dev->ready[i];
    const struct ready last = dev->ready[--dev->nqueued];
    const uint32_t n = dev->nqueued;
    if (i == n) {
        return taken;
    }
    while (i > 0 && dev->ready[(i - 1) / 2].order > last.order) {
        dev->ready[i] = dev->ready[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    for (uint32_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && dev->ready[child + 1].order < dev->ready[child].order) {
            child++;
        }
        if (dev->ready[child].order >= last.order) {
            break;
        }
        dev->ready[i] = dev->ready[child];
        i = child;
    }
    dev->ready[i] = last;
    return taken;
}

static void append_ready(struct device *dev, struct task *task)
{
    task->state = TASK_READY;
    push(dev, (struct ready){task->order, task});
    dev->nready += (uint32_t)task->nblock;
    if (dev->profile) {
        cpu_profile_ready(dev, task, task->nblock);
    }
}

/* A task whose producers are done: to the ready tasks, or finished at once when there is nothing to run. */
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
        if (dev->profile && !t->lanes && t->npending == 0) { /* not what alloc_tensors makes: it never waits */
            cpu_profile_not_run(dev, t, false);
        }
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

/* The lanes of a block that take turns keep one thread busy. */
static void begin_turns(struct device *dev, struct lane *lanes, int nlane)
{
    dev->nbusy++;
    for (int i = 0; i < nlane; i++, lanes = lanes->next) {
        cpu_turn_begin(lanes, i == 0);
    }
}

/* Put a block of `t` on the lanes of `taken`; returns them before `rest`. */
static struct lane *occupy(struct device *dev, struct task *t, uint32_t taken, struct lane *rest)
{
    const bool mixed = is_mixed(t), turns = mixed && !dev->config.free_threads;
    const int cluster = __builtin_ctz(taken) / 3;
    dev->free_lanes &= ~taken;
    if (dev->profile) {
        cpu_profile_ready(dev, t, -1);
    }
    if (t->dump && t->next_block == 0) {
        cpu_profile_args(dev, t, false);
    }
    for (int slot = 2; slot >= 0; slot--) {
        if (!(t->lanes & 1 << slot)) {
            continue;
        }
        struct lane *lane = &dev->lanes[mixed ? 3 * cluster + slot : __builtin_ctz(taken)];
        lane->task = t;
        lane->kernel = t->kernels[slot];
        lane->sub_block = slot == 2;
        lane->mixed = mixed;
        lane->turn = TURN_NONE;
        lane_call_reset(&lane->call);
        lane->local.block_idx = t->next_block;
        lane->local.block_num = t->nblock;
        lane->global.sub_block_id = slot == 2;
        fill_args(lane, t);
        if (dev->profile) {
            cpu_profile_dispatched(dev, lane);
        }
        lane->next = rest;
        rest = lane;
        t->nrunning++;
        dev->nbusy += !turns;
        dev->clusters[cluster].nlane += mixed;
    }
    if (mixed) { /* else other lanes of the cluster may be reading it */
        dev->clusters[cluster].epoch++;
    }
    if (turns) {
        begin_turns(dev, rest, dev->clusters[cluster].nlane);
    }
    t->next_block++;
    dev->nready--;
    return rest;
}

/* One block, or all blocks when they must start together; NULL when they do not fit now. */
static struct lane *start(struct device *dev, struct task *t)
{
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
    return lanes;
}

/* Start what entry `i` of the ready tasks holds. `*gone`: it is no longer among them. */
static struct lane *try_entry(struct device *dev, uint32_t i, bool *gone)
{
    struct task *t = dev->ready[i].task;
    *gone = true;
    if (t->next_block == 0 && !passes(&t->predicate)) {
        take(dev, i);
        dev->nready -= (uint32_t)t->nblock;
        if (dev->profile) {
            cpu_profile_ready(dev, t, -t->nblock);
            cpu_profile_not_run(dev, t, true);
        }
        cpu_complete(dev, t);
        return NULL;
    }
    struct lane *lanes = start(dev, t);
    *gone = t->next_block == t->nblock;
    if (*gone) {
        take(dev, i);
    }
    return lanes;
}

struct lane *cpu_start_task(struct device *dev, const struct task *task)
{
    bool gone;
    for (uint32_t i = 0; i < dev->nqueued && !dev->fatal; i++) {
        if (dev->ready[i].task == task) {
            return try_entry(dev, i, &gone);
        }
    }
    return NULL;
}

struct lane *cpu_start_any(struct device *dev)
{
    uint32_t npassed = 0;
    struct lane *lanes = NULL;
    while (!lanes && dev->nqueued && dev->free_lanes && !dev->fatal) {
        bool gone;
        lanes = try_entry(dev, 0, &gone);
        if (!lanes && !gone) { /* kept at the other end of the array: all unfinished tasks have room in it */
            dev->ready[dev->cap_ready - ++npassed] = take(dev, 0);
            if (dev->profile) {
                cpu_profile_passed(dev);
            }
        }
    }
    while (npassed > 0) {
        push(dev, dev->ready[dev->cap_ready - npassed--]);
    }
    return lanes;
}

void cpu_finish_lane(struct device *dev, struct lane *lane)
{
    struct task *t = lane->task;
    dev->progress++;
    const bool last = !lane->mixed || --dev->clusters[lane->cluster].nlane == 0;
    if (last) {
        dev->free_lanes |= lane->mixed ? 7u << 3 * lane->cluster : 1u << (lane - dev->lanes);
    }
    dev->nbusy -= last || dev->config.free_threads;
    lane->task = NULL;
    if (--t->nrunning == 0 && t->next_block == t->nblock) {
        if (t->dump) {
            cpu_profile_args(dev, t, true);
        }
        cpu_complete(dev, t);
    }
}

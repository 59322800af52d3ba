/*
 * submit - from an argument list to a task in the graph.
 *
 * Order matters and is the runtime's: explicit dependencies, then for each tensor
 * its creator and the writes that it overlaps, then the task's own writes. There
 * are no write-after-read edges. docs/formats.md, "Tasks on the cpu device".
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/plan/dtype.h"
#include "rank-worker/cpu/cpu_program.h"
#include "rank-worker/cpu/depmap.h"
#include "rank-worker/cpu/include/pto_runtime_status.h"
#include "rank-worker/cpu/memory.h"
#include "rank-worker/cpu/orch_api.h"
#include "rank-worker/cpu/profile/profile.h"
#include "rank-worker/cpu/sched.h"
#include "rank-worker/cpu/state/fatal.h"

static void add_producer(struct device *dev, uint64_t id)
{
    struct task *t = cpu_ring_task(dev, id);
    if (!t || t->mark == dev->nsubmit) {
        return;
    }
    if (dev->nfound == dev->cap_found &&
        array_reserve(&dev->found, &dev->cap_found, dev->nfound, 1, sizeof(*dev->found))) {
        dev->out_of_memory = true;
        cpu_fatal(dev, PTO2_ERROR_DEP_POOL_OVERFLOW, "out of memory for %u dependencies of a task", dev->nfound + 1);
        return;
    }
    t->mark = dev->nsubmit;
    dev->found[dev->nfound++] = t;
}

static bool in_manual_scope(const struct device *dev)
{
    return dev->manual_depth >= 0;
}

static void find_producers(struct device *dev, const struct l3r_core_args *args)
{
    const struct l3r_args_tail *tail = &args->tail;
    for (uint32_t i = 0; i < tail->ndep; i++) {
        if (tail->deps[i] == L3R_NO_TASK) {
            cpu_fatal(dev, PTO2_ERROR_INVALID_ARGS, "set_dependencies: entry %u of %u names no task", i, tail->ndep);
            return;
        }
        if (dev->profile) {
            cpu_profile_explicit(dev, tail->deps[i],
                                 tail->dep_kinds ? tail->dep_kinds[i] : L3R_DEP_WAIT | L3R_DEP_RETAIN);
        }
        add_producer(dev, tail->deps[i]);
    }
    for (int32_t i = 0; i < tail->ntensor && !in_manual_scope(dev); i++) {
        const int32_t tag = args->tags[i];
        if (tag == L3R_TAG_OUTPUT) {
            continue;
        }
        const struct l3r_tensor *t = args->tensors[i];
        if (dev->profile) {
            cpu_profile_argument(dev, i);
        }
        if (t->owner != L3R_NO_TASK) {
            if (dev->profile) {
                cpu_profile_creator(dev, t);
            }
            add_producer(dev, t->owner);
        }
        if ((tag == L3R_TAG_INPUT || tag == L3R_TAG_INOUT) && !t->manual_dep) {
            cpu_depmap_lookup(dev, t, tag == L3R_TAG_INOUT, add_producer);
        }
    }
}

static void record_writes(struct device *dev, const struct l3r_core_args *args, uint64_t task)
{
    for (int32_t i = 0; i < args->tail.ntensor && !in_manual_scope(dev); i++) {
        if (args->tags[i] != L3R_TAG_INOUT && args->tags[i] != L3R_TAG_OUTPUT_EXISTING) {
            continue;
        }
        const struct l3r_tensor *t = args->tensors[i];
        if (!t->manual_dep && cpu_depmap_insert(dev->map, t, task)) {
            dev->out_of_memory = true;
            cpu_fatal(dev, PTO2_ERROR_TENSORMAP_OVERFLOW, "out of memory for a tensor's writers");
            return;
        }
    }
}

static uint64_t output_bytes(const struct l3r_create_info *info)
{
    uint64_t n = dtype_size((enum dtype)info->dtype);
    for (uint32_t i = 0; i < info->ndims; i++) {
        n *= info->shapes[i];
    }
    return (n + CPU_OUTPUT_ALIGN - 1) / CPU_OUTPUT_ALIGN * CPU_OUTPUT_ALIGN;
}

static void fill(uint8_t *to, uint64_t nbytes, const void *element, uint64_t size)
{
    uint64_t done = size < nbytes ? size : nbytes;
    memcpy(to, element, done);
    while (done < nbytes) {
        const uint64_t n = done < nbytes - done ? done : nbytes - done;
        memcpy(to + done, to, n);
        done += n;
    }
}

static void create_output(struct l3r_tensor *t, const struct l3r_create_info *info, uint8_t *at, uint64_t nbytes,
                          uint64_t task)
{
    memset(t, 0, sizeof(*t));
    t->addr = (uint64_t)(uintptr_t)at;
    t->size = nbytes;
    t->owner = task;
    t->ndims = info->ndims;
    t->dtype = info->dtype;
    t->manual_dep = info->manual_dep;
    t->contiguous = true;
    uint32_t stride = 1;
    for (uint32_t i = info->ndims; i-- > 0;) {
        t->shapes[i] = info->shapes[i];
        t->strides[i] = stride;
        stride *= info->shapes[i];
    }
    t->extent = stride;
    if (info->has_initial_value && nbytes) {
        fill(at, nbytes, &info->initial_value, dtype_size((enum dtype)info->dtype));
    }
}

/* The task's own copies of its tensors; outputs get their memory here. */
static bool take_tensors(struct device *dev, struct task *task, const struct l3r_core_args *args,
                         struct l3r_outputs *out)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < task->ntensor; i++) {
        if (args->tags[i] == L3R_TAG_OUTPUT) {
            total += output_bytes(args->tensors[i]);
        }
    }
    uint8_t *at = total ? cpu_heap_alloc(dev, total) : NULL;
    if (total && !at) {
        return false;
    }
    task->heap_end = dev->rings[cpu_ring_index(dev)].top;
    for (uint32_t i = 0; i < task->ntensor; i++) {
        if (args->tags[i] != L3R_TAG_OUTPUT) {
            memcpy(&task->tensors[i], args->tensors[i], sizeof(task->tensors[i]));
            continue;
        }
        const uint64_t nbytes = output_bytes(args->tensors[i]);
        create_output(&task->tensors[i], args->tensors[i], at, nbytes, task->id);
        out->tensors[out->count++] = &task->tensors[i];
        at += nbytes;
    }
    return true;
}

static void take_predicate(struct task *task, const struct l3r_predicate *p)
{
    if (p->op == L3R_PRED_NONE || !p->tensor || p->tensor->addr == 0) {
        return;
    }
    uint64_t at = p->tensor->offset;
    for (uint32_t i = 0; i < p->ndims && i < L3R_MAX_DIMS; i++) {
        at += (uint64_t)p->indices[i] * p->tensor->strides[i];
    }
    task->predicate.size = (uint8_t)dtype_size((enum dtype)p->tensor->dtype);
    task->predicate.addr = (const void *)(uintptr_t)(p->tensor->addr + at * task->predicate.size);
    task->predicate.target = p->target;
    task->predicate.op = p->op;
}

static void wire(struct device *dev, struct task *task)
{
    for (uint32_t i = 0; i < task->nfanin; i++) {
        struct edge *e = &task->fanin[i];
        struct task *p = dev->found[i];
        *e = (struct edge){.producer = p, .consumer = task};
        p->nconsumer++;
        if (p->state != TASK_DONE) {
            e->next = p->consumers;
            p->consumers = e;
            task->npending++;
        }
    }
}

/* A task in the graph but not yet ready, or NULL after a fatal error. Under the lock. */
static struct task *add_task(struct device *dev, const struct l3r_core_args *args, struct l3r_outputs *out)
{
    if (args->tail.has_error) {
        cpu_fatal(dev, PTO2_ERROR_INVALID_ARGS, "%s", args->tail.error ? args->tail.error : "bad argument list");
        return NULL;
    }
    cpu_window_wait(dev);
    dev->nsubmit++;
    dev->nfound = 0;
    if (dev->profile) {
        cpu_profile_producers(dev);
    }
    find_producers(dev, args);
    if (dev->profile) {
        cpu_profile_argument(dev, -1);
    }
    if (dev->fatal) {
        return NULL;
    }
    if (!cpu_ready_reserve(dev, dev->nunfinished + 1)) {
        dev->out_of_memory = true;
        cpu_fatal(dev, PTO2_ERROR_SCOPE_TASKS_OVERFLOW, "out of memory for %u tasks", dev->nunfinished + 1);
        return NULL;
    }
    struct task *task = cpu_new_task(dev, (uint32_t)args->tail.ntensor, (uint32_t)args->tail.nscalar, dev->nfound);
    if (!task) {
        return NULL;
    }
    task->order = dev->nsubmit;
    task->mark = dev->nsubmit;
    wire(dev, task);
    dev->nunfinished++;
    dev->ntask++;
    record_writes(dev, args, task->id);
    if (dev->fatal || !take_tensors(dev, task, args, out)) {
        return NULL;
    }
    memcpy(task->scalars, args->scalars, task->nscalar * sizeof(task->scalars[0]));
    out->task = task->id;
    return task;
}

static void publish(struct device *dev, struct task *task)
{
    if (--task->npending == 0) {
        cpu_make_ready(dev, task);
    }
}

/* Under the lock: a task that has all its parts goes to `place`, publish() or cpu_complete(). */
static void hand_over(struct device *dev, struct task *task, const struct l3r_core_args *args, uint64_t start_ns,
                      void (*place)(struct device *dev, struct task *task))
{
    if (dev->profile) {
        cpu_profile_task(dev, task, args);
    }
    place(dev, task);
    if (dev->profile) {
        cpu_profile_submitted(dev, task->id, dev->nsubmit - 1, start_ns);
    }
}

/* Kernels of the lanes; a lone aiv1 is an aiv0. False after a fatal error. */
static bool resolve(struct device *dev, const struct l3r_mixed *mixed, const struct cpu_kernel *kernels[3],
                    uint8_t *lanes)
{
    int32_t ids[3] = {mixed->aic, mixed->aiv0, mixed->aiv1};
    if (ids[0] < 0 && ids[1] < 0) {
        ids[1] = ids[2];
        ids[2] = -1;
    }
    *lanes = 0;
    for (int i = 0; i < 3; i++) {
        kernels[i] = NULL;
        if (ids[i] == -1) {
            continue;
        }
        kernels[i] = cpu_find_kernel(dev->program, ids[i]);
        if (!kernels[i]) {
            cpu_fatal(dev, PTO2_ERROR_INVALID_ARGS, "a task names kernel %d, which kernel_config.py does not list",
                      ids[i]);
            return false;
        }
        *lanes |= (uint8_t)(1 << i);
    }
    if (!*lanes) {
        cpu_fatal(dev, PTO2_ERROR_INVALID_ARGS, "a task names no kernel");
    }
    return *lanes != 0;
}

static bool check_launch(struct device *dev, const struct l3r_launch *launch, uint8_t lanes)
{
    if (launch->block_num < 1) {
        cpu_fatal(dev, PTO2_ERROR_INVALID_ARGS, "a task asks for %d blocks", launch->block_num);
        return false;
    }
    const int limit = lanes == LANE_AIV0 ? 2 * CPU_CLUSTERS : CPU_CLUSTERS;
    if (launch->sync_start && launch->block_num > limit) {
        cpu_fatal(dev, PTO2_ERROR_REQUIRE_SYNC_START_INVALID,
                  "a task wants %d blocks to start together, the device has room for %d", launch->block_num, limit);
        return false;
    }
    return true;
}

void l3r_cpu_submit(const struct l3r_mixed *kernels, const struct l3r_core_args *args, struct l3r_outputs *out)
{
    struct device *dev = cpu_current;
    const struct cpu_kernel *found[3] = {NULL};
    uint8_t lanes = 0;
    if (dev->fatal) {
        return;
    }
    const uint64_t start = dev->profile ? cpu_profile_submitting(dev) : 0;
    pthread_mutex_lock(&dev->lock);
    if (!args->tail.has_error &&
        (!resolve(dev, kernels, found, &lanes) || !check_launch(dev, &args->tail.launch, lanes))) {
        goto done;
    }
    struct task *task = add_task(dev, args, out);
    if (!task) {
        goto done;
    }
    memcpy(task->kernels, found, sizeof(found));
    task->lanes = lanes;
    task->nblock = args->tail.launch.block_num;
    task->sync_start = args->tail.launch.sync_start && task->nblock > 1;
    take_predicate(task, &args->tail.predicate);
    hand_over(dev, task, args, start, publish);
done:
    pthread_mutex_unlock(&dev->lock);
}

void l3r_cpu_submit_dummy(const struct l3r_core_args *args, struct l3r_outputs *out)
{
    struct device *dev = cpu_current;
    if (dev->fatal) {
        return;
    }
    const uint64_t start = dev->profile ? cpu_profile_submitting(dev) : 0;
    pthread_mutex_lock(&dev->lock);
    struct task *task = add_task(dev, args, out);
    if (task) {
        hand_over(dev, task, args, start, publish);
    }
    pthread_mutex_unlock(&dev->lock);
}

/* Outputs of a task that is done as soon as it is there. */
void l3r_cpu_alloc(const struct l3r_core_args *args, struct l3r_outputs *out)
{
    struct device *dev = cpu_current;
    if (dev->fatal) {
        return;
    }
    const uint64_t start = dev->profile ? cpu_profile_submitting(dev) : 0;
    pthread_mutex_lock(&dev->lock);
    bool fine = args->tail.has_error || (args->tail.ntensor > 0 && args->tail.nscalar == 0);
    for (int32_t i = 0; i < args->tail.ntensor; i++) {
        fine = fine && args->tags[i] == L3R_TAG_OUTPUT;
    }
    if (!fine) {
        cpu_fatal(dev, PTO2_ERROR_INVALID_ARGS, "alloc_tensors takes create infos of outputs, at least one");
    }
    struct task *task = fine ? add_task(dev, args, out) : NULL;
    if (task) {
        hand_over(dev, task, args, start, cpu_complete);
    }
    pthread_mutex_unlock(&dev->lock);
}

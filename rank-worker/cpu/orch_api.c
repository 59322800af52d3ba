/*
 * orch_api - scopes, element access, messages: the orchestration interface but for submits.
 *
 * Exported to orchestrations by name (l3r_abi.h). Main thread only.
 */
#include "rank-worker/cpu/orch_api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/plan/dtype.h"
#include "rank-worker/cpu/depmap.h"
#include "rank-worker/cpu/include/pto_runtime_status.h"
#include "rank-worker/cpu/memory.h"
#include "rank-worker/cpu/profile/profile.h"
#include "rank-worker/cpu/state/fatal.h"
#include "rank-worker/cpu/state/kernel_call.h"
#include "rank-worker/cpu/threads.h"

struct device *cpu_current;

void l3r_cpu_report_fatal(int32_t code, const char *func, const char *fmt, ...)
{
    struct device *dev = cpu_current;
    char text[sizeof(dev->fatal_text)];
    int n = snprintf(text, sizeof(text), "%s: ", func);
    va_list ap;
    va_start(ap, fmt);
    if (fmt && n >= 0 && (size_t)n < sizeof(text)) {
        vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
    }
    va_end(ap);
    pthread_mutex_lock(&dev->lock);
    cpu_fatal_text(dev, code, text);
    pthread_mutex_unlock(&dev->lock);
}

bool l3r_cpu_is_fatal(void)
{
    return cpu_current->fatal;
}

void l3r_cpu_log(int level, const char *func, const char *fmt, ...)
{
    if (level < (int)log_get_level()) {
        return;
    }
    char text[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    log_msg((enum log_level)level, "%s: %s", func, text);
}

void l3r_cpu_assert_failed(const char *condition, const char *file, int line)
{
    struct device *dev = cpu_current;
    if (cpu_in_kernel() || !dev || !dev->orchestrating) {
        log_msg(LOG_ERROR, "assertion failed: %s (%s:%d)", condition, file, line);
        abort();
    }
    pthread_mutex_lock(&dev->lock);
    cpu_fatal(dev, PTO2_ERROR_INVALID_ARGS, "assertion failed: %s (%s:%d)", condition, file, line);
    pthread_mutex_unlock(&dev->lock);
    longjmp(dev->leave, 1);
}

int32_t l3r_cpu_cluster_count(void)
{
    return CPU_CLUSTERS;
}

int32_t l3r_cpu_aiv_count(void)
{
    return 2 * CPU_CLUSTERS;
}

void cpu_open_scope(struct device *dev, int mode, const char *file, int line)
{
    dev->depth++;
    struct scope *s = &dev->scopes[dev->depth];
    s->begin = dev->rings[cpu_ring_index(dev)].next;
    if (mode == L3R_SCOPE_MANUAL && dev->manual_depth < 0) {
        dev->manual_depth = dev->depth;
    }
    if (dev->profile) {
        cpu_profile_site(dev, file, line);
        cpu_profile_scope(dev, false, cpu_depmap_count(dev->map));
    }
}

/* The scope's tasks may be freed, unless older ones of the same ring still belong to an open scope. */
void cpu_close_scope(struct device *dev)
{
    struct ring *r = &dev->rings[cpu_ring_index(dev)];
    if (dev->profile) {
        cpu_profile_scope(dev, true, cpu_depmap_count(dev->map));
    }
    if (dev->scopes[dev->depth].begin <= r->closed) {
        r->closed = r->next;
    }
    if (dev->manual_depth == dev->depth) {
        dev->manual_depth = -1;
    }
    dev->depth--;
}

void l3r_cpu_scope_begin(int mode, const char *file, int line)
{
    struct device *dev = cpu_current;
    if (dev->fatal) {
        return;
    }
    if (mode == L3R_SCOPE_AUTO && dev->manual_depth >= 0) {
        l3r_cpu_report_fatal(PTO2_ERROR_INVALID_ARGS, "PTO2_SCOPE", "an automatic scope inside a manual one");
    } else if (dev->depth + 1 == CPU_SCOPE_DEPTH) {
        l3r_cpu_report_fatal(PTO2_ERROR_INVALID_ARGS, "PTO2_SCOPE", "scopes nest deeper than %d", CPU_SCOPE_DEPTH);
    } else {
        cpu_open_scope(dev, mode, file, line);
    }
}

void l3r_cpu_scope_end(void)
{
    struct device *dev = cpu_current;
    if (dev->fatal) {
        return;
    }
    if (dev->depth == 0) {
        l3r_cpu_report_fatal(PTO2_ERROR_INVALID_ARGS, "rt_scope_end", "no scope is open");
        return;
    }
    cpu_close_scope(dev);
}

static void wait_writer(struct device *dev, uint64_t id)
{
    struct task *t = cpu_ring_task(dev, id);
    if (t) {
        cpu_wait_task(dev, t, false);
    }
}

static void wait_writer_and_readers(struct device *dev, uint64_t id)
{
    struct task *t = cpu_ring_task(dev, id);
    if (t) {
        cpu_wait_task(dev, t, true);
    }
}

/* The element's address once it may be accessed; NULL after an error. */
static void *element(struct device *dev, const struct l3r_tensor *t, uint32_t ndims, const uint32_t *indices,
                     bool write)
{
    void (*wait)(struct device *, uint64_t) = write ? wait_writer_and_readers : wait_writer;
    if (t->addr == 0) {
        log_msg(LOG_ERROR, "%s_tensor_data: the tensor has no memory", write ? "set" : "get");
        return NULL;
    }
    pthread_mutex_lock(&dev->lock);
    if (t->owner != L3R_NO_TASK) {
        wait(dev, t->owner);
    }
    cpu_depmap_lookup(dev, t, false, wait);
    pthread_mutex_unlock(&dev->lock);
    if (dev->fatal) {
        return NULL;
    }
    uint64_t at = t->offset;
    for (uint32_t i = 0; i < ndims && i < L3R_MAX_DIMS; i++) {
        at += (uint64_t)indices[i] * t->strides[i];
    }
    return (void *)(uintptr_t)(t->addr + at * dtype_size((enum dtype)t->dtype));
}

uint64_t l3r_cpu_get_data(const struct l3r_tensor *tensor, uint32_t ndims, const uint32_t *indices)
{
    struct device *dev = cpu_current;
    uint64_t value = 0;
    const void *p = dev->fatal ? NULL : element(dev, tensor, ndims, indices, false);
    if (p) {
        memcpy(&value, p, dtype_size((enum dtype)tensor->dtype));
    }
    return value;
}

void l3r_cpu_set_data(const struct l3r_tensor *tensor, uint32_t ndims, const uint32_t *indices, uint64_t value)
{
    struct device *dev = cpu_current;
    void *p = dev->fatal ? NULL : element(dev, tensor, ndims, indices, true);
    if (p) {
        memcpy(p, &value, dtype_size((enum dtype)tensor->dtype));
    }
}

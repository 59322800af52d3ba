/*
 * device - the cpu device's table: open, close and domains; the rest is elsewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "rank-worker/cpu/cpu_program.h"
#include "rank-worker/cpu/depmap.h"
#include "rank-worker/cpu/describe.h"
#include "rank-worker/cpu/dispatch.h"
#include "rank-worker/cpu/hooks.h"
#include "rank-worker/cpu/memory.h"
#include "rank-worker/cpu/profile/profile.h"
#include "rank-worker/cpu/state/kernel_call.h"
#include "rank-worker/cpu/threads.h"

/* docs/formats.md, "Domain context" */
struct domain_context {
    uint64_t workspace, workspace_size;
    uint32_t rank, nranks;
    uint64_t window_size;
    uint64_t windows_in[DEVICE_MAX_RANKS];
    uint64_t windows_out[DEVICE_MAX_RANKS];
};
_Static_assert(sizeof(struct domain_context) == 1056, "kernels know this layout");

static void cpu_close(struct device *dev);

static void init_lanes(struct device *dev)
{
    dev->free_lanes = (1u << CPU_LANES) - 1;
    for (int i = 0; i < CPU_LANES; i++) {
        struct lane *lane = &dev->lanes[i];
        lane->dev = dev;
        lane->cluster = i / 3;
        lane->turn = TURN_NONE;
        lane->args[L3R_ARGS_LOCAL_CONTEXT] = (int64_t)(uintptr_t)&lane->local;
        lane->args[L3R_ARGS_GLOBAL_CONTEXT] = (int64_t)(uintptr_t)&lane->global;
    }
}

static int cpu_open(struct device **out, const struct device_config *config, struct error *err)
{
    /* PTO-ISA gives up waiting for a signal after a second and goes on with wrong data, unless set otherwise. */
    if (setenv("PTO_CPU_SIM_TWAIT_MAX_SPINS", "0", 1)) {
        return error_errno(err, NULL, NULL, "cpu device: cannot set an environment variable");
    }
    struct device *dev = aligned_alloc(64, (sizeof(*dev) + 63) / 64 * 64);
    if (!dev) {
        return error_nomem(err, "cpu device", sizeof(*dev));
    }
    memset(dev, 0, sizeof(*dev));
    dev->config = *config;
    dev->config.platform = NULL; /* the caller's */
    dev->is_a5 = config->platform && strncmp(config->platform, "a5", 2) == 0;
    if (dev->config.ncores < 1) {
        dev->config.ncores = 1;
    }
    if (dev->config.ncores > CPU_LANES) {
        dev->config.ncores = CPU_LANES;
    }
    for (int i = 0; i < L3R_CHIP_TENSORS; i++) {
        dev->chip_args.tags[i] = L3R_TAG_INPUT;
    }
    init_lanes(dev);
    if (cpu_threads_init(dev, err)) {
        free(dev);
        return -1;
    }
    dev->chip_tensors = aligned_alloc(64, DEVICE_MAX_TENSORS * sizeof(*dev->chip_tensors));
    dev->map = cpu_depmap_new();
    if (!dev->chip_tensors || !dev->map) {
        cpu_close(dev);
        return error_nomem(err, "cpu device", DEVICE_MAX_TENSORS * sizeof(*dev->chip_tensors));
    }
    for (int i = 0; i < DEVICE_MAX_TENSORS; i++) {
        dev->chip_args.tensors[i] = &dev->chip_tensors[i];
    }
    *out = dev;
    return 0;
}

static int cpu_add_domain(struct device *dev, const struct device_domain *domain, uint64_t *ctx, struct error *err)
{
    if (domain->nranks > DEVICE_MAX_RANKS || domain->rank >= domain->nranks) {
        return error_set(err, NULL, "a domain has at most 64 members", "cpu device: rank %u of a domain of %u members",
                         domain->rank, domain->nranks);
    }
    if (array_reserve(&dev->domains, &dev->cap_domain, dev->ndomain, 1, sizeof(*dev->domains))) {
        return error_nomem(err, "cpu device", dev->ndomain * sizeof(*dev->domains));
    }
    struct domain_context *c = calloc(1, sizeof(*c));
    if (!c) {
        return error_nomem(err, "cpu device", sizeof(*c));
    }
    c->rank = domain->rank;
    c->nranks = domain->nranks;
    c->window_size = domain->window_nbytes;
    for (uint32_t i = 0; i < domain->nranks; i++) {
        c->windows_in[i] = c->windows_out[i] = (uint64_t)(uintptr_t)domain->windows[i];
    }
    dev->domains[dev->ndomain++] = c;
    *ctx = (uint64_t)(uintptr_t)c;
    return 0;
}

static void cpu_close(struct device *dev)
{
    if (!dev) {
        return;
    }
    pthread_mutex_lock(&dev->lock);
    const bool stuck = dev->nbusy > 0;
    pthread_mutex_unlock(&dev->lock);
    if (stuck) {
        return; /* kernels of a failed dispatch still use all this; the process is about to end */
    }
    cpu_threads_stop(dev);
    cpu_profile_free(dev);
    cpu_rings_free(dev);
    cpu_unload_programs(dev);
    cpu_pipes_free(dev);
    cpu_depmap_free(dev->map);
    for (uint32_t i = 0; i < dev->ndomain; i++) {
        free(dev->domains[i]);
    }
    free(dev->domains);
    free(dev->found);
    free(dev->ready);
    free(dev->chip_tensors);
    free(dev);
}

const struct device_ops device_cpu = {
    .name = "cpu",
    .open = cpu_open,
    .load_program = cpu_load_program,
    .add_domain = cpu_add_domain,
    .run = cpu_run,
    .save_profile = cpu_profile_save,
    .close = cpu_close,
    .running = cpu_kernel_running,
    .describe = cpu_describe,
};

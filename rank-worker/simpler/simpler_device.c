/*
 * device - the simpler device's table: an installed runtime of the stack runs the card. Open, domains and close.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/file.h"
#include "rank-worker/simpler/simpler_state.h"

enum { LIBRARY_MAX = 1 << 30, ALIGNMENT = 64 };

static void simpler_close(struct device *dev);

static void *zeroed(size_t nbytes, size_t alignment, struct error *err)
{
    void *memory = NULL;

    if (posix_memalign(&memory, alignment, nbytes) != 0) {
        error_nomem(err, "simpler device", nbytes);
        return NULL;
    }
    memset(memory, 0, nbytes);
    return memory;
}

/* What the runtime builds a run in stays where it is as long as the device lives. */
static int make_memory(struct device *dev, struct error *err)
{
    const struct simpler_library *lib = &dev->lib;
    const size_t nbytes = lib->get_runtime_size(), alignment = lib->get_runtime_alignment();

    if (nbytes == 0 || alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) {
        return error_set(err, dev->setup.host, NULL,
                         "the simpler runtime wants %zu bytes aligned to %zu for a run, which cannot be", nbytes,
                         alignment);
    }
    dev->storage = zeroed(nbytes, alignment, err);
    dev->args = dev->storage ? zeroed(lib->fill->args_nbytes, ALIGNMENT, err) : NULL;
    dev->config = dev->args ? zeroed(lib->fill->config_nbytes, ALIGNMENT, err) : NULL;
    dev->run = dev->config ? zeroed(lib->fill->run_nbytes, ALIGNMENT, err) : NULL;
    return dev->run ? 0 : -1;
}

static int fill_config(struct device *dev, const struct fill_config *config, struct error *err)
{
    char why[256];

    return dev->lib.fill->config(dev->config, config, why, sizeof why) == 0
               ? 0
               : error_set(err, "simpler device", NULL, "the runtime does not take these settings: %s", why);
}

/* Of --ring-task-window and its like: known from the start, so that the runtime can get ready for them. */
static int prewarm_config(struct device *dev, struct error *err)
{
    struct fill_config config = {.aicpu_thread_num = dev->setup.aicpu_thread_num};

    memcpy(config.task_window, dev->setup.task_window, sizeof config.task_window);
    memcpy(config.heap, dev->setup.heap, sizeof config.heap);
    memcpy(config.dep_pool, dev->setup.dep_pool, sizeof config.dep_pool);
    return fill_config(dev, &config, err);
}

static int init(struct device *dev, int device_id, struct error *err)
{
    const char *const paths[] = {dev->setup.aicpu, dev->setup.aicore, dev->setup.dispatcher};
    char *bytes[3] = {NULL, NULL, NULL}, text[400];
    size_t nbytes[3] = {0, 0, 0};
    int rc = prewarm_config(dev, err), code;

    for (int i = 0; rc == 0 && i < 3; i++) {
        bytes[i] = paths[i][0] ? file_read(paths[i], LIBRARY_MAX, &nbytes[i], err) : NULL;
        rc = paths[i][0] && !bytes[i] ? -1 : 0;
    }
    if (rc == 0) {
        code = dev->lib.simpler_init(dev->context, device_id, (uint8_t *)bytes[0], nbytes[0], (uint8_t *)bytes[1],
                                     nbytes[1], (uint8_t *)bytes[2], nbytes[2], dev->config);
        dev->opened = code == 0;
        rc = code == 0 ? 0
                       : error_set(err, "simpler device",
                                   "look at what the runtime says above; another process may hold the device, or it is "
                                   "not there: --device-ids names others",
                                   "device %d cannot be opened: simpler_init returned %s", device_id,
                                   simpler_code_text(&dev->lib, code, text, sizeof text));
    }
    for (int i = 0; i < 3; i++) {
        free(bytes[i]);
    }
    return rc;
}

static int simpler_open(struct device **out, const struct device_config *config, struct error *err)
{
    struct device *dev = calloc(1, sizeof *dev);

    if (!dev) {
        return error_nomem(err, "simpler device", sizeof *dev);
    }
    dev->setup = *config->setup;
    if (simpler_library_open(&dev->lib, &dev->setup, err) == 0) {
        dev->context = dev->lib.create_device_context();
        if (!dev->context) {
            error_set(err, dev->setup.host, NULL, "the simpler runtime makes no device context");
        } else if (make_memory(dev, err) == 0 && init(dev, config->device_id, err) == 0) {
            *out = dev;
            return 0;
        }
    }
    simpler_close(dev);
    return -1;
}

/* In a simulator, device memory is memory of this process: kernels use the windows where the segment has them. */
static int simpler_add_domain(struct device *dev, const struct device_domain *domain, uint64_t *ctx, struct error *err)
{
    void *context;
    char why[256];

    if (array_reserve(&dev->domains, &dev->cap_domain, dev->ndomain, 1, sizeof *dev->domains)) {
        return error_nomem(err, "simpler device", dev->ndomain * sizeof *dev->domains);
    }
    context = zeroed(dev->lib.fill->domain_nbytes, ALIGNMENT, err);
    if (!context) {
        return -1;
    }
    dev->domains[dev->ndomain++] = context;
    if (dev->lib.fill->domain(context, domain->rank, domain->nranks, domain->window_nbytes, domain->windows, why,
                              sizeof why) < 0) {
        return error_set(err, "simpler device", NULL, "a domain of %u members: %s", domain->nranks, why);
    }
    *ctx = (uint64_t)(uintptr_t)context;
    return 0;
}

/* Files are written by the runtime itself, into the directory of the dispatch. */
static uint32_t simpler_save_profile(struct device *dev)
{
    (void)dev;
    return 0;
}

static void simpler_close(struct device *dev)
{
    if (!dev) {
        return;
    }
    if (!dev->failed) { /* else threads of the runtime may still be in a run; the process is about to end */
        simpler_unload_programs(dev);
        if (dev->opened) {
            dev->lib.finalize_device(dev->context);
        }
        if (dev->context) {
            dev->lib.destroy_device_context(dev->context);
        }
        simpler_library_close(&dev->lib);
    }
    for (uint32_t i = 0; i < dev->ndomain; i++) {
        free(dev->domains[i]);
    }
    free(dev->domains);
    free(dev->storage);
    free(dev->args);
    free(dev->config);
    free(dev->run);
    free(dev);
}

static void simpler_describe(struct device *dev, char *buf, size_t size)
{
    const char *name = atomic_load(&dev->running);

    buf[0] = '\0';
    if (name) {
        snprintf(buf, size, "  program %s, in the simpler runtime\n", name);
    }
}

const struct device_ops device_simpler = {
    .name = "simpler",
    .open = simpler_open,
    .load_program = simpler_load_program,
    .add_domain = simpler_add_domain,
    .run = simpler_dispatch,
    .save_profile = simpler_save_profile,
    .close = simpler_close,
    .describe = simpler_describe,
};

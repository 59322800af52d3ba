/*
 * run - one dispatch: its arguments and settings in the runtime's structures, and the phases of a run.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "rank-worker/simpler/simpler_state.h"

static int fill_args(struct device *dev, const struct device_dispatch *d, struct error *err)
{
    struct fill_tensor tensors[DEVICE_MAX_TENSORS];
    char why[256];

    for (uint32_t i = 0; i < d->ntensor; i++) {
        const struct device_tensor *t = &d->tensors[i];

        tensors[i] =
            (struct fill_tensor){.addr = t->addr, .nbytes = t->nbytes, .dtype = (int32_t)t->dtype, .ndim = t->ndim};
        memcpy(tensors[i].shape, t->shape, sizeof tensors[i].shape);
        memcpy(tensors[i].stride, t->stride, sizeof tensors[i].stride);
    }
    return dev->lib.fill->args(dev->args, tensors, d->ntensor, d->scalars, d->nscalar, why, sizeof why) == 0
               ? 0
               : error_set(err, dev->programs[d->program].name, NULL,
                           "the simpler runtime does not take the arguments: %s", why);
}

static int fill_config(struct device *dev, const struct device_dispatch *d, struct error *err)
{
    const struct device_switches *s = &d->switches;
    const bool any = s->swimlane || s->dump_args || s->pmu || s->dep_gen || s->scope_stats;
    struct fill_config config = {.aicpu_thread_num = dev->setup.aicpu_thread_num,
                                 .swimlane = s->swimlane,
                                 .dump_args = s->dump_args,
                                 .pmu = s->pmu,
                                 .dep_gen = s->dep_gen,
                                 .scope_stats = s->scope_stats,
                                 .output_prefix = any ? s->dir : NULL};
    char why[256];

    memcpy(config.task_window, dev->setup.task_window, sizeof config.task_window);
    memcpy(config.heap, dev->setup.heap, sizeof config.heap);
    memcpy(config.dep_pool, dev->setup.dep_pool, sizeof config.dep_pool);
    return dev->lib.fill->config(dev->config, &config, why, sizeof why) == 0
               ? 0
               : error_set(err, dev->programs[d->program].name, NULL,
                           "the simpler runtime does not take the settings: %s", why);
}

/* Codes with a name are what an orchestration or kernel did; anything else is the runtime or the device. */
static int run_failed(struct device *dev, const char *name, const char *function, int code, struct error *err)
{
    const bool named = dev->lib.fill->error_name(-code)[0] != '\0';
    char text[400];

    dev->failed = true;
    return error_set_kind(err, named ? ERROR_FAIL : ERROR_INFRA, name, "look at what the runtime says above",
                          "program %s failed on the simpler runtime: %s returned %s", name, function,
                          simpler_code_text(&dev->lib, code, text, sizeof text));
}

/* From launch to the end on the device; what was prepared is always finalized. */
static int run_prepared(struct device *dev, const char *name, struct device_result *result, struct error *err)
{
    const struct simpler_library *lib = &dev->lib;
    const uint64_t begun = clock_now_ns();
    const char *function = "simpler_launch_run";
    int code = lib->simpler_launch_run(dev->context, dev->storage), last;

    if (code == 0) {
        function = "simpler_wait_run";
        code = lib->simpler_wait_run(dev->context, dev->storage);
    }
    result->device_ns = clock_now_ns() - begun;
    last = lib->simpler_finalize_run(dev->context, dev->storage);
    if (last != 0) { /* it has read the device's own status, which says more */
        function = "simpler_finalize_run";
        code = last;
    }
    return code == 0 ? 0 : run_failed(dev, name, function, code, err);
}

int simpler_dispatch(struct device *dev, const struct device_dispatch *dispatch, struct device_result *result,
                     struct error *err)
{
    const uint64_t begun = clock_now_ns();
    const char *name;
    char text[400];
    int code, rc;

    *result = (struct device_result){0};
    if (dispatch->program >= dev->nprogram || dev->failed) {
        return error_set(err, "simpler device", NULL,
                         dev->failed ? "a dispatch has failed, no other can run" : "a program that was not loaded");
    }
    name = dev->programs[dispatch->program].name;
    if (fill_args(dev, dispatch, err) < 0 || fill_config(dev, dispatch, err) < 0) {
        return -1;
    }
    dev->lib.fill->run(dev->run, ++dev->nrun);
    atomic_store(&dev->running, name);
    code = dev->lib.simpler_prepare_run(dev->context, dev->storage, (int32_t)dispatch->program, dev->args, dev->config,
                                        dev->run);
    if (code != 0) {
        dev->failed = true;
        rc = error_set(err, name, "look at what the runtime says above",
                       "the simpler runtime cannot prepare program %s: simpler_prepare_run returned %s", name,
                       simpler_code_text(&dev->lib, code, text, sizeof text));
    } else {
        rc = run_prepared(dev, name, result, err);
    }
    atomic_store(&dev->running, NULL);
    result->wall_ns = clock_now_ns() - begun;
    return rc;
}

/*
 * dispatch - one run of a program: its arguments, its orchestration, its tasks, its end.
 */
#include "rank-worker/cpu/dispatch.h"

#include <string.h>

#include "common/base/clock.h"
#include "rank-worker/cpu/depmap.h"
#include "rank-worker/cpu/memory.h"
#include "rank-worker/cpu/orch_api.h"
#include "rank-worker/cpu/profile/profile.h"
#include "rank-worker/cpu/threads.h"
#include "rank-worker/cpu/turns.h"

static void fill_tensor(struct l3r_tensor *to, const struct device_tensor *from)
{
    memset(to, 0, sizeof(*to));
    to->addr = (uint64_t)(uintptr_t)from->addr;
    to->size = from->nbytes;
    to->owner = L3R_NO_TASK;
    to->ndims = from->ndim;
    to->dtype = (uint8_t)from->dtype;
    to->contiguous = true;
    to->extent = 1;
    uint64_t expected = 1;
    for (uint32_t i = from->ndim; i-- > 0;) {
        to->shapes[i] = from->shape[i];
        to->strides[i] = from->stride[i];
        to->contiguous = to->contiguous && from->stride[i] == expected;
        to->extent += from->shape[i] ? (uint64_t)(from->shape[i] - 1) * from->stride[i] : 0;
        expected *= from->shape[i];
    }
}

static int fill_chip_args(struct device *dev, const struct device_dispatch *dispatch, struct error *err)
{
    struct l3r_chip_args *args = &dev->chip_args;
    if (dispatch->ntensor > DEVICE_MAX_TENSORS || dispatch->nscalar > DEVICE_MAX_SCALARS) {
        return error_set(err, dev->program->name, "a program takes 256 tensors and 128 scalars",
                         "a dispatch of program %s has %u tensors and %u scalars", dev->program->name,
                         dispatch->ntensor, dispatch->nscalar);
    }
    for (uint32_t i = 0; i < dispatch->ntensor; i++) {
        const struct device_tensor *t = &dispatch->tensors[i];
        if (t->ndim < 1 || t->ndim > DEVICE_MAX_DIMS || t->dtype >= DTYPE_FP8E4M3FN) {
            return error_set(
                err, dev->program->name, "the cpu device takes 1 to 5 dimensions, and no fp8, fp4 or fp64 elements",
                "program %s: tensor %u has %u dimensions of %s", dev->program->name, i, t->ndim, dtype_name(t->dtype));
        }
        fill_tensor(&dev->chip_tensors[i], t);
    }
    for (uint32_t i = 0; i < dispatch->nscalar; i++) {
        args->scalars[i] = dispatch->scalars[i];
    }
    args->tail.ntensor = (int32_t)dispatch->ntensor;
    args->tail.nscalar = (int32_t)dispatch->nscalar;
    return 0;
}

/* Ordering tokens make a dispatch longer than the program asks for, and may hide that one argument is missing:
 * so tensors and scalars are also counted on their own, where a signature says how many there should be. */
static int check_args(struct device *dev, struct error *err)
{
    const struct cpu_program *p = dev->program;
    const struct l3r_args_tail *tail = &dev->chip_args.tail;
    const int expected = p->config ? p->config(&dev->chip_args).expected_arg_count : 0;
    const char *hint = "host_orch.py (L3) or the parameters (L2) must be what the program's orchestration reads; "
                       "compile the build again";
    if (tail->ntensor + tail->nscalar < expected) {
        return error_set(err, p->name, hint, "program %s expects %d arguments and gets %d (%d tensors, %d scalars)",
                         p->name, expected, tail->ntensor + tail->nscalar, tail->ntensor, tail->nscalar);
    }
    /* The compiler's signatures list tensors alone: what else the program expects are scalars. */
    const int nscalar = p->nscalar > expected - p->ntensor ? p->nscalar : expected - p->ntensor;
    if (p->checked && (tail->ntensor < p->ntensor || tail->nscalar < nscalar)) {
        return error_set(err, p->name, hint, "program %s needs %d tensors and %d scalars and gets %d and %d", p->name,
                         p->ntensor, nscalar, tail->ntensor, tail->nscalar);
    }
    return 0;
}

static void begin(struct device *dev)
{
    cpu_rings_reset(dev);
    cpu_depmap_reset(dev->map);
    dev->depth = -1;
    dev->manual_depth = -1;
    dev->nsubmit = 0;
    dev->ntask = 0;
    dev->out_of_memory = false;
    dev->nqueued = 0;
    dev->nready = 0;
    dev->nunfinished = 0;
    dev->limit = dev->config.ncores;
    dev->first_start_ns = 0;
    dev->turns_lost = 0;
    for (int c = 0; c < CPU_CLUSTERS; c++) {
        dev->clusters[c].epoch++;
    }
}

static void orchestrate(struct device *dev)
{
    cpu_current = dev;
    dev->orchestrating = true;
    cpu_open_scope(dev, L3R_SCOPE_AUTO, NULL, 0);
    if (setjmp(dev->leave) == 0) {
        dev->program->entry(&dev->chip_args);
    }
    while (dev->depth >= 0) {
        cpu_close_scope(dev);
    }
    dev->orchestrating = false;
    cpu_current = NULL;
}

static int fatal_error(struct device *dev, struct error *err)
{
    const char *hint = dev->out_of_memory ? "run fewer cards on this host"
                       : dev->refused     ? "raise the limit on processes (ulimit -u, pids of the cgroup) or memory"
                                      : "look at the program's orchestration, and at the arguments of this dispatch";
    const enum error_kind kind = dev->out_of_memory || dev->refused ? ERROR_INFRA : ERROR_FAIL;
    if (dev->fatal_code) {
        return error_set_kind(err, kind, dev->program->name, hint,
                              "the orchestration of program %s gave up: code %d, %s", dev->program->name,
                              dev->fatal_code, dev->fatal_text);
    }
    return error_set_kind(err, kind, dev->program->name, hint, "program %s: %s", dev->program->name, dev->fatal_text);
}

int cpu_run(struct device *dev, const struct device_dispatch *dispatch, struct device_result *result, struct error *err)
{
    if (dispatch->program >= dev->nprogram) {
        return error_set(err, NULL, NULL, "cpu device: no program %u is loaded", dispatch->program);
    }
    if (dev->fatal) {
        return error_set(err, NULL, NULL, "cpu device: a dispatch has failed, no other can run");
    }
    if (cpu_profile_begin(dev, &dispatch->switches, err)) {
        return -1;
    }
    const uint64_t start = clock_now_ns();
    dev->program = &dev->programs[dispatch->program];
    if (fill_chip_args(dev, dispatch, err) || check_args(dev, err)) {
        return -1;
    }
    pthread_mutex_lock(&dev->lock);
    begin(dev);
    pthread_mutex_unlock(&dev->lock);
    cpu_turn_device(dev->config.free_threads ? NULL : dev);
    orchestrate(dev);
    const uint64_t orchestrated = clock_now_ns();
    pthread_mutex_lock(&dev->lock);
    cpu_run_all(dev);
    const bool failed = dev->fatal;
    pthread_mutex_unlock(&dev->lock);
    cpu_turn_device(NULL);
    const uint64_t end = clock_now_ns();
    if (failed && dev->profile) {
        cpu_profile_fail(dev);
    }
    if (failed) {
        return fatal_error(dev, err);
    }
    if (dev->profile) {
        cpu_profile_end(dev);
    }
    *result = (struct device_result){
        .wall_ns = end - start,
        .orch_ns = orchestrated - start,
        .device_ns = dev->first_start_ns ? end - dev->first_start_ns : 0,
        .ntasks = dev->ntask,
        .turns_lost = dev->turns_lost,
    };
    return 0;
}

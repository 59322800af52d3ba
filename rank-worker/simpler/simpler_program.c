/*
 * program - the bytes of an orchestration and its kernels, handed to the runtime under an id.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "rank-worker/simpler/simpler_state.h"

enum { OBJECT_MAX = 1 << 30 };

static int read_kernels(const struct device_program *p, struct fill_kernel *kernels, struct error *err)
{
    for (uint32_t i = 0; i < p->nkernel; i++) {
        size_t nbytes;
        char *bytes = file_read(p->kernels[i].path, OBJECT_MAX, &nbytes, err);

        if (!bytes) {
            return -1;
        }
        kernels[i] = (struct fill_kernel){.func_id = p->kernels[i].func_id, .binary = bytes, .nbytes = nbytes};
    }
    return 0;
}

static void free_kernels(struct fill_kernel *kernels, uint32_t count)
{
    for (uint32_t i = 0; kernels && i < count; i++) {
        free((void *)(uintptr_t)kernels[i].binary);
    }
    free(kernels);
}

/* NULL with `err` filled. */
static void *make_callable(const struct device *dev, const struct device_program *p, struct error *err)
{
    struct fill_kernel *kernels = calloc(p->nkernel + 1u, sizeof *kernels);
    size_t nbytes;
    char *orchestration = file_read(p->orchestration, OBJECT_MAX, &nbytes, err), why[256];
    void *callable = NULL;

    if (!kernels) {
        error_nomem(err, p->name, p->nkernel * sizeof *kernels);
    } else if (orchestration && read_kernels(p, kernels, err) == 0) {
        const struct fill_program program = {.signature = p->signature,
                                             .nsignature = p->nsignature > 0 ? (uint32_t)p->nsignature : 0,
                                             .function_name = p->function_name,
                                             .config_name = p->config_name,
                                             .binary = orchestration,
                                             .nbytes = nbytes,
                                             .kernels = kernels,
                                             .nkernel = p->nkernel};

        if (dev->lib.fill->callable(&program, &callable, why, sizeof why) < 0) {
            error_set(err, p->name, NULL, "the simpler runtime does not take program %s: %s", p->name, why);
        }
    }
    free_kernels(kernels, p->nkernel);
    free(orchestration);
    return callable;
}

int simpler_load_program(struct device *dev, const struct device_program *program, uint32_t *id, struct error *err)
{
    struct simpler_program *p = &dev->programs[dev->nprogram];
    char text[400];
    int code;

    if (dev->nprogram == SIMPLER_MAX_PROGRAMS) {
        return error_set(err, program->name, "replay it on the cpu device: --device cpu",
                         "a card uses more than the %d programs that the simpler runtime takes", SIMPLER_MAX_PROGRAMS);
    }
    p->name = strdup(program->name);
    if (!p->name) {
        return error_nomem(err, program->name, strlen(program->name));
    }
    dev->nprogram++;
    p->callable = make_callable(dev, program, err);
    if (!p->callable) {
        return -1;
    }
    code = dev->lib.simpler_register_callable(dev->context, (int32_t)(p - dev->programs), p->callable);
    if (code != 0) {
        return error_set(err, program->name, "look at what the runtime says above",
                         "the simpler runtime does not load program %s: simpler_register_callable returned %s",
                         program->name, simpler_code_text(&dev->lib, code, text, sizeof text));
    }
    p->registered = true;
    *id = (uint32_t)(p - dev->programs);
    return 0;
}

void simpler_unload_programs(struct device *dev)
{
    for (uint32_t i = 0; i < dev->nprogram; i++) {
        struct simpler_program *p = &dev->programs[i];

        if (p->registered) {
            dev->lib.simpler_unregister_callable(dev->context, (int32_t)i);
        }
        free(p->callable);
        free(p->name);
    }
    dev->nprogram = 0;
}

/*
 * program - shared objects of orchestrations and kernels, loaded and looked up.
 */
#include "rank-worker/cpu/cpu_program.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/plan/program_table.h"

static void unload(struct cpu_program *p)
{
    for (uint32_t i = 0; p->kernels && i < p->nkernel; i++) {
        free(p->kernels[i].name);
        if (p->kernels[i].handle) {
            dlclose(p->kernels[i].handle);
        }
    }
    free(p->kernels);
    free(p->name);
    if (p->handle) {
        dlclose(p->handle);
    }
    memset(p, 0, sizeof(*p));
}

void cpu_unload_programs(struct device *dev)
{
    for (uint32_t i = 0; i < dev->nprogram; i++) {
        unload(&dev->programs[i]);
    }
    free(dev->programs);
    dev->programs = NULL;
    dev->nprogram = 0;
}

/* Objects of all programs define the same symbols, so each keeps its own to itself. */
static int open_object(const char *program, const char *path, void **handle, struct error *err)
{
    *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        return error_set(err, path, "compile the program again", "program %s: its shared object cannot be loaded: %s",
                         program, dlerror());
    }
    return 0;
}

static int load_orchestration(struct cpu_program *p, const struct device_program *from, struct error *err)
{
    if (open_object(from->name, from->orchestration, &p->handle, err)) {
        return -1;
    }
    *(void **)&p->entry = dlsym(p->handle, from->function_name);
    if (!p->entry) {
        return error_set(err, from->orchestration, "check function_name in kernel_config.py",
                         "program %s: the orchestration does not define %s", from->name, from->function_name);
    }
    *(void **)&p->config = dlsym(p->handle, from->config_name);
    return 0;
}

static int by_func_id(const void *a, const void *b)
{
    const struct cpu_kernel *x = a, *y = b;
    return (x->func_id > y->func_id) - (x->func_id < y->func_id);
}

static int load_kernels(struct cpu_program *p, const struct device_program *from, struct error *err)
{
    p->kernels = calloc(from->nkernel ? from->nkernel : 1, sizeof(*p->kernels));
    if (!p->kernels) {
        return error_nomem(err, from->name, from->nkernel * sizeof(*p->kernels));
    }
    p->nkernel = from->nkernel;
    for (uint32_t i = 0; i < from->nkernel; i++) {
        struct cpu_kernel *k = &p->kernels[i];
        k->func_id = from->kernels[i].func_id;
        k->name = strdup(from->kernels[i].name ? from->kernels[i].name : "?");
        if (!k->name) {
            return error_nomem(err, from->name, sizeof(*k));
        }
        if (open_object(from->name, from->kernels[i].path, &k->handle, err)) {
            return -1;
        }
        *(void **)&k->fn = dlsym(k->handle, "kernel_entry");
        if (!k->fn) {
            return error_set(err, from->kernels[i].path, "a kernel exports extern \"C\" void kernel_entry(int64_t *)",
                             "program %s: kernel %s does not define kernel_entry", from->name, k->name);
        }
    }
    qsort(p->kernels, p->nkernel, sizeof(*p->kernels), by_func_id);
    for (uint32_t i = 1; i < p->nkernel; i++) {
        if (p->kernels[i].func_id == p->kernels[i - 1].func_id) {
            return error_set(err, from->name, "give each kernel in kernel_config.py a func_id of its own",
                             "program %s: kernels %s and %s have the same func_id %d", from->name,
                             p->kernels[i - 1].name, p->kernels[i].name, p->kernels[i].func_id);
        }
    }
    return 0;
}

int cpu_load_program(struct device *dev, const struct device_program *program, uint32_t *id, struct error *err)
{
    if (array_reserve(&dev->programs, &dev->cap_program, dev->nprogram, 1, sizeof(*dev->programs))) {
        return error_nomem(err, program->name, dev->nprogram * sizeof(*dev->programs));
    }
    struct cpu_program p = {.checked = program->nsignature >= 0};
    for (int32_t i = 0; i < program->nsignature; i++) {
        if (program->signature[i] == ARG_SCALAR) {
            p.nscalar++;
        } else {
            p.ntensor++;
        }
    }
    p.name = strdup(program->name);
    if (!p.name) {
        return error_nomem(err, program->name, strlen(program->name) + 1);
    }
    if (load_orchestration(&p, program, err) || load_kernels(&p, program, err)) {
        unload(&p);
        return -1;
    }
    dev->programs[dev->nprogram] = p;
    *id = dev->nprogram++;
    return 0;
}

const struct cpu_kernel *cpu_find_kernel(const struct cpu_program *program, int32_t func_id)
{
    /* func_ids are dense from 0 in all generated programs */
    if (func_id >= 0 && (uint32_t)func_id < program->nkernel && program->kernels[func_id].func_id == func_id) {
        return &program->kernels[func_id];
    }
    const struct cpu_kernel key = {.func_id = func_id};
    return bsearch(&key, program->kernels, program->nkernel, sizeof(key), by_func_id);
}

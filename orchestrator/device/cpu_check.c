#include "orchestrator/device/cpu_check.h"

#include <string.h>

#include "rank-worker/compile/scan.h"

static const char hint[] = "take the feature out of the program and compile again";

static int check_kernel(const struct program *program, const struct kernel *kernel, struct error *err)
{
    struct scan scan;
    int rc;

    if (scan_source(kernel->source, kernel->include_dirs, kernel->ninclude, &scan, err) < 0) {
        return -1;
    }
    rc = scan.async ? error_set(err, kernel->source, hint,
                                "kernel %s of program %s uses deferred completion (it includes %s), which the cpu "
                                "device does not have",
                                kernel->name, program->name, scan.async)
                    : 0;
    scan_free(&scan);
    return rc;
}

int cpu_check_programs(const struct program_table *programs, const bool *wanted, struct error *err)
{
    for (size_t i = 0; i < programs->count; i++) {
        const struct program *program = &programs->items[i];
        if (wanted && !wanted[i]) {
            continue;
        }
        if (program->enable_sdma) {
            return error_set(err, program->dir, hint,
                             "program %s asks for the SDMA engine (enable_sdma), which the cpu device does not have",
                             program->name);
        }
        if (program->runtime && strcmp(program->runtime, "tensormap_and_ringbuffer") != 0) {
            return error_set(err, program->dir, hint,
                             "program %s is made for the runtime %s; the cpu device runs tensormap_and_ringbuffer only",
                             program->name, program->runtime);
        }
        for (size_t k = 0; k < program->nkernel; k++) {
            if (check_kernel(program, &program->kernels[k], err) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static bool is_unsupported(uint8_t dtype)
{
    return dtype == DTYPE_FP8E4M3FN || dtype == DTYPE_FP8E8M0 || dtype == DTYPE_FP4E2M1;
}

int cpu_check_plan(const struct plan *plan, const struct program_table *programs, struct error *err)
{
    char label[256];

    for (uint32_t n = 0; n < plan->nnode; n++) {
        const struct plan_node *node = &plan->nodes[n];
        if (node->kind != PLAN_DISPATCH || program_find(programs, plan_text(plan, plan->programs[node->program])) < 0) {
            continue;
        }
        for (uint32_t i = 0; i < node->narg; i++) {
            uint8_t dtype = plan->views[plan->args[node->first_arg + i].view].dtype;
            if (is_unsupported(dtype)) {
                return error_set(err, plan_node_label(plan, n, label, sizeof label), hint,
                                 "argument %u of program %s is %s, which the cpu device does not have", i,
                                 plan_text(plan, plan->programs[node->program]), dtype_name((enum dtype)dtype));
            }
        }
    }
    return 0;
}

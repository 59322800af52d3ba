/*
 * cpu_program - loading the objects of programs.
 */
#ifndef L3R_CPU_PROGRAM_H
#define L3R_CPU_PROGRAM_H

#include "rank-worker/cpu/state/device_state.h"

int cpu_load_program(struct device *dev, const struct device_program *program, uint32_t *id, struct error *err);
void cpu_unload_programs(struct device *dev);
const struct cpu_kernel *cpu_find_kernel(const struct cpu_program *program, int32_t func_id);

#endif

/*
 * hooks - memory that PTO-ISA's pipes get (docs/formats.md, "Hooks of PTO-ISA").
 */
#ifndef L3R_CPU_HOOKS_H
#define L3R_CPU_HOOKS_H

#include "rank-worker/cpu/state/device_state.h"

void cpu_pipes_free(struct device *dev);

#endif

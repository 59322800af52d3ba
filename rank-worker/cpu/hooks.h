/*
 * hooks - functions that PTO-ISA's headers look up in the executor by name: memory of pipes, the lane's place, the lock of
 * atomic adds (docs/formats.md, "Hooks of PTO-ISA"). Only the memory has an end, which is here.
 */
#ifndef L3R_CPU_HOOKS_H
#define L3R_CPU_HOOKS_H

#include "rank-worker/cpu/state/device_state.h"

void cpu_pipes_free(struct device *dev);

#endif

/*
 * memory - tasks and outputs of a dispatch, in rings of which the oldest are freed first.
 *
 * NULL or false with the fatal state set (fatal.h) when memory is out.
 */
#ifndef L3R_CPU_MEMORY_H
#define L3R_CPU_MEMORY_H

#include "rank-worker/cpu/state/device_state.h"

void cpu_rings_reset(struct device *dev);
void cpu_rings_free(struct device *dev);
struct task *cpu_ring_task(struct device *dev, uint64_t id); /* NULL: retired long ago, or never there */
struct task *cpu_new_task(struct device *dev, uint32_t ntensor, uint32_t nscalar, uint32_t nfanin);
void *cpu_heap_alloc(struct device *dev, uint64_t size);
void cpu_window_wait(struct device *dev);

#endif

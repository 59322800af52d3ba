/*
 * sched - which task runs next, on which lanes, and what follows from its end. All under the lock.
 */
#ifndef L3R_CPU_SCHED_H
#define L3R_CPU_SCHED_H

#include "rank-worker/cpu/state/device_state.h"

bool cpu_ready_reserve(struct device *dev, uint32_t ntask); /* room for so many; false: no memory */
void cpu_make_ready(struct device *dev, struct task *task);
void cpu_complete(struct device *dev, struct task *task);
/* Lanes that start together, or NULL: of the first task that fits, or of this one if it is ready and fits. */
struct lane *cpu_start_any(struct device *dev);
struct lane *cpu_start_task(struct device *dev, const struct task *task);
void cpu_finish_lane(struct device *dev, struct lane *lane);

#endif

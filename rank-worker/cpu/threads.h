/*
 * threads - who runs the lanes: the main thread and those of the pool.
 */
#ifndef L3R_CPU_THREADS_H
#define L3R_CPU_THREADS_H

#include "rank-worker/cpu/state/device_state.h"

/* Set up and take down all that is in `dev` for threads. */
int cpu_threads_init(struct device *dev, struct error *err);
void cpu_threads_stop(struct device *dev);

/* Under the lock: run all that is unfinished; wait until `task` is done, and (`consumers`) all that depends on it. */
void cpu_run_all(struct device *dev);
void cpu_wait_task(struct device *dev, struct task *task, bool consumers);

#endif

/*
 * pool - the device's threads: made, parked, woken. All under the lock.
 *
 * What a thread does is `dev->serve`; the monitor's body is `dev->watch`. Both are set before the first call.
 */
#ifndef L3R_CPU_POOL_H
#define L3R_CPU_POOL_H

#include "rank-worker/cpu/state/device_state.h"

/* `n` parked threads beyond the reserved ones: 0, or the errno with which the system refused. */
int cpu_pool_spare(struct device *dev, int n);

bool cpu_pool_look(struct device *dev);                   /* one more looks for a lane; false: none is to be had */
void cpu_pool_run(struct device *dev, struct lane *lane); /* on a thread that was reserved for it */

/* A thread waits for work until it is woken or the device is closed. */
void cpu_pool_park(struct device *dev, struct thread *self);
void cpu_pool_wait(struct device *dev,
                   struct thread *self); /* the same for one that is not in the list of parked ones */
void cpu_pool_wake(struct thread *t, struct lane *lane);

/* The monitor ticks from now on, as long as it finds a reason. */
void cpu_pool_arm_monitor(struct device *dev);

#endif

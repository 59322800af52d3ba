/*
 * monitor - a thread that looks at a dispatch every 2 ms: it takes the turn from a lane that waits without a call (turns.h), and
 * starts task threads when all are in kernels that wait (threads.h).
 */
#ifndef L3R_CPU_MONITOR_H
#define L3R_CPU_MONITOR_H

#include "rank-worker/cpu/state/device_state.h"

/* Body of the monitor's thread; `arg` is the device. */
void *cpu_monitor_thread(void *arg);

#endif

/*
 * monitor - helps a dispatch on when nothing moves.
 */
#ifndef L3R_CPU_MONITOR_H
#define L3R_CPU_MONITOR_H

#include "rank-worker/cpu/state/device_state.h"

/* Body of the monitor's thread; `arg` is the device. */
void *cpu_monitor_thread(void *arg);

#endif

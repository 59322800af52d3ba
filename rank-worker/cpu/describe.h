/*
 * describe - what runs on the card, in words, for the report of a hang.
 */
#ifndef L3R_CPU_DESCRIBE_H
#define L3R_CPU_DESCRIBE_H

#include "rank-worker/cpu/state/device_state.h"

/* device_ops.describe: a line for each block of a task that runs, in the order of the lanes:
 * "task 0 (up_matmul+up_relu, block 0): aic in pthread_mutex_lock for 5.0 s, aiv0 computing for 2.0 s, aiv1 ended". */
void cpu_describe(struct device *dev, char *buf, size_t size);

#endif

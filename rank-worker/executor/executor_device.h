/*
 * executor_device - which device the executor's cards run on.
 *
 * A file of its own, so that an executor with another device (a test's) is linked from the rest as it is.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_EXECUTOR_DEVICE_H
#define L3R_RANK_WORKER_EXECUTOR_EXECUTOR_DEVICE_H

#include "rank-worker/device.h"

/* Of every card; constant. */
const struct device_ops *executor_device(void);

#endif

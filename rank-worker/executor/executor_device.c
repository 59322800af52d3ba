#include "rank-worker/executor/executor_device.h"

/* Compiled once for each executor: rank-worker/CMakeLists.txt */
#ifndef L3R_EXECUTOR_DEVICE
#define L3R_EXECUTOR_DEVICE device_cpu
#endif

const struct device_ops *executor_device(void)
{
    return &L3R_EXECUTOR_DEVICE;
}

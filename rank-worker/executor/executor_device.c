#include "rank-worker/executor/executor_device.h"

const struct device_ops *executor_device(void)
{
    return &device_cpu;
}

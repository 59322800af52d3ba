/*
 * dispatch - one run of a program (device_ops.run).
 */
#ifndef L3R_CPU_DISPATCH_H
#define L3R_CPU_DISPATCH_H

#include "rank-worker/cpu/state/device_state.h"

int cpu_run(struct device *dev, const struct device_dispatch *dispatch, struct device_result *result,
            struct error *err);

#endif

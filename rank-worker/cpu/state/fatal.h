/*
 * fatal - a dispatch cannot go on: the first reason is kept, and cpu_run() reports it.
 */
#ifndef L3R_CPU_FATAL_H
#define L3R_CPU_FATAL_H

#include "rank-worker/cpu/state/device_state.h"

/* Under the lock. `code`: of the orchestration (pto_runtime_status.h), 0 for others. */
void cpu_fatal(struct device *dev, int32_t code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void cpu_fatal_text(struct device *dev, int32_t code, const char *text);

#endif

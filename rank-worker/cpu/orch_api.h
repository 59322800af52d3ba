/*
 * orch_api - what orchestrations call but submits (l3r_abi.h), and the scopes of a dispatch.
 */
#ifndef L3R_CPU_ORCH_API_H
#define L3R_CPU_ORCH_API_H

#include "rank-worker/cpu/state/device_state.h"

extern struct device *cpu_current; /* whose orchestration is running; NULL: none */

/* `file` and `line` say where the source opens it; NULL: the scope around the orchestration. */
void cpu_open_scope(struct device *dev, int mode, const char *file, int line);
void cpu_close_scope(struct device *dev);

#endif

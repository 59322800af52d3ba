/*
 * pto_runtime2_types - sizes of the runtime that orchestrations may name.
 */
#ifndef L3R_PTO_RUNTIME2_TYPES_H
#define L3R_PTO_RUNTIME2_TYPES_H

#include "pto_constants.h"
#include "pto_runtime_status.h"
#include "pto_types.h"

#define PTO2_TASK_WINDOW_SIZE 16384
#define PTO2_MAX_RING_DEPTH 4
#define CHIP_MAX_RING_DEPTH PTO2_MAX_RING_DEPTH /* its name since August 2026 */
#define PTO2_HEAP_SIZE (256 * 1024 * 1024)
#define PTO2_DEP_LIST_POOL_SIZE 16384
#define PTO2_TENSORMAP_POOL_SIZE 65536
#define PTO2_MAX_SCOPE_DEPTH 64
#define PTO2_FANIN_INLINE_CAP 64
#define PTO2_DEP_DEGREE_DEBUG_THRESHOLD 16

#endif

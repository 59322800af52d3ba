/*
 * perf - counters of the processor for the calling thread, where the kernel gives them (perf_event_open).
 */
#ifndef L3R_COMMON_BASE_PERF_H
#define L3R_COMMON_BASE_PERF_H

#include <stdbool.h>
#include <stdint.h>

/* Open event `config` of `type` (PERF_TYPE_...), user space only, as a member of the group of descriptor `leader`, or
 * as a leader (-1) whose read gives {u64 count; u64 values[count]}. The descriptor, or -1 with errno. */
int perf_open(uint32_t type, uint64_t config, int leader);

/* Can this thread count processor cycles? */
bool perf_has_cycles(void);

#endif

/*
 * kernel_call - the kernel that the calling thread runs.
 */
#ifndef L3R_CPU_KERNEL_CALL_H
#define L3R_CPU_KERNEL_CALL_H

#include "rank-worker/cpu/state/device_state.h"

void cpu_call_kernel(struct lane *lane);
bool cpu_in_kernel(void);

/* The lane whose kernel the calling thread runs; NULL: none. */
struct lane *cpu_lane_running(void);

/* device_ops.running: "kernel k of program p (task 3, block 0 of 2, aiv0)"; tasks are
 * counted from 0 in the order of their submits, as in profiles. */
bool cpu_kernel_running(char *buf, size_t size);

/* What a kernel called has come into the device: its lane, if that takes turns, else NULL. Until cpu_lane_return() the
 * calling thread counts as none of a kernel. */
struct lane *cpu_lane_enter(void);
void cpu_lane_return(struct lane *lane);

/* The kernel of the calling thread, if there is one, waits in the function `call` (for a moment, or in a loop): the
 * monitor and the report of a hang are to know. Returns what cpu_lane_goes_on() gets when it has returned; NULL: nobody. */
struct lane *cpu_lane_waits(const char *call);
void cpu_lane_goes_on(struct lane *lane);

#endif

/*
 * lane_call - what the kernel of a lane is in, for the report of a hang.
 *
 * Functions in which a kernel can block (waits.c) note their name and the time here before they block and when they
 * return. Only the lane's thread writes; others may read at any time.
 */
#ifndef L3R_CPU_LANE_CALL_H
#define L3R_CPU_LANE_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Times are nanoseconds of CLOCK_MONOTONIC_COARSE, which costs a fifth of the exact clock and is some ms behind. */
struct lane_call {
    _Atomic uint64_t begun_ns;   /* the kernel began; 0: not yet */
    _Atomic(const char *) name;  /* of the last call that blocked; NULL: there was none */
    _Atomic uint64_t first_ns;   /* that call's begin, or of the first one of a row of calls of this name */
    _Atomic uint64_t changed_ns; /* begin of the call, when it is `inside`; else its end */
    _Atomic uint32_t count;      /* calls in that row */
    _Atomic bool inside;
};

uint64_t lane_call_now_ns(void);

void lane_call_reset(struct lane_call *call);
void lane_call_begin(struct lane_call *call); /* the kernel begins */

/* Around a call; `name` is a string constant. A call within another one changes nothing. Returns whether it was noted:
 * lane_call_leave() is for those. */
bool lane_call_enter(struct lane_call *call, const char *name);
void lane_call_leave(struct lane_call *call);

#endif

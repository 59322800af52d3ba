/*
 * order - what process 0 tells the other processes to do next: before, during and after preparation and the run, until
 * ORDER_LEAVE.
 */
#ifndef L3R_ORCHESTRATOR_RUN_ORDER_H
#define L3R_ORCHESTRATOR_RUN_ORDER_H

#include <stdint.h>

#include "orchestrator/run/events.h"

enum { ORDER_CLOCK_MAX = 96 };

enum order_kind {
    ORDER_LEAVE = 0, /* there is nothing to run */
    ORDER_COMPILE,   /* `nbytes` of program records follow: compile them, then wait for the next order */
    ORDER_RUN,       /* map the segment and start your executors */
    ORDER_CLOCKS,    /* tell `round` and the identity of your clock; when it is not `clock`, answer with its time */
};

struct order {
    int32_t kind; /* enum order_kind */
    int32_t pid, segment_fd;
    uint32_t nbytes;
    uint32_t round;
    char clock[ORDER_CLOCK_MAX]; /* process 0's (job_clocks.h) */
    char platform[32];
    char endpoint[EVENTS_ENDPOINT_MAX];
};

#endif

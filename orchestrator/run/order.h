/*
 * order - what process 0 tells the other processes to do next, before and after preparation.
 */
#ifndef L3R_ORCHESTRATOR_RUN_ORDER_H
#define L3R_ORCHESTRATOR_RUN_ORDER_H

#include <stdint.h>

#include "orchestrator/run/events.h"
#include "orchestrator/run/gather.h"

enum order_kind {
    ORDER_LEAVE = 0, /* there is nothing more to do */
    ORDER_COMPILE,   /* `nbytes` of program records follow: compile them, then wait for the next order */
    ORDER_RUN,       /* a pass: map the segment and connect (the first time), start your executors and watch them
                      * until EVENT_FINISH, then wait for the next order */
};

struct order {
    int32_t kind; /* enum order_kind */
    int32_t pid, segment_fd; /* where the segment is */
    uint32_t nbytes;
    char platform[32];
    /* In the first ORDER_RUN; they last for all passes. */
    char endpoint[EVENTS_ENDPOINT_MAX];
    char token[GATHER_TOKEN]; /* gather.h; "": no profiles are wanted */
};

#endif

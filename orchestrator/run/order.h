/*
 * order - what process 0 tells the other processes to do next, before and after preparation.
 */
#ifndef L3R_ORCHESTRATOR_RUN_ORDER_H
#define L3R_ORCHESTRATOR_RUN_ORDER_H

#include <stdint.h>

#include "orchestrator/run/events.h"
#include "orchestrator/run/gather.h"

enum order_kind {
    ORDER_LEAVE = 0, /* there is nothing to run */
    ORDER_COMPILE,   /* `nbytes` of program records follow: compile them, then wait for the next order */
    ORDER_RUN,       /* map the segment and start your executors */
};

struct order {
    int32_t kind; /* enum order_kind */
    int32_t pid, segment_fd;
    uint32_t nbytes;
    char platform[32];
    char endpoint[EVENTS_ENDPOINT_MAX];
    char token[GATHER_TOKEN]; /* gather.h; "": no profiles are wanted */
};

#endif

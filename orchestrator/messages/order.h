/*
 * order - what process 0 orders the other processes to do next: before, during and after preparation and the run, until
 * ORDER_LEAVE.
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_ORDER_H
#define L3R_ORCHESTRATOR_MESSAGES_ORDER_H

#include <stdint.h>

#include "orchestrator/messages/events.h"

enum { ORDER_CLOCK_MAX = 96, ORDER_TOKEN_MAX = 40 };

enum order_kind {
    ORDER_LEAVE = 0, /* there is nothing more to do */
    ORDER_COMPILE,   /* `nbytes` of program records follow: compile them, then wait for the next order */
    ORDER_RUN,       /* a pass: map the segment and connect (the first time), start your executors and watch them
                      * until EVENT_FINISH, then wait for the next order */
    ORDER_GATHER,    /* send what profiles of the pass you have not sent yet */
    ORDER_CLOCKS,    /* send `round` and the identity of your clock; when it is not `clock`, answer with its time */
};

struct order {
    int32_t kind; /* enum order_kind */
    union {
        struct { /* ORDER_COMPILE */
            uint32_t nbytes;
            int32_t limit_s;   /* for one run of a compiler; 0: the default */
            int32_t no_ccache; /* 1: not through ccache, 0: where it is installed */
            char platform[32];
        };
        struct {                     /* ORDER_RUN; the last two are those of the first, and last for all passes */
            int32_t pid, segment_fd; /* where the segment's plan part is */
            struct events_address events;
            char token[ORDER_TOKEN_MAX]; /* gather.h; "": no profiles are wanted */
        };
        struct { /* ORDER_CLOCKS */
            uint32_t round;
            char clock[ORDER_CLOCK_MAX]; /* process 0's (job_clocks.h) */
        };
    };
};

/* What is longer, Open MPI sends within a host only when the receiver looks: one that hangs would hold up process 0. */
_Static_assert(sizeof(struct order) <= 240, "orders are short");

#endif

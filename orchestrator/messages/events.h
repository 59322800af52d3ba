/*
 * events - short messages between process 0 and the others while a plan runs.
 *
 * libzmq, because its sockets have descriptors to wait on, which MPI's
 * messages have not. The endpoint has no name in any file system. Messages of
 * one process arrive in the order sent.
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_EVENTS_H
#define L3R_ORCHESTRATOR_MESSAGES_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

enum { EVENTS_ENDPOINT_MAX = 96 };

enum event_kind {
    EVENT_HELLO = 0, /* to process 0, in each pass: I am connected and can receive events; `nbytes` 1: I shall send
                      * profiles */
    EVENT_DONE,      /* to process 0: all my lanes were walked to their ends */
    EVENT_FAILED,    /* to process 0: one of my lanes failed; `error` says why. My executors may still run */
    EVENT_STOPPED,   /* to process 0: I have killed my executors, as ordered or after a signal */
    EVENT_PARCEL,    /* to process 0: a parcel of `nbytes` is on its way (gather.h) */
    EVENT_GATHERED,  /* to process 0: I have sent all my profiles */
    EVENT_STOP,      /* from process 0: kill your executors */
    EVENT_FINISH,    /* from process 0: the pass is over, nobody runs; wait for its next order */
};

struct event {
    uint32_t kind; /* enum event_kind */
    uint32_t rank; /* who it is from, or (sending from process 0) to */
    uint64_t nbytes;
    struct error error;
};

struct events;

/* Process 0: make an endpoint and write its name to `endpoint` (EVENTS_ENDPOINT_MAX). */
int events_serve(struct events **out, char *endpoint, struct error *err);

/* The others. */
int events_connect(struct events **out, const char *endpoint, uint32_t rank, struct error *err);

/* Becomes readable when something may have arrived. Edge-triggered: read until events_next() says false. */
int events_fd(const struct events *e);

int events_send(struct events *e, const struct event *event, struct error *err);

/* Take the next message, if there is one; never blocks. */
bool events_next(struct events *e, struct event *event);

void events_close(struct events *e); /* sends what is still to be sent, for at most 500 ms; NULL is fine */

#endif

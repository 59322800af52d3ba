/*
 * events - short messages between process 0 and the others while a plan runs.
 *
 * libzmq, because its sockets have descriptors to wait on, which MPI's
 * messages have not. Messages of one process arrive in the order sent.
 *
 * Only processes of the job are heard. The socket has its name in a private
 * directory, and only until all processes have connected; a message counts when
 * it has the secret of the job, which MPI hands out, comes from the connection
 * of the process that it names, and is newer than the last one of that process. What is none
 * is dropped and counted.
 */
#ifndef L3R_ORCHESTRATOR_MESSAGES_EVENTS_H
#define L3R_ORCHESTRATOR_MESSAGES_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

enum { EVENTS_ENDPOINT_MAX = 116, EVENTS_SECRET = 48 };

/* What a process must know to connect. MPI hands it to the job's processes; nobody else gets it. */
struct events_address {
    char endpoint[EVENTS_ENDPOINT_MAX];
    unsigned char secret[EVENTS_SECRET];
};

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

/* Process 0 of a job of `nprocess`: make an endpoint. What the others need goes to `address`. Its directory is made in
 * $TMPDIR, else in /tmp or /dev/shm, and removed when all others were heard, or by events_close(). */
int events_serve(struct events **out, uint32_t nprocess, struct events_address *address, struct error *err);

/* The others. */
int events_connect(struct events **out, const struct events_address *address, uint32_t rank, struct error *err);

/* Becomes readable when something may have arrived. Edge-triggered: read until events_next() says false. */
int events_fd(const struct events *e);

int events_send(struct events *e, const struct event *event, struct error *err);

/* Take the next message of the job, if there is one; never blocks. Looks at a bounded number of messages that are not of
 * the job: when these were all, it says false, and events_more() true. In process 0, `rank` of the event is that of one
 * of the others; elsewhere it is the caller's. */
bool events_next(struct events *e, struct event *event);

/* May there be messages that events_fd() does not report again? Then call events_next() after a short sleep, which leaves
 * time for other work while the socket is flooded. */
bool events_more(const struct events *e);

/* How many messages were not of the job, so far. */
uint64_t events_dropped(const struct events *e);

void events_close(struct events *e); /* sends what is still to be sent, for at most 500 ms; NULL is fine */

#endif

#include "orchestrator/messages/events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include <zmq.h>

struct events {
    void *context, *socket;
    bool server;
};

static int zmq_failed(struct error *err, const char *call)
{
    return error_set(err, call, "raise the limit on open files (ulimit -n)", "libzmq: %s", zmq_strerror(zmq_errno()));
}

static int open_socket(struct events **out, int type, struct error *err)
{
    struct events *e = calloc(1, sizeof *e);
    int linger = 500;

    *out = e;
    if (!e) {
        return error_nomem(err, "events", sizeof *e);
    }
    e->server = type == ZMQ_ROUTER;
    e->context = zmq_ctx_new();
    if (e->context) {
        e->socket = zmq_socket(e->context, type);
    }
    if (!e->socket || zmq_setsockopt(e->socket, ZMQ_LINGER, &linger, sizeof linger) < 0) {
        zmq_failed(err, "zmq_socket");
        events_close(e);
        *out = NULL;
        return -1;
    }
    return 0;
}

int events_serve(struct events **out, char *endpoint, struct error *err)
{
    uint64_t nonce;

    if (getrandom(&nonce, sizeof nonce, 0) != sizeof nonce) {
        return error_errno(err, "getrandom", NULL, "cannot name the event endpoint");
    }
    if (open_socket(out, ZMQ_ROUTER, err) < 0) {
        return -1;
    }
    /* '@': an abstract socket, which lives and dies with the process. */
    snprintf(endpoint, EVENTS_ENDPOINT_MAX, "ipc://@l3replay-%ld-%016llx", (long)getpid(), (unsigned long long)nonce);
    if (zmq_bind((*out)->socket, endpoint) < 0) {
        zmq_failed(err, "zmq_bind");
        events_close(*out);
        *out = NULL;
        return -1;
    }
    return 0;
}

int events_connect(struct events **out, const char *endpoint, uint32_t rank, struct error *err)
{
    /* A routing id must not begin with a zero byte. */
    unsigned char id[5] = {'r', (unsigned char)(rank >> 24), (unsigned char)(rank >> 16), (unsigned char)(rank >> 8),
                           (unsigned char)rank};

    if (open_socket(out, ZMQ_DEALER, err) < 0) {
        return -1;
    }
    if (zmq_setsockopt((*out)->socket, ZMQ_ROUTING_ID, id, sizeof id) < 0 ||
        zmq_connect((*out)->socket, endpoint) < 0) {
        zmq_failed(err, "zmq_connect");
        events_close(*out);
        *out = NULL;
        return -1;
    }
    return 0;
}

int events_fd(const struct events *e)
{
    size_t size = sizeof(int);
    int fd = -1;

    zmq_getsockopt(e->socket, ZMQ_FD, &fd, &size);
    return fd;
}

int events_send(struct events *e, const struct event *event, struct error *err)
{
    uint32_t rank = event->rank;
    unsigned char id[5] = {'r', (unsigned char)(rank >> 24), (unsigned char)(rank >> 16), (unsigned char)(rank >> 8),
                           (unsigned char)rank};

    if (e->server && zmq_send(e->socket, id, sizeof id, ZMQ_SNDMORE) < 0) {
        return zmq_failed(err, "zmq_send");
    }
    if (zmq_send(e->socket, event, sizeof *event, 0) < 0) {
        return zmq_failed(err, "zmq_send");
    }
    return 0;
}

bool events_next(struct events *e, struct event *event)
{
    unsigned char id[8];
    int n;

    for (;;) {
        if (e->server && zmq_recv(e->socket, id, sizeof id, ZMQ_DONTWAIT) < 0) {
            if (zmq_errno() == EINTR) {
                continue;
            }
            return false;
        }
        n = zmq_recv(e->socket, event, sizeof *event, ZMQ_DONTWAIT);
        if (n == (int)sizeof *event) {
            return true;
        }
        if (n < 0 && zmq_errno() != EINTR) {
            return false;
        }
    }
}

void events_close(struct events *e)
{
    if (!e) {
        return;
    }
    if (e->socket) {
        zmq_close(e->socket);
    }
    if (e->context) {
        zmq_ctx_term(e->context);
    }
    free(e);
}

#include "orchestrator/messages/events.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <zmq.h>

#include "common/base/private_dir.h"

/* The first part of the secret is in each message to process 0, the second in those from it, the third in the routing ids:
 * what was sent one way is worth nothing the other way. */
enum { PART = EVENTS_SECRET / 3, ID = 5 + PART, MOST_STRANGERS = 64, THREADS_TRIED = 4 };

/* A message as it is sent. */
struct frame {
    unsigned char secret[PART];
    uint64_t number; /* of the messages of this sender to this receiver, from 1: a copy of one does not count */
    struct event event;
};

/* The other end of a connection. */
struct peer {
    uint64_t nsent, last; /* number of the last message from it; 0: there was none */
};

struct events {
    void *context, *socket;
    bool server, more;
    unsigned char secret[EVENTS_SECRET];
    uint32_t rank;      /* the caller's */
    uint32_t npeer;     /* processes of the job; 1 in all but process 0 */
    uint32_t nheard;    /* of them */
    struct peer *peers; /* by rank; elsewhere than in process 0 one, process 0 */
    uint64_t ndropped;
    struct private_dir dir; /* of the socket */
};

static int zmq_failed(struct error *err, const char *call)
{
    return error_set(err, call, "raise the limit on open files (ulimit -n)", "libzmq: %s", zmq_strerror(zmq_errno()));
}

/* By which process 0 knows the connection of a process; one that knows no secret can make none. */
static void make_id(const struct events *e, uint32_t rank, unsigned char id[ID])
{
    /* A routing id must not begin with a zero byte. */
    id[0] = 'r';
    for (int i = 0; i < 4; i++) {
        id[1 + i] = (unsigned char)(rank >> (24 - 8 * i));
    }
    memcpy(id + 5, e->secret + 2 * (size_t)PART, PART);
}

/* Takes as long wherever they differ. */
static bool is_same(const unsigned char *a, const unsigned char *b, size_t size)
{
    volatile unsigned char different = 0;

    for (size_t i = 0; i < size; i++) {
        different |= a[i] ^ b[i];
    }
    return different == 0;
}

static void *wait_for_all(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* libzmq aborts where it cannot start its two threads (limits on address space or processes), so that is tried first, with
 * some to spare for what else it needs. */
static int check_threads(struct error *err)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[THREADS_TRIED];
    int n = 0, failed = 0;

    pthread_mutex_lock(&lock);
    while (n < THREADS_TRIED && !failed) {
        failed = pthread_create(&threads[n], NULL, wait_for_all, &lock);
        n += !failed;
    }
    pthread_mutex_unlock(&lock);
    while (n > 0) {
        pthread_join(threads[--n], NULL);
    }
    pthread_mutex_destroy(&lock);
    if (failed) {
        errno = failed;
        return error_errno(err, NULL,
                           "raise the limits on address space and processes (ulimit -v, ulimit -u, pids of the cgroup)",
                           "cannot start the threads of libzmq");
    }
    return 0;
}

static int open_socket(struct events *e, int type, struct error *err)
{
    const int64_t largest = sizeof(struct frame);
    const int linger = 500;

    if (check_threads(err) < 0) {
        return -1;
    }
    e->context = zmq_ctx_new();
    if (e->context) {
        e->socket = zmq_socket(e->context, type);
    }
    if (!e->socket || zmq_setsockopt(e->socket, ZMQ_LINGER, &linger, sizeof linger) < 0 ||
        zmq_setsockopt(e->socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest) < 0) {
        return zmq_failed(err, "zmq_socket");
    }
    return 0;
}

static struct events *new_events(uint32_t npeer, struct error *err)
{
    struct events *e = calloc(1, sizeof *e);

    if (e) {
        e->dir = (struct private_dir)PRIVATE_DIR_NONE;
        e->npeer = npeer;
        e->peers = calloc(npeer, sizeof *e->peers);
    }
    if (!e || !e->peers) {
        error_nomem(err, "events", sizeof *e + npeer * sizeof *e->peers);
        events_close(e);
        return NULL;
    }
    return e;
}

static int bind_in(struct events *e, const char *base, char *endpoint, struct error *err)
{
    int n;

    if (private_dir_make(&e->dir, base, "l3replay-events.", err) < 0) {
        return -1;
    }
    n = snprintf(endpoint, EVENTS_ENDPOINT_MAX, "ipc://%s/s", e->dir.path);
    if (n < EVENTS_ENDPOINT_MAX && zmq_bind(e->socket, endpoint) == 0) {
        return 0;
    }
    private_dir_remove(&e->dir);
    return error_set(err, base, "set TMPDIR to a directory with a short path on a local file system",
                     "cannot make a socket in %s: %s", base,
                     n < EVENTS_ENDPOINT_MAX ? zmq_strerror(zmq_errno()) : "its path is too long");
}

/* The first reason is the one to report: it is that of the user's own directory. */
static int bind_somewhere(struct events *e, char *endpoint, struct error *err)
{
    const char *own = getenv("TMPDIR"), *const bases[] = {own && *own ? own : "/tmp", "/tmp", "/dev/shm"};

    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        if (bind_in(e, bases[i], endpoint, i == 0 ? err : NULL) == 0) {
            return 0;
        }
    }
    return -1;
}

int events_serve(struct events **out, uint32_t nprocess, struct events_address *address, struct error *err)
{
    struct events *e = new_events(nprocess, err);

    *out = NULL;
    if (!e) {
        return -1;
    }
    e->server = true;
    if (getrandom(e->secret, sizeof e->secret, 0) != sizeof e->secret) {
        error_errno(err, "getrandom", NULL, "cannot make a secret for the job");
    } else if (open_socket(e, ZMQ_ROUTER, err) == 0 && bind_somewhere(e, address->endpoint, err) == 0) {
        memcpy(address->secret, e->secret, sizeof e->secret);
        *out = e;
        return 0;
    }
    events_close(e);
    return -1;
}

int events_connect(struct events **out, const struct events_address *address, uint32_t rank, struct error *err)
{
    struct events *e = new_events(1, err);
    unsigned char id[ID];

    *out = NULL;
    if (!e) {
        return -1;
    }
    e->rank = rank;
    memcpy(e->secret, address->secret, sizeof e->secret);
    make_id(e, rank, id);
    if (open_socket(e, ZMQ_DEALER, err) == 0) {
        if (zmq_setsockopt(e->socket, ZMQ_ROUTING_ID, id, sizeof id) == 0 &&
            zmq_connect(e->socket, address->endpoint) == 0) {
            *out = e;
            return 0;
        }
        zmq_failed(err, "zmq_connect");
    }
    events_close(e);
    return -1;
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
    struct peer *to = &e->peers[e->server ? event->rank : 0];
    struct frame frame = {.number = ++to->nsent, .event = *event};
    unsigned char id[ID];

    memcpy(frame.secret, e->secret + (e->server ? PART : 0), PART);
    make_id(e, event->rank, id);
    if (e->server && zmq_send(e->socket, id, sizeof id, ZMQ_SNDMORE) < 0) {
        return zmq_failed(err, "zmq_send");
    }
    if (zmq_send(e->socket, &frame, sizeof frame, 0) < 0) {
        return zmq_failed(err, "zmq_send");
    }
    return 0;
}

/* One part of a message, cut to `size`: its length, or -1 when there is none. */
static int receive_part(struct events *e, void *buf, size_t size, bool *more)
{
    int following = 0, n;
    size_t length = sizeof following;

    do {
        n = zmq_recv(e->socket, buf, size, ZMQ_DONTWAIT);
    } while (n < 0 && zmq_errno() == EINTR);
    if (n >= 0) {
        zmq_getsockopt(e->socket, ZMQ_RCVMORE, &following, &length);
    }
    *more = n >= 0 && following;
    return n;
}

/* Take one message, all its parts. -1: there is none; 1 when it has the parts and sizes of one of ours. */
static int receive(struct events *e, unsigned char id[ID], struct frame *frame)
{
    bool more, right = true;
    unsigned char rest;

    if (e->server) {
        int n = receive_part(e, id, ID, &more);

        if (n < 0) {
            return -1;
        }
        right = n == ID && more;
    }
    if (right) {
        int n = receive_part(e, frame, sizeof *frame, &more);

        if (n < 0) {
            return -1;
        }
        right = n == (int)sizeof *frame && !more;
    }
    while (more && receive_part(e, &rest, sizeof rest, &more) >= 0) {
        /* what follows belongs to a message that is none of ours */
    }
    return right;
}

static bool accept_frame(struct events *e, const unsigned char id[ID], const struct frame *frame)
{
    const uint32_t rank = frame->event.rank;
    unsigned char wanted[ID];
    struct peer *from;

    if (!is_same(frame->secret, e->secret + (e->server ? 0 : PART), PART)) {
        return false;
    }
    if (e->server ? rank == 0 || rank >= e->npeer : rank != e->rank) {
        return false;
    }
    make_id(e, rank, wanted);
    from = &e->peers[e->server ? rank : 0];
    if ((e->server && !is_same(id, wanted, ID)) || frame->number <= from->last) {
        return false;
    }
    e->nheard += from->last == 0;
    from->last = frame->number;
    return true;
}

bool events_next(struct events *e, struct event *event)
{
    unsigned char id[ID];
    struct frame frame;

    for (int tries = 0; tries < MOST_STRANGERS; tries++) {
        int rc = receive(e, id, &frame);

        if (rc < 0) {
            e->more = false;
            return false;
        }
        if (rc == 0 || !accept_frame(e, id, &frame)) {
            e->ndropped++;
            continue;
        }
        if (e->server && e->nheard == e->npeer - 1) {
            private_dir_remove(&e->dir); /* all are connected: from now on the socket has no name */
        }
        *event = frame.event;
        event->error.what[sizeof event->error.what - 1] = '\0';
        event->error.where[sizeof event->error.where - 1] = '\0';
        event->error.hint[sizeof event->error.hint - 1] = '\0';
        return true;
    }
    e->more = true;
    return false;
}

bool events_more(const struct events *e)
{
    return e->more;
}

uint64_t events_dropped(const struct events *e)
{
    return e->ndropped;
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
    private_dir_remove(&e->dir);
    free(e->peers);
    free(e);
}

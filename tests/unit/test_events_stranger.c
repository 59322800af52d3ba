/* Messages to process 0 from programs that are not of the job. They use libzmq itself, as anybody could. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>
#include <cmocka.h>

#include "common/base/clock.h"
#include "orchestrator/messages/events.h"
#include "tests/support/temp_dir.h"

enum { FLOOD = 100000, LARGEST = 8192, WAIT_MS = 20000, LOOKED_AT = 64 };

/* Process 0 of a job of two, in a $TMPDIR of its own. */
struct job {
    char *dir;
    struct events_address address;
    struct events *events;
};

static int start_job(void **state)
{
    struct job *job = calloc(1, sizeof *job);
    struct error err;

    assert_non_null(job);
    job->dir = temp_dir_make();
    assert_int_equal(setenv("TMPDIR", job->dir, 1), 0);
    assert_int_equal(events_serve(&job->events, 2, &job->address, &err), 0);
    *state = job;
    return 0;
}

static int end_job(void **state)
{
    struct job *job = *state;

    events_close(job->events);
    assert_int_equal(temp_dir_count(job->dir), 0);
    temp_dir_remove(job->dir);
    unsetenv("TMPDIR");
    free(job);
    return 0;
}

/* Read events until there is one, or `ndropped` messages were dropped, as the loop of a run does. True: there is one. */
static bool read_until(struct events *e, uint64_t ndropped, struct event *event)
{
    const int64_t until_ms = clock_now_ms() + WAIT_MS;

    while (events_dropped(e) < ndropped && clock_now_ms() < until_ms) {
        struct pollfd fd = {.fd = events_fd(e), .events = POLLIN};
        const uint64_t before = events_dropped(e);

        if (events_next(e, event)) {
            return true;
        }
        assert_true(events_dropped(e) - before <= LOOKED_AT); /* one look has an end, however much there is */
        if (!events_more(e)) {
            poll(&fd, 1, 50);
        }
    }
    return false;
}

struct stranger {
    void *context, *socket;
};

static void stranger_connect(struct stranger *s, const char *endpoint, const void *id, size_t nid)
{
    const int linger = 0;

    s->context = zmq_ctx_new();
    s->socket = zmq_socket(s->context, ZMQ_DEALER);
    assert_non_null(s->socket);
    assert_int_equal(zmq_setsockopt(s->socket, ZMQ_LINGER, &linger, sizeof linger), 0);
    if (nid) {
        assert_int_equal(zmq_setsockopt(s->socket, ZMQ_ROUTING_ID, id, nid), 0);
    }
    assert_int_equal(zmq_connect(s->socket, endpoint), 0);
}

static void stranger_close(struct stranger *s)
{
    zmq_close(s->socket);
    zmq_ctx_term(s->context);
}

/* A program in place of process 0, to which the process `other` sends. */
struct stand_in {
    void *context, *socket;
    struct events *other;
    char path[EVENTS_ENDPOINT_MAX];
};

/* A message as libzmq delivers it: the id of its connection, and its bytes. */
struct caught {
    unsigned char id[256], bytes[LARGEST];
    int nid, nbytes;
};

static void stand_in_open(struct stand_in *in, const struct job *job, uint32_t rank)
{
    struct events_address own = job->address;
    struct error err;

    in->context = zmq_ctx_new();
    in->socket = zmq_socket(in->context, ZMQ_ROUTER);
    snprintf(in->path, sizeof in->path, "%s/between", job->dir);
    snprintf(own.endpoint, sizeof own.endpoint, "ipc://%.100s", in->path);
    assert_int_equal(zmq_bind(in->socket, own.endpoint), 0);
    assert_int_equal(events_connect(&in->other, &own, rank, &err), 0);
}

static void stand_in_catch(struct stand_in *in, struct caught *c)
{
    c->nid = zmq_recv(in->socket, c->id, sizeof c->id, 0);
    c->nbytes = zmq_recv(in->socket, c->bytes, sizeof c->bytes, 0);
    assert_in_range(c->nid, 1, sizeof c->id);
    assert_in_range(c->nbytes, sizeof(struct event), sizeof c->bytes);
}

static void stand_in_close(struct stand_in *in)
{
    events_close(in->other);
    zmq_close(in->socket);
    zmq_ctx_term(in->context);
    unlink(in->path);
}

static void catch_message(const struct job *job, uint32_t rank, const struct event *event, struct caught *c)
{
    struct stand_in in;
    struct error err;

    stand_in_open(&in, job, rank);
    assert_int_equal(events_send(in.other, event, &err), 0);
    stand_in_catch(&in, c);
    stand_in_close(&in);
}

static void only_this_user_can_get_at_the_socket(void **state)
{
    struct job *job = *state;
    const char *path = job->address.endpoint + strlen("ipc://");
    char *dir = strdup(path);
    struct stat st;

    assert_non_null(dir);
    assert_int_equal(strncmp(job->address.endpoint, "ipc:///", 7), 0); /* a file: abstract sockets are open to all */
    *strrchr(dir, '/') = '\0';
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(st.st_uid, geteuid());
    free(dir);
}

static void when_all_have_connected_nobody_else_can(void **state)
{
    struct job *job = *state;
    const struct event done = {.kind = EVENT_DONE, .rank = 1}, finish = {.kind = EVENT_FINISH, .rank = 1};
    struct events *other;
    struct event event;
    struct error err;

    assert_int_equal(temp_dir_count(job->dir), 1);
    assert_int_equal(events_connect(&other, &job->address, 1, &err), 0);
    assert_int_equal(events_send(other, &done, &err), 0);
    assert_true(read_until(job->events, UINT64_MAX, &event));
    assert_int_equal(temp_dir_count(job->dir), 0);
    assert_int_equal(events_send(job->events, &finish, &err), 0); /* the connection stays */
    assert_true(read_until(other, UINT64_MAX, &event));
    assert_int_equal(event.kind, EVENT_FINISH);
    events_close(other);
}

static void garbage_is_dropped_and_counted(void **state)
{
    static const unsigned char zeros[LARGEST];
    static const int sizes[] = {0, 1, 8, 16, sizeof(struct event), sizeof(struct event) + 24};
    struct job *job = *state;
    struct stranger s;
    struct event event;

    stranger_connect(&s, job->address.endpoint, "r\0\0\0\1", 5);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(zmq_send(s.socket, zeros, (size_t)sizes[i], 0), sizes[i]);
    }
    assert_int_equal(zmq_send(s.socket, zeros, 16, ZMQ_SNDMORE), 16); /* of three parts, the last as large as ours */
    assert_int_equal(zmq_send(s.socket, zeros, 16, ZMQ_SNDMORE), 16);
    assert_int_equal(zmq_send(s.socket, zeros, sizeof event + 24, 0), sizeof event + 24);
    assert_false(read_until(job->events, 7, &event));
    assert_int_equal(events_dropped(job->events), 7);
    stranger_close(&s);
}

static void a_message_counts_once_and_from_its_own_process_alone(void **state)
{
    struct job *job = *state;
    const struct event done = {.kind = EVENT_DONE, .rank = 1, .nbytes = 4711};
    struct caught caught;
    struct stranger thief, same;
    struct event event;

    catch_message(job, 1, &done, &caught);
    /* The right bytes from another connection: the rank is not that connection's. */
    caught.id[caught.nid - 1] ^= 1;
    stranger_connect(&thief, job->address.endpoint, caught.id, (size_t)caught.nid);
    caught.id[caught.nid - 1] ^= 1;
    assert_int_equal(zmq_send(thief.socket, caught.bytes, (size_t)caught.nbytes, 0), caught.nbytes);
    assert_false(read_until(job->events, 1, &event));
    /* From the connection of process 1 they are an event, and their copies are none. */
    stranger_connect(&same, job->address.endpoint, caught.id, (size_t)caught.nid);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(zmq_send(same.socket, caught.bytes, (size_t)caught.nbytes, 0), caught.nbytes);
    }
    assert_true(read_until(job->events, UINT64_MAX, &event));
    assert_int_equal(event.kind, EVENT_DONE);
    assert_int_equal(event.nbytes, 4711);
    assert_false(read_until(job->events, 3, &event));
    assert_int_equal(events_dropped(job->events), 3);
    stranger_close(&thief);
    stranger_close(&same);
}

/* One bit of the secret is enough. */
static void a_message_with_another_secret_is_none(void **state)
{
    struct job *job = *state;
    const struct event done = {.kind = EVENT_DONE, .rank = 1};
    struct caught caught;
    struct stranger s;
    struct event event;

    catch_message(job, 1, &done, &caught);
    stranger_connect(&s, job->address.endpoint, caught.id, (size_t)caught.nid);
    for (int i = 0; i < EVENTS_SECRET / 3; i++) {
        caught.bytes[i] ^= 1;
        assert_int_equal(zmq_send(s.socket, caught.bytes, (size_t)caught.nbytes, 0), caught.nbytes);
        caught.bytes[i] ^= 1;
    }
    assert_false(read_until(job->events, EVENTS_SECRET / 3, &event));
    stranger_close(&s);
}

/* The others do not take orders from a program that stands in for process 0, not even what they sent themselves. */
static void only_process_0_is_obeyed(void **state)
{
    struct job *job = *state;
    struct event event = {.kind = EVENT_STOP, .rank = 1};
    struct stand_in in;
    struct caught caught;
    struct error err;

    stand_in_open(&in, job, 1);
    assert_int_equal(events_send(in.other, &event, &err), 0);
    stand_in_catch(&in, &caught);
    assert_int_equal(zmq_send(in.socket, caught.id, (size_t)caught.nid, ZMQ_SNDMORE), caught.nid);
    assert_int_equal(zmq_send(in.socket, caught.bytes, (size_t)caught.nbytes, 0), caught.nbytes);
    assert_false(read_until(in.other, 1, &event));
    assert_int_equal(events_dropped(in.other), 1);
    stand_in_close(&in);
}

struct flood {
    void *socket;
    atomic_bool enough;
    uint64_t nsent;
};

/* At least FLOOD messages, and on until the receiver has what it waits for. */
static void *flood(void *context)
{
    static const unsigned char zeros[sizeof(struct event)];
    struct flood *f = context;

    while (f->nsent < FLOOD || !f->enough) {
        f->nsent += zmq_send(f->socket, zeros, f->nsent % sizeof zeros, 0) >= 0;
    }
    return NULL;
}

static void an_event_gets_through_a_flood(void **state)
{
    struct job *job = *state;
    const struct event done = {.kind = EVENT_DONE, .rank = 1};
    struct stranger s;
    struct flood f = {0};
    struct events *other;
    struct event event;
    struct error err;
    pthread_t thread;

    stranger_connect(&s, job->address.endpoint, NULL, 0);
    f.socket = s.socket;
    assert_int_equal(pthread_create(&thread, NULL, flood, &f), 0);
    assert_false(read_until(job->events, 1000, &event)); /* it is under way */
    assert_int_equal(events_connect(&other, &job->address, 1, &err), 0);
    assert_int_equal(events_send(other, &done, &err), 0);
    assert_true(read_until(job->events, UINT64_MAX, &event));
    assert_int_equal(event.kind, EVENT_DONE);
    f.enough = true;
    assert_false(read_until(job->events, FLOOD, &event));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(read_until(job->events, f.nsent, &event));
    assert_int_equal(events_dropped(job->events), f.nsent);
    stranger_close(&s);
    events_close(other);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, start_job, end_job)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_this_user_can_get_at_the_socket),  TEST(when_all_have_connected_nobody_else_can),
        TEST(garbage_is_dropped_and_counted),        TEST(a_message_counts_once_and_from_its_own_process_alone),
        TEST(a_message_with_another_secret_is_none), TEST(only_process_0_is_obeyed),
        TEST(an_event_gets_through_a_flood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

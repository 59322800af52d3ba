/* Supervision: events that name no process of the job, and how process 0 ends a pass. The events are real, executors are none:
 * those of this process have all ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "orchestrator/supervise/supervise_root.h"
#include "tests/support/temp_dir.h"

static void send_event(struct events *from, enum event_kind kind, uint32_t rank)
{
    const struct event event = {.kind = kind, .rank = rank, .nbytes = 1};
    struct error err;

    assert_int_equal(events_send(from, &event, &err), 0);
}

/* Receivers keep an entry a process: another number must not get to them, and changes nothing. */
static void test_gathering_takes_events_of_the_job_alone(void **state)
{
    struct mpi_job job = {.rank = 0, .size = 2};
    struct segment_header header = {.nlane = 1};
    struct segment seg = {.header = &header};
    struct supervision s = {.job = &job, .seg = &seg};
    const struct event hello = {.kind = EVENT_HELLO, .rank = 1, .nbytes = 1};
    struct events_address address;
    char token[GATHER_TOKEN], *dir = temp_dir_make();
    struct events *other;
    sigset_t none;
    struct error err;

    (void)state;
    sigemptyset(&none);
    s.signal_fd = signalfd(-1, &none, SFD_NONBLOCK | SFD_CLOEXEC);
    assert_true(s.signal_fd >= 0);
    assert_int_equal(gather_open(&s.receiver, dir, job.size, true, token, &err), 0);
    assert_int_equal(events_serve(&s.events, 2, &address, &err), 0);
    assert_int_equal(events_connect(&other, &address, 1, &err), 0);
    assert_int_equal(gather_take(s.receiver, &hello, &err), 0);
    send_event(other, EVENT_HELLO, 2);
    send_event(other, EVENT_HELLO, 1u << 20);
    send_event(other, EVENT_GATHERED, UINT32_MAX);
    send_event(other, EVENT_PARCEL, 0);
    send_event(other, EVENT_GATHERED, 1);
    assert_int_equal(supervise_gather(&s, &err), 0);
    assert_false(s.unsure);
    assert_int_equal(gather_senders(s.receiver), 1);
    events_close(other);
    events_close(s.events);
    gather_close(s.receiver);
    close(s.signal_fd);
    temp_dir_remove(dir);
}

/* A job of three processes in one: process 0, and two that send events. */
static struct job_rig {
    struct mpi_job job;
    struct plan plan; /* one dispatch */
    struct segment seg;
    struct supervision s;
    struct events *others[3]; /* by rank; there is no 0 */
    struct error err;
} jr;

/* A segment of one dispatch, as the executor of its card leaves it. */
static void open_segment(void)
{
    struct plan_builder *b = plan_builder_new(1, &jr.err);
    struct plan_node node = {.kind = PLAN_DISPATCH, .group = PLAN_NONE};

    assert_non_null(b);
    assert_int_equal(plan_add_program(b, "p", &node.program, &jr.err), 0);
    assert_int_equal(plan_add_node(b, &node, NULL, NULL, NULL, &jr.err), 0);
    plan_builder_finish(b, &jr.plan);
    assert_int_equal(segment_create(&jr.seg, &jr.plan, "[]", "a2a3sim", &jr.err), 0);
    atomic_store(&jr.seg.common->go, WORD_DONE);
    *segment_node_times(&jr.seg, 0) = (struct segment_times){.start_ns = 10, .end_ns = 20};
    atomic_store(&jr.seg.words[0], WORD_DONE);
    atomic_store(&lane_status(&jr.seg, 0)->node, 0);
    for (uint32_t lane = 0; lane < jr.seg.header->nlane; lane++) {
        atomic_store(&lane_status(&jr.seg, lane)->ndone, lane == 0);
        atomic_store(&lane_status(&jr.seg, lane)->state, LANE_DONE);
    }
}

static int open_job(void **state)
{
    struct events_address address;
    sigset_t none;

    (void)state;
    memset(&jr, 0, sizeof jr);
    jr.job.size = 3;
    open_segment();
    sigemptyset(&none);
    jr.s = (struct supervision){
        .job = &jr.job, .seg = &jr.seg, .signal_fd = signalfd(-1, &none, SFD_NONBLOCK | SFD_CLOEXEC)};
    assert_true(jr.s.signal_fd >= 0);
    assert_int_equal(events_serve(&jr.s.events, 3, &address, &jr.err), 0);
    for (uint32_t r = 1; r < 3; r++) {
        assert_int_equal(events_connect(&jr.others[r], &address, r, &jr.err), 0);
        send_event(jr.others[r], EVENT_HELLO, r);
    }
    return 0;
}

static int close_job(void **state)
{
    (void)state;
    events_close(jr.others[1]);
    events_close(jr.others[2]);
    events_close(jr.s.events);
    close(jr.s.signal_fd);
    segment_unmap(&jr.seg);
    plan_free(&jr.plan);
    return 0;
}

/* The next event that process `rank` gets. */
static uint32_t next_kind(uint32_t rank)
{
    struct event event;

    while (!events_next(jr.others[rank], &event)) {
        struct pollfd fd = {.fd = events_fd(jr.others[rank]), .events = POLLIN};

        assert_true(poll(&fd, 1, 20000) >= 0);
    }
    assert_int_equal(event.rank, rank);
    return event.kind;
}

static void test_pass_is_over_when_all_are_done(void **state)
{
    (void)state;
    send_event(jr.others[1], EVENT_DONE, 1);
    send_event(jr.others[2], EVENT_DONE, 2);
    assert_int_equal(supervise_root(&jr.s, &jr.err), 0);
    assert_false(jr.s.interrupted || jr.s.unsure);
    supervise_finish(&jr.s);
    for (uint32_t r = 1; r < 3; r++) {
        assert_int_equal(next_kind(r), EVENT_FINISH); /* and nothing before it */
    }
}

/* All say that they are done, and a node is not complete: a kernel wrote over its word. */
static void test_pass_that_is_not_complete(void **state)
{
    (void)state;
    atomic_store(&jr.seg.words[0], WORD_PENDING);
    send_event(jr.others[1], EVENT_DONE, 1);
    send_event(jr.others[2], EVENT_DONE, 2);
    send_event(jr.others[1], EVENT_STOPPED, 1);
    send_event(jr.others[2], EVENT_STOPPED, 2);
    assert_int_equal(supervise_root(&jr.s, &jr.err), -1);
    assert_int_equal(jr.err.kind, ERROR_FAIL);
}

static void test_job_of_one_process(void **state)
{
    (void)state;
    jr.job.size = 1;
    assert_int_equal(supervise_root(&jr.s, &jr.err), 0);
}

/* The first failure is the one that is reported; everybody is stopped, and waited for. */
static void expect_failure_of_2(void)
{
    struct event failed = {.kind = EVENT_FAILED, .rank = 2};
    struct event other = failed;

    error_set_kind(&failed.error, ERROR_FAIL, "there", NULL, "a kernel crashed");
    error_set(&other.error, NULL, NULL, "something else");
    assert_int_equal(events_send(jr.others[2], &failed, &jr.err), 0);
    assert_int_equal(events_send(jr.others[2], &other, &jr.err), 0);
    send_event(jr.others[1], EVENT_STOPPED, 1);
    send_event(jr.others[2], EVENT_STOPPED, 2);
    assert_int_equal(supervise_root(&jr.s, &jr.err), -1);
    assert_int_equal(jr.err.kind, ERROR_FAIL);
    assert_string_equal(jr.err.what, "a kernel crashed");
    assert_false(jr.s.unsure);
    assert_int_equal(next_kind(1), EVENT_STOP);
    assert_int_equal(next_kind(2), EVENT_STOP);
    supervise_finish(&jr.s);
    assert_int_equal(next_kind(1), EVENT_FINISH); /* it was stopped once */
    assert_int_equal(next_kind(2), EVENT_FINISH);
}

static void test_failed_pass(void **state)
{
    (void)state;
    expect_failure_of_2();
}

/* A process that is done twice is one: the other is still waited for. */
static void test_done_counts_once(void **state)
{
    (void)state;
    send_event(jr.others[1], EVENT_DONE, 1);
    send_event(jr.others[1], EVENT_DONE, 1);
    expect_failure_of_2();
}

/* The other has not stopped within the limit, however often the first says that it has. */
static void test_process_that_does_not_stop(void **state)
{
    (void)state;
    send_event(jr.others[1], EVENT_FAILED, 1);
    send_event(jr.others[1], EVENT_STOPPED, 1);
    send_event(jr.others[1], EVENT_STOPPED, 1);
    assert_int_equal(supervise_root(&jr.s, &jr.err), -1);
    assert_true(jr.s.unsure);
    assert_false(jr.s.interrupted);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_job, close_job)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gathering_takes_events_of_the_job_alone),
        TEST(test_pass_is_over_when_all_are_done),
        TEST(test_pass_that_is_not_complete),
        TEST(test_job_of_one_process),
        TEST(test_failed_pass),
        TEST(test_done_counts_once),
        TEST(test_process_that_does_not_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Supervision: events that name no process of the job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <signal.h>
#include <sys/signalfd.h>
#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gathering_takes_events_of_the_job_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Events between process 0 and the others, over real sockets and real processes. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "orchestrator/messages/events.h"

static int wait_event(struct events *e, struct event *event)
{
    for (int tries = 0; tries < 200; tries++) {
        struct pollfd fd = {.fd = events_fd(e), .events = POLLIN};

        if (events_next(e, event)) {
            return 0;
        }
        poll(&fd, 1, 50);
    }
    return -1;
}

static int peer(const struct events_address *address)
{
    struct event event = {.kind = EVENT_FAILED, .rank = 300};
    struct events *e;
    struct error err;
    int ok;

    if (events_connect(&e, address, 300, &err) < 0) {
        return 1;
    }
    error_set_kind(&event.error, ERROR_FAIL, "w", "m", "kernel broke");
    ok = events_send(e, &event, &err) == 0 && wait_event(e, &event) == 0 && event.kind == EVENT_STOP;
    event = (struct event){.kind = EVENT_STOPPED, .rank = 300};
    ok = ok && events_send(e, &event, &err) == 0;
    events_close(e); /* what was sent still arrives */
    return ok ? 0 : 1;
}

static void a_conversation_with_another_process(void **state)
{
    struct events_address address;
    struct event event;
    struct events *e;
    struct error err;
    int status, fds[2];
    pid_t child;

    (void)state;
    /* The child is forked before any socket exists: libzmq does not survive a fork. */
    assert_int_equal(pipe(fds), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ssize_t n = read(fds[0], &address, sizeof address);
        _exit(n == (ssize_t)sizeof address ? peer(&address) : 1);
    }
    assert_int_equal(events_serve(&e, 301, &address, &err), 0);
    assert_int_equal(write(fds[1], &address, sizeof address), sizeof address);
    assert_int_equal(wait_event(e, &event), 0);
    assert_int_equal(event.kind, EVENT_FAILED);
    assert_int_equal(event.rank, 300);
    assert_int_equal(event.error.kind, ERROR_FAIL);
    assert_string_equal(event.error.what, "kernel broke");
    event = (struct event){.kind = EVENT_STOP, .rank = 300};
    assert_int_equal(events_send(e, &event, &err), 0);
    assert_int_equal(wait_event(e, &event), 0);
    assert_int_equal(event.kind, EVENT_STOPPED);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    events_close(e);
    close(fds[0]);
    close(fds[1]);
}

static void nothing_sent_means_nothing_received(void **state)
{
    struct events_address address;
    struct event event;
    struct events *e;
    struct error err;

    (void)state;
    assert_int_equal(events_serve(&e, 2, &address, &err), 0);
    assert_false(events_next(e, &event));
    events_close(e);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* the sanitizers need address space themselves */
static rlim_t address_space(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* libzmq would abort where it cannot start a thread: here there is room for no stack of 8 MB, and two of 2 MB. */
static void no_threads_is_an_error(void **state)
{
    const rlim_t most = address_space() + (5 << 20);
    const struct rlimit little = {most, most};
    int status;
    pid_t pid = fork();

    (void)state;
    assert_true(pid >= 0);
    if (pid == 0) {
        struct events_address address;
        struct events *e;
        struct error err;

        setrlimit(RLIMIT_AS, &little);
        _exit(events_serve(&e, 2, &address, &err) == -1 && strstr(err.what, "threads") && strstr(err.hint, "ulimit -v")
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        /* first: the C library keeps stacks of threads that have ended */
        cmocka_unit_test(no_threads_is_an_error),
#endif
        cmocka_unit_test(nothing_sent_means_nothing_received),
        cmocka_unit_test(a_conversation_with_another_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The last lines on stdout: whole and in order, also when signals interrupt their write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "orchestrator/job/marker.h"

enum { PIPE_BYTES = 4096 };

static int saved = -1, ends[2];
static volatile sig_atomic_t nsignal;

static void capture(void)
{
    fflush(stdout);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    saved = dup(STDOUT_FILENO);
    assert_true(saved >= 0);
    assert_int_equal(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
    close(ends[1]);
}

static void release(void)
{
    dup2(saved, STDOUT_FILENO);
    close(saved);
}

static void assert_printed(const char *expected)
{
    char text[4 * PIPE_BYTES] = "";
    ssize_t n;

    release();
    n = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    assert_int_equal(n, strlen(expected));
    assert_string_equal(text, expected);
}

static void a_pass_names_cards_and_what_was_compared(void **state)
{
    static const int ids[] = {3, 1};

    (void)state;
    capture();
    assert_int_equal(marker_print(RESULT_PASS, ids, 2, 1, 2), 0);
    assert_printed("PYPTO_EXEC_DEVICES=3,1\nPYPTO_EXEC_CHECKED=1/2 outputs\nPYPTO_EXEC_RESULT=PASS device=3\n");
}

static void what_was_printed_before_comes_before(void **state)
{
    (void)state;
    capture();
    printf("built\n");
    assert_int_equal(marker_print(RESULT_FAIL, NULL, 0, 2, 2), 0);
    assert_printed("built\nPYPTO_EXEC_CHECKED=2/2 outputs\nPYPTO_EXEC_RESULT=FAIL\n");
}

/* More cards than one write holds. */
static void many_cards_are_all_named(void **state)
{
    char expected[4 * PIPE_BYTES], *to = expected;
    int ids[600];

    (void)state;
    for (int i = 0; i < 600; i++) {
        ids[i] = 1000000 + i;
        to += sprintf(to, "%s%d", i ? "," : "PYPTO_EXEC_DEVICES=", ids[i]);
    }
    strcpy(to, "\nPYPTO_EXEC_CHECKED=1/1 outputs\nPYPTO_EXEC_RESULT=PASS device=1000000\n");
    capture();
    assert_int_equal(marker_print(RESULT_PASS, ids, 600, 1, 1), 0);
    assert_printed(expected);
}

/* Somebody reads what the pipe held after it has been full for a while. */
static void on_signal(int sig)
{
    char room[PIPE_BYTES];
    int before = errno;

    (void)sig;
    if (++nsignal == 5 && read(ends[0], room, sizeof room) < 0) {
        _exit(1);
    }
    errno = before;
}

/* The handler is installed without SA_RESTART, so the write that waits for room in the pipe ends with EINTR. */
static void a_signal_does_not_cost_the_result(void **state)
{
    static const struct itimerval often = {{0, 2000}, {0, 2000}}, never;
    struct sigaction action = {.sa_handler = on_signal}, before;
    char full[PIPE_BYTES] = "";

    (void)state;
    capture();
    assert_int_equal(fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES), PIPE_BYTES);
    assert_int_equal(write(STDOUT_FILENO, full, sizeof full), sizeof full);
    nsignal = 0;
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    int rc = marker_print(RESULT_INFRA, NULL, 0, 0, 1);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_printed("PYPTO_EXEC_CHECKED=0/1 outputs\nPYPTO_EXEC_RESULT=INFRA\n");
    assert_int_equal(rc, 0);
}

static void a_stdout_that_takes_nothing_is_reported(void **state)
{
    int rc, code, full = open("/dev/full", O_WRONLY);

    (void)state;
    assert_true(full >= 0);
    capture();
    dup2(full, STDOUT_FILENO);
    close(full);
    errno = 0;
    rc = marker_print(RESULT_FAIL, NULL, 0, 0, 0);
    code = errno;
    release();
    close(ends[0]);
    assert_int_equal(rc, -1);
    assert_int_equal(code, ENOSPC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_names_cards_and_what_was_compared),
        cmocka_unit_test(what_was_printed_before_comes_before),
        cmocka_unit_test(many_cards_are_all_named),
        cmocka_unit_test(a_signal_does_not_cost_the_result),
        cmocka_unit_test(a_stdout_that_takes_nothing_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

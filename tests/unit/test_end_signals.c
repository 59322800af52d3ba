/* Signals that end a process are read, each once, and do not end it. */
#include "tests/support/temp_dir.h"

#include <poll.h>
#include <signal.h>

#include "common/process/end_signals.h"

static void test_read_once(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct error err;
    const int fd = end_signals_open(&err);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(end_signals_read(fd), 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};

        assert_int_equal(raise(signals[i]), 0);
        assert_int_equal(poll(&ready, 1, 10000), 1);
        assert_int_equal(end_signals_read(fd), signals[i]);
        assert_int_equal(end_signals_read(fd), 0);
    }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What an executor prints comes out in whole lines, and the last ones are kept. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "rank-worker/lanes/child_log.h"

/* stderr goes to a pipe while a test runs. */
struct capture {
    int saved, read_fd;
};

static void capture_begin(struct capture *c)
{
    int fds[2];

    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    c->saved = dup(STDERR_FILENO);
    dup2(fds[1], STDERR_FILENO);
    close(fds[1]);
    c->read_fd = fds[0];
}

static void capture_end(struct capture *c, char *text, size_t size)
{
    ssize_t n;

    dup2(c->saved, STDERR_FILENO);
    close(c->saved);
    n = read(c->read_fd, text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    close(c->read_fd);
}

static void pieces_become_lines_with_the_card_in_front(void **state)
{
    struct child_log log;
    struct capture c;
    char text[1024];
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    capture_begin(&c);
    child_log_open(&log, fds[0], 3, 4);
    assert_int_equal(write(fds[1], "one\ntw", 6), 6);
    child_log_read(&log);
    assert_int_equal(write(fds[1], "o\nrest", 6), 6);
    child_log_read(&log);
    close(fds[1]);
    child_log_read(&log);
    capture_end(&c, text, sizeof text);
    assert_string_equal(text, "card 3| one\ncard 3| two\ncard 3| rest\n");
    assert_int_equal(log.fd, -1);
}

static void a_line_without_end_is_cut_not_lost(void **state)
{
    struct child_log log;
    struct capture c;
    char text[4096], wide[1200];
    int fds[2];

    (void)state;
    memset(wide, 'x', sizeof wide);
    assert_int_equal(pipe(fds), 0);
    capture_begin(&c);
    child_log_open(&log, fds[0], 0, 1);
    assert_int_equal(write(fds[1], wide, sizeof wide), sizeof wide);
    close(fds[1]);
    child_log_read(&log);
    capture_end(&c, text, sizeof text);
    size_t count = 0;
    for (const char *p = text; *p; p++) {
        count += *p == 'x';
    }
    assert_int_equal(count, sizeof wide);
    assert_int_equal(log.nlines, 3); /* 511 + 511 + 178 */
}

static void the_last_lines_are_kept(void **state)
{
    struct child_log log;
    struct capture c;
    char text[8192];
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    capture_begin(&c);
    child_log_open(&log, fds[0], 5, 5); /* the host lane */
    for (int i = 0; i < 20; i++) {
        dprintf(fds[1], "line %d\n", i);
    }
    close(fds[1]);
    child_log_read(&log);
    child_log_show_last(&log);
    capture_end(&c, text, sizeof text);
    assert_non_null(strstr(text, "host lane| line 0\n"));
    assert_non_null(strstr(text, "last lines of host lane:"));
    assert_null(strstr(text, "  | line 11\n"));
    assert_non_null(strstr(text, "  | line 12\n"));
    assert_non_null(strstr(text, "  | line 19\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_become_lines_with_the_card_in_front),
        cmocka_unit_test(a_line_without_end_is_cut_not_lost),
        cmocka_unit_test(the_last_lines_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

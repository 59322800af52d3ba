/* A process that answers lines: long lines and answers, calls that a signal interrupts, and its end. */
#include "tests/support/temp_dir.h"

#include <poll.h>
#include <sys/wait.h>

#include "common/base/file.h"
#include "rank-worker/executor/python_child.h"

enum { LIMIT_S = 120 };

/* What a call of the C library does next, for one call: the linker puts these stand-ins in front of them. */
static struct fault {
    int code;  /* errno; 0: none */
    int count; /* calls still to fail */
} poll_fault, read_fault, write_fault;
static size_t most; /* that a call reads or writes at once; 0: as much as it can */

int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __real_write(int fd, const void *buf, size_t size);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);
ssize_t __wrap_read(int fd, void *buf, size_t size);
ssize_t __wrap_write(int fd, const void *buf, size_t size);

static bool fails(struct fault *f)
{
    if (f->count == 0) {
        return false;
    }
    f->count--;
    errno = f->code;
    return true;
}

static size_t part(size_t size)
{
    return most && size > most ? most : size;
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
    return fails(&poll_fault) ? -1 : __real_poll(fds, n, timeout);
}

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
    return fails(&read_fault) ? -1 : __real_read(fd, buf, part(size));
}

ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
    return fails(&write_fault) ? -1 : __real_write(fd, buf, part(size));
}

/* "long N" is answered by N letters, "quit N" by the end with this code, "quiet" by the end of the output; all else by its
 * length and last letter. */
static const char script[] = "import os, sys\n"
                             "for line in sys.stdin:\n"
                             "    word, _, n = line[:-1].partition(' ')\n"
                             "    if word == 'quit':\n"
                             "        sys.exit(int(n))\n"
                             "    if word == 'quiet':\n"
                             "        os.close(1)\n"
                             "    elif word == 'long':\n"
                             "        print('x' * int(n), flush=True)\n"
                             "    else:\n"
                             "        print(len(line) - 1, line[-2:-1], flush=True)\n";

static struct rig {
    char *dir, *script;
    int segment_fd;
    struct python_child child;
    struct error err;
} rig;

static int setup(void **state)
{
    (void)state;
    memset(&rig, 0, sizeof rig);
    poll_fault = read_fault = write_fault = (struct fault){0};
    most = 0;
    alarm(LIMIT_S);
    rig.dir = temp_dir_make();
    temp_dir_put_text(rig.dir, "script.py", script);
    rig.script = file_join(rig.dir, "script.py", NULL);
    assert_int_equal(python_child_start(&rig.child, "python3", rig.script, rig.segment_fd, &rig.err), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    python_child_end(&rig.child, 0);
    alarm(0);
    free(rig.script);
    temp_dir_remove(rig.dir);
    return 0;
}

static int ask(const char *line)
{
    return python_child_ask(&rig.child, line, 0, &rig.err);
}

static void expect_answer(const char *line, const char *answer)
{
    assert_int_equal(ask(line), 1);
    assert_string_equal(rig.child.answer, answer);
}

static void lines_are_answered_one_by_one(void **state)
{
    (void)state;
    expect_answer("abc", "3 c");
    expect_answer("", "0 ");
    expect_answer("abcdefgh", "8 h");
}

/* Longer than a pipe holds: the writer has to wait for the reader. */
static void a_long_line(void **state)
{
    const size_t n = 1 << 20;
    char *line = malloc(n + 1);

    (void)state;
    assert_non_null(line);
    memset(line, 'a', n);
    line[n - 1] = 'z';
    line[n] = '\0';
    expect_answer(line, "1048576 z");
    free(line);
}

static void pieces_are_put_together(void **state)
{
    (void)state;
    most = 1;
    expect_answer("abcdefgh", "8 h");
}

/* PYTHON_ANSWER_MAX bytes with the newline, or the end of the string. */
static void an_answer_has_a_largest_length(void **state)
{
    (void)state;
    assert_int_equal(PYTHON_ANSWER_MAX, 32768);
    assert_int_equal(ask("long 32767"), 1);
    assert_int_equal(strlen(rig.child.answer), 32767);
    assert_int_equal(ask("long 40000"), 1); /* cut: what reads it refuses it */
    assert_int_equal(strlen(rig.child.answer), 32767);
}

static void interrupted_calls_are_made_again(void **state)
{
    (void)state;
    poll_fault = read_fault = write_fault = (struct fault){EINTR, 3};
    expect_answer("abc", "3 c");
    assert_int_equal(poll_fault.count + read_fault.count + write_fault.count, 0);
    read_fault = write_fault = (struct fault){EAGAIN, 1};
    expect_answer("abcd", "4 d");
}

static void expect_fault(struct fault *fault, const char *what)
{
    read_fault = (struct fault){EAGAIN, 1}; /* so that it has to wait */
    *fault = (struct fault){EIO, 1};
    assert_int_equal(ask("abc"), -1);
    assert_non_null(strstr(rig.err.what, what));
    poll_fault = read_fault = write_fault = (struct fault){0};
}

static void calls_that_fail(void **state)
{
    (void)state;
    expect_fault(&write_fault, "cannot write to Python");
    assert_int_equal(ask("abc"), 1); /* nothing of the other was sent */
    expect_fault(&poll_fault, "cannot wait for Python");
    read_fault = (struct fault){EIO, 1}; /* nothing more comes from there */
    assert_int_equal(ask("abc"), 0);
    read_fault = (struct fault){0};
}

static void a_process_that_ends(void **state)
{
    int status;

    (void)state;
    assert_int_equal(ask("quit 5"), 0);
    assert_int_equal(ask("abc"), 0);
    status = python_child_end(&rig.child, LIMIT_S * 1000);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 5);
    assert_int_equal(python_child_end(&rig.child, 0), -1); /* it is not running */
}

static void a_process_that_ends_its_output(void **state)
{
    int status;

    (void)state;
    assert_int_equal(ask("quiet"), 0);
    status = python_child_end(&rig.child, LIMIT_S * 1000); /* the end of its input ends it */
    assert_true(WIFEXITED(status));
}

/* It has read nothing since its input ended: it stands still. */
static void a_process_that_does_not_end_is_killed(void **state)
{
    int status;

    (void)state;
    expect_answer("abc", "3 c");
    assert_int_equal(kill(process_id(rig.child.process), SIGSTOP), 0);
    status = python_child_end(&rig.child, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void there_is_no_such_program(void **state)
{
    struct python_child other = {0};

    (void)state;
    assert_int_equal(python_child_start(&other, "/nowhere/python3", rig.script, rig.segment_fd, &rig.err), -1);
    assert_int_equal(python_child_end(&other, 0), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(lines_are_answered_one_by_one),
        TEST(a_long_line),
        TEST(pieces_are_put_together),
        TEST(an_answer_has_a_largest_length),
        TEST(interrupted_calls_are_made_again),
        TEST(calls_that_fail),
        TEST(a_process_that_ends),
        TEST(a_process_that_ends_its_output),
        TEST(a_process_that_does_not_end_is_killed),
        TEST(there_is_no_such_program),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

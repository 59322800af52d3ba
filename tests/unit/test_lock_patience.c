/* A source that another process began to compile, and does not finish: that process may have been stopped. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/support/compile_fixture.h"

enum { FASTER = 200 };

static bool in_a_hurry;
static struct timespec begun;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

/* Half a minute passes in a moment. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    int rc = __real_clock_gettime(clock, now);

    if (rc == 0 && in_a_hurry && clock == CLOCK_MONOTONIC) {
        long long ns = (now->tv_sec - begun.tv_sec) * 1000000000LL + now->tv_nsec - begun.tv_nsec;

        ns = ns * FASTER + begun.tv_nsec;
        *now = (struct timespec){begun.tv_sec + ns / 1000000000, ns % 1000000000};
    }
    return rc;
}

static void hurry(void)
{
    __real_clock_gettime(CLOCK_MONOTONIC, &begun);
    in_a_hurry = true;
}

/* Says that it has begun, and never ends. */
static const char stuck[] = "if [[ \" $* \" == *' -o '* && -e \"$odd/stuck\" ]]; then\n"
                            "rm \"$odd/stuck\"\necho >\"$odd/begun\"\nexec sleep 1000\nfi";

static void test_what_a_stopped_process_began_is_compiled_here(void **state)
{
    struct fixture f;
    char *fifo, byte;
    int fd, status;
    pid_t pid;

    (void)state;
    fixture_open(&f);
    f.session.limit_s = 1000000;
    fifo = fixture_text("%s/begun", f.root);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    fixture_compiler(&f, "L3REPLAY_ORCH_CXX", "c++", stuck, "g++");
    fixture_put(&f, "stuck", "");
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        _exit(fixture_compile(&f) ? 1 : 0);
    }
    fd = open(fifo, O_RDONLY);
    assert_int_equal(read(fd, &byte, 1), 1);
    close(fd);
    assert_int_equal(kill(pid, SIGSTOP), 0);
    hurry();
    fixture_expect(&f, 1, 0);
    assert_int_equal(fixture_call(f.out.items[0].orchestration, "entry"), 100);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    free(fifo);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_stopped_process_began_is_compiled_here),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* How process 0 ends the job: those that end are waited for, one that stands still is killed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "orchestrator/job/farewell.h"

static const struct mpi_job job = {.rank = 0, .size = 3};

static pid_t start_child(bool stops)
{
    pid_t child = fork();

    if (child == 0) {
        if (stops) {
            raise(SIGSTOP);
        }
        _exit(0);
    }
    assert_true(child > 0);
    return child;
}

static void the_end_is_that_of_all_processes(void **state)
{
    const pid_t ends = start_child(false), stops = start_child(true);
    struct farewell f = {.count = 3, .processes = calloc(3, sizeof(int))};
    siginfo_t stopped;
    int status;

    (void)state;
    assert_non_null(f.processes);
    f.processes[0] = -1;
    f.processes[1] = (int)syscall(SYS_pidfd_open, ends, 0u);
    f.processes[2] = (int)syscall(SYS_pidfd_open, stops, 0u);
    if (f.processes[1] < 0 || f.processes[2] < 0) { /* not on this system */
        kill(stops, SIGKILL);
        waitpid(ends, NULL, 0);
        waitpid(stops, NULL, 0);
        free(f.processes);
        skip();
    }
    assert_int_equal(waitid(P_PID, (id_t)stops, &stopped, WSTOPPED | WNOWAIT), 0);
    farewell_end(&f, &job, 0);
    assert_null(f.processes);
    assert_int_equal(waitpid(ends, &status, 0), ends);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(waitpid(stops, &status, 0), stops);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void nobody_is_waited_for_in_a_job_of_one(void **state)
{
    const struct mpi_job alone = {.size = 1};
    struct farewell f = {0};
    struct error err;

    (void)state;
    assert_int_equal(farewell_await(&f, &alone, &err), 0);
    assert_int_equal(f.count, 0);
    farewell_end(&f, &alone, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_is_that_of_all_processes),
        cmocka_unit_test(nobody_is_waited_for_in_a_job_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

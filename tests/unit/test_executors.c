/* Executors: starting them, what they print, and what their ends mean. The binary is a script of this test. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "common/segment/segment.h"
#include "rank-worker/lanes/executors.h"
#include "rank-worker/lanes/postmortem.h"

static struct plan plan;
static struct segment seg;

static int setup(void **state)
{
    struct error err;
    struct plan_builder *b = plan_builder_new(2, &err);
    struct plan_node node = {.kind = PLAN_DISPATCH, .group = PLAN_NONE, .k = 0, .line = 7};

    (void)state;
    if (!b || plan_add_program(b, "chip_orch", &node.program, &err) < 0 ||
        plan_add_node(b, &node, NULL, NULL, NULL, &err) < 0) {
        return -1;
    }
    plan_builder_finish(b, &plan);
    return segment_create(&seg, &plan, "[]", "a2a3sim", &err);
}

static int teardown(void **state)
{
    (void)state;
    segment_unmap(&seg);
    plan_free(&plan);
    return 0;
}

static void set_lane(enum lane_state state, uint32_t node)
{
    atomic_store(&lane_status(&seg, 0)->state, state);
    atomic_store(&lane_status(&seg, 0)->node, node);
}

/* The status of a real child that ends as asked. */
static int end_of_child(int sig, int code)
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (pid == 0) {
        if (sig) {
            signal(sig, SIG_DFL);
            kill(getpid(), sig);
        }
        _exit(code);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void a_lane_walked_to_its_end_is_no_failure(void **state)
{
    struct error err;

    (void)state;
    set_lane(LANE_DONE, 0);
    assert_int_equal(postmortem(&seg, 0, end_of_child(0, 0), &err), 0);
}

static void a_signal_inside_a_kernel_is_a_fail_that_names_the_dispatch(void **state)
{
    struct error err;

    (void)state;
    set_lane(LANE_RUNNING, 0);
    assert_int_equal(postmortem(&seg, 0, end_of_child(SIGSEGV, 0), &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
    assert_non_null(strstr(err.what, "card 0"));
    assert_non_null(strstr(err.what, "signal 11"));
    assert_non_null(strstr(err.where, "chip_orch"));
}

/* Threads that a kernel left behind strike when they like. */
static void a_signal_while_profiles_are_written_is_a_fail(void **state)
{
    struct error err;

    (void)state;
    set_lane(LANE_SAVING, 0);
    assert_int_equal(postmortem(&seg, 0, end_of_child(SIGSEGV, 0), &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
}

static void a_kernel_that_exits_cleanly_is_a_fail_too(void **state)
{
    struct error err;

    (void)state;
    set_lane(LANE_RUNNING, 0);
    assert_int_equal(postmortem(&seg, 0, end_of_child(0, 0), &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
    assert_non_null(strstr(err.what, "exit status 0"));
}

static void being_killed_by_somebody_else_is_infra(void **state)
{
    struct error err;

    (void)state;
    set_lane(LANE_RUNNING, 0);
    assert_int_equal(postmortem(&seg, 0, end_of_child(SIGKILL, 0), &err), -1);
    assert_int_equal(err.kind, ERROR_INFRA);
}

static void an_end_before_the_first_dispatch_is_infra(void **state)
{
    struct error err;

    (void)state;
    set_lane(LANE_STARTING, PLAN_NONE);
    assert_int_equal(postmortem(&seg, 0, end_of_child(SIGSEGV, 0), &err), -1);
    assert_int_equal(err.kind, ERROR_INFRA);
}

static void a_failure_that_the_executor_reported_is_handed_on_unchanged(void **state)
{
    struct error err;

    (void)state;
    set_lane(LANE_FAILED, 0);
    error_set_kind(&lane_status(&seg, 0)->error, ERROR_FAIL, "here", "so", "said by the executor");
    assert_int_equal(postmortem(&seg, 0, end_of_child(0, 0), &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
    assert_string_equal(err.what, "said by the executor");
    assert_string_equal(err.where, "here");
}

/* A kernel may write over its lane's status, which is in its process: numbers beyond the plan, texts without an end. */
static void a_status_that_a_kernel_wrote_over(void **state)
{
    struct error err;

    (void)state;
    set_lane(LANE_RUNNING, seg.plan.nnode);
    assert_int_equal(postmortem(&seg, 0, end_of_child(SIGSEGV, 0), &err), -1);
    assert_int_equal(err.kind, ERROR_FAIL);
    assert_non_null(strstr(err.what, "wrote over memory"));
    set_lane(LANE_FAILED, 0);
    memset(&lane_status(&seg, 0)->error, 'x', sizeof(struct error));
    lane_status(&seg, 0)->error.kind = ERROR_INFRA;
    assert_int_equal(postmortem(&seg, 0, end_of_child(0, 0), &err), -1);
    assert_int_equal(err.kind, ERROR_INFRA);
    assert_true(strnlen(err.what, sizeof err.what) < sizeof err.what);
    assert_true(strnlen(err.where, sizeof err.where) < sizeof err.where);
    assert_true(strnlen(err.hint, sizeof err.hint) < sizeof err.hint);
}

static void write_script(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0755), 0);
    setenv("L3REPLAY_EXECUTOR", path, 1);
}

/* Poll and reap until nobody lives; the test's time limit is the bound. */
static void drain(struct executors *e, bool *failed, struct error *err)
{
    struct pollfd fds[4];

    alarm(30);
    while (executors_reap(e, failed, err) > 0) {
        nfds_t n = executors_poll(e, fds);

        poll(fds, n, 20);
        executors_service(e);
    }
    alarm(0);
}

static void what_an_executor_inherits_is_its_segment_and_nothing_else(void **state)
{
    const struct executor_lane lanes[] = {{.lane = 0, .device_id = 5, .ncores = 2}};
    char script[] = "/tmp/l3r-executor-XXXXXX", text[512];
    struct executors *e;
    struct error err;
    bool failed = false;
    int fd = mkstemp(script), leaked = dup(1), status_file;
    char got[256] = "";

    (void)state;
    assert_true(fd >= 0 && leaked >= 0);
    close(fd);
    /* Descriptors of the shell itself: 0..5, and the one that ls opens on the directory. */
    snprintf(text, sizeof text, "#!/bin/sh\necho \"$@\" >%s.out\nls /proc/self/fd | wc -l >>%s.out\n", script, script);
    write_script(script, text);
    set_lane(LANE_RUNNING, 0);
    assert_int_equal(executors_start(&e, &seg, lanes, 1, &err), 0);
    drain(e, &failed, &err);
    assert_true(failed); /* it never walked its lane */
    executors_free(e);
    snprintf(text, sizeof text, "%s.out", script);
    status_file = open(text, O_RDONLY);
    assert_true(status_file >= 0);
    assert_true(read(status_file, got, sizeof got - 1) > 0);
    close(status_file);
    snprintf(text, sizeof text, "0 5 2 %ld\n7\n", (long)getpid());
    assert_string_equal(got, text);
    snprintf(text, sizeof text, "%s.out", script);
    unlink(text);
    unlink(script);
    close(leaked);
}

static void killing_ends_every_child_and_says_nothing_of_blame(void **state)
{
    const struct executor_lane lanes[] = {{.lane = 0, .ncores = 1}, {.lane = 1, .ncores = 1}};
    char script[] = "/tmp/l3r-executor-XXXXXX";
    struct executors *e;
    struct error err;
    bool failed = false;
    int fd = mkstemp(script);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    write_script(script, "#!/bin/sh\ntrap '' TERM INT\nwhile :; do read x </dev/zero; done\n");
    set_lane(LANE_RUNNING, 0);
    atomic_store(&lane_status(&seg, 1)->state, LANE_SAVING); /* for ever: it is left time, but not all there is */
    assert_int_equal(executors_start(&e, &seg, lanes, 2, &err), 0);
    assert_int_equal(executors_reap(e, &failed, &err), 2);
    executors_kill(e);
    assert_int_equal(executors_reap(e, &failed, &err), 0);
    assert_false(failed);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    executors_free(e);
    unlink(script);
}

static void a_missing_binary_is_named(void **state)
{
    const struct executor_lane lanes[] = {{.lane = 0, .ncores = 1}};
    struct executors *e;
    struct error err;

    (void)state;
    setenv("L3REPLAY_EXECUTOR", "/nonexistent/executor", 1);
    assert_int_equal(executors_start(&e, &seg, lanes, 1, &err), -1);
    assert_non_null(strstr(err.what, "/nonexistent/executor"));
    assert_non_null(strstr(err.where, "L3REPLAY_EXECUTOR"));
    assert_null(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_walked_to_its_end_is_no_failure),
        cmocka_unit_test(a_signal_inside_a_kernel_is_a_fail_that_names_the_dispatch),
        cmocka_unit_test(a_signal_while_profiles_are_written_is_a_fail),
        cmocka_unit_test(a_kernel_that_exits_cleanly_is_a_fail_too),
        cmocka_unit_test(being_killed_by_somebody_else_is_infra),
        cmocka_unit_test(an_end_before_the_first_dispatch_is_infra),
        cmocka_unit_test(a_failure_that_the_executor_reported_is_handed_on_unchanged),
        cmocka_unit_test(a_status_that_a_kernel_wrote_over),
        cmocka_unit_test(what_an_executor_inherits_is_its_segment_and_nothing_else),
        cmocka_unit_test(killing_ends_every_child_and_says_nothing_of_blame),
        cmocka_unit_test(a_missing_binary_is_named),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

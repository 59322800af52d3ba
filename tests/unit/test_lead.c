/* Process 0 while the plan runs: what comes before what, in one pass, two and many, and what a failure leaves undone. */
#include "tests/unit/lead_rig.h"

/* On hardware a swimlane takes two passes. */
static void want_two_passes(void)
{
    rig.prepared.dfx = (struct dfx){.swimlane = 4, .dep_gen = true, .dir = "/profiles"};
}

static int run(void)
{
    return lead_run(&rig.me, &rig.options, &rig.prepared, &rig.outcome, &rig.err);
}

/* Run, with this on stderr: errors alone. */
static void expect_run(int rc, const char *text)
{
    char *written;
    int got;

    log_set_level(LOG_ERROR);
    captured_begin();
    got = run();
    written = captured_end();
    assert_int_equal(got, rc);
    assert_string_equal(written, text);
    free(written);
}

/* --- one pass ------------------------------------------------------------- */

static void test_pass_of_several_processes(void **state)
{
    (void)state;
    rig.options.free_threads = true;
    expect_run(0, "");
    /* Clocks before the executors start and after they are gone; who reads signals waits, and nobody else. */
    ASSERT_ORDER("clocks", "measure", "read-signals", "serve", "order-run", "start", "watch", "finish", "strangers",
                 "take-signals", "measure", "settle");
    assert_int_equal(count("watch"), 1);
    assert_int_equal(rig.norder, 1);
    assert_int_equal(rig.orders[0].kind, ORDER_RUN);
    assert_int_equal(rig.orders[0].pid, getpid());
    assert_int_equal(rig.orders[0].segment_fd, SEGMENT_FD);
    assert_string_equal(rig.orders[0].events.endpoint, "endpoint");
    assert_int_equal(rig.orders[0].events.secret[EVENTS_SECRET - 1], SECRET);
    assert_string_equal(rig.orders[0].token, ""); /* no profiles are wanted */
    assert_null(rig.me.receiver);
    assert_true(rig.header.free_threads);
    assert_int_equal(rig.header.hashing, 0);
    assert_false(rig.outcome.abrupt);
    assert_int_equal(rig.outcome.clock_error_ns, CLOCK_ERROR_NS);
}

static void test_pass_of_one_process_has_no_connection(void **state)
{
    (void)state;
    rig.me.job.size = 1;
    want_two_passes();
    assert_int_equal(run(), 0);
    assert_int_equal(count("serve") + count("receive"), 0);
    assert_int_equal(count("order-gather") + count("take-profiles"), 0);
    assert_int_equal(count("watch"), 2);
}

static void test_profiles_are_received(void **state)
{
    (void)state;
    rig.prepared.dfx = (struct dfx){.pmu = 2, .dir = "/profiles"};
    rig.options.dfx.stream = true;
    assert_int_equal(run(), 0);
    ASSERT_ORDER("serve", "receive", "order-run");
    assert_string_equal(rig.orders[0].token, "token");
    assert_true(rig.wants_stream);
    assert_int_equal(rig.captured[0].pmu, 2);
    /* Those that are still to come do so after the verdict. */
    assert_int_equal(count("order-gather"), 0);
}

/* --- two passes ----------------------------------------------------------- */

static void test_between_passes(void **state)
{
    (void)state;
    want_two_passes();
    assert_int_equal(run(), 0);
    ASSERT_ORDER("order-run", "start", "watch", "finish", "order-gather", "take-profiles", "end", "take-signals",
                 "load", "read-signals", "order-run", "start", "watch", "finish", "measure", "settle");
    /* The connection lasts for all passes; profiles of the last one come after the verdict. */
    assert_int_equal(count("serve"), 1);
    assert_int_equal(count("receive"), 1);
    assert_int_equal(count("order-run"), 2);
    assert_int_equal(count("order-gather"), 1);
    assert_int_equal(count("measure"), 2);
    assert_true(rig.captured[0].dep_gen);
    assert_int_equal(rig.captured[0].swimlane, 0);
    assert_false(rig.captured[1].dep_gen);
    assert_int_equal(rig.captured[1].swimlane, 4);
    assert_int_equal(rig.outcome.phases.now, PHASE_RUN);
}

static void test_nothing_to_gather_between_passes(void **state)
{
    (void)state;
    want_two_passes();
    rig.complete = true;
    assert_int_equal(run(), 0);
    assert_int_equal(count("order-gather") + count("take-profiles"), 0);
    assert_int_equal(count("watch"), 2);
}

/* Who does not send what it has cannot be counted on for the next pass. */
static void test_gathering_between_passes_fails(void **state)
{
    static const char *const failing[] = {"order-gather", "take-profiles"};

    for (int i = 0; i < 2; i++) {
        setup(state);
        want_two_passes();
        rig.failing = failing[i];
        assert_int_equal(run(), -1);
        assert_memory_equal(rig.err.what, failing[i], strlen(failing[i]));
        assert_true(rig.outcome.abrupt);
        assert_int_equal(count("watch"), 1);
        assert_int_equal(count("measure"), 1); /* they are not asked for their clocks either */
    }
}

/* --- failures ------------------------------------------------------------- */

static void expect_error(const char *word)
{
    char text[64];

    snprintf(text, sizeof text, "%s failed", word);
    assert_string_equal(rig.err.what, text);
}

/* A failed run has its times, of which reports are made: they are settled all the same. */
static void test_failed_pass(void **state)
{
    (void)state;
    rig.failing = "watch";
    assert_int_equal(run(), -1);
    expect_error("watch");
    ASSERT_ORDER("watch", "finish", "take-signals", "measure", "settle");
    assert_false(rig.outcome.abrupt);
    assert_int_equal(rig.outcome.clock_error_ns, CLOCK_ERROR_NS);
}

static void test_first_pass_fails(void **state)
{
    (void)state;
    want_two_passes();
    rig.failing = "watch";
    assert_int_equal(run(), -1);
    assert_memory_equal(rig.err.where, "graph pass", 10);
    assert_int_equal(count("watch"), 1);
    assert_int_equal(count("load"), 0);
}

static void test_load_of_second_pass_fails(void **state)
{
    (void)state;
    want_two_passes();
    rig.failing = "load";
    assert_int_equal(run(), -1);
    expect_error("load");
    assert_int_equal(count("watch"), 1);
}

static void test_failure_before_the_order(void **state)
{
    static const char *const failing[] = {"read-signals", "serve", "receive", "order-run"};

    for (int i = 0; i < 4; i++) {
        setup(state);
        rig.prepared.dfx = (struct dfx){.pmu = 2, .dir = "/profiles"};
        rig.failing = failing[i];
        assert_int_equal(run(), -1);
        expect_error(failing[i]);
        assert_int_equal(count("start"), 0);
        assert_int_equal(count("take-signals"), 1);
    }
}

/* The others have the order already, and wait for lanes that nobody walks. */
static void test_own_executors_do_not_start(void **state)
{
    (void)state;
    rig.failing = "start";
    assert_int_equal(run(), -1);
    expect_error("start");
    assert_int_equal(count("watch"), 0);
    assert_true(rig.outcome.abrupt);
    setup(state);
    rig.failing = "start";
    rig.me.job.size = 1;
    assert_int_equal(run(), -1);
    assert_false(rig.outcome.abrupt);
}

/* Others may be gone: nothing is asked of them, and what comes reads the signals that come. */
static void expect_abrupt(int rc)
{
    rig.failing = rc ? "watch" : NULL;
    assert_int_equal(run(), rc);
    assert_true(rig.outcome.abrupt);
    assert_int_equal(count("finish"), 0);
    assert_int_equal(count("take-signals"), 0);
    assert_int_equal(count("measure"), 1);
    assert_int_equal(count("settle"), 1);
}

static void test_abrupt_ends(void **state)
{
    rig.interrupted = true;
    expect_abrupt(-1);
    setup(state);
    rig.unsure = true;
    expect_abrupt(-1);
    setup(state);
    rig.unsure = true;
    expect_abrupt(0);
}

static void test_clocks_fail_before_the_run(void **state)
{
    static const char *const failing[] = {"clocks", "measure"};

    for (int i = 0; i < 2; i++) {
        setup(state);
        rig.failing = failing[i];
        assert_int_equal(run(), -1);
        expect_error(failing[i]);
        assert_int_equal(count("order-run"), 0);
    }
}

/* Outputs are there, and times too, as good as the first measurement made them. */
static void test_second_measurement_fails(void **state)
{
    (void)state;
    rig.failing = "measure";
    rig.failing_call = 2;
    expect_run(0, "l3replay: error: measure failed\n");
    assert_int_equal(count("settle"), 1);
    assert_int_equal(rig.outcome.clock_error_ns, CLOCK_ERROR_NS);
}

static void test_times_cannot_be_converted(void **state)
{
    (void)state;
    rig.failing = "settle";
    expect_run(-1, "");
    expect_error("settle");
    /* The run's own failure is the one to report. */
    setup(state);
    rig.failing = "settle";
    rig.failing_too = "watch";
    expect_run(-1, "l3replay: error: settle failed\n");
    expect_error("watch");
}

/* --- repeated runs -------------------------------------------------------- */

static void test_repeated_runs(void **state)
{
    (void)state;
    rig.options.repeat = 3;
    rig.wrong_run = 2;
    assert_int_equal(run(), 0); /* wrong outputs are no failure here */
    assert_int_equal(count("watch"), 3);
    assert_int_equal(count("load"), 2);
    assert_int_equal(count("take-run"), 3);
    assert_int_equal(count("compare"), 1);
    assert_int_equal(rig.header.hashing, 1);
    ASSERT_ORDER("repeat", "watch", "finish", "take-run", "end", "load", "watch", "finish", "take-run", "compare",
                 "end", "load", "watch", "take-run");
    assert_ptr_equal(rig.outcome.repeat, &rig);
    assert_int_equal(rig.outcome.phases.now, PHASE_RUN);
}

static void test_repeated_runs_that_match_are_not_compared_here(void **state)
{
    (void)state;
    rig.options.repeat = 2;
    assert_int_equal(run(), 0);
    assert_int_equal(count("compare"), 0);
}

static void test_repeat_once_is_one_run(void **state)
{
    (void)state;
    rig.options.repeat = 1;
    assert_int_equal(run(), 0);
    assert_int_equal(count("repeat") + count("take-run"), 0);
    assert_null(rig.outcome.repeat);
}

static void test_repeated_run_fails(void **state)
{
    static const char *const failing[] = {"watch", "take-run"};

    for (int i = 0; i < 2; i++) {
        setup(state);
        rig.options.repeat = 3;
        rig.failing = failing[i];
        rig.failing_call = 2;
        assert_int_equal(run(), -1);
        expect_error(failing[i]);
        assert_memory_equal(rig.err.where, "run 2 of 3", 10);
        assert_int_equal(count("watch"), 2);
    }
}

static void test_repeat_without_memory(void **state)
{
    (void)state;
    rig.options.repeat = 2;
    rig.failing = "repeat";
    assert_int_equal(run(), -1);
    expect_error("repeat");
    assert_int_equal(count("order-run"), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
    const struct CMUnitTest tests[] = {
        TEST(test_pass_of_several_processes),
        TEST(test_pass_of_one_process_has_no_connection),
        TEST(test_profiles_are_received),
        TEST(test_between_passes),
        TEST(test_nothing_to_gather_between_passes),
        TEST(test_gathering_between_passes_fails),
        TEST(test_failed_pass),
        TEST(test_first_pass_fails),
        TEST(test_load_of_second_pass_fails),
        TEST(test_failure_before_the_order),
        TEST(test_own_executors_do_not_start),
        TEST(test_abrupt_ends),
        TEST(test_clocks_fail_before_the_run),
        TEST(test_second_measurement_fails),
        TEST(test_times_cannot_be_converted),
        TEST(test_repeated_runs),
        TEST(test_repeated_runs_that_match_are_not_compared_here),
        TEST(test_repeat_once_is_one_run),
        TEST(test_repeated_run_fails),
        TEST(test_repeat_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Process 0 when the plan has run: the rest of the profiles, and the end of the others. */
#include "tests/unit/lead_rig.h"

static void receive(void)
{
    rig.me.receiver = (struct gather_receiver *)&rig;
    rig.senders = 2;
}

static void test_rest_is_gathered(void **state)
{
    (void)state;
    receive();
    lead_gather(&rig.me, &rig.outcome);
    ASSERT_ORDER("read-signals", "order-gather", "take-profiles", "take-signals");
    assert_false(rig.outcome.abrupt);
    assert_int_equal(rig.outcome.phases.nstage, 1);
    assert_string_equal(rig.outcome.phases.stages[0].name, "gather");
}

static void test_nothing_is_gathered(void **state)
{
    lead_gather(&rig.me, &rig.outcome); /* no profiles */
    assert_string_equal(rig.steps, "");
    receive();
    rig.outcome.abrupt = true;
    lead_gather(&rig.me, &rig.outcome);
    assert_string_equal(rig.steps, "");
    setup(state);
    receive();
    rig.complete = true;
    lead_gather(&rig.me, &rig.outcome);
    assert_int_equal(count("order-gather") + count("take-profiles"), 0);
}

static void test_gathering_fails(void **state)
{
    static const char *const failing[] = {"order-gather", "take-profiles"};

    for (int i = 0; i < 2; i++) {
        setup(state);
        receive();
        rig.failing = failing[i];
        lead_gather(&rig.me, &rig.outcome);
        assert_true(rig.outcome.abrupt);
        assert_int_equal(count("take-signals"), 1);
    }
}

static void test_losses_are_reported(void **state)
{
    char *text;

    (void)state;
    receive();
    rig.senders = 1;
    rig.totals = (struct inbox_totals){.nfile = 3, .nbytes = 2500000, .nloss = INBOX_MAX_LOSSES + 2};
    for (int i = 0; i < INBOX_MAX_LOSSES; i++) {
        snprintf(rig.losses[i].path, sizeof rig.losses[i].path, "rank1/d%d/x", i);
        snprintf(rig.losses[i].why, sizeof rig.losses[i].why, "disk full");
    }
    log_set_level(LOG_TIMING);
    captured_begin();
    lead_gather(&rig.me, &rig.outcome);
    text = captured_end();
    assert_non_null(strstr(text, "gathered 3 profile files (2.5 MB) from 1 process,"));
    assert_non_null(strstr(text, "34 profile files were lost on the way:"));
    assert_non_null(strstr(text, "rank1/d0/x: disk full\n"));
    assert_non_null(strstr(text, "rank1/d31/x: disk full\n"));
    assert_non_null(strstr(text, "and 2 more\n"));
    free(text);
}

static void test_one_loss(void **state)
{
    char *text;

    (void)state;
    receive();
    rig.totals.nloss = 1;
    rig.losses[0] = (struct inbox_loss){"rank1/d0/x", "disk full"};
    log_set_level(LOG_TIMING);
    captured_begin();
    lead_gather(&rig.me, &rig.outcome);
    text = captured_end();
    assert_non_null(strstr(text, "from 2 processes,"));
    assert_non_null(strstr(text, "1 profile file was lost on the way:"));
    assert_non_null(strstr(text, "way:\nl3replay: error:   rank1/d0/x: disk full\n"));
    assert_string_equal(strstr(text, "full\n"), "full\n"); /* that is all */
    free(text);
}

static void test_wait_for_others_ends_when_all_have_stopped(void **state)
{
    static const struct event events[] = {
        {.kind = EVENT_STOPPED, .rank = 1}, {.kind = EVENT_DONE, .rank = 2}, {.kind = EVENT_STOPPED, .rank = 2}};

    (void)state;
    receive();
    rig.events = events;
    rig.nevent = 3;
    lead_await_others(&rig.me);
    assert_int_equal(rig.nevent, 0);
    assert_int_equal(rig.nlook, 1);
}

/* Two are awaited and one comes: the wait has a limit. */
static void test_wait_for_others_has_a_limit(void **state)
{
    static const struct event events[] = {
        {.kind = EVENT_FAILED, .rank = 1}, {.kind = EVENT_STOPPED, .rank = 1}, {.kind = EVENT_PARCEL, .rank = 2}};

    (void)state;
    receive();
    rig.events = events;
    rig.nevent = 3;
    lead_await_others(&rig.me);
    assert_true(rig.nlook > 1);
}

/* Nobody sends profiles: nobody has anything on its disk. */
static void test_nobody_is_waited_for(void **state)
{
    (void)state;
    lead_await_others(&rig.me);
    receive();
    rig.senders = 0;
    lead_await_others(&rig.me);
    assert_int_equal(rig.nlook, 0);
}

static void test_dismiss(void **state)
{
    static const char *const failing[] = {"order-leave", "farewell"};
    struct farewell farewell = {0};
    char *text;

    (void)state;
    assert_int_equal(lead_dismiss(&rig.me, &farewell), 0);
    assert_int_equal(rig.norder, 1);
    assert_int_equal(rig.orders[0].kind, ORDER_LEAVE);
    assert_non_null(strstr(rig.steps, " order-leave farewell "));
    log_set_level(LOG_WARN);
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        rig.failing = failing[i];
        captured_begin();
        assert_int_equal(lead_dismiss(&rig.me, &farewell),
                         -1); /* the job is to be aborted, though the verdict is out */
        text = captured_end();
        assert_non_null(strstr(text, failing[i]));
        free(text);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, setup)
    const struct CMUnitTest tests[] = {
        TEST(test_rest_is_gathered),
        TEST(test_nothing_is_gathered),
        TEST(test_gathering_fails),
        TEST(test_losses_are_reported),
        TEST(test_one_loss),
        TEST(test_wait_for_others_ends_when_all_have_stopped),
        TEST(test_wait_for_others_has_a_limit),
        TEST(test_nobody_is_waited_for),
        TEST(test_dismiss),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

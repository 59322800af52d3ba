/* From sources to binaries, alone: in which order, of which programs, and what ends it. */
#include "tests/unit/fresh_rig.h"

#include "tests/support/captured.h"
#include "tests/support/failing_alloc.h"

static int share(void *context, const struct build *build, const struct program_table *programs, const bool *needed,
                 struct error *err)
{
    assert_ptr_equal(context, &rig);
    assert_ptr_equal(build, &rig.build);
    assert_ptr_equal(programs, &rig.table);
    memcpy(rig.offered, needed, sizeof rig.offered);
    return step("share", NULL, err);
}

static int sources(void)
{
    return fresh_sources(rig.dir, &rig.options, &rig.err);
}

/* --- sources -------------------------------------------------------------- */

/* An edit that splicing makes in a source must not meet a binary of the old one. */
static void test_sources_are_spliced_then_invalidated(void **state)
{
    (void)state;
    rig.options.ptoas_timeout = 11;
    assert_int_equal(sources(), 0);
    assert_string_equal(rig.steps, " splice invalidate ");
    assert_false(rig.ignores_pto || rig.ignores_recompile);
    assert_int_equal(rig.ptoas_timeout, 11);
}

static void test_each_can_be_left_out(void **state)
{
    (void)state;
    rig.options.no_rebuild_from_pto = true;
    assert_int_equal(sources(), 0);
    assert_true(rig.ignores_pto);
    assert_false(rig.ignores_recompile);
    rig.options = (struct fresh_options){.no_recompile = true};
    assert_int_equal(sources(), 0);
    assert_false(rig.ignores_pto);
    assert_true(rig.ignores_recompile);
}

static void test_sources_fail(void **state)
{
    (void)state;
    rig.failing = "splice";
    expect_error(sources(), "splice");
    assert_string_equal(rig.steps, " splice ");
    rig.failing = "invalidate";
    expect_error(sources(), "invalidate");
}

static void test_build_that_cannot_be_written_to_keeps_its_binaries(void **state)
{
    char *text;

    (void)state;
    log_set_level(LOG_WARN);
    captured_begin();
    assert_int_equal(fresh_sources("/nowhere/at/all", &rig.options, &rig.err), 0);
    text = captured_end();
    assert_string_equal(rig.steps, " splice ");
    assert_non_null(strstr(text, "note: the build cannot be written to"));
    free(text);
    rig.failing = "splice"; /* an edit that could not be carried over is not lost in silence */
    expect_error(fresh_sources("/nowhere/at/all", &rig.options, &rig.err), "splice");
}

static char *sources_log(enum splice_skip skipped, size_t nstale)
{
    log_set_level(LOG_WARN);
    rig.skipped = skipped;
    rig.nstale = nstale;
    captured_begin();
    assert_int_equal(sources(), 0);
    return captured_end();
}

static void test_edits_without_ptoas_are_reported(void **state)
{
    char *text = sources_log(SPLICE_NO_PTOAS, 2);

    (void)state;
    assert_non_null(strstr(text, "warning: 2 .pto files are newer"));
    free(text);
    text = sources_log(SPLICE_NO_PTOAS, 0);
    assert_string_equal(text, "");
    free(text);
    text = sources_log(SPLICE_OFF, 2);
    assert_string_equal(text, "");
    free(text);
    text = sources_log(SPLICE_DONE, 2);
    assert_string_equal(text, "");
    free(text);
}

/* --- binaries ------------------------------------------------------------- */

static void expect_needed(bool a, bool b, bool c)
{
    assert_int_equal(rig.needed[0], a);
    assert_int_equal(rig.needed[1], b);
    assert_int_equal(rig.needed[2], c);
}

static void expect_from(int program, const char *place)
{
    char text[64];

    snprintf(text, sizeof text, "orchestration of the %s", place);
    assert_string_equal(rig.out.items[program].orchestration, text);
    snprintf(text, sizeof text, "kernel of the %s", place);
    assert_string_equal(rig.out.items[program].kernels[0], text);
}

/* The store compiles nothing twice: binaries of the build do not count. */
static void test_all_come_from_the_store(void **state)
{
    (void)state;
    rig.current = rig.there = "abc";
    assert_int_equal(binaries(NULL), 0);
    assert_string_equal(rig.steps, " compile ");
    expect_needed(true, true, true);
    expect_from(2, "store");
}

/* What the user said about compilers holds for the session. */
static void test_options_of_the_session(void **state)
{
    struct compile_session *opened = NULL;

    (void)state;
    rig.options.no_ccache = true;
    rig.options.compile_timeout = 12;
    assert_int_equal(fresh_session_open(&rig.options, &opened, &rig.err), 0);
    assert_ptr_equal(opened, session());
    rig.failing = "open";
    expect_error(fresh_session_open(&rig.options, &opened, &rig.err), "open");
}

static void test_only_what_is_wanted(void **state)
{
    (void)state;
    assert_int_equal(binaries((const bool[]){false, true, false}), 0);
    expect_needed(false, true, false);
    assert_null(rig.out.items[0].orchestration);
}

static void test_no_recompile_keeps_current_binaries(void **state)
{
    (void)state;
    rig.options.no_recompile = true;
    rig.current = "ab";
    rig.there = "ac";
    assert_int_equal(binaries(NULL), 0);
    /* a: current and there; b: not there; c: there, but for something else. */
    assert_string_equal(rig.steps, " identity stamp:a find:a warn:a stamp:b find:b stamp:c compile ");
    expect_needed(false, true, true);
    expect_from(0, "build");
    expect_from(1, "store");
    expect_from(2, "store");
}

static void test_no_recompile_looks_at_wanted_programs_alone(void **state)
{
    (void)state;
    rig.options.no_recompile = true;
    rig.current = rig.there = "abc";
    assert_int_equal(binaries((const bool[]){false, false, true}), 0);
    assert_string_equal(rig.steps, " identity stamp:c find:c warn:c compile ");
    expect_needed(false, false, false);
    assert_null(rig.out.items[0].orchestration);
    expect_from(2, "build");
}

static void test_others_are_offered_what_is_needed(void **state)
{
    (void)state;
    rig.options.share = share;
    rig.options.context = &rig;
    rig.options.no_recompile = true;
    rig.current = rig.there = "a";
    assert_int_equal(binaries((const bool[]){true, true, false}), 0);
    assert_non_null(strstr(rig.steps, " compile share "));
    assert_memory_equal(rig.offered, ((const bool[]){false, true, false}), sizeof rig.offered);
}

static void test_binaries_fail(void **state)
{
    static const struct {
        const char *failing, *last;
    } cases[] = {{"identity", " identity "},
                 {"find:b", " find:b "},
                 {"warn:b", " warn:b "},
                 {"share", " share "},
                 {"compile", " compile "}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].last);

        rig.options = (struct fresh_options){.no_recompile = true, .share = share, .context = &rig};
        rig.current = rig.there = "ab";
        rig.failing = cases[i].failing;
        expect_error(binaries(NULL), cases[i].failing);
        assert_string_equal(rig.steps + strlen(rig.steps) - n, cases[i].last);
        assert_null(rig.out.items);
        again(state);
    }
}

static void test_binaries_without_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 2; n++) {
        int rc;

        failing_alloc_start(n);
        rc = binaries(NULL);
        failing_alloc_stop();
        assert_int_equal(rc, -1);
        assert_string_equal(rig.steps, "");
        assert_null(rig.out.items);
    }
}

static void test_no_programs(void **state)
{
    (void)state;
    rig.table.count = 0;
    assert_int_equal(binaries(NULL), 0);
    assert_int_equal(rig.out.count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_sources_are_spliced_then_invalidated),
        TEST(test_each_can_be_left_out),
        TEST(test_sources_fail),
        TEST(test_build_that_cannot_be_written_to_keeps_its_binaries),
        TEST(test_edits_without_ptoas_are_reported),
        TEST(test_all_come_from_the_store),
        TEST(test_options_of_the_session),
        TEST(test_only_what_is_wanted),
        TEST(test_no_recompile_keeps_current_binaries),
        TEST(test_no_recompile_looks_at_wanted_programs_alone),
        TEST(test_others_are_offered_what_is_needed),
        TEST(test_binaries_fail),
        TEST(test_binaries_without_memory),
        TEST(test_no_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

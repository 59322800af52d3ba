/* The verdict: which failure of several is reported, what an interrupt changes, and what the exit code and marker say. */
#include "tests/support/temp_dir.h"

#include "common/base/log.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/job/outcome.h"

static struct error failure(enum error_kind kind, const char *what)
{
    struct error err;

    error_set_kind(&err, kind, "place", "hint", "%s", what);
    return err;
}

static void fail_with(struct outcome *out, enum error_kind kind, const char *what, bool interrupted)
{
    const struct error err = failure(kind, what);

    outcome_fail(out, &err, interrupted);
}

static void test_the_first_failure_is_the_verdict(void **state)
{
    struct outcome out = {0};

    (void)state;
    fail_with(&out, ERROR_FAIL, "wrong output", false);
    fail_with(&out, ERROR_INFRA, "disk full", false);
    assert_int_equal(out.verdict, RESULT_FAIL);
    assert_string_equal(out.error.what, "wrong output");
}

static void test_only_what_is_known_to_be_wrong_is_fail(void **state)
{
    const enum error_kind others[] = {ERROR_INFRA, ERROR_USAGE};

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct outcome out = {0};
        fail_with(&out, others[i], "no memory", false);
        assert_int_equal(out.verdict, RESULT_INFRA);
    }
}

/* Who ends a run wants no verdict on it, also when an output of it was wrong already. */
static void test_an_interrupt_replaces_the_verdict(void **state)
{
    struct outcome out = {0};

    (void)state;
    fail_with(&out, ERROR_FAIL, "wrong output", false);
    fail_with(&out, ERROR_INFRA, "interrupted", true);
    assert_int_equal(out.verdict, RESULT_INFRA);
    assert_string_equal(out.error.what, "interrupted");
}

/* Report with stdout into `text`; the exit code. */
static int report(struct outcome *out, const struct run_options *o, char *text, size_t size)
{
    char *dir = temp_dir_make(), *path;
    int code, fd, saved = dup(STDOUT_FILENO);
    static struct prepared p;
    ssize_t n;

    assert_true(asprintf(&path, "%s/out", dir) > 0);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0 && saved >= 0);
    fflush(NULL);
    dup2(fd, STDOUT_FILENO);
    code = outcome_report(out, o, &p);
    fflush(NULL);
    dup2(saved, STDOUT_FILENO);
    n = pread(fd, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
    close(saved);
    free(path);
    temp_dir_remove(dir);
    return code;
}

static void test_codes_and_markers(void **state)
{
    static const struct {
        enum error_kind kind;
        int code;
        const char *marker;
    } cases[] = {{ERROR_FAIL, 1, "PYPTO_EXEC_RESULT=FAIL"}, {ERROR_INFRA, 3, "PYPTO_EXEC_RESULT=INFRA"}};
    const struct run_options options = {.build = "b"};
    char text[1024];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome out = {0};
        fail_with(&out, cases[i].kind, "something", false);
        assert_int_equal(report(&out, &options, text, sizeof text), cases[i].code);
        assert_non_null(strstr(text, cases[i].marker));
        assert_null(strstr(strstr(text, "PYPTO_EXEC_RESULT") + 1, "PYPTO_EXEC_RESULT"));
        assert_string_equal(strrchr(strstr(text, "PYPTO_EXEC_RESULT"), '\n'), "\n"); /* the last line */
        assert_non_null(strstr(text, "PYPTO_EXEC_CHECKED=0/0 outputs\nPYPTO_EXEC_RESULT"));
    }
}

/* Nothing was tried: there is no marker, which tools would take for a verdict. */
static void test_a_wrong_command_line_has_no_marker(void **state)
{
    const struct run_options options = {.build = "b"};
    struct outcome out = {0};
    char text[1024];

    (void)state;
    fail_with(&out, ERROR_USAGE, "no such parameter", false);
    assert_int_equal(report(&out, &options, text, sizeof text), 2);
    assert_null(strstr(text, "PYPTO_EXEC_RESULT"));
}

/* A result file that was asked for and is not written is no PASS. */
static void test_a_result_that_is_lost_is_no_pass(void **state)
{
    const struct run_options options = {.build = "b", .result_file = "/dev/null/result.json"};
    struct outcome out = {0};
    char text[1024];

    (void)state;
    assert_int_equal(report(&out, &options, text, sizeof text), 3);
    assert_non_null(strstr(text, "PYPTO_EXEC_RESULT=INFRA"));
    assert_null(strstr(text, "PASS"));
}

/* Only PASS is lowered: of a wrong kernel something is known, wherever it cannot be written. */
static void test_a_fail_stays_one_without_its_result_file(void **state)
{
    const struct run_options options = {.build = "b", .result_file = "/dev/null/result.json"};
    struct outcome out = {0};
    char text[1024];

    (void)state;
    fail_with(&out, ERROR_FAIL, "wrong output", false);
    assert_int_equal(report(&out, &options, text, sizeof text), 1);
    assert_non_null(strstr(text, "PYPTO_EXEC_RESULT=FAIL"));
    assert_null(strstr(text, "INFRA"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_failure_is_the_verdict),
        cmocka_unit_test(test_only_what_is_known_to_be_wrong_is_fail),
        cmocka_unit_test(test_an_interrupt_replaces_the_verdict),
        cmocka_unit_test(test_codes_and_markers),
        cmocka_unit_test(test_a_wrong_command_line_has_no_marker),
        cmocka_unit_test(test_a_result_that_is_lost_is_no_pass),
        cmocka_unit_test(test_a_fail_stays_one_without_its_result_file),
    };

    log_set_level(LOG_NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

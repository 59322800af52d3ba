/* The line of a replay has what is known, and nothing else. */
#include "tests/support/temp_dir.h"

#include "common/base/json.h"
#include "orchestrator/watch/watch_line.h"

static void expect(const struct watch_result *r, double before_ms, const char *expected)
{
    char *text = watch_line_text(r, before_ms, "10:20:30");

    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static struct watch_result pass(void)
{
    return (struct watch_result){
        .verdict = "PASS", .seconds = 0.5, .span_ms = 2, .compared = 1, .outputs = 1, .known = true};
}

static void test_text(void **state)
{
    struct watch_result r = pass();

    (void)state;
    expect(&r, -1, "10:20:30  PASS     0.500 s  dispatches 2.000 ms  nothing changed");
    args_add(&r.changed, "kernel a/x.cpp");
    args_add(&r.changed, "input b");
    expect(&r, 2.5, "10:20:30  PASS     0.500 s  dispatches 2.000 ms (before: 2.500)  kernel a/x.cpp, input b");
    r.compared = 0;
    r.known = false;
    watch_result_free(&r);
    expect(&r, -1, "10:20:30  PASS     0.500 s  dispatches 2.000 ms  0 of 1 outputs compared");
    r = (struct watch_result){.verdict = "INFRA", .seconds = 1, .span_ms = -1, .outputs = 1, .error = "two\nlines"};
    expect(&r, 2, "10:20:30  INFRA    1.000 s  two lines");
    r = (struct watch_result){.seconds = 1, .span_ms = -1, .compared = -1, .outputs = -1, .error = "was killed"};
    expect(&r, -1, "10:20:30  -        1.000 s  was killed");
}

static void test_json(void **state)
{
    struct watch_result r = pass();
    struct json_source src = {.file = "line"};
    char *text;
    double number;
    cJSON *json;

    (void)state;
    args_add(&r.changed, "kernel \"a\"");
    text = watch_line_json(&r, 4);
    assert_non_null(text);
    assert_null(strchr(text, '\n'));
    json = json_parse(&src, text, strlen(text));
    assert_string_equal(json_text_of(json, "result"), "PASS");
    assert_int_equal(json_get_number(&src, json, "dispatches_ms", &number), 0);
    assert_true(number == 2);
    assert_int_equal(json_get_number(&src, json, "before_ms", &number), 0);
    assert_true(number == 4);
    assert_string_equal(json_member(json, "changed")->child->valuestring, "kernel \"a\"");
    cJSON_Delete(json);
    free(text);
    watch_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_json)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

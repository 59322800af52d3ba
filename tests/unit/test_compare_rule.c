/* How one output is compared: expected numbers are counted by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "orchestrator/data/compare_rule.h"

enum { ROWS = 3, COLUMNS = 4 };

static const int64_t shape[] = {ROWS, COLUMNS};
static float expected[ROWS * COLUMNS], actual[ROWS * COLUMNS];
static struct compare_verdict verdict;
static struct comparison found;

static int ones(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        expected[i] = actual[i] = 1;
    }
    return 0;
}

static struct compare_rule plain(void)
{
    return (struct compare_rule){.tol = {.rtol = 0.01, .atol = 0}, .error_ratio = -1, .valid_rows = COMPARE_ALL_ROWS};
}

static bool passes(const struct compare_rule *rule)
{
    compare_by_rule(rule, DTYPE_FLOAT32, 2, shape, actual, DTYPE_FLOAT32, expected, &found, &verdict);
    return verdict.passed;
}

static void none_may_be_off_unless_said(void **state)
{
    const struct compare_rule rule = plain();

    (void)state;
    assert_true(passes(&rule));
    assert_int_equal(found.count, 12);
    actual[5] = 1.02f;
    assert_false(passes(&rule));
    assert_int_equal(found.mismatched, 1);
    assert_int_equal(found.shown[0].index, 5);
    actual[5] = 1.009f;
    assert_true(passes(&rule));
    expected[7] = NAN; /* any value will do */
    actual[7] = 5;
    assert_true(passes(&rule));
    assert_int_equal(found.ignored, 1);
}

/* round(0.2 * 12) is 2; round(0.125 * 12) = round(1.5) is 2, ties to even. */
static void a_share_may_be_off(void **state)
{
    struct compare_rule rule = plain();

    (void)state;
    actual[0] = actual[11] = 2;
    rule.error_ratio = 0.2;
    assert_true(passes(&rule));
    assert_int_equal(verdict.allowed, 2);
    assert_int_equal(found.mismatched, 2);
    rule.error_ratio = 0.125;
    assert_true(passes(&rule));
    actual[6] = 2;
    assert_false(passes(&rule));
    rule.error_ratio = 0;
    actual[0] = actual[6] = actual[11] = 1;
    assert_true(passes(&rule));
}

static void with_a_share_nothing_may_be_nan_or_infinite(void **state)
{
    struct compare_rule rule = plain();

    (void)state;
    rule.error_ratio = 1;
    expected[3] = NAN;
    assert_false(passes(&rule));
    assert_int_equal(verdict.not_finite, 1);
    expected[3] = actual[3] = INFINITY; /* equal, and still */
    assert_false(passes(&rule));
    assert_int_equal(verdict.not_finite, 2);
    expected[3] = actual[3] = 1;
    assert_true(passes(&rule));
}

static void rows_that_do_not_count_may_hold_anything(void **state)
{
    struct compare_rule rule = plain();

    (void)state;
    actual[8] = 7;
    actual[11] = NAN;
    rule.valid_rows = 2;
    assert_true(passes(&rule));
    assert_int_equal(found.count, 8);
    actual[7] = 7; /* the last one that counts */
    assert_false(passes(&rule));
    assert_int_equal(found.shown[0].index, 7);
    rule.valid_rows = 0;
    assert_true(passes(&rule));
    assert_int_equal(found.count, 0);
}

/* Of each row of 4 the first 3. */
static void rows_may_be_those_of_another_axis(void **state)
{
    struct compare_rule rule = plain();

    (void)state;
    actual[3] = actual[7] = actual[11] = 9;
    rule.valid_axis = 1;
    rule.valid_rows = 3;
    assert_true(passes(&rule));
    assert_int_equal(found.count, 9);
    actual[10] = 9;
    assert_false(passes(&rule));
    assert_int_equal(found.mismatched, 1);
    assert_int_equal(found.shown[0].index, 10);
}

static void the_tail_may_have_to_be_zero(void **state)
{
    struct compare_rule rule = plain();

    (void)state;
    rule.valid_rows = 2;
    rule.zero_tail = true;
    assert_false(passes(&rule)); /* ones */
    assert_int_equal(verdict.tail_nonzero, 4);
    actual[8] = actual[9] = actual[10] = 0;
    actual[11] = -0.0f;
    assert_true(passes(&rule));
    actual[9] = NAN;
    assert_false(passes(&rule));
    assert_int_equal(verdict.tail_nonzero, 1);
}

static void integers_of_64_bits_are_exact(void **state)
{
    struct compare_rule rule = plain();
    const int64_t of[] = {4}, a[] = {INT64_MAX, 5, INT64_MIN, 1}, e[] = {INT64_MAX - 1, 5, INT64_MIN, 1};

    (void)state;
    rule.tol.rtol = 0;
    rule.valid_rows = 3;
    compare_by_rule(&rule, DTYPE_INT64, 1, of, a, DTYPE_INT64, e, &found, &verdict);
    assert_false(verdict.passed);
    assert_int_equal(found.mismatched, 1);
    assert_int_equal(found.count, 3);
    rule.error_ratio = 0.34; /* round(1.02) */
    compare_by_rule(&rule, DTYPE_INT64, 1, of, a, DTYPE_INT64, e, &found, &verdict);
    assert_true(verdict.passed);
}

static void rules_that_do_not_fit_are_refused(void **state)
{
    struct compare_rule rule = plain();
    struct error err;

    (void)state;
    assert_int_equal(compare_rule_check(&rule, "y", 2, shape, &err), 0);
    rule.valid_rows = 3;
    assert_int_equal(compare_rule_check(&rule, "y", 2, shape, &err), 0);
    rule.valid_rows = 4;
    assert_int_equal(compare_rule_check(&rule, "y", 2, shape, &err), -1);
    assert_int_equal(err.kind, ERROR_USAGE);
    rule.valid_axis = 1;
    assert_int_equal(compare_rule_check(&rule, "y", 2, shape, &err), 0);
    rule.valid_axis = 2;
    assert_int_equal(compare_rule_check(&rule, "y", 2, shape, &err), -1);
    rule = plain();
    rule.zero_tail = true;
    assert_int_equal(compare_rule_check(&rule, "y", 2, shape, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(none_may_be_off_unless_said, ones),
        cmocka_unit_test_setup(a_share_may_be_off, ones),
        cmocka_unit_test_setup(with_a_share_nothing_may_be_nan_or_infinite, ones),
        cmocka_unit_test_setup(rows_that_do_not_count_may_hold_anything, ones),
        cmocka_unit_test_setup(rows_may_be_those_of_another_axis, ones),
        cmocka_unit_test_setup(the_tail_may_have_to_be_zero, ones),
        cmocka_unit_test(integers_of_64_bits_are_exact),
        cmocka_unit_test(rules_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Comparisons of the field beside plain closeness, and many elements dealt to threads. */
#include "tests/support/temp_dir.h"

#include <math.h>

#include "orchestrator/data/compare_parallel.h"
#include "orchestrator/data/compare_rule.h"
#include "orchestrator/data/compare_topk.h"

/* r = d where d < X, else d / (max(|a|, |e|, 2^-14 / X) + 1e-9); off where r > X. With X = 0.01. */
static void test_relative_difference(void **state)
{
    static const struct {
        float actual, expected;
        bool off;
    } cases[] = {
        {1000, 1009, false},   /* 9 / 1009 = 0.0089 */
        {1000, 1011, true},    /* 11 / 1011 = 0.0109 */
        {0.5f, 0.509f, false}, /* 0.009 is below 0.01, and counts itself */
        {0.5f, 0.5105f, true}, /* 0.0105 / 0.5105 = 0.0206 */
        {0, 0.0099f, false},   /* small differences of small values */
        {0, 0.011f, true},     /* 0.011 / 0.011 = 1 */
        {-3, 3, true},         {7, 7, false},
    };
    const int64_t shape[] = {1};
    struct compare_rule rule = compare_rule_default((struct tolerance){.rtol = 0, .atol = 0, .reldiff = 0.01});
    struct compare_verdict verdict;
    struct comparison found;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compare_by_rule(&rule, DTYPE_FLOAT32, 1, shape, &cases[i].actual, DTYPE_FLOAT32, &cases[i].expected, &found,
                        &verdict);
        if (found.mismatched != cases[i].off) {
            fail_msg("%g against %g", (double)cases[i].actual, (double)cases[i].expected);
        }
    }
}

/* Of 40 elements 0.05 may be off, which is 2; another share when it is said; none by as much as the most. */
static void test_share_of_a_relative_difference(void **state)
{
    const int64_t shape[] = {40};
    struct compare_rule rule = compare_rule_default((struct tolerance){.rtol = 0, .atol = 0, .reldiff = 0.01});
    struct compare_verdict verdict;
    struct comparison found;
    float actual[40], expected[40];

    (void)state;
    for (int i = 0; i < 40; i++) {
        actual[i] = expected[i] = 1;
    }
    actual[3] = actual[17] = 1.5f; /* r = 0.5 / 1.5 */
    compare_by_rule(&rule, DTYPE_FLOAT32, 1, shape, actual, DTYPE_FLOAT32, expected, &found, &verdict);
    assert_true(verdict.passed);
    assert_true(fabs(found.max_reldiff - 1 / 3.0) < 1e-6);
    rule.reldiff_most = 0.33;
    compare_by_rule(&rule, DTYPE_FLOAT32, 1, shape, actual, DTYPE_FLOAT32, expected, &found, &verdict);
    assert_true(verdict.too_far && !verdict.passed);
    rule.reldiff_most = 0.34;
    compare_by_rule(&rule, DTYPE_FLOAT32, 1, shape, actual, DTYPE_FLOAT32, expected, &found, &verdict);
    assert_true(verdict.passed);
    actual[30] = 2;
    compare_by_rule(&rule, DTYPE_FLOAT32, 1, shape, actual, DTYPE_FLOAT32, expected, &found, &verdict);
    assert_false(verdict.passed);
    actual[30] = 1;
    actual[5] = expected[5] = INFINITY; /* equal, and not finite */
    compare_by_rule(&rule, DTYPE_FLOAT32, 1, shape, actual, DTYPE_FLOAT32, expected, &found, &verdict);
    assert_false(verdict.passed);
}

static void test_ties_of_a_top_k(void **state)
{
    static const float values[] = {9, 7, 7, 5, 4, 4, 6, NAN};
    static const int32_t expected[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct topk_values v = {.type = DTYPE_FLOAT32, .data = values, .length = 4};
    int32_t actual[] = {1, 3, 2, 4, 6, 5, 9, 0};
    struct comparison found;

    (void)state;
    assert_int_equal(compare_topk(DTYPE_INT32, actual, DTYPE_INT32, expected, 4, &v, &found), 2);
    assert_int_equal(found.mismatched, 0);
    assert_int_equal(found.count, 4);
    /* In the second row 4, 4, 6, NaN: place 0 is in order, 1 is not (4 before 6), 2 and 3 are beside them. */
    assert_int_equal(compare_topk(DTYPE_INT32, actual, DTYPE_INT32, expected, 8, &v, &found), 3);
    assert_int_equal(found.mismatched, 3);
    assert_int_equal(found.shown[0].index, 5);
    assert_int_equal(found.shown[1].index, 6);
    assert_int_equal(found.shown[2].index, 7);
    v.ascending = true;
    assert_true(topk_is_tie(&v, 4) && topk_is_tie(&v, 5) && !topk_is_tie(&v, 6));
}

/* More than is one thread's, with a seed that is fixed: the numbers are those of one thread. */
static void test_threads_find_the_same(void **state)
{
    const uint64_t count = (UINT64_C(5) << 19) + 77;
    float *actual = malloc(count * sizeof *actual), *expected = malloc(count * sizeof *expected);
    const struct tolerance tol = {.rtol = 1e-3, .atol = 0};
    struct comparison one = {0}, all = {0};
    uint32_t random = 12345;

    (void)state;
    assert_non_null(actual);
    assert_non_null(expected);
    for (uint64_t i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        actual[i] = expected[i] = (float)(random >> 8) + 1;
        if (random >> 24 == 7) {
            actual[i] *= 1.5f;
        }
    }
    actual[count - 1] = 1e30f;
    expected[3] = NAN;
    compare_span(DTYPE_FLOAT32, actual, DTYPE_FLOAT32, expected, 5, count - 5, tol, true, NULL, NULL, &one);
    compare_more(DTYPE_FLOAT32, actual, DTYPE_FLOAT32, expected, 5, count - 5, tol, true, &all);
    assert_true(one.mismatched > 1000);
    assert_int_equal(one.max_index, count - 1);
    assert_memory_equal(&one, &all, sizeof one);
    free(actual);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relative_difference),
        cmocka_unit_test(test_share_of_a_relative_difference),
        cmocka_unit_test(test_ties_of_a_top_k),
        cmocka_unit_test(test_threads_find_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is said of a series of measurements: on series that a seeded generator makes, whose truth is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "orchestrator/measure/series.h"

enum { LENGTH = 100, LONG = 400, SERIES = 400 };

/* --- series of known truth ------------------------------------------------ */

/* Marsaglia's xorshift64. */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    const double radius = sqrt(-2 * log(uniform(seed)));

    return radius * cos(2 * acos(-1) * uniform(seed));
}

/* Normal values of mean 0 and variance 1, each with correlation `rho` to the one before. */
static void make_series(uint64_t *seed, double rho, double *x, uint32_t count)
{
    double value = normal(seed);

    for (uint32_t i = 0; i < count; i++) {
        x[i] = value;
        value = rho * value + sqrt(1 - rho * rho) * normal(seed);
    }
}

static uint64_t seed_of(uint32_t number)
{
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) * (number + 1);

    uniform(&seed);
    return seed;
}

/* --- tests ---------------------------------------------------------------- */

/* Worked out by hand: between ranks, numbered from 0, q * (n - 1) is interpolated. */
static void quantiles(void **state)
{
    const double four[] = {1, 2, 4, 8}, one[] = {7};

    (void)state;
    assert_true(series_quantile(four, 4, 0) == 1 && series_quantile(four, 4, 1) == 8);
    assert_true(series_quantile(four, 4, 0.5) == 3);
    assert_true(fabs(series_quantile(four, 4, 0.95) - 7.4) < 1e-12);
    assert_true(series_quantile(one, 1, 0.5) == 7);
}

static void a_summary(void **state)
{
    const double series[] = {5, 1, 9, 2, 3};
    struct series_summary s;
    struct error err;

    (void)state;
    assert_int_equal(series_summarize(series, 5, &s, &err), 0);
    assert_int_equal(s.count, 5);
    assert_true(s.min == 1 && s.median == 3 && s.mean == 4 && s.max == 9);
    assert_true(fabs(s.p95 - 8.2) < 1e-12);
    /* Five values cannot bound a median with 95 %: all of them lie on one side with 2 * 0.5^5 = 6 %. */
    assert_false(s.interval.known);
    assert_true(s.interval.low == 1 && s.interval.high == 9);
}

/* Of 100 independent values the 40th and the 61st bound the median with 96.5 %, as tables of the sign test have it; a
 * shuffled sequence is as good as independent. Student's distribution may take one rank more. */
static void ranks_of_independent_values(void **state)
{
    double series[LENGTH];
    uint64_t seed = seed_of(3);
    struct series_summary s;
    struct error err;

    (void)state;
    for (int i = 0; i < LENGTH; i++) {
        series[i] = i + 1;
    }
    for (int i = LENGTH - 1; i > 0; i--) {
        const int other = (int)(uniform(&seed) * (i + 1));
        const double kept = series[i];

        series[i] = series[other];
        series[other] = kept;
    }
    assert_int_equal(series_summarize(series, LENGTH, &s, &err), 0);
    assert_true(s.interval.known && s.interval.low <= 40 && s.interval.high >= 61);
    assert_true(s.interval.low >= 36 && s.interval.high <= 65);
}

static void one_value_always(void **state)
{
    double series[LENGTH];
    struct series_summary s;
    struct error err;

    (void)state;
    for (int i = 0; i < LENGTH; i++) {
        series[i] = 5;
    }
    assert_int_equal(series_summarize(series, LENGTH, &s, &err), 0);
    assert_true(s.interval.known && s.interval.low == 5 && s.interval.high == 5);
}

/* In how many of SERIES series the interval holds the true median, 0. */
static int covered(double rho, uint32_t count)
{
    double x[LONG];
    int n = 0;

    for (uint32_t i = 0; i < SERIES; i++) {
        uint64_t seed = seed_of(i);
        struct series_summary s;
        struct error err;

        make_series(&seed, rho, x, count);
        assert_int_equal(series_summarize(x, count, &s, &err), 0);
        n += !s.interval.known || (s.interval.low <= 0 && s.interval.high >= 0);
    }
    return n;
}

/* 95 % of 400 are 380, with a standard error of 4.4; the ranks of 100 values allow a little more than 95 %. */
static void coverage(void **state)
{
    const double rhos[] = {0, 0.3, 0.6, 0.8};

    (void)state;
    for (size_t i = 0; i < sizeof rhos / sizeof *rhos; i++) {
        const int few = covered(rhos[i], LENGTH), many = covered(rhos[i], LONG);

        assert_in_range(few, 371, 397);
        assert_in_range(many, 371, 397);
    }
}

/* The same machine for both: noise of 2 % with a memory, and a drift of 20 %, which both meet. */
static struct series_difference compare(uint32_t number, double slow_down, uint32_t count)
{
    uint64_t seed = seed_of(number);
    struct series_difference d;
    double both[2 * LONG], a[LONG], b[LONG];
    struct error err;

    make_series(&seed, 0.5, both, 2 * count);
    for (uint32_t i = 0; i < count; i++) {
        const double drift = 1 + 0.2 * i / count;
        const uint32_t first = 2 * i + (uniform(&seed) < 0.5);

        a[i] = 100 * drift * exp(0.02 * both[first]);
        b[i] = 100 * drift * (1 + slow_down) * exp(0.02 * both[first ^ 1]);
    }
    assert_int_equal(series_compare_pairs(a, b, count, &d, &err), 0);
    return d;
}

static int how_many(enum series_finding finding, double slow_down, uint32_t count)
{
    int n = 0;

    for (uint32_t i = 0; i < 100; i++) {
        const struct series_difference d = compare(i, slow_down, count);

        n += d.finding == finding;
        assert_true(d.ratio >= d.interval.low && d.ratio <= d.interval.high);
    }
    return n;
}

static void a_build_beside_itself(void **state)
{
    (void)state;
    assert_in_range(how_many(SERIES_NO_DIFFERENCE, 0, LENGTH), 94, 100);
    assert_in_range(how_many(SERIES_NO_DIFFERENCE, 0, LONG), 94, 100);
}

static void known_slow_downs(void **state)
{
    const struct series_difference two = compare(1, 0.02, LONG), five = compare(1, 0.05, LONG);

    (void)state;
    assert_in_range(how_many(SERIES_GREATER, 0.02, LENGTH), 95, 100);
    assert_int_equal(how_many(SERIES_GREATER, 0.05, LENGTH), 100);
    assert_int_equal(how_many(SERIES_LESS, -0.05, LENGTH), 100);
    assert_true(fabs(two.ratio - 0.02) < 0.006 && fabs(five.ratio - 0.05) < 0.006);
}

/* Every tenth value of one series is three times as large: the median does not follow. */
static void outliers(void **state)
{
    double a[LENGTH], b[LENGTH];
    struct series_difference d;
    struct error err;
    uint64_t seed = seed_of(5);

    (void)state;
    for (int i = 0; i < LENGTH; i++) {
        a[i] = exp(0.01 * normal(&seed));
        b[i] = exp(0.01 * normal(&seed)) * (i % 10 == 0 ? 3 : 1);
    }
    assert_int_equal(series_compare_pairs(a, b, LENGTH, &d, &err), 0);
    assert_true(fabs(d.ratio) < 0.01);
    assert_true(d.interval.high < 0.02);
}

static void few_pairs_say_nothing(void **state)
{
    const double a[] = {1, 1, 1}, b[] = {2, 2, 2};
    struct series_difference d;
    struct error err;

    (void)state;
    assert_int_equal(series_compare_pairs(a, b, 3, &d, &err), 0);
    assert_int_equal(d.finding, SERIES_UNKNOWN);
    assert_true(fabs(d.ratio - 1) < 1e-12);
}

/* Medians 100 and 110 with bounds of 1 % and 2 %: 10 % apart, by about the root of 1 + 4 percent. */
static void series_measured_apart(void **state)
{
    const struct series_summary a = {.median = 100, .interval = {true, 99, 101}};
    const struct series_summary b = {.median = 110, .interval = {true, 107.8, 112.2}};
    struct series_difference d;

    (void)state;
    series_compare_apart(&a, &b, &d);
    assert_int_equal(d.finding, SERIES_GREATER);
    assert_true(fabs(d.ratio - 0.1) < 1e-12);
    assert_true(fabs(d.interval.low - (0.1 - 1.1 * 0.0224)) < 0.001);
    assert_true(fabs(d.interval.high - (0.1 + 1.1 * 0.0224)) < 0.001);
    series_compare_apart(&a, &a, &d);
    assert_int_equal(d.finding, SERIES_NO_DIFFERENCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),
        cmocka_unit_test(a_summary),
        cmocka_unit_test(ranks_of_independent_values),
        cmocka_unit_test(one_value_always),
        cmocka_unit_test(coverage),
        cmocka_unit_test(a_build_beside_itself),
        cmocka_unit_test(known_slow_downs),
        cmocka_unit_test(outliers),
        cmocka_unit_test(few_pairs_say_nothing),
        cmocka_unit_test(series_measured_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

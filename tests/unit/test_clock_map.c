/* Clocks made up here, so that the truth is known: what the map says is never farther from it than the bound says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/segment/clock_map.h"

#define SECOND UINT64_C(1000000000)
#define YEAR (UINT64_C(31557600) * SECOND)

enum { NSAMPLE = 40 };

/* Two clocks over true time `t` (ns from 0): process 0's is right, the other gains `ppb`, and besides `swing` ppb in
 * one direction and then as much in the other, once in `period`. */
struct world {
    uint64_t root_at_0, other_at_0;
    int64_t ppb, swing;
    uint64_t period;
    uint64_t random;
};

static uint64_t draw(struct world *w, uint64_t below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (w->random >> 33) % below;
}

static uint64_t root_clock(const struct world *w, uint64_t t)
{
    return w->root_at_0 + t;
}

static uint64_t other_clock(const struct world *w, uint64_t t)
{
    uint64_t half = w->period / 2, in = w->period ? t % w->period : 0;
    __int128 gained = (__int128)t * w->ppb;

    if (w->period) {
        gained += (__int128)w->swing * (in < half ? in : w->period - in);
    }
    return w->other_at_0 + t + (uint64_t)(int64_t)(gained / 1000000000);
}

/* How long a message takes: `kind` 0 about the same both ways; 1 one way a hundred times the other; 2 mostly quick, and
 * now and then a millisecond; 3 as 0, in a measurement during which the clocks drift by more than that. */
static uint64_t delay(struct world *w, int kind, bool there)
{
    if (kind == 1) {
        return there ? 100000 + draw(w, 50000) : 1000 + draw(w, 500);
    }
    if (kind == 2) {
        return draw(w, 4) ? 600 + draw(w, 400) : 1000000 + draw(w, 3000000);
    }
    return 800 + draw(w, 400);
}

/* A measurement that begins at true time `*t`, which it moves on. */
static struct clock_point measure(struct world *w, int kind, uint64_t *t)
{
    struct clock_sample samples[NSAMPLE];
    struct clock_point point;

    for (int i = 0; i < NSAMPLE; i++) {
        samples[i].sent_ns = root_clock(w, *t);
        *t += delay(w, kind, true);
        samples[i].stamp_ns = other_clock(w, *t);
        *t += delay(w, kind, false);
        samples[i].received_ns = root_clock(w, *t);
        *t += kind == 3 ? 1000000 : 200;
    }
    assert_int_equal(clock_point_of(samples, NSAMPLE, &point), 0);
    return point;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* At `steps` times from `from` to `to`: true to the bound, and never going back. */
static void expect_true(const struct world *w, const struct clock_map *map, uint64_t from, uint64_t to, int steps)
{
    uint64_t last = 0, worst = clock_map_worst_error(map, other_clock(w, from), other_clock(w, to));

    for (int i = 0; i <= steps; i++) {
        uint64_t t = from + (uint64_t)((unsigned __int128)(to - from) * (unsigned)i / (unsigned)steps);
        uint64_t other = other_clock(w, t), said = clock_map_to_root(map, other);
        uint64_t off = distance(said, root_clock(w, t)), bound = clock_map_error(map, other);

        if (off > bound) {
            fail_msg("%llu ns off, bound %llu, at %llu of %llu", (unsigned long long)off, (unsigned long long)bound,
                     (unsigned long long)t, (unsigned long long)to);
        }
        assert_true(said >= last);
        assert_true(bound <= worst);
        last = said;
    }
}

static const uint64_t starts[][2] = {
    {5 * SECOND, 100005 * SECOND}, {3 * YEAR, 7 * SECOND}, {SECOND, 9 * YEAR}, {20 * YEAR, 20 * YEAR + 1}};
static const int64_t drifts[] = {-200000, -12345, -1, 0, 1, 12345, 200000};
static const uint64_t lengths[] = {SECOND / 1000, SECOND, 3600 * SECOND};

/* Every shift, drift, kind of delay and length of a run. */
static void the_truth_is_within_the_bound(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++) {
        for (size_t d = 0; d < sizeof drifts / sizeof *drifts; d++) {
            for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
                for (int kind = 0; kind < 4; kind++) {
                    struct world w = {starts[s][0], starts[s][1], drifts[d], 0, 0, s * 1000 + d * 100 + l * 10 + 1};
                    uint64_t t = 1000, begin, end;
                    struct clock_point before = measure(&w, kind, &t), after;
                    struct clock_map map;

                    begin = t;
                    end = t += lengths[l];
                    after = measure(&w, kind, &t);
                    assert_int_equal(clock_map_make(&map, &before, &after, NULL), 0);
                    assert_int_equal(map.kind, CLOCK_TWO_POINTS);
                    expect_true(&w, &map, begin, end, 50);
                    expect_true(&w, &map, 0, t + lengths[l], 50); /* beyond both points too */
                    assert_int_equal(clock_map_make(&map, &before, NULL, NULL), 0);
                    expect_true(&w, &map, begin, end, 50);
                }
            }
        }
    }
}

/* A rate that changes within the run as much as it may. */
static void a_rate_that_wanders_stays_within_the_bound(void **state)
{
    (void)state;
    for (size_t d = 0; d < sizeof drifts / sizeof *drifts; d++) {
        uint64_t length = 60 * SECOND, t = 1000, begin;
        struct world w = {SECOND, 4 * YEAR, drifts[d], CLOCK_WANDER_PPB - 10, length, d + 3};
        struct clock_point before = measure(&w, 0, &t), after;
        struct clock_map map;

        begin = t;
        t += length;
        after = measure(&w, 0, &t);
        assert_int_equal(clock_map_make(&map, &before, &after, NULL), 0);
        expect_true(&w, &map, begin, begin + length, 1000);
    }
}

/* The quick exchanges decide, and each kind of delay leaves no more than half of what a quick one takes. */
static void slow_messages_do_not_widen_the_bound(void **state)
{
    static const uint64_t quickest[] = {1600, 101000, 1200};

    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct world w = {SECOND, 2 * SECOND, 50000, 0, 0, 77};
        uint64_t t = 0;
        struct clock_point p = measure(&w, kind, &t);

        /* No exchange takes less, and of forty at least one not much more. */
        assert_true(p.error_ns <= quickest[kind] * 3 / 4);
    }
}

static void drift_is_what_it_was_made_to_be(void **state)
{
    (void)state;
    for (size_t d = 0; d < sizeof drifts / sizeof *drifts; d++) {
        struct world w = {YEAR, SECOND, drifts[d], 0, 0, 5};
        uint64_t t = 0, noise;
        struct clock_point before = measure(&w, 0, &t), after;
        struct clock_map map;
        int64_t drift, gained;

        t += 10 * SECOND;
        after = measure(&w, 0, &t);
        assert_int_equal(clock_map_make(&map, &before, &after, NULL), 0);
        drift = clock_map_drift_ppb(&map);
        gained = -drifts[d]; /* process 0's gains what the other loses; in parts of the other's second, */
        gained += (int64_t)((__int128)drifts[d] * drifts[d] / 1000000000); /* which is not quite process 0's */
        noise = (before.error_ns + after.error_ns) / 10 + 2;
        assert_true(distance((uint64_t)(drift + 1000000), (uint64_t)(gained + 1000000)) <= noise);
    }
}

static void numbers_worked_out_by_hand(void **state)
{
    /* The best sample takes 20: offset 990..1010. The others narrow it to 995..1005 at their moments; the 0.01 ns of
     * drift from there count as 1 on either side: 994..1006, so 1000 +- 6, and 1 for the clocks' own ns. */
    const struct clock_sample samples[] = {{1085, 1185, 90}, {1090, 1110, 100}, {1015, 1115, 110}};
    const struct clock_sample backwards = {10, 9, 9};
    /* At 1000 it is 5000, at 3000 it is 7200: 1.1 a ns. */
    const struct clock_point a = {1000, 4000, 100}, b = {3000, 4200, 150};
    struct clock_map map = {CLOCK_TWO_POINTS, {a, b}};
    struct clock_point p;

    (void)state;
    assert_int_equal(clock_point_of(samples, 3, &p), 0);
    assert_int_equal(p.at_ns, 100);
    assert_int_equal(p.offset_ns, 1000);
    assert_int_equal(p.error_ns, 7);
    assert_int_equal(clock_point_of(&backwards, 1, &p), -1);
    assert_int_equal(clock_point_of(NULL, 0, &p), -1);
    assert_int_equal(clock_map_to_root(&map, 1000), 5000);
    assert_int_equal(clock_map_to_root(&map, 3000), 7200);
    assert_int_equal(clock_map_to_root(&map, 1500), 5550);
    assert_int_equal(clock_map_to_root(&map, 0), 3900);
    assert_int_equal(clock_map_drift_ppb(&map), 100000000);
    /* Half way 125, a millionth of 1000 rounded up, and 2 for rounding. */
    assert_int_equal(clock_map_error(&map, 2000), 128);
}

/* Within one measurement the clock drifts by more than a quick exchange takes: no offset suits all samples. */
static void samples_that_contradict_each_other_leave_the_best_one(void **state)
{
    /* 1000 apart within 100 ns of the clock: thousands of times what clocks do. */
    const struct clock_sample samples[] = {{1100, 1110, 100}, {2200, 2230, 200}};
    struct clock_point p;

    (void)state;
    assert_int_equal(clock_point_of(samples, 2, &p), 0);
    assert_int_equal(p.at_ns, 100);
    assert_true(p.offset_ns - (int64_t)p.error_ns <= 1000 && p.offset_ns + (int64_t)p.error_ns >= 1010);
    assert_true(p.error_ns <= 6);
}

static void one_clock_is_itself(void **state)
{
    static const uint64_t times[] = {0, 1, 12345678901234567, UINT64_MAX};
    const struct clock_map shared = {0};

    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_true(clock_map_to_root(&shared, times[i]) == times[i]);
        assert_int_equal(clock_map_error(&shared, times[i]), 0);
    }
    assert_int_equal(clock_map_worst_error(&shared, 0, UINT64_MAX), 0);
}

static void without_a_measurement_there_is_no_bound(void **state)
{
    const struct clock_map none = {CLOCK_UNALIGNED, {{0, -500, 0}}};

    (void)state;
    assert_int_equal(clock_map_to_root(&none, 2000), 1500);
    assert_int_equal(clock_map_to_root(&none, 100), 0);
    assert_true(clock_map_error(&none, 2000) == CLOCK_NO_BOUND);
    assert_true(clock_map_worst_error(&none, 0, 2000) == CLOCK_NO_BOUND);
}

/* A clock that was set during the run: a line would put everything in between wrong, with a small bound. */
static void a_clock_that_was_set_has_no_line(void **state)
{
    const struct clock_point before = {10 * SECOND, 0, 1000}, after = {20 * SECOND, (int64_t)SECOND, 1000};
    const struct clock_point back = {20 * SECOND, -11 * (int64_t)SECOND, 1000}, same = {10 * SECOND, 5, 1000};
    struct clock_map map;
    struct error err;

    (void)state;
    assert_int_equal(clock_map_make(&map, &before, &after, &err), -1);
    assert_non_null(strstr(err.what, "1.000000 s"));
    assert_int_equal(clock_map_make(&map, &before, &back, &err), -1);
    assert_int_equal(clock_map_make(&map, &before, &same, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_is_within_the_bound),
        cmocka_unit_test(a_rate_that_wanders_stays_within_the_bound),
        cmocka_unit_test(slow_messages_do_not_widen_the_bound),
        cmocka_unit_test(drift_is_what_it_was_made_to_be),
        cmocka_unit_test(numbers_worked_out_by_hand),
        cmocka_unit_test(samples_that_contradict_each_other_leave_the_best_one),
        cmocka_unit_test(one_clock_is_itself),
        cmocka_unit_test(without_a_measurement_there_is_no_bound),
        cmocka_unit_test(a_clock_that_was_set_has_no_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Statistics and the critical path, on numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "orchestrator/profiles/critical_path.h"
#include "orchestrator/report/stats.h"

static void statistics(void **state)
{
    uint64_t even[] = {40, 10, 30, 20}, one[] = {7}, hundred[100];
    struct stats s = stats_of(even, 4);

    (void)state;
    assert_true(s.min == 10 && s.max == 40 && s.median == 25 && s.mean == 25 && s.p95 == 40 && s.total == 100);
    s = stats_of(one, 1);
    assert_true(s.min == 7 && s.max == 7 && s.median == 7 && s.p95 == 7);
    for (uint64_t i = 0; i < 100; i++) {
        hundred[i] = 100 - i;
    }
    s = stats_of(hundred, 100);
    assert_true(s.p95 == 95 && s.median == 50.5);
    s = stats_of(NULL, 0);
    assert_true(s.count == 0 && s.max == 0);
}

/* Two lanes:  0: A 0-10, C 25-40   1: B 0-20, D 21-30;  C waits for B. */
static void the_path_crosses_lanes_where_an_edge_held_it(void **state)
{
    const struct path_item items[] = {{0, 10, 0}, {0, 20, 1}, {25, 40, 0}, {21, 30, 1}};
    const struct path_edge edges[] = {{1, 2}, {2, 3}}; /* the second contradicts the times */
    struct path_bind binds[4];
    struct path_step *steps;
    struct error err;
    size_t n;

    (void)state;
    assert_int_equal(path_bind(items, 4, edges, 2, binds, &err), 0);
    assert_true(binds[2].before == 0 && binds[2].pred == 1);
    assert_true(binds[3].before == 1 && binds[3].pred == PATH_NONE);
    assert_int_equal(path_critical(items, 4, binds, &steps, &n, &err), 0);
    assert_int_equal(n, 2);
    assert_true(steps[0].item == 1 && steps[0].reason == PATH_FIRST && steps[0].time == 20 && steps[0].gap == 0);
    assert_true(steps[1].item == 2 && steps[1].reason == PATH_EDGE && steps[1].time == 15 && steps[1].gap == 5);
    free(steps);
}

/* Items that overlap are counted once, and items without any length make no circle. */
static void the_parts_always_add_up(void **state)
{
    struct path_item items[200];
    struct path_edge edges[600];
    struct path_bind binds[200];
    struct error err;
    unsigned seed = 1;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct path_step *steps;
        uint64_t sum = 0, last = 0;
        size_t n;
        for (int i = 0; i < 200; i++) {
            items[i].start = (uint64_t)rand_r(&seed) % 50;
            items[i].end = items[i].start + (uint64_t)rand_r(&seed) % 4;
            items[i].lane = (uint32_t)rand_r(&seed) % 5;
            last = items[i].end > last ? items[i].end : last;
        }
        for (int e = 0; e < 600; e++) {
            edges[e] = (struct path_edge){(uint32_t)rand_r(&seed) % 200, (uint32_t)rand_r(&seed) % 200};
        }
        assert_int_equal(path_bind(items, 200, edges, 600, binds, &err), 0);
        assert_int_equal(path_critical(items, 200, binds, &steps, &n, &err), 0);
        for (size_t i = 0; i < n; i++) {
            sum += steps[i].gap + steps[i].time;
        }
        assert_true(sum >= last - items[steps[0].item].start);
        assert_int_equal(items[steps[n - 1].item].end, last);
        free(steps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics),
        cmocka_unit_test(the_path_crosses_lanes_where_an_edge_held_it),
        cmocka_unit_test(the_parts_always_add_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

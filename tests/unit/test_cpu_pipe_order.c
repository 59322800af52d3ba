/* The order of tiles on a pipe for both directions, where lanes push twice in a row (tests/unit/cpu/tile_order.h). */
#include "tests/support/temp_dir.h"

#include "tests/support/mixed_runs.h"
#include "tests/unit/cpu/tile_order.h"

enum { RUNS = 96 }; /* as many for each of 8 children */

static uint64_t expected[MIXED_RUNS_BLOCKS][3];

static void expect(uint64_t sums[3])
{
    for (int i = 0; i < ORDER_TOKENS; i++) {
        sums[0] = order_mix(sums[0], order_p(i));
        sums[1] = order_mix(order_mix(sums[1], order_q(i)), order_r(i));
    }
}

static int setup(void **state)
{
    (void)state;
    mixed_runs_begin();
    mixed_runs_compile("order_kernel", "");
    mixed_runs_compile_isa("order_isa_kernel");
    for (int block = 0; block < MIXED_RUNS_BLOCKS; block++) {
        expect(expected[block]);
    }
    return 0;
}

static void assert_right(const char *kernel, int at_a_time, int ncores)
{
    mixed_runs_assert_sums(kernel, RUNS, at_a_time, ncores, (const uint64_t(*)[3])expected);
}

static void tiles_by_hand_keep_their_order(void **state)
{
    (void)state;
    assert_right("order_kernel", 1, 1);
    assert_right("order_kernel", 2, 2);
    assert_right("order_kernel", 8, 1);
}

static void tiles_of_pto_isa_keep_their_order(void **state)
{
    (void)state;
    mixed_runs_need_isa();
    assert_right("order_isa_kernel", 1, 1);
    assert_right("order_isa_kernel", 2, 2);
    assert_right("order_isa_kernel", 8, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_by_hand_keep_their_order),
        cmocka_unit_test(tiles_of_pto_isa_keep_their_order),
    };
    return cmocka_run_group_tests(tests, setup, mixed_runs_end);
}

/* Mixed and multi-block tasks: who runs at the same time, and what a kernel learns about itself. */
#include "tests/support/cpu_rig.h"

static void the_lanes_of_a_mixed_task_run_at_the_same_time(void **state)
{
    (void)state;
    assert_int_equal(rig_run(MIXED_MEET), 0);
    for (int lane = 0; lane < 3; lane++) {
        assert_int_equal(rig_event(20 * lane)->count, 1);
        assert_int_equal(rig_event(20 * lane)->lane, lane == 2);
        assert_int_equal(rig_event(20 * lane)->hook_lane, lane == 2);
    }
}

/* Three tasks of four blocks each, one after the other or not: a counter per cluster sees whole blocks only, so it ends
 * at a multiple of three, and starts at zero in each dispatch. */
static void a_block_has_its_cluster_and_pipe_state_to_itself(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        int64_t sum = 0;
        assert_int_equal(rig_run(MIXED_PIPES), 0);
        for (int block = 0; block < 4; block++) {
            sum += rig_event(block)->count + rig_event(20 + block)->count + rig_event(40 + block)->count;
            assert_true(rig_event(block)->pipe <= 36);
        }
        assert_int_equal(sum, 36);
    }
}

static void a_mixed_task_may_have_vector_lanes_only(void **state)
{
    (void)state;
    assert_int_equal(rig_run(TWO_VECTOR_LANES), 0);
    assert_int_equal(rig_event(20)->lane, 0);
    assert_int_equal(rig_event(40)->lane, 1);
}

static void a_lone_second_lane_is_a_first_one(void **state)
{
    (void)state;
    assert_int_equal(rig_run(ONLY_SECOND_LANE), 0);
    assert_int_equal(rig_event(40)->count, 1);
    assert_int_equal(rig_event(40)->lane, 0);
}

static void every_block_runs_once_and_knows_its_index(void **state)
{
    (void)state;
    assert_int_equal(rig_run(BLOCKS), 0);
    for (int block = 0; block < 18; block++) {
        assert_int_equal(rig_event(20 + block)->count, 1);
        assert_int_equal(rig_event(20 + block)->block, block);
        assert_int_equal(rig_event(20 + block)->nblock, 18);
    }
    assert_int_equal(rig.result.ntasks, 1);
}

static void blocks_may_wait_for_each_other(void **state)
{
    (void)state;
    assert_int_equal(rig_run(BLOCKS_MEET), 0);
    assert_int_equal(rig.events.flags[0], 5);
}

static void blocks_start_together_when_asked_to(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        assert_int_equal(rig_run(BLOCKS_START_TOGETHER), 0);
        assert_int_equal(rig.events.flags[0], 16);
        assert_int_equal(rig_run(CLUSTERS_START_TOGETHER), 0);
        assert_int_equal(rig.events.flags[0], 24);
    }
}

static void more_blocks_together_than_the_device_has_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(rig_run_alone(TOO_MANY_TOGETHER, 1), -1);
    assert_int_equal(rig.err.kind, ERROR_FAIL);
    assert_non_null(strstr(rig.err.what, "code 7"));
    assert_non_null(strstr(rig.err.what, "17 blocks"));
}

static void a_kernel_that_is_not_listed_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(rig_run_alone(UNKNOWN_KERNEL, 1), -1);
    assert_non_null(strstr(rig.err.what, "kernel 99"));
}

static void all_that_holds_on_several_cores(void **state)
{
    (void)state;
    assert_int_equal(rig_run_alone(MIXED_MEET, 2), 0);
    assert_int_equal(rig_run_alone(MIXED_PIPES, 4), 0);
    assert_int_equal(rig_run_alone(BLOCKS, 4), 0);
    assert_int_equal(rig_run_alone(BLOCKS_MEET, 2), 0);
    assert_int_equal(rig_run_alone(CLUSTERS_START_TOGETHER, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lanes_of_a_mixed_task_run_at_the_same_time),
        cmocka_unit_test(a_block_has_its_cluster_and_pipe_state_to_itself),
        cmocka_unit_test(a_mixed_task_may_have_vector_lanes_only),
        cmocka_unit_test(a_lone_second_lane_is_a_first_one),
        cmocka_unit_test(every_block_runs_once_and_knows_its_index),
        cmocka_unit_test(blocks_may_wait_for_each_other),
        cmocka_unit_test(blocks_start_together_when_asked_to),
        cmocka_unit_test(more_blocks_together_than_the_device_has_is_an_error),
        cmocka_unit_test(a_kernel_that_is_not_listed_is_an_error),
        cmocka_unit_test(all_that_holds_on_several_cores),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}

/* Which tasks of a program wait for which: the runtime's rules, and no edge more. Most programs here would hang if
 * there were one: the task that must not wait is the one that lets the other go on. */
#include "tests/support/cpu_rig.h"

static void a_reader_waits_for_the_writer_of_what_it_overlaps_only(void **state)
{
    (void)state;
    assert_int_equal(rig_run(READ_AFTER_WRITE), 0);
    assert_after(2, 1);
    assert_true(rig_event(3)->start < rig_event(1)->end);
}

static void column_blocks_of_a_matrix_do_not_overlap(void **state)
{
    (void)state;
    assert_int_equal(rig_run(COLUMN_BLOCKS), 0);
    assert_after(2, 1);
    assert_true(rig_event(3)->start < rig_event(1)->end);
}

static void a_writer_does_not_wait_for_readers(void **state)
{
    (void)state;
    assert_int_equal(rig_run(WRITE_AFTER_READ), 0);
    assert_true(rig_event(2)->start < rig_event(1)->end);
}

static void writers_do_not_wait_for_each_other_but_a_reader_for_both(void **state)
{
    (void)state;
    assert_int_equal(rig_run(TWO_WRITERS), 0);
    assert_true(rig_event(2)->start < rig_event(1)->end);
    assert_after(3, 1);
    assert_after(3, 2);
}

static void writes_of_manual_dep_views_are_not_seen(void **state)
{
    (void)state;
    assert_int_equal(rig_run(MANUAL_DEP_TENSOR), 0);
    assert_true(rig_event(2)->start < rig_event(1)->end);
}

static void no_dep_arguments_ignore_writers(void **state)
{
    (void)state;
    assert_int_equal(rig_run(NO_DEP), 0);
    assert_true(rig_event(2)->start < rig_event(1)->end);
}

static void whoever_names_a_created_tensor_waits_for_its_creator(void **state)
{
    (void)state;
    assert_int_equal(rig_run(CREATOR), 0);
    assert_after(2, 1);
}

static void a_dummy_task_passes_dependencies_on(void **state)
{
    (void)state;
    assert_int_equal(rig_run(DUMMY), 0);
    assert_after(2, 1);
}

static void in_a_manual_scope_only_explicit_dependencies_count(void **state)
{
    (void)state;
    assert_int_equal(rig_run(MANUAL_SCOPE), 0);
    assert_true(rig_event(2)->start < rig_event(1)->end);
    assert_after(3, 1);
    assert_after(4, 1);
}

static void tasks_that_wait_for_later_ones_do_not_hang_on_one_core(void **state)
{
    (void)state;
    assert_int_equal(rig_run(LATER_SIGNALS_EARLIER), 0);
    for (int tag = 1; tag <= 4; tag++) {
        assert_int_equal(rig_event(tag)->count, 1);
    }
    assert_int_equal(rig.result.ntasks, 4);
}

static void the_rules_hold_on_several_cores_and_again_and_again(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        assert_int_equal(rig_run_alone(READ_AFTER_WRITE, 2), 0);
        assert_after(2, 1);
        assert_int_equal(rig_run(DUMMY), 0);
        assert_after(2, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_waits_for_the_writer_of_what_it_overlaps_only),
        cmocka_unit_test(column_blocks_of_a_matrix_do_not_overlap),
        cmocka_unit_test(a_writer_does_not_wait_for_readers),
        cmocka_unit_test(writers_do_not_wait_for_each_other_but_a_reader_for_both),
        cmocka_unit_test(writes_of_manual_dep_views_are_not_seen),
        cmocka_unit_test(no_dep_arguments_ignore_writers),
        cmocka_unit_test(whoever_names_a_created_tensor_waits_for_its_creator),
        cmocka_unit_test(a_dummy_task_passes_dependencies_on),
        cmocka_unit_test(in_a_manual_scope_only_explicit_dependencies_count),
        cmocka_unit_test(tasks_that_wait_for_later_ones_do_not_hang_on_one_core),
        cmocka_unit_test(the_rules_hold_on_several_cores_and_again_and_again),
    };
    return cmocka_run_group_tests(tests, rig_setup, rig_teardown);
}

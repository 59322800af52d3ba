/* How long a run may stand still: time in which profiles are written is no kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "orchestrator/supervise/stall.h"

#define SECONDS(n) ((n) * UINT64_C(1000000000))

static void kernels_that_stand_still(void **state)
{
    struct stall s;

    (void)state;
    stall_begin(&s, SECONDS(100));
    assert_int_equal(stall_look(&s, SECONDS(105), 0, false, SECONDS(5)), STALL_NONE);
    assert_int_equal(stall_look(&s, SECONDS(106), 0, false, SECONDS(5)), STALL_KERNELS);
    assert_int_equal(stall_look(&s, SECONDS(107), 1, false, SECONDS(5)), STALL_NONE); /* a node has ended */
    assert_int_equal(stall_look(&s, SECONDS(112), 1, false, SECONDS(5)), STALL_NONE);
    assert_int_equal(stall_look(&s, SECONDS(113), 1, false, SECONDS(5)), STALL_KERNELS);
}

static void profiles_take_their_time(void **state)
{
    struct stall s;

    (void)state;
    stall_begin(&s, 0);
    assert_int_equal(stall_look(&s, SECONDS(3), 0, false, SECONDS(5)), STALL_NONE);
    assert_int_equal(stall_look(&s, SECONDS(500), 0, true, SECONDS(5)), STALL_NONE);
    /* What was idle before counts on. */
    assert_int_equal(stall_look(&s, SECONDS(502), 0, false, SECONDS(5)), STALL_NONE);
    assert_int_equal(stall_look(&s, SECONDS(503), 0, false, SECONDS(5)), STALL_KERNELS);
}

static void a_disk_that_hangs_is_no_kernel(void **state)
{
    struct stall s;

    (void)state;
    stall_begin(&s, 0);
    assert_int_equal(stall_look(&s, SECONDS(600), 0, true, SECONDS(5)), STALL_NONE);
    assert_int_equal(stall_look(&s, SECONDS(601), 0, true, SECONDS(5)), STALL_PROFILES);
    stall_begin(&s, 0);
    assert_int_equal(stall_look(&s, SECONDS(900), 0, true, SECONDS(1000)), STALL_NONE); /* the longer limit counts */
    stall_begin(&s, 0);
    assert_int_equal(stall_look(&s, SECONDS(100000), 0, false, 0), STALL_NONE); /* no limit at all */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_that_stand_still),
        cmocka_unit_test(profiles_take_their_time),
        cmocka_unit_test(a_disk_that_hangs_is_no_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Keeping the cards of a domain in step: who waits for whom, and for how long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "rank-worker/executor/domain_pace.h"

/* Cards 0 and 1 share a domain, card 2 has none. Nodes 0 to 2 run on card 0, 3 to 5 on card 1, 6 on card 2; node 1
 * and node 4 do not use the domain. */
enum { NODES = 7 };
static const uint32_t lanes[NODES] = {0, 0, 0, 1, 1, 1, 2};
static const bool uses[NODES] = {true, false, true, true, false, true, false};

static struct plan plan;
static struct segment seg;
static struct pace *pace;
static struct error err;

static int begin(void **state)
{
    struct plan_builder *b = plan_builder_new(3, &err);
    const uint32_t workers[] = {0, 1};
    uint32_t program;

    (void)state;
    if (!b || plan_add_program(b, "p", &program, &err) < 0 ||
        plan_add_domain(b, "comm", workers, 2, 64, NULL, &err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        const struct plan_scalar ctx = {.kind = PLAN_DEVICE_CTX, .domain = 0, .card = lanes[i]};
        const struct plan_node node = {.kind = PLAN_DISPATCH,
                                       .lane = lanes[i],
                                       .program = program,
                                       .group = PLAN_NONE,
                                       .k = PLAN_NONE,
                                       .nscalar = uses[i]};
        if (plan_add_node(b, &node, NULL, &ctx, NULL, &err) < 0) {
            return -1;
        }
    }
    plan_builder_finish(b, &plan);
    return segment_create(&seg, &plan, "[]", "a2a3sim", &err) < 0 ? -1 : pace_open(&pace, &seg, 0, &err);
}

static int end(void **state)
{
    (void)state;
    pace_close(pace);
    segment_unmap(&seg);
    plan_free(&plan);
    return 0;
}

static void the_second_dispatch_of_a_domain_waits_for_the_first_of_the_other_card(void **state)
{
    (void)state;
    assert_int_equal(pace_next(pace, 0), PLAN_NONE); /* nobody comes before the first */
    assert_int_equal(pace_next(pace, 1), PLAN_NONE); /* is not of the domain */
    assert_int_equal(pace_next(pace, 2), 3);
    word_complete(&seg.words[3]);
    assert_true(pace_wait(pace, 3));
    assert_int_equal(pace_next(pace, 2), PLAN_NONE);
    assert_int_equal(atomic_load(&lane_status(&seg, 0)->nopened), 0);
}

static void a_card_of_no_domain_waits_for_nobody(void **state)
{
    struct pace *other;

    (void)state;
    assert_int_equal(pace_open(&other, &seg, 2, &err), 0);
    assert_int_equal(pace_next(other, 0), PLAN_NONE);
    pace_close(other);
}

static void what_does_not_come_is_given_up_and_counted_and_then_not_waited_for_again(void **state)
{
    (void)state;
    for (uint32_t i = 1; i <= 8; i++) {
        assert_int_equal(pace_next(pace, 2), 3);
        assert_false(pace_wait(pace, 3));
        assert_int_equal(atomic_load(&lane_status(&seg, 0)->nopened), i);
    }
    assert_int_equal(pace_next(pace, 2), PLAN_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_second_dispatch_of_a_domain_waits_for_the_first_of_the_other_card, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_card_of_no_domain_waits_for_nobody, begin, end),
        cmocka_unit_test_setup_teardown(what_does_not_come_is_given_up_and_counted_and_then_not_waited_for_again, begin,
                                        end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

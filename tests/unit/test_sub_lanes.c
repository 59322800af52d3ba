/* Which call of a sub-worker runs in which lane. */
#include "tests/support/temp_dir.h"

#include "common/plan/plan_build.h"
#include "common/plan/sub_lanes.h"

enum { CARDS = 3, FIRST = CARDS + 1 };

/* A plan that calls the sub-workers that `calls` names by a letter each, 'a' first; '.' is a dispatch. */
static struct plan plan_of(const char *calls)
{
    struct plan plan;
    struct error err;
    struct plan_builder *b = plan_builder_new(CARDS, &err);

    assert_non_null(b);
    for (const char *c = calls; *c; c++) {
        const char name[] = {*c, '\0'};
        struct plan_node node = {.kind = *c == '.' ? PLAN_DISPATCH : PLAN_SUB,
                                 .lane = *c == '.' ? 0 : FIRST,
                                 .group = PLAN_NONE,
                                 .k = PLAN_NONE};
        assert_int_equal(
            *c == '.' ? plan_add_program(b, "p", &node.program, &err) : plan_add_sub(b, name, &node.program, &err), 0);
        assert_int_equal(plan_add_node(b, &node, NULL, NULL, NULL, &err), 0);
    }
    plan_builder_finish(b, &plan);
    return plan;
}

/* Lanes of sub-workers are digits, from 0. */
static void expect_lanes(const char *calls, uint32_t lanes, uint32_t nlane, const char *expected)
{
    struct plan plan = plan_of(calls);
    struct error err;

    assert_int_equal(plan_deal_subs(&plan, lanes, &err), 0);
    assert_int_equal(plan.nsublane, nlane);
    assert_int_equal(plan_lane_count(&plan), CARDS + 1 + nlane);
    for (uint32_t i = 0; i < plan.nnode; i++) {
        if (calls[i] == '.') {
            assert_int_equal(plan.nodes[i].lane, 0);
        } else if (plan.nodes[i].lane != FIRST + (uint32_t)(expected[i] - '0')) {
            fail_msg("call %u of %s over %u lanes is in lane %u", i, calls, lanes, plan.nodes[i].lane - FIRST);
        }
    }
    assert_int_equal(plan_check(&plan, &err), 0);
    plan_free(&plan);
}

static void dealt_by_name_then_in_turn(void **state)
{
    (void)state;
    expect_lanes("ab.ba", 2, 2, "01.10"); /* a lane each: what one leaves behind is there in its next call */
    expect_lanes("aaaa", 4, 4, "0123");
    expect_lanes("aaaaa", 2, 2, "01010");
    expect_lanes("aabb", 4, 4, "0213");
    expect_lanes("abcabc", 1, 1, "000000");
    expect_lanes("abcabc", 3, 3, "012012");
}

static void never_more_lanes_than_calls(void **state)
{
    char calls[PLAN_SUB_LANES + 41];
    struct plan plan;
    struct error err;

    (void)state;
    expect_lanes("..", 5, 1, "..");
    expect_lanes("a.", 5, 1, "0.");
    expect_lanes("aa", 2000000000, 2, "01");
    expect_lanes("ab", 0, 1, "00");
    memset(calls, 'a', sizeof calls - 1);
    calls[sizeof calls - 1] = '\0';
    plan = plan_of(calls);
    assert_int_equal(plan_deal_subs(&plan, 1000, &err), 0);
    assert_int_equal(plan.nsublane, PLAN_SUB_LANES);
    plan_free(&plan);
}

static void lanes_survive_packing(void **state)
{
    struct plan plan = plan_of("aaa"), copy;
    struct error err;
    size_t nbytes;
    void *block;

    (void)state;
    assert_int_equal(plan_deal_subs(&plan, 3, &err), 0);
    assert_int_equal(plan_pack(&plan, &block, &nbytes, &err), 0);
    assert_int_equal(plan_unpack(&copy, block, nbytes, true, &err), 0);
    assert_int_equal(copy.nsublane, 3);
    assert_int_equal(copy.nodes[2].lane, FIRST + 2);
    copy.nsublane = 2; /* then that node is on no lane */
    assert_int_equal(plan_check(&copy, &err), -1);
    copy.nsublane = 0;
    assert_int_equal(plan_check(&copy, &err), -1);
    plan_free(&copy);
    plan_free(&plan);
}

static void names_of_lanes(void **state)
{
    char name[32];

    (void)state;
    assert_string_equal(plan_lane_name(CARDS, CARDS, name, sizeof name), "host lane");
    assert_string_equal(plan_lane_name(CARDS, FIRST, name, sizeof name), "sub-workers");
    assert_string_equal(plan_lane_name(CARDS, FIRST + 1, name, sizeof name), "sub-workers 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dealt_by_name_then_in_turn),
        cmocka_unit_test(never_more_lanes_than_calls),
        cmocka_unit_test(lanes_survive_packing),
        cmocka_unit_test(names_of_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Two plans as one, run in turns, and the difference of their times: all made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/segment/segment.h"
#include "orchestrator/bench/pairs.h"
#include "orchestrator/bench/plan_join.h"
#include "orchestrator/plan/edges.h"
#include "tests/support/byte_plan.h"

enum { BYTES = 64, WINDOW = 4096, PAIRS = 32, WARMUP = 2 };

static void add_param(struct plan_builder *b, const char *name, int64_t nbytes)
{
    const struct plan_storage s = {.kind = PLAN_PARAM,
                                   .dtype = DTYPE_UINT8,
                                   .ndim = 1,
                                   .nbytes = (uint64_t)nbytes,
                                   .domain = PLAN_NONE,
                                   .card = PLAN_NONE,
                                   .direction = PLAN_INOUT};
    struct error err;

    byte_plan_must(plan_add_storage(b, &s, name, &nbytes, NULL, &err), &err);
}

static void dispatch(struct plan_builder *b, uint32_t card, const char *program)
{
    const int64_t shape[1] = {BYTES}, stride[1] = {1};
    struct plan_node n = {.kind = PLAN_DISPATCH, .lane = card, .group = 0, .k = PLAN_NONE, .narg = 1, .nscalar = 1};
    const struct plan_scalar context = {.kind = PLAN_DEVICE_CTX, .domain = 0, .card = card};
    const struct plan_arg arg = {byte_plan_view(b, 0, 0, 1, shape, stride), PLAN_TAG_INOUT};
    struct error err;

    n.group = plan_builder_plan(b)->ngroup;
    byte_plan_must(plan_add_program(b, program, &n.program, &err), &err);
    byte_plan_must(plan_add_node(b, &n, &arg, &context, NULL, &err), &err);
}

/* A parameter that cards 0 and 1 change one after the other; windows of both. `cards` is 2, or more for a plan that does not fit. */
static void make_plan(struct plan *p, uint32_t cards, const char *param, int64_t nbytes, const char *program)
{
    const uint32_t members[2] = {0, 1};
    struct error err;
    struct plan_builder *b = plan_builder_new(cards, &err);
    uint32_t domain;

    assert_non_null(b);
    add_param(b, param, nbytes);
    byte_plan_must(plan_add_domain(b, "d", members, 2, WINDOW, &domain, &err), &err);
    dispatch(b, 0, program);
    dispatch(b, 1, program);
    byte_plan_must(plan_end_domain(b, domain, &err), &err);
    plan_builder_finish(b, p);
    byte_plan_must(edges_compile(p, DEPS_FULL, &err), &err);
}

static void join(struct plan *p, struct rounds_part parts[ROUNDS_PARTS])
{
    struct plan second;
    struct error err;

    make_plan(p, 2, "x", BYTES, "one");
    make_plan(&second, 2, "x", BYTES, "two");
    byte_plan_must(plan_join(p, &second, parts, &err), &err);
    byte_plan_must(plan_check(p, &err), &err);
    plan_free(&second);
}

static void one_behind_the_other(void **state)
{
    struct rounds_part parts[ROUNDS_PARTS];
    const struct plan_node *n;
    struct plan p;

    (void)state;
    join(&p, parts);
    assert_int_equal(p.nnode, 4);
    assert_int_equal(parts[1].first_node, 2);
    assert_int_equal(parts[1].first_storage, PLAN_JOIN_ALIGN);
    n = &p.nodes[3];
    assert_string_equal(plan_text(&p, p.programs[n->program]), "two");
    assert_int_equal(p.views[p.args[n->first_arg].view].storage, PLAN_JOIN_ALIGN);
    assert_int_equal(p.storages[PLAN_JOIN_ALIGN].kind, PLAN_TEMP); /* there is one parameter x */
    assert_int_equal(p.scalars[n->first_scalar].domain, 1);
    assert_int_equal(p.domains[1].first_storage, PLAN_JOIN_ALIGN + 1);
    assert_int_equal(p.preds[n->first_pred].node, 2);
    assert_int_equal(n->group, p.nodes[1].group + 2);
    plan_free(&p);
}

static void parameters_of_both(void **state)
{
    struct plan_twin *twins;
    struct plan a, b;
    struct error err;
    uint32_t count;

    (void)state;
    make_plan(&a, 2, "x", BYTES, "one");
    make_plan(&b, 2, "x", BYTES, "one");
    byte_plan_must(plan_twins(&a, &b, &twins, &count, &err), &err);
    assert_int_equal(count, 1);
    assert_true(twins[0].first == 0 && twins[0].second == PLAN_JOIN_ALIGN);
    free(twins);
    plan_free(&b);
    make_plan(&b, 2, "y", BYTES, "one");
    assert_int_equal(plan_twins(&a, &b, &twins, &count, &err), -1);
    assert_true(err.kind == ERROR_USAGE && strstr(err.what, "no parameter y"));
    plan_free(&b);
    make_plan(&b, 2, "x", 2 * BYTES, "one");
    assert_int_equal(plan_twins(&a, &b, &twins, &count, &err), -1);
    assert_non_null(strstr(err.what, "another type or shape"));
    plan_free(&a);
    plan_free(&b);
}

static void other_numbers_of_cards(void **state)
{
    struct rounds_part parts[ROUNDS_PARTS];
    struct plan a, b;
    struct error err;

    (void)state;
    make_plan(&a, 2, "x", BYTES, "one");
    make_plan(&b, 3, "x", BYTES, "one");
    assert_int_equal(plan_join(&a, &b, parts, &err), -1);
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_int_equal(a.nnode, 2);
    plan_free(&a);
    plan_free(&b);
}

static void unroll(struct plan *p, struct rounds *r, uint64_t seed)
{
    const struct rounds_options o = {.count = PAIRS, .warmup = WARMUP, .seed = seed};
    struct rounds_part parts[ROUNDS_PARTS];
    struct error err;

    join(p, parts);
    byte_plan_must(rounds_unroll(p, &o, parts, ROUNDS_PARTS, r, &err), &err);
    byte_plan_must(plan_check(p, &err), &err);
}

/* A round of each in every pair; both orders come as often, and at the same places. Another seed gives another order. */
static void orders_of_pairs(void **state)
{
    uint32_t nfirst = 0, ndifferent = 0;
    struct rounds r, other;
    struct plan p, q;

    (void)state;
    unroll(&p, &r, 1);
    unroll(&q, &other, 2);
    assert_int_equal(r.total, 2 * (PAIRS + WARMUP));
    for (uint32_t i = 0; i < r.total; i += 2) {
        assert_int_equal(r.part[i] + r.part[i + 1], 1);
        ndifferent += r.part[i] != other.part[i];
    }
    for (uint32_t i = 0; i < PAIRS; i++) {
        const uint8_t *pair = r.part + 2 * (WARMUP + i);

        nfirst += pair[0];
        assert_true(i % 16 >= 8 || pair[0] == pair[17]); /* 8 pairs later its second one */
    }
    assert_int_equal(nfirst, PAIRS / 2);
    assert_true(ndifferent > 0);
    rounds_free(&r);
    rounds_free(&other);
    plan_free(&p);
    plan_free(&q);
}

/* The gate before a round puts back what is that part's alone. */
static void gates_of_parts(void **state)
{
    struct rounds r;
    struct plan p;

    (void)state;
    unroll(&p, &r, 1);
    for (uint32_t i = 0; i < r.total; i++) {
        for (uint32_t g = 1; g <= r.parts[r.part[i]].ngate; g++) {
            const uint32_t to = p.views[p.args[p.nodes[r.firsts[i] - g].first_arg].view].storage;

            assert_int_equal(to >= PLAN_JOIN_ALIGN, r.part[i]);
        }
    }
    rounds_free(&r);
    plan_free(&p);
}

/* The second build takes 2 % more on card 1, and pair 3 lacks a time. */
static void differences(void **state)
{
    struct pairs *pairs = NULL;
    struct segment seg = {0};
    struct rounds r;
    struct error err;

    (void)state;
    unroll(&seg.plan, &r, 1);
    seg.times = calloc(seg.plan.nnode, sizeof *seg.times);
    assert_non_null(seg.times);
    for (uint32_t i = 0; i < r.total; i++) {
        struct segment_times *t = &seg.times[r.firsts[i]];
        const uint64_t at = 100000 * (i + UINT64_C(1)), drift = 50 * i;

        t[0] = (struct segment_times){at, at + 5000, .effective_ns = 4000};
        t[1] = (struct segment_times){at + 5000, at + 20000,
                                      .effective_ns = (10000 + drift) * (r.part[i] ? 102 : 100) / 100};
    }
    seg.times[r.firsts[2 * (WARMUP + 3)]] = (struct segment_times){0};
    for (int pass = 0; pass < 2; pass++) {
        byte_plan_must(pairs_take(&pairs, &seg, &r, &err), &err);
    }
    assert_true(pairs->count == 2 * (PAIRS - 1) && pairs->dropped == 2 && pairs->passes == 2);
    assert_int_equal(pairs->nrow, 2 + 2 * 2);
    assert_true(fabs(pairs->rows[0].difference.ratio - 0.02) < 0.006); /* a round between the two is 0.5 % of drift */
    assert_int_equal(pairs->rows[0].difference.finding, SERIES_GREATER);
    assert_true(pairs->rows[2].level == MEASURED_RANK && pairs->rows[2].difference.finding == SERIES_NO_DIFFERENCE);
    assert_true(pairs->rows[5].level == MEASURED_SLOT && pairs->rows[5].rank == 1);
    assert_string_equal(pairs->rows[5].program, "one");
    assert_true(pairs_are_precise(pairs, 0.05) && !pairs_are_precise(pairs, 0));
    pairs_free(pairs);
    free(seg.times);
    rounds_free(&r);
    plan_free(&seg.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_behind_the_other),   cmocka_unit_test(parameters_of_both),
        cmocka_unit_test(other_numbers_of_cards), cmocka_unit_test(orders_of_pairs),
        cmocka_unit_test(gates_of_parts),         cmocka_unit_test(differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

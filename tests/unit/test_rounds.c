/* A plan of many rounds, and the times that are taken from it: the plans and times are made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/segment/segment.h"
#include "orchestrator/bench/measured.h"
#include "orchestrator/bench/rounds.h"
#include "orchestrator/bench/samples.h"
#include "orchestrator/plan/edges.h"
#include "tests/support/byte_plan.h"

enum { BYTES = 64, WINDOW = 4096 };

static void dispatch(struct plan_builder *b, uint32_t card, uint32_t group, uint32_t storage, uint32_t tag)
{
    const int64_t shape[1] = {BYTES}, stride[1] = {1};
    struct plan_node n = {.kind = PLAN_DISPATCH, .lane = card, .group = group, .k = PLAN_NONE, .narg = 1};
    const struct plan_arg arg = {byte_plan_view(b, storage, 0, 1, shape, stride), tag};
    struct error err;

    byte_plan_must(plan_add_program(b, "chip", &n.program, &err), &err);
    byte_plan_must(plan_add_node(b, &n, &arg, NULL, NULL, &err), &err);
}

/* Storage 0 is read and written by both cards in turn, storage 1 only written; storages 2 and 3 are windows. */
static void make_plan(struct plan *p)
{
    const int64_t shape[1] = {BYTES};
    const uint32_t cards[2] = {0, 1};
    struct error err;
    struct plan_builder *b = plan_builder_new(2, &err);
    uint32_t domain;

    assert_non_null(b);
    byte_plan_storage(b, 1, shape, BYTES);
    byte_plan_storage(b, 1, shape, BYTES);
    byte_plan_must(plan_add_domain(b, "d", cards, 2, WINDOW, &domain, &err), &err);
    dispatch(b, 0, PLAN_NONE, 0, PLAN_TAG_INOUT);
    dispatch(b, 1, 0, 0, PLAN_TAG_INOUT);
    dispatch(b, 1, PLAN_NONE, 1, PLAN_TAG_OUTPUT);
    byte_plan_must(plan_end_domain(b, domain, &err), &err);
    plan_builder_finish(b, p);
    byte_plan_must(edges_compile(p, DEPS_FULL, &err), &err);
    assert_int_equal(p->npred, 1); /* card 1 waits for card 0 */
}

static void unroll(struct plan *p, const struct rounds_options *o, struct rounds *r)
{
    struct error err;

    make_plan(p);
    byte_plan_must(rounds_unroll(p, o, NULL, 0, r, &err), &err);
    byte_plan_must(plan_check(p, &err), &err);
}

static bool waits_for(const struct plan *p, uint32_t node, uint32_t pred)
{
    for (uint32_t i = 0; i < p->nodes[node].npred; i++) {
        if (p->preds[p->nodes[node].first_pred + i].node == pred) {
            return true;
        }
    }
    return false;
}

/* One kept storage and two windows: a gate of three copies. */
static void rounds_and_their_gates(void **state)
{
    const struct rounds_options o = {.count = 3, .warmup = 1};
    struct rounds r;
    struct plan p;

    (void)state;
    unroll(&p, &o, &r);
    assert_int_equal(r.total, 4);
    assert_int_equal(r.nkept, 1);
    assert_int_equal(r.parts[0].ngate, 3);
    assert_int_equal(r.parts[0].nbytes, BYTES + 2 * WINDOW);
    assert_int_equal(p.nnode, 1 + 4 * (3 + 3));
    for (uint32_t round = 0; round < 4; round++) {
        const uint32_t first = rounds_node(&r, round, 0), gate = first - 3;

        assert_int_equal(p.nodes[gate].kind, PLAN_COPY);
        assert_true(waits_for(&p, first, first - 1));
        assert_true(waits_for(&p, first + 1, first - 1) && waits_for(&p, first + 1, first));
        assert_int_equal(p.nodes[first + 2].npred, 0);     /* its lane says enough */
        assert_int_equal(p.nodes[first + 1].group, round); /* of one round each */
        if (round) {                                       /* the last of both cards */
            assert_true(waits_for(&p, gate, gate - 1) && waits_for(&p, gate, gate - 3));
        }
    }
    rounds_free(&r);
    plan_free(&p);
}

/* The gate writes storage 0 from where the first node kept it, and both windows from zeros that nobody writes. */
static void what_is_put_back(void **state)
{
    const struct rounds_options o = {.count = 1};
    uint32_t to[3], from[3], kept_to, kept_from;
    struct rounds r;
    struct plan p;

    (void)state;
    unroll(&p, &o, &r);
    kept_to = p.views[p.args[p.nodes[0].first_arg].view].storage;
    kept_from = p.views[p.args[p.nodes[0].first_arg + 1].view].storage;
    for (uint32_t i = 0; i < 3; i++) {
        to[i] = p.views[p.args[p.nodes[1 + i].first_arg].view].storage;
        from[i] = p.views[p.args[p.nodes[1 + i].first_arg + 1].view].storage;
    }
    assert_int_equal(kept_from, 0);
    assert_int_equal(to[0], 0);
    assert_int_equal(from[0], kept_to);
    assert_int_equal(to[1], 2);
    assert_int_equal(to[2], 3);
    assert_true(from[1] == from[2] && from[1] >= 4 && from[1] != kept_to);
    assert_int_equal(p.storages[from[1]].nbytes, WINDOW);
    rounds_free(&r);
    plan_free(&p);
}

static void what_may_stay(void **state)
{
    const struct rounds_options state_stays = {.count = 2, .keep_state = true},
                                all_stays = {.count = 2, .keep_state = true, .keep_windows = true};
    struct rounds r;
    struct plan p;

    (void)state;
    unroll(&p, &state_stays, &r);
    assert_int_equal(r.nkept, 0);
    assert_int_equal(r.parts[0].nbytes, 2 * WINDOW);
    rounds_free(&r);
    plan_free(&p);
    unroll(&p, &all_stays, &r); /* two cards begin together all the same */
    assert_int_equal(r.parts[0].nbytes, 0);
    assert_int_equal(r.parts[0].ngate, 1);
    rounds_free(&r);
    plan_free(&p);
}

static void too_many_rounds(void **state)
{
    const struct rounds_options o = {.count = ROUNDS_MAX};
    struct rounds r;
    struct error err;
    struct plan p;

    (void)state;
    make_plan(&p);
    assert_int_equal(rounds_unroll(&p, &o, NULL, 0, &r, &err), -1);
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_int_equal(p.nnode, 3); /* as it was */
    plan_free(&p);
}

/* --- times ------------------------------------------------------------------ */

/* Round r begins at 1000 r; in round 2 (the second that counts) one dispatch has no time. */
static void make_times(struct segment *seg, const struct rounds *r)
{
    seg->times = calloc(seg->plan.nnode, sizeof *seg->times);
    assert_non_null(seg->times);
    for (uint32_t round = 0; round < r->total; round++) {
        const uint64_t at = 1000 * (round + UINT64_C(1));
        struct segment_times *t = &seg->times[rounds_node(r, round, 0)];

        t[0] = (struct segment_times){at, at + 100, .device_ns = 50, .effective_ns = 80 + round};
        t[1] = (struct segment_times){at + 200, at + 300, .device_ns = 60, .effective_ns = 70};
        t[2] = (struct segment_times){at + 300, at + 350, .device_ns = 20, .effective_ns = 30};
        if (round == 2) {
            t[1] = (struct segment_times){0};
        }
    }
}

static void samples_of_rounds(void **state)
{
    const struct rounds_options o = {.count = 3, .warmup = 1};
    double values[3];
    struct segment seg = {0};
    struct samples s;
    struct rounds r;
    struct error err;

    (void)state;
    unroll(&seg.plan, &o, &r);
    make_times(&seg, &r);
    byte_plan_must(samples_take(&s, &seg, &r, 0, &err), &err);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.dropped, 1);
    assert_true(s.round[0] == 0 && s.round[1] == 2);
    assert_int_equal(s.nslot, 3);
    assert_int_equal(s.nrank, 2);
    assert_true(s.slots[2].rank == 1 && s.slots[2].slot == 1);
    assert_true(samples_of_slot(&s, SAMPLES_EFFECTIVE, 0)[1] == 83 && samples_of_slot(&s, SAMPLES_HOST, 2)[0] == 50);
    samples_slowest(&s, SAMPLES_EFFECTIVE, values);
    assert_true(values[0] == 100 && values[1] == 100); /* card 1: 70 and 30 */
    samples_fastest(&s, SAMPLES_EFFECTIVE, values);
    assert_true(values[0] == 81 && values[1] == 83);
    samples_of_rank(&s, SAMPLES_DEVICE, 1, values);
    assert_true(values[0] == 80);
    assert_true(s.union_ns[0] == 350);
    assert_true(s.skew[0] == 0); /* card 1 begins late since it waits for card 0's data */
    samples_free(&s);
    free(seg.times);
    rounds_free(&r);
    plan_free(&seg.plan);
}

static char *printed(const struct measured *m)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    measured_print_lines(f, m, "decode", true);
    assert_int_equal(fclose(f), 0);
    return text;
}

/* As the scripts of the model repository look for them. */
static void lines_for_scripts(void **state)
{
    static const char *const lines[] = {
        "[RUN]   effective_us (2 rounds) min=0.1 median=0.1 mean=0.1 max=0.1\n", "[RUN]     rank 1: eff_us min=0.1 ",
        "[RUN]       slot 1 (chip): eff_us min=0.0 ",
        "[RUN] benchmark kernel=decode l3=1 rounds=2 ranks=2 host_union_mean_us=0.3 host_mean_us=0.1\n"};
    const struct rounds_options o = {.count = 3, .warmup = 1};
    struct segment seg = {0};
    struct measured *m;
    struct rounds r;
    struct error err;
    char *text;

    (void)state;
    unroll(&seg.plan, &o, &r);
    make_times(&seg, &r);
    byte_plan_must(measured_take(&m, &seg, &r, &err), &err);
    text = printed(m);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (!strstr(text, lines[i])) {
            fail_msg("no line %s in\n%s", lines[i], text);
        }
    }
    free(text);
    measured_free(m);
    free(seg.times);
    rounds_free(&r);
    plan_free(&seg.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_and_their_gates), cmocka_unit_test(what_is_put_back),
        cmocka_unit_test(what_may_stay),          cmocka_unit_test(too_many_rounds),
        cmocka_unit_test(samples_of_rounds),      cmocka_unit_test(lines_for_scripts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

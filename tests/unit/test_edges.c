/* Edges of plans made by hand: blocks, races, clocks that lanes share, modes by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/log.h"
#include "orchestrator/plan/edges.h"
#include "orchestrator/plan/edges_clock.h"
#include "rank-worker/device.h"
#include "tests/support/byte_plan.h"

_Static_assert((int)PLAN_TAG_INPUT == (int)TAG_INPUT && (int)PLAN_TAG_OUTPUT == (int)TAG_OUTPUT &&
                   (int)PLAN_TAG_INOUT == (int)TAG_INOUT && (int)PLAN_TAG_OUTPUT_EXISTING == (int)TAG_OUTPUT_EXISTING &&
                   (int)PLAN_TAG_NO_DEP == (int)TAG_NO_DEP,
               "the plan numbers tags as devices do");

enum { STORAGE_BYTES = 64 };

struct arg {
    uint32_t view, tag;
};

static void dispatch(struct plan_builder *b, uint32_t card, uint32_t narg, const struct arg *list, uint32_t domain)
{
    struct plan_node n = {.kind = PLAN_DISPATCH, .lane = card, .group = PLAN_NONE, .k = PLAN_NONE, .narg = narg};
    struct plan_scalar s = {.kind = PLAN_DEVICE_CTX, .domain = domain, .card = card};
    struct plan_arg args[4];
    struct error err;

    for (uint32_t i = 0; i < narg; i++) {
        args[i] = (struct plan_arg){list[i].view, list[i].tag};
    }
    n.nscalar = domain == PLAN_NONE ? 0 : 1;
    byte_plan_must(plan_add_program(b, "chip", &n.program, &err), &err);
    byte_plan_must(plan_add_node(b, &n, args, &s, NULL, &err), &err);
}

/* Cards that write column blocks do not wait for each other; who reads a row waits for all of them. */
static void test_column_blocks(void **state)
{
    enum { CARDS = 8 };
    struct error err;
    struct plan_builder *b = plan_builder_new(CARDS, &err);
    int64_t shape[2] = {100, CARDS * 4}, block[2] = {100, 4}, stride[2] = {CARDS * 4, 1}, row[2] = {1, CARDS * 4};
    struct arg a;
    struct plan p;

    (void)state;
    assert_non_null(b);
    byte_plan_storage(b, 2, shape, 100 * CARDS * 4);
    for (uint32_t i = 0; i < CARDS; i++) {
        a = (struct arg){byte_plan_view(b, 0, 4 * i, 2, block, stride), PLAN_TAG_INOUT};
        dispatch(b, i, 1, &a, PLAN_NONE);
    }
    a = (struct arg){byte_plan_view(b, 0, 7 * CARDS * 4, 2, row, stride), PLAN_TAG_INPUT};
    dispatch(b, 0, 1, &a, PLAN_NONE);
    plan_builder_finish(b, &p);
    byte_plan_must(edges_compile(&p, DEPS_EXACT, &err), &err);
    for (uint32_t i = 0; i < CARDS; i++) {
        assert_int_equal(p.nodes[i].npred, 0);
    }
    /* Card 0's own block is before it in its lane. */
    assert_int_equal(p.nodes[CARDS].npred, CARDS - 1);
    for (uint32_t i = 0; i < CARDS - 1; i++) {
        assert_int_equal(p.preds[i].node, i + 1);
        assert_int_equal(p.preds[i].why, PLAN_RAW);
        assert_int_equal(p.preds[i].storage, 0);
    }
    plan_free(&p);
}

/* Two cards of one domain write the same bytes. The text that edges_compile() logs goes to `text`. */
static uint32_t race(enum deps_mode mode, char *text, size_t size)
{
    struct error err;
    struct plan_builder *b = plan_builder_new(2, &err);
    int64_t shape[1] = {STORAGE_BYTES}, one[1] = {1};
    uint32_t workers[2] = {0, 1}, count, domain;
    int saved = dup(STDERR_FILENO);
    FILE *f = tmpfile();
    struct arg a;
    struct plan p;

    assert_non_null(b);
    assert_non_null(f);
    byte_plan_storage(b, 1, shape, STORAGE_BYTES);
    byte_plan_must(plan_add_domain(b, "comm", workers, 2, STORAGE_BYTES, &domain, &err), &err);
    a = (struct arg){byte_plan_view(b, 0, 0, 1, shape, one), PLAN_TAG_OUTPUT_EXISTING};
    dispatch(b, 0, 1, &a, domain);
    dispatch(b, 1, 1, &a, domain);
    dispatch(b, 0, 1, &a, domain);
    plan_builder_finish(b, &p);
    fflush(stderr);
    dup2(fileno(f), STDERR_FILENO);
    count = edges_compile(&p, mode, &err) ? UINT32_MAX : (uint32_t)p.npred;
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
    plan_free(&p);
    return count;
}

static void test_a_race_is_reported_once(void **state)
{
    char text[4096], *first;

    (void)state;
    assert_int_equal(race(DEPS_EXACT, text, sizeof text), 0);
    first = strstr(text, "dispatch 0 (chip on card 0)");
    assert_non_null(first);
    assert_non_null(strstr(text, "dispatch 1 (chip on card 1)"));
    assert_non_null(strstr(text, "t0"));
    assert_null(strstr(first + 1, "dispatch 0"));
    assert_int_equal(race(DEPS_FULL, text, sizeof text), 2);
    assert_string_equal(text, "");
    assert_int_equal(race(DEPS_UPSTREAM, text, sizeof text), 0);
    assert_string_equal(text, "");
}

/* A clock that two nodes share is kept for the one that is left. */
static void test_shared_clocks_are_kept(void **state)
{
    struct plan_node nodes[] = {{.lane = 1}, {.lane = 1}, {.lane = 0}, {.lane = 0}, {.lane = 2}, {.lane = 0}};
    const struct plan p = {.world_size = 3, .nnode = 6, .nodes = nodes};
    struct clocks c;
    struct error err;

    (void)state;
    byte_plan_must(clocks_init(&c, &p, &err), &err);
    for (uint32_t i = 0; i < 5; i++) {
        clocks_begin(&c, i);
        if (i == 2) {
            clocks_merge(&c, 1); /* a clock of its own, which node 3 shares: both of lane 1 are done */
        }
        if (i == 4) {
            clocks_merge(&c, 0); /* another one, which knows of the first only */
        }
        byte_plan_must(clocks_end(&c, &err), &err);
        clocks_use(&c, i);
        if (i == 3) {
            clocks_unuse(&c, 2);
        }
    }
    clocks_begin(&c, 5);
    assert_int_equal(clocks_known(&c, 1), 2);
    assert_int_equal(clocks_known(&c, 2), 0);
    clocks_free(&c);
}

static void test_modes_by_name(void **state)
{
    enum deps_mode mode;

    (void)state;
    assert_int_equal(deps_mode_parse("exact", &mode), 0);
    assert_int_equal(mode, DEPS_EXACT);
    assert_int_equal(deps_mode_parse("full", &mode), 0);
    assert_int_equal(mode, DEPS_FULL);
    assert_int_equal(deps_mode_parse("upstream", &mode), 0);
    assert_int_equal(mode, DEPS_UPSTREAM);
    assert_int_equal(deps_mode_parse("Exact", &mode), -1);
    assert_int_equal(deps_mode_parse("", &mode), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_column_blocks),
        cmocka_unit_test(test_a_race_is_reported_once),
        cmocka_unit_test(test_shared_clocks_are_kept),
        cmocka_unit_test(test_modes_by_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

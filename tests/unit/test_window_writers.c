/* Who wrote last what lies in a window, by views worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "orchestrator/supervise/window_writers.h"

enum { CARDS = 2, WINDOW = 64, WORDS = WINDOW / 4 };

static struct plan plan;
static struct segment seg;
static struct error err;

/* A dispatch of card 0 that has a view of its own window. */
static void add(struct plan_builder *b, uint32_t storage, uint32_t tag, enum dtype dtype, uint64_t offset,
                uint32_t ndim, const int64_t *shape, const int64_t *stride)
{
    struct plan_node node = {.kind = PLAN_DISPATCH, .group = PLAN_NONE, .narg = 1};
    struct plan_arg arg = {.tag = tag};

    static uint32_t k;
    node.k = k++;
    assert_int_equal(plan_add_program(b, "p", &node.program, &err), 0);
    assert_int_equal(plan_add_view(b, storage, dtype, offset, ndim, shape, stride, &arg.view, &err), 0);
    assert_int_equal(plan_add_node(b, &node, &arg, NULL, NULL, &err), 0);
}

static int begin(void **state)
{
    const uint32_t cards[CARDS] = {0, 1};
    const int64_t four[] = {4}, one[] = {1}, grid[] = {2, 3}, rows[] = {8, 1}, two[] = {2};
    struct plan_builder *b = plan_builder_new(CARDS, &err);
    uint32_t domain;

    (void)state;
    assert_non_null(b);
    assert_int_equal(plan_add_domain(b, "comm", cards, CARDS, WINDOW, &domain, &err), 0);
    add(b, 0, PLAN_TAG_OUTPUT_EXISTING, DTYPE_FLOAT32, 2, 1, four, one); /* 0: words 2 to 5 of card 0's window */
    add(b, 0, PLAN_TAG_INOUT, DTYPE_FLOAT32, 4, 2, grid, rows);          /* 1: words 4 to 6 and 12 to 14 */
    add(b, 0, PLAN_TAG_INPUT, DTYPE_FLOAT32, 0, 1, four, one);           /* 2: reads */
    add(b, 0, PLAN_TAG_INOUT, DTYPE_INT16, 15, 1, two, one);             /* 3: bytes 30 to 33, of words 7 and 8 */
    add(b, 0, PLAN_TAG_INOUT, DTYPE_FLOAT32, 2, 1, four, one);           /* 4: has not completed */
    add(b, 1, PLAN_TAG_INOUT, DTYPE_FLOAT32, 0, 1, four, one);           /* 5: card 1's window */
    plan_builder_finish(b, &plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", &err), 0);
    for (uint32_t node = 0; node < plan.nnode; node++) {
        if (node != 4) {
            word_complete(&seg.words[node]);
        }
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    segment_unmap(&seg);
    plan_free(&plan);
    return 0;
}

static void every_word_has_its_last_writer(void **state)
{
    const uint32_t none = PLAN_NONE;
    const uint32_t wanted[WORDS] = {none, none, 0, 0, 1, 1, 1, 3, 3, none, none, none, 1, 1, 1, none};
    uint32_t writers[WORDS];

    (void)state;
    window_writers_find(&seg, 0, 0, WINDOW, writers);
    assert_memory_equal(writers, wanted, sizeof wanted);
}

static void a_part_of_the_window_is_looked_at_alone(void **state)
{
    const uint32_t wanted[] = {1, 3, 3, PLAN_NONE}, all[] = {5, 5, 5, 5};
    uint32_t writers[6] = {77, 77, 77, 77, 77, 77};

    (void)state;
    window_writers_find(&seg, 0, 24, 16, writers);
    assert_memory_equal(writers, wanted, sizeof wanted);
    assert_int_equal(writers[4], 77); /* behind it nothing is written */
    window_writers_find(&seg, 1, 0, 16, writers);
    assert_memory_equal(writers, all, sizeof all);
}

static void a_node_has_the_domain_of_its_views(void **state)
{
    (void)state;
    assert_int_equal(window_domain_of(&seg.plan, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_has_its_last_writer),
        cmocka_unit_test(a_part_of_the_window_is_looked_at_alone),
        cmocka_unit_test(a_node_has_the_domain_of_its_views),
    };

    return cmocka_run_group_tests(tests, begin, end);
}

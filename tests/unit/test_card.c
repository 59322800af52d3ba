/* What a card hands to its device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "common/segment/segment.h"
#include "rank-worker/executor/card.h"

enum { ELEMENTS = 64 };

static unsigned nrun;
static struct device_tensor seen;

static int open_device(struct device **out, const struct device_config *config, struct error *err)
{
    (void)config;
    (void)err;
    *out = NULL;
    return 0;
}

static int load_program(struct device *dev, const struct device_program *program, uint32_t *id, struct error *err)
{
    (void)dev;
    (void)program;
    (void)err;
    *id = 0;
    return 0;
}

static int run(struct device *dev, const struct device_dispatch *dispatch, struct device_result *result,
               struct error *err)
{
    (void)dev;
    (void)result;
    (void)err;
    nrun++;
    seen = dispatch->tensors[0];
    return 0;
}

static void close_device(struct device *dev)
{
    (void)dev;
}

static const struct device_ops recorder = {
    .name = "recorder", .open = open_device, .load_program = load_program, .run = run, .close = close_device};

/* One dispatch of a view of ELEMENTS bytes with these sizes; returns what card_dispatch() does. */
static int dispatch(uint64_t offset, uint32_t ndim, const int64_t *shape, const int64_t *stride, struct error *err)
{
    struct sheet_program program = {.name = "p", .nsignature = -1};
    const struct sheet sheet = {.count = 1, .programs = &program};
    const struct card_config config = {.ncores = 1};
    struct plan_storage x = {
        .kind = PLAN_TEMP, .dtype = DTYPE_INT8, .ndim = 1, .nbytes = ELEMENTS, .domain = PLAN_NONE, .card = PLAN_NONE};
    struct plan_node node = {.kind = PLAN_DISPATCH, .group = PLAN_NONE, .narg = 1};
    struct plan_builder *b = plan_builder_new(1, err);
    const int64_t size[] = {ELEMENTS};
    struct device_result result;
    struct plan_arg arg = {.tag = PLAN_TAG_INPUT};
    struct segment seg;
    struct plan plan;
    struct card *card;
    uint32_t id;
    int rc;

    assert_non_null(b);
    assert_int_equal(plan_add_storage(b, &x, "x", size, &id, err), 0);
    assert_int_equal(plan_add_view(b, id, DTYPE_INT8, offset, ndim, shape, stride, &arg.view, err), 0);
    assert_int_equal(plan_add_program(b, "p", &node.program, err), 0);
    assert_int_equal(plan_add_node(b, &node, &arg, NULL, NULL, err), 0);
    plan_builder_finish(b, &plan);
    assert_int_equal(segment_create(&seg, &plan, "[]", "a2a3sim", err), 0);
    assert_int_equal(card_open(&card, &recorder, &seg, &config, &sheet, err), 0);
    nrun = 0;
    rc = card_dispatch(card, &seg.plan.nodes[0], &result, err);
    if (nrun) {
        seen.addr = (void *)((char *)seen.addr - (char *)segment_storage(&seg, 0));
    }
    card_close(card);
    segment_unmap(&seg);
    plan_free(&plan);
    return rc;
}

static void a_view_becomes_address_and_sizes(void **state)
{
    const int64_t shape[] = {2, 3}, stride[] = {16, 4};
    struct error err;

    (void)state;
    assert_int_equal(dispatch(5, 2, shape, stride, &err), 0);
    assert_int_equal(nrun, 1);
    assert_int_equal((uintptr_t)seen.addr, 5);
    assert_int_equal(seen.nbytes, 25); /* the last element is 16 + 8 after the first */
    assert_int_equal(seen.ndim, 2);
    assert_int_equal(seen.shape[1], 3);
    assert_int_equal(seen.stride[0], 16);
    assert_int_equal(dispatch(7, 0, NULL, NULL, &err), 0);
    assert_int_equal(seen.ndim, 1); /* a device knows no tensor without axes */
    assert_int_equal(seen.shape[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_becomes_address_and_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

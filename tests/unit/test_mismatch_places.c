/* Where elements lie that differ: the box, units in the last place, last writers. */
#include "tests/support/temp_dir.h"

#include <math.h>

#include "common/plan/plan_build.h"
#include "orchestrator/data/mismatch_places.h"

enum { ROWS = 4, COLUMNS = 6, COUNT = ROWS * COLUMNS };

static const int64_t shape[] = {ROWS, COLUMNS};

static struct rig {
    struct plan plan;
    float actual[COUNT], expected[COUNT];
    uint64_t indices[COUNT];
    uint64_t count;
    struct mismatch_places places;
} rig;

/* A node that writes `nrow` rows from row `first` on. */
static void add_writer(struct plan_builder *b, uint32_t program, uint32_t card, int64_t first, int64_t nrow)
{
    const int64_t sizes[] = {nrow, COLUMNS}, strides[] = {COLUMNS, 1};
    const struct plan_node node = {
        .kind = PLAN_DISPATCH, .lane = card, .program = program, .group = PLAN_NONE, .line = 7, .narg = 1};
    struct plan_arg arg = {.tag = PLAN_TAG_OUTPUT_EXISTING};
    struct error err;

    assert_int_equal(plan_add_view(b, 0, DTYPE_FLOAT32, (uint64_t)first * COLUMNS, 2, sizes, strides, &arg.view, &err),
                     0);
    assert_int_equal(plan_add_node(b, &node, &arg, NULL, NULL, &err), 0);
}

/* Rows 0 and 1 are written by node 0, rows 1 and 2 by node 1; row 3 by nobody. */
static int setup(void **state)
{
    const struct plan_storage proto = {.kind = PLAN_PARAM,
                                       .dtype = DTYPE_FLOAT32,
                                       .ndim = 2,
                                       .direction = PLAN_OUT,
                                       .nbytes = sizeof rig.actual,
                                       .domain = PLAN_NONE,
                                       .card = PLAN_NONE};
    struct error err;
    struct plan_builder *b = plan_builder_new(2, &err);
    uint32_t program;

    (void)state;
    rig = (struct rig){.count = 0};
    assert_non_null(b);
    assert_int_equal(plan_add_storage(b, &proto, "out", shape, NULL, &err), 0);
    assert_int_equal(plan_add_program(b, "add", &program, &err), 0);
    add_writer(b, program, 0, 0, 2);
    add_writer(b, program, 1, 1, 2);
    plan_builder_finish(b, &rig.plan);
    for (int i = 0; i < COUNT; i++) {
        rig.actual[i] = rig.expected[i] = 1;
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    plan_free(&rig.plan);
    return 0;
}

static void each(void *of, compare_visit *visit, void *context)
{
    (void)of;
    for (uint64_t i = 0; i < rig.count; i++) {
        visit(context, rig.indices[i]);
    }
}

static void differ(int row, int column, float actual)
{
    rig.indices[rig.count++] = (uint64_t)(row * COLUMNS + column);
    rig.actual[row * COLUMNS + column] = actual;
}

static void find(void)
{
    mismatch_places_find(&rig.places, &rig.plan, 0, rig.actual, DTYPE_FLOAT32, rig.expected, each, NULL);
}

static void test_box(void **state)
{
    (void)state;
    differ(1, 2, 5);
    differ(2, 4, 5);
    find();
    assert_int_equal(rig.places.mismatched, 2);
    assert_int_equal(rig.places.low[0], 1);
    assert_int_equal(rig.places.high[0], 2);
    assert_int_equal(rig.places.low[1], 2);
    assert_int_equal(rig.places.high[1], 4);
    assert_int_equal(rig.places.volume, 6);
}

static void test_last_writers(void **state)
{
    (void)state;
    differ(0, 0, 5);
    differ(1, 0, 5); /* written twice: the later one counts */
    differ(1, 1, 5);
    differ(2, 5, 5);
    differ(3, 3, 5);
    find();
    assert_true(rig.places.has_writers);
    assert_int_equal(rig.places.nwriter, 3);
    assert_int_equal(rig.places.writers[0].node, 1);
    assert_int_equal(rig.places.writers[0].mismatched, 3);
    assert_int_equal(rig.places.writers[0].written, 2 * COLUMNS);
    assert_int_equal(rig.places.writers[1].node, 0);
    assert_int_equal(rig.places.writers[1].written, COLUMNS);
    assert_int_equal(rig.places.writers[2].node, PLAN_NONE);
    assert_int_equal(rig.places.writers[2].written, COLUMNS);
    assert_int_equal(rig.places.nmore, 0);
}

static void test_units_in_the_last_place(void **state)
{
    static const unsigned wanted[ULP_BUCKETS] = {2, 1, 1, 0, 0, 1, 1};

    (void)state;
    differ(0, 0, nextafterf(1, 2)); /* 1 above */
    differ(0, 1, nextafterf(1, 0)); /* 1 below */
    differ(0, 2, 1 + 0x1p-23f * 4); /* 4 */
    differ(0, 3, 1 + 0x1p-23f * 5); /* 5 */
    differ(0, 4, -1);               /* all of both signs */
    differ(0, 5, NAN);
    find();
    assert_true(rig.places.has_ulps);
    for (unsigned i = 0; i < ULP_BUCKETS; i++) {
        assert_int_equal(rig.places.ulps[i], wanted[i]);
    }
}

static void test_ulps_between(void **state)
{
    static const struct {
        enum dtype type;
        uint64_t a, b, ulps;
    } cases[] = {
        {DTYPE_FLOAT32, 0x00000000, 0x80000000, 0},   /* +0, -0 */
        {DTYPE_FLOAT32, 0x00000001, 0x80000001, 2},   /* the two smallest */
        {DTYPE_FLOAT16, 0x3c00, 0x3c01, 1},           /* 1 and its neighbour */
        {DTYPE_FLOAT16, 0x7bff, 0x7c00, 1},           /* the greatest, infinity */
        {DTYPE_FLOAT16, 0x3c00, 0x7e00, UINT64_MAX},  /* NaN */
        {DTYPE_BFLOAT16, 0x3f80, 0xbf80, 2 * 0x3f80}, /* 1, -1 */
        {DTYPE_FP8E4M3FN, 0x38, 0x39, 1},             /* 1, 1.125 */
        {DTYPE_FP8E8M0, 127, 130, 3},                 /* 1, 8 */
        {DTYPE_FLOAT64, 0x3ff0000000000000, 0x3ff0000000000002, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(ulps_between(cases[i].type, &cases[i].a, &cases[i].b) == cases[i].ulps);
        assert_true(ulps_between(cases[i].type, &cases[i].b, &cases[i].a) == cases[i].ulps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_box, setup, teardown),
        cmocka_unit_test_setup_teardown(test_last_writers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_units_in_the_last_place, setup, teardown),
        cmocka_unit_test(test_ulps_between),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

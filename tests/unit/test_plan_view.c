/* Views resolved to bytes, from plans in order and from plans that somebody scribbled over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "common/plan/plan_view.h"

enum { ROWS = 4, COLUMNS = 8 };

static struct plan plan;
static uint32_t block, none, single; /* views */

/* x: 4 x 8 floats. Views: rows 1..2 of columns 2, 4, 6; no rows; the last element. */
static int make(void **state)
{
    const int64_t shape[] = {ROWS, COLUMNS}, block_shape[] = {2, 3}, block_stride[] = {COLUMNS, 2};
    const int64_t none_shape[] = {0, COLUMNS}, none_stride[] = {COLUMNS, 1};
    struct plan_storage x = {.kind = PLAN_PARAM,
                             .dtype = DTYPE_FLOAT32,
                             .ndim = 2,
                             .nbytes = ROWS * COLUMNS * 4,
                             .domain = PLAN_NONE,
                             .card = PLAN_NONE};
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);
    uint32_t id;

    (void)state;
    if (!b || plan_add_storage(b, &x, "x", shape, &id, &err) < 0 ||
        plan_add_view(b, id, DTYPE_FLOAT32, COLUMNS + 2, 2, block_shape, block_stride, &block, &err) < 0 ||
        plan_add_view(b, id, DTYPE_FLOAT32, 0, 2, none_shape, none_stride, &none, &err) < 0 ||
        plan_add_view(b, id, DTYPE_FLOAT32, ROWS * COLUMNS - 1, 0, NULL, NULL, &single, &err) < 0) {
        return -1;
    }
    plan_builder_finish(b, &plan);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    plan_free(&plan);
    return 0;
}

static void a_view_is_the_bytes_from_its_first_element_to_its_last(void **state)
{
    struct plan_tensor t;
    struct error err;

    (void)state;
    assert_int_equal(plan_view_resolve(&plan, block, &t, &err), 0);
    assert_int_equal(t.storage, 0);
    assert_int_equal(t.dtype, DTYPE_FLOAT32);
    assert_int_equal(t.offset, 40); /* element (1, 2) of rows of 32 bytes */
    assert_int_equal(t.nbytes, 52); /* to the end of element (2, 6), at byte 88 */
    assert_int_equal(t.ndim, 2);
    assert_int_equal(t.shape[0], 2);
    assert_int_equal(t.shape[1], 3);
    assert_int_equal(t.stride[0], 8);
    assert_int_equal(t.stride[1], 2);
    assert_int_equal(plan_view_resolve(&plan, none, &t, &err), 0);
    assert_int_equal(t.nbytes, 0);
    assert_int_equal(plan_view_resolve(&plan, single, &t, &err), 0);
    assert_int_equal(t.ndim, 0);
    assert_int_equal(t.offset, 124);
    assert_int_equal(t.nbytes, 4);
}

static void refuse(uint32_t view)
{
    struct plan_tensor t;
    struct error err = {0};

    assert_int_equal(plan_view_resolve(&plan, view, &t, &err), -1);
    assert_true(*err.what);
}

static void what_does_not_fit_the_plan_is_refused(void **state)
{
    const struct plan_view good = plan.views[block];
    struct plan_view *v = &plan.views[block];
    int64_t *stride = &plan.dims[good.dims + 2];

    (void)state;
    refuse(plan.nview);
    refuse(UINT32_MAX);
    v->storage = plan.nstorage;
    refuse(block);
    *v = good;
    v->dtype = DTYPE_COUNT;
    refuse(block);
    *v = good;
    v->ndim = PLAN_MAX_DIMS + 1;
    refuse(block);
    *v = good;
    v->dims = plan.ndim - 3; /* it has four entries */
    refuse(block);
    v->dims = UINT64_MAX;
    refuse(block);
    *v = good;
    v->offset = 20; /* (2, 4) + (1, 4) is beyond the last row */
    refuse(block);
    v->offset = UINT64_MAX;
    refuse(block);
    *v = good;
    *stride = INT64_MAX;
    refuse(block);
    *stride = -1;
    refuse(block);
    *stride = COLUMNS;
    assert_int_equal(plan_view_tensor(&plan, v).nbytes, 52);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_is_the_bytes_from_its_first_element_to_its_last),
        cmocka_unit_test(what_does_not_fit_the_plan_is_refused),
    };

    return cmocka_run_group_tests(tests, make, drop);
}

/* Host copies and fills: strides, broadcasting, conversion, overlap. Expected values are written out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "common/segment/segment.h"
#include "rank-worker/executor/host_copy.h"

struct side {
    uint32_t storage;
    enum dtype dtype;
    uint64_t offset;
    uint32_t ndim;
    int64_t shape[3], stride[3];
};

static struct plan_builder *begin(void)
{
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);

    assert_non_null(b);
    return b;
}

static uint32_t storage(struct plan_builder *b, const char *name, enum dtype dtype, int64_t count)
{
    struct plan_storage proto = {.kind = PLAN_TEMP,
                                 .dtype = (uint8_t)dtype,
                                 .ndim = 1,
                                 .nbytes = (uint64_t)count * dtype_size(dtype),
                                 .domain = PLAN_NONE,
                                 .card = PLAN_NONE};
    struct error err;
    uint32_t id;

    assert_int_equal(plan_add_storage(b, &proto, name, &count, &id, &err), 0);
    return id;
}

static uint32_t view(struct plan_builder *b, const struct side *s)
{
    struct error err;
    uint32_t id;

    assert_int_equal(plan_add_view(b, s->storage, s->dtype, s->offset, s->ndim, s->shape, s->stride, &id, &err), 0);
    return id;
}

/* Finish the plan with one copy (or fill, src == NULL) and map it; the caller fills storages and runs it. */
static void finish(struct plan_builder *b, const struct side *dst, const struct side *src, double fill,
                   struct plan *plan, struct segment *seg)
{
    struct plan_node node = {.kind = PLAN_COPY,
                             .lane = 1,
                             .program = PLAN_NONE,
                             .group = PLAN_NONE,
                             .k = PLAN_NONE,
                             .narg = src ? 2 : 1,
                             .nscalar = src ? 0 : 1};
    struct plan_scalar scalar = {.kind = PLAN_VALUE, .domain = PLAN_NONE, .card = PLAN_NONE};
    struct plan_arg args[2] = {{.view = view(b, dst), .tag = 3}};
    struct error err;

    memcpy(&scalar.bits, &fill, sizeof fill);
    if (src) {
        args[1] = (struct plan_arg){.view = view(b, src), .tag = 0};
    }
    assert_int_equal(plan_add_node(b, &node, args, &scalar, NULL, &err), 0);
    plan_builder_finish(b, plan);
    assert_int_equal(segment_create(seg, plan, "[]", "a2a3sim", &err), 0);
}

static void run(struct segment *seg)
{
    struct error err;

    assert_int_equal(host_copy_run(seg, &seg->plan.nodes[0], &err), 0);
}

static void end(struct plan *plan, struct segment *seg)
{
    segment_unmap(seg);
    plan_free(plan);
}

static void a_column_block_goes_into_rows(void **state)
{
    struct plan_builder *b = begin();
    uint32_t a = storage(b, "a", DTYPE_INT32, 12), c = storage(b, "c", DTYPE_INT32, 6);
    /* a is 3x4, columns 1..2; c is 3x2 */
    struct side src = {a, DTYPE_INT32, 1, 2, {3, 2}, {4, 1}}, dst = {c, DTYPE_INT32, 0, 2, {3, 2}, {2, 1}};
    const int32_t expected[] = {1, 2, 5, 6, 9, 10};
    struct segment seg;
    struct plan plan;

    (void)state;
    finish(b, &dst, &src, 0, &plan, &seg);
    for (int32_t i = 0; i < 12; i++) {
        ((int32_t *)segment_storage(&seg, a))[i] = i;
    }
    run(&seg);
    assert_memory_equal(segment_storage(&seg, c), expected, sizeof expected);
    end(&plan, &seg);
}

static void stride_zero_broadcasts(void **state)
{
    struct plan_builder *b = begin();
    uint32_t a = storage(b, "a", DTYPE_FLOAT32, 2), c = storage(b, "c", DTYPE_FLOAT32, 6);
    struct side src = {a, DTYPE_FLOAT32, 0, 2, {3, 2}, {0, 1}}, dst = {c, DTYPE_FLOAT32, 0, 2, {3, 2}, {2, 1}};
    const float expected[] = {1.5f, -2, 1.5f, -2, 1.5f, -2};
    struct segment seg;
    struct plan plan;

    (void)state;
    finish(b, &dst, &src, 0, &plan, &seg);
    memcpy(segment_storage(&seg, a), expected, 8);
    run(&seg);
    assert_memory_equal(segment_storage(&seg, c), expected, sizeof expected);
    end(&plan, &seg);
}

static void floats_become_integers_towards_zero_and_integers_keep_all_bits(void **state)
{
    struct plan_builder *b = begin();
    uint32_t f = storage(b, "f", DTYPE_FLOAT32, 3), i = storage(b, "i", DTYPE_INT32, 3);
    struct side src = {f, DTYPE_FLOAT32, 0, 1, {3}, {1}}, dst = {i, DTYPE_INT32, 0, 1, {3}, {1}};
    const float from[] = {2.9f, -2.9f, 7};
    const int32_t to[] = {2, -2, 7};
    struct segment seg;
    struct plan plan;

    (void)state;
    finish(b, &dst, &src, 0, &plan, &seg);
    memcpy(segment_storage(&seg, f), from, sizeof from);
    run(&seg);
    assert_memory_equal(segment_storage(&seg, i), to, sizeof to);
    end(&plan, &seg);

    b = begin();
    uint32_t s = storage(b, "s", DTYPE_INT64, 1), u = storage(b, "u", DTYPE_UINT64, 1);
    struct side from64 = {s, DTYPE_INT64, 0, 1, {1}, {1}}, to64 = {u, DTYPE_UINT64, 0, 1, {1}, {1}};
    const int64_t odd = (1ll << 60) + 1; /* not a double */
    finish(b, &to64, &from64, 0, &plan, &seg);
    memcpy(segment_storage(&seg, s), &odd, 8);
    run(&seg);
    assert_memory_equal(segment_storage(&seg, u), &odd, 8);
    end(&plan, &seg);
}

static void small_signed_integers_are_sign_extended(void **state)
{
    struct plan_builder *b = begin();
    uint32_t a = storage(b, "a", DTYPE_INT8, 2), c = storage(b, "c", DTYPE_INT64, 2);
    struct side src = {a, DTYPE_INT8, 0, 1, {2}, {1}}, dst = {c, DTYPE_INT64, 0, 1, {2}, {1}};
    const int8_t from[] = {-1, 127};
    const int64_t to[] = {-1, 127};
    struct segment seg;
    struct plan plan;

    (void)state;
    finish(b, &dst, &src, 0, &plan, &seg);
    memcpy(segment_storage(&seg, a), from, sizeof from);
    run(&seg);
    assert_memory_equal(segment_storage(&seg, c), to, sizeof to);
    end(&plan, &seg);
}

static void overlapping_views_copy_as_if_read_first(void **state)
{
    struct plan_builder *b = begin();
    uint32_t a = storage(b, "a", DTYPE_INT32, 6);
    struct side src = {a, DTYPE_INT32, 0, 1, {5}, {1}}, dst = {a, DTYPE_INT32, 1, 1, {5}, {1}};
    const int32_t before[] = {1, 2, 3, 4, 5, 6}, after[] = {1, 1, 2, 3, 4, 5};
    struct segment seg;
    struct plan plan;

    (void)state;
    finish(b, &dst, &src, 0, &plan, &seg);
    memcpy(segment_storage(&seg, a), before, sizeof before);
    run(&seg);
    assert_memory_equal(segment_storage(&seg, a), after, sizeof after);
    end(&plan, &seg);
}

static void a_fill_touches_its_view_only(void **state)
{
    struct plan_builder *b = begin();
    uint32_t a = storage(b, "a", DTYPE_FLOAT32, 6);
    struct side dst = {a, DTYPE_FLOAT32, 1, 2, {2, 2}, {3, 1}}; /* 2x3: columns 1..2 */
    const float expected[] = {0, 0.5f, 0.5f, 0, 0.5f, 0.5f};
    struct segment seg;
    struct plan plan;

    (void)state;
    finish(b, &dst, NULL, 0.5, &plan, &seg);
    run(&seg);
    assert_memory_equal(segment_storage(&seg, a), expected, sizeof expected);
    end(&plan, &seg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_block_goes_into_rows),
        cmocka_unit_test(stride_zero_broadcasts),
        cmocka_unit_test(floats_become_integers_towards_zero_and_integers_keep_all_bits),
        cmocka_unit_test(small_signed_integers_are_sign_extended),
        cmocka_unit_test(overlapping_views_copy_as_if_read_first),
        cmocka_unit_test(a_fill_touches_its_view_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Exact overlap of strided views, against a map of bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "orchestrator/plan/overlap.h"

enum { STORAGE_BYTES = 600 };

static uint32_t seed = 12345;

static uint32_t pick(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 1) * below) >> 31);
}

static struct plan_builder *builder(uint64_t nbytes)
{
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);
    struct plan_storage s = {
        .kind = PLAN_TEMP, .dtype = DTYPE_UINT8, .ndim = 1, .nbytes = nbytes, .domain = PLAN_NONE, .card = PLAN_NONE};
    int64_t shape[1] = {(int64_t)nbytes};

    assert_non_null(b);
    assert_int_equal(plan_add_storage(b, &s, "x", shape, NULL, &err), 0);
    return b;
}

static uint32_t add(struct plan_builder *b, enum dtype dtype, uint64_t offset, uint32_t ndim, const int64_t *shape,
                    const int64_t *stride)
{
    struct error err;
    uint32_t id;

    if (plan_add_view(b, 0, dtype, offset, ndim, shape, stride, &id, &err)) {
        fail_msg("%s", err.what);
    }
    return id;
}

/* A random view that fits; up to `max_dims` dimensions with any strides, also overlapping and zero ones. */
static uint32_t random_view(struct plan_builder *b, uint32_t max_dims)
{
    static const enum dtype dtypes[] = {DTYPE_UINT8, DTYPE_FLOAT16, DTYPE_FLOAT32, DTYPE_INT64};
    enum dtype dtype = dtypes[pick(4)];
    uint64_t room = STORAGE_BYTES / dtype_size(dtype);
    int64_t shape[PLAN_MAX_DIMS], stride[PLAN_MAX_DIMS];
    uint32_t ndim = pick(max_dims + 1);
    uint64_t offset, reach = 0;

    for (uint32_t i = 0; i < ndim; i++) {
        shape[i] = pick(20) == 0 ? 0 : 1 + pick(i == 0 ? 9 : 5);
        stride[i] = pick(pick(2) ? 8 : 60);
        while (shape[i] > 1 && reach + (uint64_t)((shape[i] - 1) * stride[i]) >= room) {
            shape[i]--;
        }
        if (shape[i] > 1) {
            reach += (uint64_t)((shape[i] - 1) * stride[i]);
        }
    }
    offset = pick((uint32_t)(room - reach));
    return add(b, dtype, offset, ndim, shape, stride);
}

static void mark(const struct plan *p, uint32_t view, uint8_t *map)
{
    const struct plan_view *v = &p->views[view];
    const int64_t *dims = p->dims + v->dims;
    int64_t index[PLAN_MAX_DIMS] = {0};
    size_t size = dtype_size(v->dtype);

    memset(map, 0, STORAGE_BYTES);
    for (uint32_t i = 0; i < v->ndim; i++) {
        if (dims[i] == 0) {
            return;
        }
    }
    for (;;) {
        uint64_t at = v->offset;
        uint32_t d;

        for (d = 0; d < v->ndim; d++) {
            at += (uint64_t)(index[d] * dims[v->ndim + d]);
        }
        memset(map + at * size, 1, size);
        for (d = v->ndim; d > 0; d--) {
            if (++index[d - 1] < dims[d - 1]) {
                break;
            }
            index[d - 1] = 0;
        }
        if (d == 0) {
            return;
        }
    }
}

static void test_random_views(void **state)
{
    enum { VIEWS = 400 };
    struct plan_builder *b = builder(STORAGE_BYTES);
    uint8_t(*maps)[STORAGE_BYTES] = calloc(VIEWS, sizeof *maps);
    uint32_t ids[VIEWS];
    int overlapping = 0, near = 0;

    (void)state;
    assert_non_null(maps);
    for (int i = 0; i < VIEWS; i++) {
        ids[i] = random_view(b, i % 2 ? 2 : 4);
    }
    for (int i = 0; i < VIEWS; i++) {
        mark(plan_builder_plan(b), ids[i], maps[i]);
    }
    for (int i = 0; i < VIEWS; i++) {
        for (int j = 0; j < VIEWS; j++) {
            bool expected = false;

            for (int k = 0; k < STORAGE_BYTES && !expected; k++) {
                expected = maps[i][k] && maps[j][k];
            }
            if (overlap_views(plan_builder_plan(b), ids[i], ids[j]) != expected) {
                fail_msg("views %d and %d: expected %d", i, j, expected);
            }
            overlapping += expected;
            near += !expected;
        }
    }
    /* The test is worth something only when both answers are common. */
    assert_true(overlapping > 10000 && near > 10000);
    free(maps);
    plan_builder_free(b);
}

/* The normal form covers the same bytes as the view. */
static void test_form_covers_the_same_bytes(void **state)
{
    struct plan_builder *b = builder(STORAGE_BYTES);
    uint8_t map[STORAGE_BYTES], other[STORAGE_BYTES];

    (void)state;
    for (int n = 0; n < 20000; n++) {
        uint32_t id = random_view(b, 5);
        struct overlap_form f;
        uint64_t index[PLAN_MAX_DIMS] = {0};
        uint32_t d;

        mark(plan_builder_plan(b), id, map);
        memset(other, 0, sizeof other);
        overlap_form(plan_builder_plan(b), &plan_builder_plan(b)->views[id], &f);
        do {
            uint64_t at = f.offset;

            for (d = 0; d < f.ndim; d++) {
                at += index[d] * f.stride[d];
            }
            memset(other + at, 1, f.run);
            for (d = f.ndim; d > 0; d--) {
                if (++index[d - 1] < f.count[d - 1]) {
                    break;
                }
                index[d - 1] = 0;
            }
        } while (d > 0);
        assert_memory_equal(map, other, sizeof map);
    }
    plan_builder_free(b);
}

static void test_column_blocks(void **state)
{
    struct plan_builder *b = builder(UINT64_C(1) << 40);
    int64_t shape[2] = {1 << 18, 512}, stride[2] = {1 << 19, 1}; /* fp32, 2^18 rows of 2^19 elements */
    int64_t row[2] = {1, 1 << 19};
    uint32_t left = add(b, DTYPE_FLOAT32, 0, 2, shape, stride);
    uint32_t right = add(b, DTYPE_FLOAT32, 512, 2, shape, stride);
    uint32_t shifted = add(b, DTYPE_FLOAT32, 511, 2, shape, stride);
    uint32_t whole_row = add(b, DTYPE_FLOAT32, 5 * (UINT64_C(1) << 19), 2, row, stride);
    const struct plan *p = plan_builder_plan(b);

    (void)state;
    assert_false(overlap_views(p, left, right));
    assert_true(overlap_views(p, left, shifted));
    assert_true(overlap_views(p, right, shifted));
    assert_true(overlap_views(p, left, whole_row));
    plan_builder_free(b);
}

/* Steps of two progressions, far too long to enumerate: decided by number theory. */
static void test_interleaved_steps(void **state)
{
    struct plan_builder *b = builder(UINT64_C(1) << 40);
    int64_t n[1] = {INT64_C(1) << 30}, m[1] = {INT64_C(1) << 29};
    int64_t two[1] = {2}, four[1] = {4}, six[1] = {6}, s1[1] = {1000003}, s2[1] = {999983};
    int64_t few[1] = {1000000}, part[1] = {999982};
    uint32_t even = add(b, DTYPE_UINT8, 0, 1, n, two), odd = add(b, DTYPE_UINT8, 1, 1, n, two);
    uint32_t fours = add(b, DTYPE_UINT8, 3, 1, m, four), sixes = add(b, DTYPE_UINT8, 2, 1, few, six);
    /* i * 1000003 == 1 + j * 999983: the first i is found by trying, and with it the first j. */
    uint32_t a = add(b, DTYPE_UINT8, 0, 1, few, s1);
    uint64_t first = 0;
    const struct plan *p;

    (void)state;
    for (uint64_t i = 1; i < 999983 && !first; i++) {
        if ((i * 1000003) % 999983 == 1) {
            first = i;
        }
    }
    assert_true(first > 1);
    part[0] = (int64_t)((first * 1000003 - 1) / 999983);
    p = plan_builder_plan(b);
    assert_false(overlap_views(p, even, odd));
    assert_false(overlap_views(p, even, fours));
    assert_true(overlap_views(p, odd, fours));
    assert_true(overlap_views(p, even, sixes));
    assert_false(overlap_views(p, odd, sixes));
    {
        /* `part` entries reach up to just before the first meeting, one more reaches it. */
        uint32_t before = add(b, DTYPE_UINT8, 1, 1, part, s2);
        uint32_t with;

        part[0]++;
        with = add(b, DTYPE_UINT8, 1, 1, part, s2);
        p = plan_builder_plan(b);
        assert_false(overlap_views(p, a, before));
        assert_true(overlap_views(p, a, with));
    }
    plan_builder_free(b);
}

/* Steps of 2 and of 3 in two dimensions, and odd against even columns in the third: 250,000 meetings of rows to look
 * at one by one, none of which is one. */
static void test_steps_in_several_dimensions(void **state)
{
    struct plan_builder *b = builder(UINT64_C(1) << 34);
    int64_t p = 1 << 20, q = 1 << 10; /* a tensor of [4096, 1024, 1024] */
    int64_t shape_a[3] = {2000, 500, 500}, stride_a[3] = {2 * p, 2 * q, 2};
    int64_t shape_b[3] = {1300, 330, 500}, stride_b[3] = {3 * p, 3 * q, 2};
    int64_t shape_c[3] = {1300, 330, 1}, stride_c[3] = {3 * p, 3 * q, 1};
    uint32_t even = add(b, DTYPE_UINT8, 0, 3, shape_a, stride_a);
    uint32_t odd = add(b, DTYPE_UINT8, 1, 3, shape_b, stride_b);
    uint32_t one = add(b, DTYPE_UINT8, (uint64_t)(p + q), 3, shape_c, stride_c);
    /* The last row of `even` is 2 * 1999. */
    uint32_t past = add(b, DTYPE_UINT8, (uint64_t)(3999 * p), 3, (int64_t[]){1, 330, 500}, stride_b);
    const struct plan *plan = plan_builder_plan(b);

    (void)state;
    assert_false(overlap_views(plan, even, odd));
    assert_true(overlap_views(plan, even, one)); /* 1 + 3 * 1 == 2 * 2 in both dimensions */
    assert_false(overlap_views(plan, even, past));
    plan_builder_free(b);
}

/* Boxes of tensors with 5 dimensions, steps of up to 3 in each: disjoint when they are in any one dimension. */
static void test_random_steps(void **state)
{
    static const int64_t size = 16;
    struct plan_builder *b = builder(16 * 16 * 16 * 16 * 16);
    int differ = 0;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        uint32_t ids[2];
        int64_t start[2][5], shape[2][5], step[2][5], stride[5];
        bool expected = true;

        for (int v = 0; v < 2; v++) {
            int64_t pitch = 1;
            uint64_t offset = 0;

            for (int d = 4; d >= 0; d--) {
                step[v][d] = 1 + pick(3);
                start[v][d] = pick(8);
                shape[v][d] = 1 + pick((uint32_t)((size - 1 - start[v][d]) / step[v][d]) + 1);
                stride[d] = pitch * step[v][d];
                offset += (uint64_t)(pitch * start[v][d]);
                pitch *= size;
            }
            ids[v] = add(b, DTYPE_UINT8, offset, 5, shape[v], stride);
        }
        for (int d = 0; d < 5; d++) {
            bool meet = false;

            for (int64_t i = 0; i < shape[0][d]; i++) {
                for (int64_t j = 0; j < shape[1][d]; j++) {
                    meet = meet || start[0][d] + i * step[0][d] == start[1][d] + j * step[1][d];
                }
            }
            expected = expected && meet;
        }
        if (overlap_views(plan_builder_plan(b), ids[0], ids[1]) != expected) {
            fail_msg("round %d: expected %d", round, expected);
        }
        differ += expected;
    }
    assert_true(differ > 1000 && differ < 19000);
    plan_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_views),
        cmocka_unit_test(test_form_covers_the_same_bytes),
        cmocka_unit_test(test_column_blocks),
        cmocka_unit_test(test_interleaved_steps),
        cmocka_unit_test(test_steps_in_several_dimensions),
        cmocka_unit_test(test_random_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

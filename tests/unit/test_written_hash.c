/* Hashes of what a node wrote: equal exactly when the bytes of the view are, whatever lies between and around them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/plan/plan_build.h"
#include "common/segment/segment.h"
#include "rank-worker/executor/written_hash.h"

enum { ROWS = 300, COLUMNS = 70 };

/* One node on a table of fp32: its arguments, in order. */
enum { WHOLE, BLOCK, SCATTERED, READ, INOUT, SAME_BLOCK, NARG };

static struct rig {
    struct segment seg;
    struct plan plan;
    struct written_hash *hash;
    float (*table)[COLUMNS];
    struct error err;
} rig;

static void add_view(struct plan_builder *b, uint64_t offset, int64_t rows, int64_t columns, int64_t row_stride,
                     int64_t column_stride, uint32_t tag, struct plan_arg *out)
{
    const int64_t shape[] = {rows, columns}, stride[] = {row_stride, column_stride};

    out->tag = tag;
    assert_int_equal(plan_add_view(b, 0, DTYPE_FLOAT32, offset, 2, shape, stride, &out->view, &rig.err), 0);
}

static int setup(void **state)
{
    struct plan_builder *b = plan_builder_new(1, &rig.err);
    const int64_t shape[] = {ROWS, COLUMNS};
    const struct plan_storage proto = {.kind = PLAN_TEMP,
                                       .dtype = DTYPE_FLOAT32,
                                       .ndim = 2,
                                       .nbytes = ROWS * COLUMNS * 4,
                                       .domain = PLAN_NONE,
                                       .card = PLAN_NONE};
    struct plan_node node = {.kind = PLAN_DISPATCH, .group = PLAN_NONE, .narg = NARG};
    struct plan_arg args[NARG];

    (void)state;
    memset(&rig, 0, sizeof rig);
    assert_non_null(b);
    assert_int_equal(plan_add_storage(b, &proto, "t", shape, NULL, &rig.err), 0);
    assert_int_equal(plan_add_program(b, "p", &node.program, &rig.err), 0);
    add_view(b, 0, ROWS, COLUMNS, COLUMNS, 1, PLAN_TAG_OUTPUT, &args[WHOLE]);
    add_view(b, 5, ROWS, 8, COLUMNS, 1, PLAN_TAG_OUTPUT_EXISTING, &args[BLOCK]);
    add_view(b, 1, ROWS / 2, COLUMNS / 2, 2 * COLUMNS, 2, PLAN_TAG_OUTPUT, &args[SCATTERED]);
    add_view(b, 0, ROWS, COLUMNS, COLUMNS, 1, PLAN_TAG_INPUT, &args[READ]);
    add_view(b, 0, 1, 3, 1, 1, PLAN_TAG_INOUT, &args[INOUT]);
    add_view(b, 20, ROWS, 8, COLUMNS, 1, PLAN_TAG_OUTPUT, &args[SAME_BLOCK]);
    assert_int_equal(plan_add_node(b, &node, args, NULL, NULL, &rig.err), 0);
    plan_builder_finish(b, &rig.plan);
    assert_int_equal(segment_create(&rig.seg, &rig.plan, "[]", "a2a3sim", &rig.err), 0);
    assert_int_equal(written_hash_open(&rig.hash, &rig.err), 0);
    rig.table = segment_storage(&rig.seg, 0);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            rig.table[r][c] = (float)(r * COLUMNS + c);
        }
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    written_hash_close(rig.hash);
    segment_unmap(&rig.seg);
    plan_free(&rig.plan);
    return 0;
}

static void take(uint64_t out[NARG])
{
    assert_int_equal(rig.seg.header->nhash, NARG);
    written_hash_take(rig.hash, &rig.seg, 0);
    memcpy(out, rig.seg.hashes, NARG * sizeof *out);
}

static void an_element_changes_the_views_that_hold_it(void **state)
{
    /* Row 7, column 6: in the block (columns 5 to 12); row 4, column 9: in both; row 4, column 31: among the odd columns
     * of even rows; row 5, column 31: in no small view. */
    const struct {
        int row, column;
        bool block, scattered;
    } cases[] = {{7, 6, true, false},   {4, 9, true, true},          {4, 31, false, true},
                 {5, 31, false, false}, {ROWS - 1, 12, true, false}, {ROWS - 2, COLUMNS - 1, false, true}};
    uint64_t before[NARG], after[NARG];

    (void)state;
    take(before);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float *element = &rig.table[cases[i].row][cases[i].column], kept = *element;

        *element += 1;
        take(after);
        assert_true(after[WHOLE] != before[WHOLE]);
        assert_int_equal(after[BLOCK] != before[BLOCK], cases[i].block);
        assert_int_equal(after[SCATTERED] != before[SCATTERED], cases[i].scattered);
        *element = kept;
        take(after);
        assert_memory_equal(after, before, sizeof after);
    }
}

static void the_same_elements_elsewhere_have_the_same_hash(void **state)
{
    uint64_t hashes[NARG];

    (void)state;
    for (int r = 0; r < ROWS; r++) {
        memmove(&rig.table[r][20], &rig.table[r][5], 8 * sizeof(float));
    }
    take(hashes);
    assert_true(hashes[SAME_BLOCK] == hashes[BLOCK]);
    rig.table[9][21] = rig.table[9][22];
    take(hashes);
    assert_true(hashes[SAME_BLOCK] != hashes[BLOCK]);
}

static void bits_count_not_values(void **state)
{
    uint64_t before[NARG], after[NARG];

    (void)state;
    rig.table[0][0] = 0.0f;
    take(before);
    rig.table[0][0] = -0.0f;
    take(after);
    assert_true(after[INOUT] != before[INOUT]);
}

static void what_is_only_read_has_none(void **state)
{
    uint64_t hashes[NARG];

    (void)state;
    take(hashes);
    assert_true(hashes[READ] == 0);
    assert_true(hashes[INOUT] != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_element_changes_the_views_that_hold_it, setup, teardown),
        cmocka_unit_test_setup_teardown(the_same_elements_elsewhere_have_the_same_hash, setup, teardown),
        cmocka_unit_test_setup_teardown(bits_count_not_values, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_only_read_has_none, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

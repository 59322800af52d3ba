/* Runs of one plan compared and grouped. What a run leaves is written into a segment by hand. */
#include "tests/support/temp_dir.h"

#include <cjson/cJSON.h>

#include "common/plan/plan_build.h"
#include "orchestrator/repeat/repeat.h"
#include "orchestrator/tensor_file/tensor_write.h"

/* Node 0 writes tmp, node 1 (card 1) a window, node 2 `out`, node 3 (a copy) `count`. */
enum { X, OUT, COUNT, TMP, WINDOW };
enum { ARG_TMP, ARG_WINDOW, ARG_READ, ARG_OUT, ARG_COUNT, NARG };

static struct rig {
    char *dir;
    struct plan plan;
    struct segment seg;
    struct verify *verify;
    struct repeat *repeat;
    struct error err;
} rig;

static void add_storage(struct plan_builder *b, const char *name, enum plan_storage_kind kind,
                        enum plan_direction direction, enum dtype dtype)
{
    const int64_t shape[] = {2, 3};
    const struct plan_storage s = {.kind = (uint8_t)kind,
                                   .dtype = (uint8_t)dtype,
                                   .ndim = 2,
                                   .direction = (uint8_t)direction,
                                   .nbytes = 6 * dtype_size(dtype),
                                   .domain = PLAN_NONE,
                                   .card = PLAN_NONE};

    assert_int_equal(plan_add_storage(b, &s, name, shape, NULL, &rig.err), 0);
}

static struct plan_arg arg(struct plan_builder *b, uint32_t storage, enum dtype dtype, uint32_t tag)
{
    const int64_t shape[] = {2, 3}, stride[] = {3, 1};
    struct plan_arg a = {.tag = tag};

    assert_int_equal(plan_add_view(b, storage, dtype, 0, 2, shape, stride, &a.view, &rig.err), 0);
    return a;
}

static void add_node(struct plan_builder *b, enum plan_node_kind kind, uint32_t lane, const struct plan_arg *args,
                     uint32_t narg)
{
    struct plan_node n = {.kind = (uint8_t)kind,
                          .lane = lane,
                          .group = PLAN_NONE,
                          .narg = narg,
                          .line = 7,
                          .k = kind == PLAN_DISPATCH ? 0 : PLAN_NONE};
    const struct plan_scalar fill = {.bits = 0};

    if (kind == PLAN_DISPATCH) {
        assert_int_equal(plan_add_program(b, "p", &n.program, &rig.err), 0);
    }
    n.nscalar = kind == PLAN_COPY;
    assert_int_equal(plan_add_node(b, &n, args, &fill, NULL, &rig.err), 0);
}

static void make_plan(void)
{
    struct plan_builder *b = plan_builder_new(2, &rig.err);
    const uint32_t workers[] = {0};
    struct plan_arg args[2];

    assert_non_null(b);
    add_storage(b, "x", PLAN_PARAM, PLAN_IN, DTYPE_FLOAT32);
    add_storage(b, "out", PLAN_PARAM, PLAN_OUT, DTYPE_FLOAT32);
    add_storage(b, "count", PLAN_PARAM, PLAN_INOUT, DTYPE_INT64);
    add_storage(b, "tmp", PLAN_TEMP, PLAN_IN, DTYPE_FLOAT32);
    assert_int_equal(plan_add_domain(b, "comm", workers, 1, 64, NULL, &rig.err), 0);
    args[0] = arg(b, TMP, DTYPE_FLOAT32, PLAN_TAG_OUTPUT);
    add_node(b, PLAN_DISPATCH, 0, args, 1);
    args[0] = arg(b, WINDOW, DTYPE_UINT8, PLAN_TAG_INOUT);
    add_node(b, PLAN_DISPATCH, 1, args, 1);
    args[0] = arg(b, TMP, DTYPE_FLOAT32, PLAN_TAG_INPUT);
    args[1] = arg(b, OUT, DTYPE_FLOAT32, PLAN_TAG_OUTPUT);
    add_node(b, PLAN_DISPATCH, 0, args, 2);
    args[0] = arg(b, COUNT, DTYPE_INT64, PLAN_TAG_OUTPUT_EXISTING);
    add_node(b, PLAN_COPY, 2, args, 1);
    plan_builder_finish(b, &rig.plan);
    assert_int_equal(rig.plan.narg, NARG);
}

/* `out` and `count` begin as zeros, so a run that changes nothing gave zeros. With `expected`, that is what out must be. */
static void begin(uint32_t wanted, bool expected)
{
    const float zeros[6] = {0};
    const int64_t shape[] = {2, 3};
    char file[512];
    const struct named_file given = {.name = "out", .file = file};
    struct references references = {0};

    memset(&rig, 0, sizeof rig);
    rig.dir = temp_dir_make();
    make_plan();
    snprintf(file, sizeof file, "%s/out.npy", rig.dir);
    assert_int_equal(tensor_write(file, TENSOR_NPY, "", DTYPE_FLOAT32, 2, shape, zeros, &rig.err), 0);
    assert_int_equal(references_open(&references, NULL, &given, expected, &rig.err), 0);
    assert_int_equal(verify_open(&rig.verify, &references, NULL, &rig.plan, TOLERANCE_DEFAULT, NULL, &rig.err), 0);
    assert_int_equal(segment_create(&rig.seg, &rig.plan, "[]", "a2a3sim", &rig.err), 0);
    rig.seg.header->hashing = 1;
    assert_int_equal(repeat_open(&rig.repeat, &rig.plan, rig.verify, wanted, &rig.err), 0);
}

static void end(void)
{
    repeat_free(rig.repeat);
    verify_free(rig.verify);
    segment_unmap(&rig.seg);
    plan_free(&rig.plan);
    temp_dir_remove(rig.dir);
}

/* A run that leaves out[1, 2] and count[0, 1], and hashes by what `tmp` and `window` say. */
static void run(float out, int64_t count, uint64_t tmp, uint64_t window)
{
    uint64_t *hashes = rig.seg.hashes;
    uint32_t bits;

    assert_int_equal(segment_rewind(&rig.seg, &rig.err), 0);
    memcpy(&bits, &out, sizeof bits);
    ((float *)segment_storage(&rig.seg, OUT))[5] = out;
    ((int64_t *)segment_storage(&rig.seg, COUNT))[1] = count;
    hashes[ARG_TMP] = 100 + tmp;
    hashes[ARG_WINDOW] = 200 + window;
    hashes[ARG_OUT] = 300 + bits;
    hashes[ARG_COUNT] = 400 + (uint64_t)count;
    assert_int_equal(repeat_take(rig.repeat, &rig.seg, &rig.err), 0);
}

static char *text(void)
{
    char *t = NULL;
    size_t size;
    FILE *f = open_memstream(&t, &size);

    assert_non_null(f);
    repeat_print(f, rig.repeat);
    fclose(f);
    return t;
}

static void expect_text(const char *expected)
{
    char *t = text();

    assert_string_equal(t, expected);
    free(t);
}

static void equal_runs_are_one_group(void **state)
{
    (void)state;
    begin(3, false);
    for (int i = 0; i < 3; i++) {
        run(1, 2, 0, 0);
    }
    assert_int_equal(rig.repeat->ngroup, 1);
    assert_int_equal(rig.repeat->groups[0].count, 3);
    assert_null(rig.repeat->runs[2].outputs);
    expect_text("3 of 3 runs gave the same bits\n");
    assert_int_equal(repeat_take(rig.repeat, &rig.seg, &rig.err), -1); /* there is no room for a fourth */
    end();
}

static void the_largest_group_counts_also_when_run_1_is_the_odd_one(void **state)
{
    (void)state;
    begin(5, false);
    run(9, 0, 0, 0);
    for (int i = 1; i < 5; i++) {
        run(1, 0, 0, 0);
    }
    assert_int_equal(rig.repeat->ngroup, 2);
    assert_int_equal(repeat_largest(rig.repeat), 1);
    expect_text("4 of 5 runs gave the same bits (runs 2-5); run 1 gave others\n"
                "run 2 against run 1: out(1, 2) is 1 (0x3f800000) and was 9 (0x41100000); 1 of 6 elements differ\n"
                "  other bits from here on: dispatch 2 (p on card 0, host_orch.py:7), rank0/d0: argument 1, out\n");
    end();
}

static void of_equal_groups_the_earliest_is_the_usual_one(void **state)
{
    (void)state;
    begin(4, false);
    run(1, 0, 0, 0);
    run(2, 0, 0, 0);
    run(2, 0, 0, 0);
    run(1, 0, 0, 0);
    assert_int_equal(repeat_largest(rig.repeat), 0);
    assert_int_equal(rig.repeat->runs[3].group, 0);
    end();
}

static void zeros_of_other_sign_are_other_bits(void **state)
{
    (void)state;
    begin(2, true);
    run(0.0f, 0, 0, 0);
    run(-0.0f, 0, 0, 0);
    assert_int_equal(rig.repeat->ngroup, 2);
    assert_int_equal(repeat_failed(rig.repeat), 0); /* but the same value */
    expect_text("no two of 2 runs gave the same bits\n"
                "run 2 against run 1: out(1, 2) is -0 (0x80000000) and was 0 (0x00000000); 1 of 6 elements differ\n"
                "  other bits from here on: dispatch 2 (p on card 0, host_orch.py:7), rank0/d0: argument 1, out\n");
    end();
}

static void the_output_that_is_written_first_is_named_first(void **state)
{
    (void)state;
    begin(2, false);
    run(1, 1, 0, 0);
    run(2, 2, 0, 0);
    assert_int_equal(repeat_first_output(rig.repeat, 1), 0); /* out: node 2 wrote it, node 3 count */
    rig.repeat->runs[1].outputs[0].node = PLAN_NONE;
    assert_int_equal(repeat_first_output(rig.repeat, 1), 1);
    end();
}

static void the_first_node_in_submit_order_is_named(void **state)
{
    const struct repeat_run *r;

    (void)state;
    begin(3, false);
    run(1, 0, 0, 0);
    run(2, 0, 5, 0);
    run(2, 0, 0, 0);
    r = rig.repeat->runs;
    assert_true(r[1].tensor.node == 0 && r[1].tensor.arg == ARG_TMP);
    assert_true(r[2].tensor.node == 2 && r[2].tensor.arg == ARG_OUT);
    assert_int_equal(r[1].window.node, PLAN_NONE);
    end();
}

static void windows_are_listed_apart_and_only_when_they_come_first(void **state)
{
    char *t;

    (void)state;
    begin(4, false);
    run(1, 0, 0, 0);
    run(2, 0, 0, 7); /* the window (node 1), then out (node 2) */
    run(3, 0, 5, 7); /* tmp (node 0), then the window */
    run(1, 0, 0, 7); /* nothing but the window: timing can do that */
    assert_true(rig.repeat->runs[1].window.node == 1 && rig.repeat->runs[1].tensor.node == 2);
    assert_true(rig.repeat->runs[2].window.node == PLAN_NONE && rig.repeat->runs[2].tensor.node == 0);
    assert_true(rig.repeat->runs[3].tensor.node == PLAN_NONE && !rig.repeat->runs[3].outputs);
    t = text();
    assert_non_null(
        strstr(t, "  a window differed after dispatch 1 (p on card 1, host_orch.py:7), rank1/d0: argument 0"));
    assert_null(strstr(t, "on the way"));
    free(t);
    end();
}

static void other_bits_that_no_output_shows_are_reported_once(void **state)
{
    (void)state;
    begin(3, false);
    run(1, 0, 0, 0);
    run(1, 0, 5, 0);
    run(1, 0, 6, 0);
    expect_text("3 of 3 runs gave the same bits\n"
                "runs 2, 3 gave the outputs of run 1, but other bits on the way; run 2 (--result FILE.json has all):\n"
                "  other bits from here on: dispatch 0 (p on card 0, host_orch.py:7), rank0/d0: argument 0, tmp\n");
    end();
}

static void bytes_that_nobody_is_known_to_have_written_are_reported(void **state)
{
    char *t;

    (void)state;
    begin(2, false);
    run(1, 0, 0, 0);
    assert_int_equal(segment_rewind(&rig.seg, &rig.err), 0);
    memcpy(rig.seg.hashes, rig.repeat->hashes, NARG * sizeof *rig.seg.hashes);
    assert_int_equal(repeat_take(rig.repeat, &rig.seg, &rig.err),
                     0); /* out[1, 2] is 0, the hashes are those of run 1 */
    t = text();
    assert_non_null(strstr(t, "something else wrote there"));
    free(t);
    end();
}

static void each_run_is_held_to_the_references(void **state)
{
    (void)state;
    begin(4, true);
    run(0, 0, 0, 0);
    assert_false(repeat_is_first_failure(rig.repeat));
    run(8, 0, 0, 0);
    assert_true(repeat_is_first_failure(rig.repeat));
    run(0, 1, 0, 0); /* other bits where there is no reference */
    assert_false(repeat_is_first_failure(rig.repeat));
    run(8, 0, 0, 0);
    assert_false(repeat_is_first_failure(rig.repeat));
    assert_int_equal(repeat_failed(rig.repeat), 2);
    assert_true(rig.repeat->groups[0].matches && !rig.repeat->groups[1].matches && rig.repeat->groups[2].matches);
    error_set(&rig.err, "out.npy", NULL, "x");
    repeat_name_run(rig.repeat, &rig.err);
    assert_string_equal(rig.err.where, "run 4 of 4: out.npy");
    end();
}

static void the_first_run_can_be_the_wrong_one(void **state)
{
    char *t;

    (void)state;
    begin(3, true);
    run(8, 0, 0, 0);
    assert_true(repeat_is_first_failure(rig.repeat));
    run(0, 0, 0, 0);
    t = text();
    assert_non_null(strstr(t, "2 of 3 runs came to their end\n"));
    assert_non_null(strstr(t, "1 of 2 runs did not match what was expected: run 1\n"));
    free(t);
    end();
}

static void a_reference_that_was_changed_is_no_verdict(void **state)
{
    char file[512];

    (void)state;
    begin(2, true);
    snprintf(file, sizeof file, "%s/out.npy", rig.dir);
    assert_int_equal(truncate(file, 200), 0);
    assert_int_equal(repeat_take(rig.repeat, &rig.seg, &rig.err), -1);
    assert_int_equal(rig.err.kind, ERROR_INFRA);
    assert_int_equal(rig.repeat->nrun, 0);
    end();
}

static void integers_of_64_bits_keep_all_digits(void **state)
{
    char *t;

    (void)state;
    begin(2, false);
    run(0, 9007199254740993, 0, 0);
    run(0, 9007199254740992, 0, 0);
    t = text();
    assert_non_null(strstr(t, "count(0, 1) is 9007199254740992 (0x0020000000000000) and was 9007199254740993 "
                              "(0x0020000000000001); 1 of 6 elements differ"));
    free(t);
    end();
}

static void many_outcomes_are_cut_in_the_text_and_whole_in_the_document(void **state)
{
    struct json_writer w = {.failed = false};
    cJSON *root = json_new_object(&w);
    const cJSON *repeat, *last;
    char *t;

    (void)state;
    begin(9, false);
    for (int i = 0; i < 9; i++) {
        run((float)i, 0, 0, 0);
    }
    t = text();
    assert_non_null(strstr(t, "no two of 9 runs gave the same bits\n"));
    assert_non_null(strstr(t, "run 6 against run 1"));
    assert_null(strstr(t, "run 7 against run 1"));
    assert_non_null(strstr(t, "and 3 more different outcomes;"));
    free(t);
    repeat_put_json(&w, root, rig.repeat);
    t = json_finish(&w, root, "repeat", NULL);
    assert_non_null(t);
    root = cJSON_Parse(t);
    free(t);
    repeat = cJSON_GetObjectItem(root, "repeat");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(repeat, "groups")), 9);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(repeat, "differences")), 8);
    last = cJSON_GetArrayItem(cJSON_GetObjectItem(repeat, "differences"), 7);
    assert_int_equal(cJSON_GetObjectItem(last, "run")->valueint, 9);
    assert_int_equal(cJSON_GetObjectItem(cJSON_GetObjectItem(last, "first"), "node")->valueint, 2);
    cJSON_Delete(root);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_runs_are_one_group),
        cmocka_unit_test(the_largest_group_counts_also_when_run_1_is_the_odd_one),
        cmocka_unit_test(of_equal_groups_the_earliest_is_the_usual_one),
        cmocka_unit_test(zeros_of_other_sign_are_other_bits),
        cmocka_unit_test(the_output_that_is_written_first_is_named_first),
        cmocka_unit_test(the_first_node_in_submit_order_is_named),
        cmocka_unit_test(windows_are_listed_apart_and_only_when_they_come_first),
        cmocka_unit_test(other_bits_that_no_output_shows_are_reported_once),
        cmocka_unit_test(bytes_that_nobody_is_known_to_have_written_are_reported),
        cmocka_unit_test(each_run_is_held_to_the_references),
        cmocka_unit_test(the_first_run_can_be_the_wrong_one),
        cmocka_unit_test(a_reference_that_was_changed_is_no_verdict),
        cmocka_unit_test(integers_of_64_bits_keep_all_digits),
        cmocka_unit_test(many_outcomes_are_cut_in_the_text_and_whole_in_the_document),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

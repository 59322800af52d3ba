/* Comparison by the documented rule, expected files, and keeping outputs. */
#include "tests/support/data_build.h"

#include <float.h>
#include <math.h>

#include "common/base/log.h"
#include "orchestrator/data/compare_parallel.h"
#include "orchestrator/data/verify.h"
#include "orchestrator/tensor_file/tensor_read.h"
#include "tests/support/captured.h"

static const struct tolerance strict = {.rtol = 0, .atol = 0}, usual = {.rtol = 1e-5, .atol = 1e-5};

static uint64_t count_f32(float actual, float expected, struct tolerance tol, bool nan_is_any)
{
    struct comparison c;

    compare_elements(DTYPE_FLOAT32, &actual, &expected, 1, tol, nan_is_any, &c);
    assert_int_equal(c.count, 1);
    return c.mismatched;
}

static void test_floats(void **state)
{
    const float inf = INFINITY, nan_ = NAN;

    (void)state;
    assert_int_equal(count_f32(1.0f, 1.0f, strict, true), 0);
    assert_int_equal(count_f32(0.0f, -0.0f, strict, true), 0);
    assert_int_equal(count_f32(1.0f, nextafterf(1.0f, 2.0f), strict, true), 1);
    assert_int_equal(count_f32(1.0f, nextafterf(1.0f, 2.0f), usual, true), 0);
    /* 1000 allows 1e-5 + 1e-2. */
    assert_int_equal(count_f32(1000.009f, 1000.0f, usual, true), 0);
    assert_int_equal(count_f32(1000.011f, 1000.0f, usual, true), 1);
    /* The tolerance scales with the expected value, not with the actual one. */
    assert_int_equal(count_f32(3.0f, 2.0f, (struct tolerance){.rtol = 0.4, .atol = 0}, true), 1);
    assert_int_equal(count_f32(2.0f, 3.0f, (struct tolerance){.rtol = 0.4, .atol = 0}, true), 0);
    assert_int_equal(count_f32(inf, inf, usual, true), 0);
    assert_int_equal(count_f32(-inf, -inf, usual, true), 0);
    assert_int_equal(count_f32(inf, -inf, usual, true), 1);
    assert_int_equal(count_f32(1.0f, inf, usual, true), 1);
    assert_int_equal(count_f32(FLT_MAX, inf, (struct tolerance){.rtol = 1, .atol = 1}, true), 1);
    assert_int_equal(count_f32(inf, 1.0f, usual, true), 1);
    assert_int_equal(count_f32(nan_, 1.0f, usual, true), 1);
    assert_int_equal(count_f32(1.0f, nan_, usual, true), 0);
    assert_int_equal(count_f32(nan_, nan_, usual, true), 0);
    assert_int_equal(count_f32(1.0f, nan_, usual, false), 1);
    assert_int_equal(count_f32(nan_, nan_, usual, false), 1);
    assert_int_equal(count_f32(1.0f, 2.0f, (struct tolerance){.rtol = NAN, .atol = 0}, true), 1);
}

static void test_ignored_are_counted(void **state)
{
    const float actual[] = {1, 2, 3}, expected[] = {NAN, 2, NAN};
    struct comparison c;

    (void)state;
    compare_elements(DTYPE_FLOAT32, actual, expected, 3, usual, true, &c);
    assert_int_equal(c.ignored, 2);
    assert_int_equal(c.mismatched, 0);
}

/* Neighbours above 2^53 are one double, and must still differ. */
static void test_wide_integers(void **state)
{
    static const int64_t a[] = {INT64_MAX, INT64_MIN, INT64_MIN, -1, INT64_C(9007199254740993), 5},
                         e[] = {INT64_MAX - 1, INT64_MIN + 1, INT64_MAX, 1, INT64_C(9007199254740992), 5};
    static const uint64_t ua[] = {UINT64_MAX, UINT64_MAX, 0}, ue[] = {UINT64_MAX - 1, UINT64_MAX, UINT64_MAX};
    struct comparison c;

    (void)state;
    compare_elements(DTYPE_INT64, a, e, 6, strict, true, &c);
    assert_int_equal(c.mismatched, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(c.shown[i].index, i);
    }
    assert_true(c.max_abs_error == 0x1p64); /* 2^64 - 1, as a double */
    compare_elements(DTYPE_INT64, a, e, 6, (struct tolerance){.rtol = 0, .atol = 1}, true, &c);
    assert_int_equal(c.mismatched, 2); /* INT64_MIN against INT64_MAX, and -1 against 1 */
    compare_elements(DTYPE_INT64, a, e, 6, (struct tolerance){.rtol = 0, .atol = 0.5}, true, &c);
    assert_int_equal(c.mismatched, 5);
    compare_elements(DTYPE_UINT64, ua, ue, 3, strict, true, &c);
    assert_int_equal(c.mismatched, 2);
    compare_elements(DTYPE_UINT64, ua, ue, 3, (struct tolerance){.rtol = 1, .atol = 0}, true, &c);
    assert_int_equal(c.mismatched, 0);
}

static void test_every_dtype(void **state)
{
    (void)state;
    for (int type = 0; type < DTYPE_COUNT; type++) {
        unsigned char one[8] = {0}, two[8] = {0};
        struct comparison c;
        dtype_store((enum dtype)type, one, 1);
        dtype_store((enum dtype)type, two, type == DTYPE_BOOL ? 0 : 2);
        compare_elements((enum dtype)type, one, one, 1, strict, true, &c);
        assert_int_equal(c.mismatched, 0);
        compare_elements((enum dtype)type, two, one, 1, usual, true, &c);
        assert_int_equal(c.mismatched, 1);
        assert_true(c.max_abs_error == 1);
        assert_true(c.shown[0].expected == 1);
    }
}

/* Equal bytes are not equal numbers when they are NaN. */
static void test_equal_nans(void **state)
{
    static const uint16_t nans[][2] = {{0x7c01, 0x0000}, {0x7f81, 0x0000}, {0xfe00, 0x0000}, {0xffc0, 0x0000}};
    static const enum dtype types[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16, DTYPE_FLOAT16, DTYPE_BFLOAT16};
    struct comparison c;

    (void)state;
    for (int i = 0; i < 4; i++) {
        compare_elements(types[i], nans[i], nans[i], 2, usual, false, &c);
        assert_int_equal(c.mismatched, 1);
        compare_elements(types[i], nans[i], nans[i], 2, usual, true, &c);
        assert_int_equal(c.ignored, 1);
    }
}

/* More elements than one block, mismatches at known places. */
static void test_many(void **state)
{
    enum { N = 10000 };
    float *a = calloc(N, sizeof *a), *e = calloc(N, sizeof *e);
    struct comparison c;

    (void)state;
    assert_non_null(a);
    assert_non_null(e);
    for (int i = 0; i < N; i++) {
        a[i] = e[i] = (float)i;
    }
    for (int i = 7; i < N; i += 100) {
        a[i] += 50;
    }
    compare_elements(DTYPE_FLOAT32, a, e, N, usual, true, &c);
    assert_int_equal(c.count, N);
    assert_int_equal(c.mismatched, 100);
    assert_int_equal(c.nshown, VERIFY_MAX_SHOWN);
    for (int i = 0; i < VERIFY_MAX_SHOWN; i++) {
        assert_int_equal(c.shown[i].index, 7 + 100 * i);
        assert_true(c.shown[i].actual == 57 + 100 * i && c.shown[i].expected == 7 + 100 * i);
    }
    assert_true(c.max_abs_error == 50);
    compare_elements(DTYPE_FLOAT32, a, e, 0, usual, true, &c);
    assert_int_equal(c.mismatched, 0);
    free(a);
    free(e);
}

/* --- files ---------------------------------------------------------------- */

static const int64_t shape[] = {2, 3};
static const int64_t wanted[] = {10, 20, 30, 40, 50, INT64_C(9007199254740993)};

static int setup(void **state)
{
    static const struct data_param planned[] = {{"x", DTYPE_INT64, PLAN_IN, 2, {2, 3}},
                                                {"acc__ssa_v1", DTYPE_INT64, PLAN_INOUT, 2, {2, 3}},
                                                {"out", DTYPE_INT64, PLAN_OUT, 2, {2, 3}}};

    *state = data_build_open(
        "{\"name\": \"x\", \"direction\": \"In\", \"shape\": [2, 3], \"dtype\": \"int64\"},"
        "{\"name\": \"acc__ssa_v1\", \"direction\": \"InOut\", \"shape\": [2, 3], \"dtype\": \"int64\"},"
        "{\"name\": \"out\", \"direction\": \"Out\", \"shape\": [2, 3], \"dtype\": \"int64\"}",
        planned, sizeof planned / sizeof *planned);
    return 0;
}

static char *save(const struct data_build *f, const char *name, enum dtype type, uint32_t ndim, const void *data)
{
    return data_build_save(f, name, type, ndim, shape, data);
}

/* What a replay does before and after recording. */
static int open_with(struct verify **v, const struct build *build, const struct plan *plan,
                     const struct named_file *given, size_t ngiven, struct tolerance tol, struct error *err)
{
    struct references references = {0};

    *v = NULL;
    if (references_open(&references, build, given, ngiven, err) < 0) {
        references_free(&references);
        return -1;
    }
    return verify_open(v, &references, build, plan, tol, NULL, err);
}

static void test_nothing_expected(void **state)
{
    struct data_build *f = *state;
    struct verify *v;
    struct error err;

    assert_int_equal(open_with(&v, &f->build, &f->plan, NULL, 0, usual, &err), 0);
    assert_int_equal(verify_count(v), 0);
    assert_int_equal(verify_storage(v, &f->plan, 2, wanted, &err), 0);
    verify_free(v);
    verify_free(NULL);
}

static void test_expected_of_build(void **state)
{
    struct data_build *f = *state;
    int64_t actual[6];
    struct verified found;
    struct verify *v;
    struct error err;

    free(save(f, "data/out/out.npy", DTYPE_INT64, 2, wanted));
    free(save(f, "data/out/acc.npy", DTYPE_INT64, 2, wanted)); /* by plain name */
    free(save(f, "data/out/x.npy", DTYPE_FLOAT32, 1, wanted)); /* an input is not compared */
    assert_int_equal(open_with(&v, &f->build, &f->plan, NULL, 0, strict, &err), 0);
    assert_int_equal(verify_count(v), 2);
    memcpy(actual, wanted, sizeof actual);
    assert_int_equal(verify_storage(v, &f->plan, 1, actual, &err), 0);
    assert_int_equal(verify_storage(v, &f->plan, 0, actual, &err), 0);
    actual[4] = 51;
    actual[5]--;
    log_set_level(LOG_NULL);
    assert_int_equal(verify_storage_full(v, &f->plan, 2, actual, &found, &err), -1);
    log_set_level(LOG_TIMING);
    assert_int_equal(err.kind, ERROR_FAIL);
    assert_non_null(strstr(err.what, "out: 2 of 6 elements"));
    assert_non_null(strstr(err.what, "rtol 0"));
    assert_non_null(strstr(err.what, "atol 0"));
    assert_non_null(strstr(found.file, "data/out/out.npy"));
    assert_int_equal(found.numbers.mismatched, 2);
    assert_int_equal(verify_matches(v, &f->plan, 2, actual, &err), 0);
    assert_int_equal(verify_matches(v, &f->plan, 2, wanted, &err), 1);
    assert_int_equal(verify_matches(v, &f->plan, 0, actual, &err), 1); /* not compared */
    assert_true(verify_has(v, 2) && !verify_has(v, 0));
    verify_free(v);
}

/* What is compared is what was there when the replay began: recording and kernels may remove it. */
static void test_reference_that_vanishes(void **state)
{
    struct data_build *f = *state;
    char *path = save(f, "data/out/out.npy", DTYPE_INT64, 2, wanted);
    struct references references = {0};
    int64_t actual[6] = {0};
    struct verify *v;
    struct error err;

    assert_int_equal(references_open(&references, &f->build, NULL, 0, &err), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(verify_open(&v, &references, &f->build, &f->plan, strict, NULL, &err), 0);
    assert_int_equal(verify_count(v), 1);
    log_set_level(LOG_NULL);
    assert_int_equal(verify_storage(v, &f->plan, 2, actual, &err), -1);
    log_set_level(LOG_TIMING);
    assert_int_equal(err.kind, ERROR_FAIL);
    assert_int_equal(verify_storage(v, &f->plan, 2, wanted, &err), 0);
    verify_free(v);
    free(path);
}

/* Each output without a reference has a reason; one of them is enough for --require-check to refuse. */
static void test_why_not(void **state)
{
    struct data_build *f = *state;
    struct references none = {0};
    struct verify *v;
    struct error err;

    free(save(f, "data/out/out.npy", DTYPE_INT64, 2, wanted));
    assert_int_equal(open_with(&v, &f->build, &f->plan, NULL, 0, strict, &err), 0);
    assert_int_equal(verify_outputs(&f->plan), 2);
    assert_null(verify_why_not(v, 0)); /* an input */
    assert_null(verify_why_not(v, 2)); /* compared */
    assert_string_equal(verify_why_not(v, 1), "no --expect, no data/out/acc.npy or .pt");
    assert_int_equal(verify_require(v, &f->plan, &err), -1);
    assert_int_equal(err.kind, ERROR_INFRA);
    assert_non_null(strstr(err.what, "1 of 2 outputs would not be compared, the first is acc__ssa_v1"));
    verify_free(v);
    free(save(f, "data/out/acc.npy", DTYPE_INT64, 2, wanted));
    assert_int_equal(open_with(&v, &f->build, &f->plan, NULL, 0, strict, &err), 0);
    assert_int_equal(verify_require(v, &f->plan, &err), 0);
    verify_free(v);
    assert_int_equal(verify_open(&v, &none, &f->build, &f->plan, strict, "--no-validate", &err), 0);
    assert_string_equal(verify_why_not(v, 2), "--no-validate");
    verify_free(v);
}

/* What the user sees of a mismatch: index by dimension, and integers with all their digits. */
static void test_shown_mismatches(void **state)
{
    struct data_build *f = *state;
    char *path = save(f, "e.npy", DTYPE_INT64, 2, wanted), *text;
    struct named_file given = {"acc", path};
    int64_t actual[6] = {10, 20, 30, 40, 51, INT64_C(9007199254740992)};
    struct verify *v;
    struct error err;

    assert_int_equal(open_with(&v, NULL, &f->plan, &given, 1, strict, &err), 0);
    captured_begin();
    assert_int_equal(verify_storage(v, &f->plan, 1, actual, &err), -1);
    text = captured_end();
    assert_non_null(strstr(text, "acc__ssa_v1 against ")); /* before its elements */
    assert_true(strstr(text, "acc__ssa_v1 against ") < strstr(text, "acc__ssa_v1(1, 1)"));
    assert_non_null(strstr(text, "acc__ssa_v1(1, 1): actual 51, expected 50"));
    assert_non_null(strstr(text, "acc__ssa_v1(1, 2): actual 9007199254740992, expected 9007199254740993"));
    assert_null(strstr(text, " more"));
    verify_free(v);
    free(text);
    free(path);
}

/* 20 of 23 wrong elements are shown. */
static void test_mismatches_beyond_those_shown(void **state)
{
    static const struct data_param planned[] = {{"y", DTYPE_INT32, PLAN_OUT, 1, {23}}};
    static const int64_t length[] = {23};
    const int32_t actual[23] = {0};
    struct data_build *f =
        data_build_open("{\"name\": \"y\", \"direction\": \"Out\", \"shape\": [23], \"dtype\": \"int32\"}", planned, 1);
    void *own = f;
    int32_t expected[23];
    struct verify *v;
    struct error err;
    char *text;

    (void)state;
    for (int i = 0; i < 23; i++) {
        expected[i] = i + 1;
    }
    free(data_build_save(f, "data/out/y.npy", DTYPE_INT32, 1, length, expected));
    assert_int_equal(open_with(&v, &f->build, &f->plan, NULL, 0, strict, &err), 0);
    captured_begin();
    assert_int_equal(verify_storage(v, &f->plan, 0, actual, &err), -1);
    text = captured_end();
    assert_non_null(strstr(text, "y(19,): actual 0, expected 20\n"));
    assert_null(strstr(text, "expected 21"));
    assert_non_null(strstr(text, "y: and 3 more\n"));
    free(text);
    verify_free(v);
    assert_int_equal(data_build_teardown(&own), 0);
}

/* A .pt file is a reference like a .npy file; beside one of these it is not read. */
static void test_torch_files_are_compared(void **state)
{
    static const int64_t two_three[] = {2, 3};
    struct data_build *f = *state;
    struct verify *v;
    struct error err;
    char *path = save(f, "data/out/acc.npy", DTYPE_INT64, 2, wanted), *dot = strrchr(path, '.');

    strcpy(dot, ".pt"); /* beside acc.npy, and not read */
    assert_int_equal(tensor_write(path, TENSOR_PT, "", DTYPE_INT32, 2, two_three, wanted, &err), 0);
    memcpy(dot - 3, "out", 3);
    assert_int_equal(tensor_write(path, TENSOR_PT, "", DTYPE_INT64, 2, two_three, wanted, &err), 0);
    assert_int_equal(open_with(&v, &f->build, &f->plan, NULL, 0, usual, &err), 0);
    assert_int_equal(verify_count(v), 2);
    assert_int_equal(verify_storage(v, &f->plan, 2, wanted, &err), 0);
    verify_free(v);
    free(path);
}

static int open_expected(const struct data_build *f, struct error *err)
{
    struct verify *v;
    int rc = open_with(&v, &f->build, &f->plan, NULL, 0, strict, err);

    verify_free(v);
    return rc;
}

static void test_unusable_expected(void **state)
{
    data_build_expect_unusable(*state, "out", "out.npy", open_expected);
}

static void test_given_beats_build(void **state)
{
    static const int64_t zeros[6];
    struct data_build *f = *state;
    char *given = save(f, "mine.npy", DTYPE_INT64, 2, zeros);
    struct named_file names[] = {{"out", given}, {"out", given}};
    struct verify *v;
    struct error err;

    free(save(f, "data/out/out.npy", DTYPE_INT64, 2, wanted));
    assert_int_equal(open_with(&v, &f->build, &f->plan, names, 1, strict, &err), 0);
    assert_int_equal(verify_count(v), 1);
    assert_int_equal(verify_storage(v, &f->plan, 2, zeros, &err), 0);
    verify_free(v);
    assert_int_equal(open_with(&v, &f->build, &f->plan, names, 2, strict, &err), -1);
    assert_int_equal(err.kind, ERROR_USAGE);
    free(given);
}

static void test_expected_that_does_not_fit(void **state)
{
    struct data_build *f = *state;
    char *dtype = save(f, "dtype.npy", DTYPE_INT32, 2, wanted), *line = save(f, "line.npy", DTYPE_INT64, 1, wanted);
    struct named_file names[] = {{"out", dtype}, {"out", line}, {"nobody", line}, {"out", "/nonexistent.npy"}};
    static const char *const first[] = {"int64", "(2, 3)", "nobody", "/nonexistent.npy"}, *const second[] = {
                                                                                              "int32", "(2,)",
                                                                                              "acc__ssa_v1",
                                                                                              "No such file"};
    struct verify *v;
    struct error err;

    for (int i = 0; i < 4; i++) {
        assert_int_equal(open_with(&v, &f->build, &f->plan, &names[i], 1, strict, &err), -1);
        assert_null(v);
        assert_non_null(strstr(err.what, first[i]));
        assert_non_null(strstr(err.what, second[i]));
        assert_int_not_equal(err.kind, ERROR_FAIL);
    }
    free(dtype);
    free(line);
}

/* What is expected of a bfloat16 parameter may be float32, and is not rounded before it is compared. */
static void test_float32_for_bfloat16(void **state)
{
    static const float values[] = {1, -2, 1 + 0x1p-8f, 0, NAN, 4};
    static const uint16_t actual[] = {0x3f80, 0xc000, 0x3f80, 0, 0x3f80, 0x4080};
    struct plan_storage proto = {.kind = PLAN_PARAM,
                                 .dtype = DTYPE_BFLOAT16,
                                 .ndim = 2,
                                 .nbytes = 12,
                                 .direction = PLAN_OUT,
                                 .domain = PLAN_NONE,
                                 .card = PLAN_NONE};
    struct data_build *f = *state;
    struct named_file name = {"half", save(f, "wide.npy", DTYPE_FLOAT32, 2, values)};
    struct verified found;
    struct plan plan;
    struct verify *v;
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);

    assert_non_null(b);
    assert_int_equal(plan_add_storage(b, &proto, "half", shape, NULL, &err), 0);
    plan_builder_finish(b, &plan);
    assert_int_equal(open_with(&v, NULL, &plan, &name, 1, strict, &err), 0);
    log_set_level(LOG_NULL);
    assert_int_equal(verify_storage_full(v, &plan, 0, actual, &found, &err), -1);
    log_set_level(LOG_TIMING);
    assert_int_equal(found.numbers.mismatched, 1);
    assert_int_equal(found.numbers.shown[0].index, 2);
    assert_int_equal(found.numbers.ignored, 1);
    assert_true(found.numbers.max_abs_error == 0x1p-8);
    verify_free(v);
    assert_int_equal(open_with(&v, NULL, &plan, &name, 1, (struct tolerance){.rtol = 0, .atol = 0x1p-8}, &err), 0);
    assert_int_equal(verify_storage(v, &plan, 0, actual, &err), 0);
    verify_free(v);
    plan_free(&plan);
    free((char *)(uintptr_t)name.file);
}

static void test_save_output(void **state)
{
    struct data_build *f = *state;
    struct error err;
    struct tensor_file *saved;
    int64_t back[6];
    char *dir, *path;

    assert_true(asprintf(&dir, "%s/kept/here", f->dir) > 0);
    assert_true(asprintf(&path, "%s/acc__ssa_v1.npy", dir) > 0);
    assert_int_equal(save_output(dir, TENSOR_NPY, &f->plan, 1, wanted, &err), 0);
    assert_int_equal(temp_dir_count(dir), 1);
    assert_int_equal(tensor_file_open(&saved, path, &err), 0);
    assert_int_equal(saved->tensors.items[0].ndim, 2);
    assert_int_equal(tensor_read(saved, &saved->tensors.items[0], back, &err), 0);
    tensor_file_close(saved);
    assert_memory_equal(back, wanted, sizeof back);

    /* A plan from a file may name a parameter as it likes; nothing outside `dir` is written. */
    f->plan.storages[1].name = f->plan.storages[0].name;
    f->plan.text[f->plan.storages[0].name] = '/';
    assert_int_equal(save_output(dir, TENSOR_NPY, &f->plan, 1, wanted, &err), -1);
    assert_int_equal(temp_dir_count(dir), 1);
    free(path);
    free(dir);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, data_build_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floats),        cmocka_unit_test(test_ignored_are_counted),
        cmocka_unit_test(test_wide_integers), cmocka_unit_test(test_every_dtype),
        cmocka_unit_test(test_equal_nans),    cmocka_unit_test(test_many),
        CASE(test_nothing_expected),          CASE(test_expected_of_build),
        CASE(test_reference_that_vanishes),   CASE(test_why_not),
        CASE(test_shown_mismatches),          CASE(test_mismatches_beyond_those_shown),
        CASE(test_torch_files_are_compared),  CASE(test_unusable_expected),
        CASE(test_given_beats_build),         CASE(test_expected_that_does_not_fit),
        CASE(test_float32_for_bfloat16),      CASE(test_save_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

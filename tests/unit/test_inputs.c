/* What parameters hold: files by precedence, faults of files, generated numbers and their statistics. */
#include "tests/support/data_build.h"

#include <math.h>

#include "orchestrator/data/fit.h"
#include "orchestrator/data/generate.h"
#include "orchestrator/data/inputs.h"

static const char metadata[] =
    "{\"name\": \"x__ssa_v0\", \"direction\": \"In\", \"shape\": [2, -1], \"dtype\": \"fp32\"},"
    "{\"name\": \"acc\", \"direction\": \"InOut\", \"shape\": [3], \"dtype\": \"int32\"},"
    "{\"name\": \"out\", \"direction\": \"Out\", \"shape\": [3], \"dtype\": \"int32\"},"
    "{\"name\": \"half\", \"direction\": \"In\", \"shape\": [2], \"dtype\": \"bfloat16\"},"
    "{\"name\": \"n\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"int64\"},"
    "{\"name\": \"odd\", \"direction\": \"In\", \"shape\": [2], \"dtype\": \"hf8\"}";

static int setup(void **state)
{
    static const struct data_param planned[] = {{"x__ssa_v0", DTYPE_FLOAT32, PLAN_IN, 2, {2, 2}},
                                                {"acc", DTYPE_INT32, PLAN_INOUT, 1, {3}},
                                                {"out", DTYPE_INT32, PLAN_OUT, 1, {3}},
                                                {"half", DTYPE_BFLOAT16, PLAN_IN, 1, {2}}};

    *state = data_build_open(metadata, planned, sizeof planned / sizeof *planned);
    return 0;
}

static const int64_t three[] = {3}, two[] = {2}, two_two[] = {2, 2}, one[] = {1};

/* --- files --------------------------------------------------------------- */

static void test_precedence(void **state)
{
    static const int32_t of_build[] = {1, 2, 3}, given[] = {4, 5, 6};
    struct data_build *f = *state;
    char *first = data_build_save(f, "data/in/acc.npy", DTYPE_INT32, 1, three, of_build);
    char *second = data_build_save(f, "given.npy", DTYPE_INT32, 1, three, given);
    struct named_file name = {"acc", second};
    struct inputs *in;
    struct error err;
    int32_t got[3];

    assert_int_equal(inputs_open(&in, &f->build, NULL, 0, 1, &err), 0);
    assert_string_equal(inputs_file(in, "acc"), first);
    assert_int_equal(inputs_check(in, &f->plan, &err), 0);
    assert_int_equal(inputs_fill(in, &f->plan, 1, got, &err), 0);
    assert_memory_equal(got, of_build, sizeof got);
    inputs_free(in);

    assert_int_equal(inputs_open(&in, &f->build, &name, 1, 1, &err), 0);
    assert_int_equal(inputs_fill(in, &f->plan, 1, got, &err), 0);
    assert_memory_equal(got, given, sizeof got);
    assert_null(inputs_file(in, "out"));
    inputs_free(in);
    free(first);
    free(second);
}

static int open_inputs(const struct data_build *f, struct error *err)
{
    struct inputs *in;
    int rc = inputs_open(&in, &f->build, NULL, 0, 1, err);

    inputs_free(in);
    return rc;
}

static void test_unusable_inputs(void **state)
{
    data_build_expect_unusable(*state, "in", "acc.npy", open_inputs);
}

/* data/in/out.npy would be a reference left there by mistake: a pure output starts as zeros. */
static void test_pure_output(void **state)
{
    static const int32_t data[] = {7, 8, 9}, zeros[3];
    struct data_build *f = *state;
    char *path = data_build_save(f, "data/in/out.npy", DTYPE_INT32, 1, three, data);
    struct named_file name = {"out", path};
    struct inputs *in;
    struct error err;
    int32_t got[3] = {-1, -1, -1};

    assert_int_equal(inputs_open(&in, &f->build, NULL, 0, 1, &err), 0);
    assert_int_equal(inputs_fill(in, &f->plan, 2, got, &err), 0);
    assert_memory_equal(got, zeros, sizeof got);
    inputs_free(in);
    assert_int_equal(inputs_open(&in, &f->build, &name, 1, 1, &err), 0);
    assert_int_equal(inputs_fill(in, &f->plan, 2, got, &err), 0);
    assert_memory_equal(got, data, sizeof got);
    inputs_free(in);
    free(path);
}

static void test_plain_name_and_dynamic_shape(void **state)
{
    static const int64_t shape[] = {2, 5};
    static const float data[10];
    struct data_build *f = *state;
    char *path = data_build_save(f, "data/in/x.npy", DTYPE_FLOAT32, 2, shape, data);
    struct inputs *in;
    struct error err;
    uint32_t ndim = 0;
    int64_t got[PLAN_MAX_DIMS];

    assert_int_equal(inputs_open(&in, &f->build, NULL, 0, 1, &err), 0);
    assert_true(inputs_shape(in, "x__ssa_v0", &ndim, got));
    assert_int_equal(ndim, 2);
    assert_int_equal(got[0], 2);
    assert_int_equal(got[1], 5);
    assert_false(inputs_shape(in, "acc", &ndim, got));

    /* The plan of this test was recorded for (2, 2). */
    assert_int_equal(inputs_check(in, &f->plan, &err), -1);
    assert_non_null(strstr(err.what, "(2, 2)"));
    assert_non_null(strstr(err.what, "(2, 5)"));
    assert_non_null(strstr(err.hint, "--shape"));
    inputs_free(in);
    free(path);
}

static void expect_refused(struct data_build *f, const char *param, const char *file, enum error_kind kind,
                           const char *first, const char *second)
{
    struct named_file name = {param, file};
    struct inputs *in;
    struct error err = {0};

    assert_int_equal(inputs_open(&in, &f->build, &name, 1, 1, &err), -1);
    assert_null(in);
    assert_int_equal(err.kind, kind);
    if (!strstr(err.what, first) || !strstr(err.what, second)) {
        fail_msg("\"%s\" does not name %s and %s", err.what, first, second);
    }
}

static void test_refused_files(void **state)
{
    static const double data[16];
    struct data_build *f = *state;
    char *f64 = data_build_save(f, "f64.npy", DTYPE_FLOAT64, 2, two_two, data),
         *f32 = data_build_save(f, "f32.npy", DTYPE_FLOAT32, 1, two, data),
         *i32 = data_build_save(f, "i32.npy", DTYPE_INT32, 1, two, data),
         *i64 = data_build_save(f, "i64.npy", DTYPE_INT64, 1, two, data);

    expect_refused(f, "x", f64, ERROR_INFRA, "fp32", "float64");
    expect_refused(f, "x", f32, ERROR_INFRA, "(2, -1)", "(2,)");
    expect_refused(f, "half", f64, ERROR_INFRA, "bfloat16", "float64");
    expect_refused(f, "n", i64, ERROR_INFRA, "scalar", "(2,)");
    expect_refused(f, "n", i32, ERROR_INFRA, "int64", "int32");
    expect_refused(f, "odd", i32, ERROR_INFRA, "hf8", "odd");
    expect_refused(f, "nobody", i32, ERROR_USAGE, "nobody", "x__ssa_v0");
    expect_refused(f, "acc", "/nonexistent.npy", ERROR_INFRA, "/nonexistent.npy", "No such file");
    free(f64);
    free(f32);
    free(i32);
    free(i64);
}

static void test_raw_bfloat16(void **state)
{
    static const uint16_t bits[] = {0x3f80, 0xc000}; /* 1 and -2 */
    struct data_build *f = *state;
    char *path = data_build_save(f, "half.npy", DTYPE_UINT16, 1, two, bits);
    struct named_file name = {"half", path};
    struct inputs *in;
    struct error err;
    uint16_t got[2];

    assert_int_equal(inputs_open(&in, &f->build, &name, 1, 1, &err), 0);
    assert_int_equal(inputs_fill(in, &f->plan, 3, got, &err), 0);
    assert_memory_equal(got, bits, sizeof got);
    inputs_free(in);
    free(path);
}

/* numpy has no bfloat16: float32 is rounded to it, ties to the even one. */
static void test_float32_for_bfloat16(void **state)
{
    static const float values[] = {1 + 0x1p-8f, 1 + 0x3p-8f}; /* both half way between two neighbours */
    static const uint16_t rounded[] = {0x3f80, 0x3f82};
    struct data_build *f = *state;
    char *path = data_build_save(f, "wide.npy", DTYPE_FLOAT32, 1, two, values);
    struct named_file name = {"half", path};
    struct inputs *in;
    struct error err;
    uint16_t got[2];

    assert_int_equal(inputs_open(&in, &f->build, &name, 1, 1, &err), 0);
    assert_int_equal(inputs_check(in, &f->plan, &err), 0);
    assert_int_equal(inputs_fill(in, &f->plan, 3, got, &err), 0);
    assert_memory_equal(got, rounded, sizeof got);
    inputs_free(in);
    free(path);
}

static void test_scalars(void **state)
{
    static const int64_t large[] = {INT64_C(-9007199254740993)}; /* -(2^53 + 1): no double holds it */
    struct data_build *f = *state;
    char *path = data_build_save(f, "data/in/n.npy", DTYPE_INT64, 0, NULL, large),
         *line = data_build_save(f, "n1.npy", DTYPE_INT64, 1, one, large);
    struct named_file name = {"n", line};
    struct inputs *in;
    struct error err;

    assert_int_equal(inputs_open(&in, &f->build, NULL, 0, 1, &err), 0);
    assert_string_equal(inputs_scalar(in, "n"), "-9007199254740993");
    assert_null(inputs_scalar(in, "acc"));
    assert_int_equal(inputs_check(in, &f->plan, &err), 0); /* a scalar has no storage */
    inputs_free(in);
    assert_int_equal(inputs_open(&in, &f->build, &name, 1, 1, &err), 0);
    assert_string_equal(inputs_scalar(in, "n"), "-9007199254740993");
    inputs_free(in);
    free(path);
    free(line);
}

static void test_without_a_build(void **state)
{
    static const int32_t data[] = {4, 5, 6};
    static const float x[] = {1, 2, 3, 4};
    struct data_build *f = *state;
    char *acc = data_build_save(f, "acc.npy", DTYPE_INT32, 1, three, data),
         *xs = data_build_save(f, "x.npy", DTYPE_FLOAT32, 2, two_two, x);
    struct named_file given[] = {{"acc", acc}, {"x", xs}}, wrong[] = {{"nobody", acc}}, dtype[] = {{"x", acc}},
                      twice[] = {{"x", xs}, {"x__ssa_v0", xs}};
    struct inputs *in;
    struct error err;
    float got[4];

    assert_int_equal(inputs_open(&in, NULL, given, 2, 1, &err), 0);
    assert_int_equal(inputs_check(in, &f->plan, &err), 0);
    assert_int_equal(inputs_fill(in, &f->plan, 0, got, &err), 0);
    assert_memory_equal(got, x, sizeof got);
    inputs_free(in);
    assert_int_equal(inputs_open(&in, NULL, wrong, 1, 1, &err), 0);
    assert_int_equal(inputs_check(in, &f->plan, &err), -1);
    assert_non_null(strstr(err.what, "nobody"));
    inputs_free(in);
    assert_int_equal(inputs_open(&in, NULL, dtype, 1, 1, &err), 0);
    assert_int_equal(inputs_check(in, &f->plan, &err), -1);
    assert_non_null(strstr(err.what, "fp32"));
    inputs_free(in);
    assert_int_equal(inputs_open(&in, NULL, twice, 2, 1, &err), 0);
    assert_int_equal(inputs_check(in, &f->plan, &err), -1);
    assert_int_equal(err.kind, ERROR_USAGE);
    inputs_free(in);
    assert_int_equal(inputs_open(&in, &f->build, twice, 2, 1, &err), -1);
    assert_int_equal(err.kind, ERROR_USAGE);
    free(acc);
    free(xs);
}

/* As many parameters as a program can be made to have. What takes their cube does not end within the test's limit. */
static void test_many_parameters(void **state)
{
    enum { MANY = 3000 };
    static const int32_t data[] = {4, 5, 6};
    struct data_build *f = *state;
    char *file = data_build_save(f, "many.npy", DTYPE_INT32, 1, three, data), (*names)[8] = calloc(MANY, sizeof *names);
    struct build_param *params = calloc(MANY, sizeof *params);
    struct named_file *given = calloc(MANY, sizeof *given);
    struct plan_storage storage = {.kind = PLAN_PARAM,
                                   .dtype = DTYPE_INT32,
                                   .ndim = 1,
                                   .nbytes = sizeof data,
                                   .domain = PLAN_NONE,
                                   .card = PLAN_NONE};
    struct build build = {.dir = f->build.dir, .nparam = MANY, .params = params};
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);
    struct inputs *in;
    struct plan plan;
    int32_t got[3];

    assert_true(names && params && given && b);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "p%u", i);
        params[i] = (struct build_param){.name = names[i], .dtype = DTYPE_INT32, .ndim = 1, .direction = PLAN_IN};
        params[i].shape[0] = 3;
        given[i] = (struct named_file){names[i], file};
        assert_int_equal(plan_add_storage(b, &storage, names[i], three, NULL, &err), 0);
    }
    plan_builder_finish(b, &plan);
    assert_int_equal(inputs_open(&in, &build, given, MANY, 1, &err), 0);
    assert_int_equal(inputs_check(in, &plan, &err), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        memset(got, 0, sizeof got);
        assert_int_equal(inputs_fill(in, &plan, i, got, &err), 0);
        assert_memory_equal(got, data, sizeof got);
    }
    inputs_free(in);
    plan_free(&plan);
    free(given);
    free(params);
    free(names);
    free(file);
}

/* A size that is other than the metadata's is taken, since the Python stack takes it; --strict-shapes refuses it. */
static void test_other_size(void **state)
{
    static const int32_t data[] = {8, 9};
    struct data_build *f = *state;
    char *path = data_build_save(f, "data/in/acc.npy", DTYPE_INT32, 1, two, data);
    int64_t shape[PLAN_MAX_DIMS];
    struct inputs *in;
    struct error err;
    uint32_t ndim;

    assert_int_equal(inputs_open(&in, &f->build, NULL, 0, 1, &err), 0);
    assert_int_equal(inputs_check_shapes(in, &f->build, false, &err), 0);
    assert_true(inputs_shape(in, "acc", &ndim, shape));
    assert_int_equal(ndim, 1);
    assert_int_equal(shape[0], 2);
    assert_int_equal(inputs_check_shapes(in, &f->build, true, &err), -1);
    assert_non_null(strstr(err.what, "(3,)"));
    assert_non_null(strstr(err.what, "(2,)"));
    inputs_free(in);
    free(path);
}

/* Which file of data/in feeds x__ssa_v0: its name in full before the name without "__ssa_v0", .npy before .pt, and no
 * other version's. */
static void test_which_file(void **state)
{
    static const char *const worse_first[] = {"x__ssa_v1.npy", "x.pt", "x.npy", "x__ssa_v0.pt", "x__ssa_v0.npy"};
    struct data_build *f = *state;
    struct error err;
    char name[64], *file;

    for (size_t i = 0; i < sizeof worse_first / sizeof *worse_first; i++) {
        snprintf(name, sizeof name, "data/in/%s", worse_first[i]);
        temp_dir_put_text(f->dir, name, "");
        assert_int_equal(fit_find(&f->build, "data/in", "x__ssa_v0", &file, &err), 0);
        if (i == 0) {
            assert_null(file);
        } else {
            assert_string_equal(strrchr(file, '/') + 1, worse_first[i]);
        }
        free(file);
    }
    assert_int_equal(fit_name_length("x__ssa_v0"), 1);
    assert_int_equal(fit_name_length("x__ssa_v"), 8);
    assert_int_equal(fit_name_length("__ssa_v1"), 8);
    assert_int_equal(fit_name_length("a__b__ssa_v12"), 4);
}

/* --- generated numbers ---------------------------------------------------- */

enum { N = 1 << 20 };

/* Bounds are 5 standard deviations of the quantity over N independent draws. */
static void check_normal(const double *x, double tolerance_of_type)
{
    double sum = 0, squares = 0, neighbours = 0, cubes = 0, n = N;
    int within = 0, beyond = 0;

    for (int i = 0; i < N; i++) {
        sum += x[i];
        squares += x[i] * x[i];
        cubes += x[i] * x[i] * x[i];
        neighbours += x[i] * x[(i + 1) % N];
        within += fabs(x[i]) < 1;
        beyond += fabs(x[i]) > 3;
        assert_true(fabs(x[i]) < 7);
    }
    assert_true(fabs(sum / n) < 5 / sqrt(n) + tolerance_of_type);
    assert_true(fabs(squares / n - 1) < 5 * sqrt(2 / n) + tolerance_of_type);
    assert_true(fabs(cubes / n) < 5 * sqrt(15 / n) + tolerance_of_type);
    assert_true(fabs(neighbours / n) < 5 / sqrt(n) + tolerance_of_type);
    /* P(|x| < 1) = 0.682689, P(|x| > 3) = 0.0026998. */
    assert_true(fabs(within / n - 0.682689) < 5 * sqrt(0.682689 * 0.317311 / n) + tolerance_of_type);
    assert_true(fabs(beyond / n - 0.0026998) < 5 * sqrt(0.0026998 / n) + tolerance_of_type);
}

static void test_normal(void **state)
{
    static const struct {
        enum dtype type;
        double tolerance; /* what rounding to the type may shift */
    } types[] = {{DTYPE_FLOAT32, 0}, {DTYPE_FLOAT16, 1e-3}, {DTYPE_BFLOAT16, 6e-3}};
    double *x = malloc(N * sizeof *x);
    unsigned char *raw = malloc(N * 4);

    (void)state;
    assert_non_null(x);
    assert_non_null(raw);
    for (size_t t = 0; t < 3; t++) {
        size_t size = dtype_size(types[t].type);
        generate(types[t].type, 42, "x", raw, N);
        for (size_t i = 0; i < N; i++) {
            x[i] = dtype_load(types[t].type, raw + i * size);
        }
        check_normal(x, types[t].tolerance);
    }
    free(raw);
    free(x);
}

static void test_small_integers(void **state)
{
    static const enum dtype types[] = {DTYPE_INT8,   DTYPE_UINT8, DTYPE_INT16,  DTYPE_UINT16, DTYPE_INT32,
                                       DTYPE_UINT32, DTYPE_INT64, DTYPE_UINT64, DTYPE_BOOL};
    unsigned char *raw = malloc(N * 8);

    (void)state;
    assert_non_null(raw);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        int values = types[t] == DTYPE_BOOL ? 2 : 8, counts[8] = {0}, repeats = 0;
        size_t size = dtype_size(types[t]);
        double p = 1.0 / values, last = -1;
        generate(types[t], 42, "x", raw, N);
        for (size_t i = 0; i < N; i++) {
            double v = dtype_load(types[t], raw + i * size);
            assert_true(v >= 0 && v < values && v == floor(v));
            counts[(int)v]++;
            repeats += v == last;
            last = v;
        }
        for (int v = 0; v < values; v++) {
            assert_true(fabs(counts[v] - N * p) < 5 * sqrt(N * p * (1 - p)));
        }
        assert_true(fabs(repeats - N * p) < 5 * sqrt(N * p * (1 - p)));
    }
    free(raw);
}

/* The same seed and name give the same numbers, a longer tensor begins with those of a shorter one, and
 * another seed or name gives others. */
static void test_what_numbers_depend_on(void **state)
{
    float a[101], b[101], other[101];
    double dot = 0;

    (void)state;
    generate(DTYPE_FLOAT32, 7, "x", a, 101);
    generate(DTYPE_FLOAT32, 7, "x", b, 50);
    assert_memory_equal(a, b, 50 * sizeof *a);
    generate(DTYPE_FLOAT32, 7, "x", b, 101);
    assert_memory_equal(a, b, sizeof a);
    generate(DTYPE_FLOAT32, 8, "x", other, 101);
    for (int i = 0; i < 101; i++) {
        dot += (double)(a[i] * other[i]);
    }
    assert_true(fabs(dot) < 5 * sqrt(101));
    generate(DTYPE_FLOAT32, 7, "y", other, 101);
    assert_memory_not_equal(a, other, sizeof a);
    generate(DTYPE_FLOAT32, 7, "x", NULL, 0);
}

/* The 16-bit types hold what rounding the same numbers gives. */
static void test_narrow_floats(void **state)
{
    static const enum dtype types[] = {DTYPE_FLOAT16, DTYPE_BFLOAT16};
    float *wide = malloc(N * sizeof *wide);
    uint16_t *narrow = malloc(N * sizeof *narrow), rounded;

    (void)state;
    assert_non_null(wide);
    assert_non_null(narrow);
    generate(DTYPE_FLOAT32, 3, "x", wide, N);
    for (int t = 0; t < 2; t++) {
        generate(types[t], 3, "x", narrow, N);
        for (size_t i = 0; i < N; i++) {
            dtype_store(types[t], &rounded, (double)wide[i]);
            assert_int_equal(narrow[i], rounded);
        }
    }
    free(narrow);
    free(wide);
}

static void test_generated_fill(void **state)
{
    struct data_build *f = *state;
    struct inputs *in;
    struct error err;
    float got[4], wanted[4];
    int32_t acc[3];

    assert_int_equal(inputs_open(&in, &f->build, NULL, 0, 99, &err), 0);
    assert_int_equal(inputs_fill(in, &f->plan, 0, got, &err), 0);
    generate(DTYPE_FLOAT32, 99, "x__ssa_v0", wanted, 4);
    assert_memory_equal(got, wanted, sizeof got);
    assert_int_equal(inputs_fill(in, &f->plan, 1, acc, &err), 0);
    for (int i = 0; i < 3; i++) {
        assert_in_range(acc[i], 0, 7);
    }
    inputs_free(in);
    inputs_free(NULL);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, data_build_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_precedence),
        CASE(test_unusable_inputs),
        CASE(test_pure_output),
        CASE(test_plain_name_and_dynamic_shape),
        CASE(test_refused_files),
        CASE(test_raw_bfloat16),
        CASE(test_float32_for_bfloat16),
        CASE(test_scalars),
        CASE(test_without_a_build),
        CASE(test_many_parameters),
        CASE(test_other_size),
        CASE(test_which_file),
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_small_integers),
        cmocka_unit_test(test_what_numbers_depend_on),
        cmocka_unit_test(test_narrow_floats),
        CASE(test_generated_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* An L2 build without metadata: where dtypes and shapes of its parameters come from. */
#include "tests/support/temp_dir.h"

#include "common/base/log.h"
#include "orchestrator/open/build.h"
#include "orchestrator/open/signature_params.h"
#include "orchestrator/prepare/found_shapes.h"
#include "orchestrator/tensor_file/format_writers.h"

static char *dir;
static struct build build;

/* Two inputs, an in-out and an output: arg0 to arg3. */
static int setup(void **state)
{
    uint8_t directions[] = {ARG_IN, ARG_IN, ARG_INOUT, ARG_OUT};
    struct program program = {.signature = {.given = true, .count = 4, .directions = directions}};
    struct error err;

    (void)state;
    log_set_level(LOG_NULL);
    dir = temp_dir_make();
    temp_dir_put_text(dir, "kernel_config.py", "");
    return build_open(dir, &build, &err) || signature_params(&build, &program, &err);
}

static int teardown(void **state)
{
    (void)state;
    build_free(&build);
    temp_dir_remove(dir);
    return 0;
}

static const char *save(const char *name, enum dtype type, int64_t rows, int64_t columns)
{
    static const uint64_t zeros[64];
    static char paths[8][600];
    static int next;
    const int64_t shape[] = {rows, columns};
    char *path = paths[next++ % 8];
    struct error err;

    snprintf(path, sizeof paths[0], "%s/%s", dir, name);
    assert_int_equal(npy_write(path, type, 2, shape, zeros, &err), 0);
    return path;
}

static void expect_param(uint32_t i, const char *dtype, int64_t rows)
{
    const struct build_param *p = &build.params[i];

    assert_false(p->unknown);
    assert_string_equal(p->dtype_text, dtype);
    assert_string_equal(dtype_name(p->dtype), dtype);
    assert_int_equal(p->ndim, 2);
    assert_int_equal(p->shape[0], rows);
}

static void from_files_and_shapes(void **state)
{
    struct named_file input = {"arg0", save("a.npy", DTYPE_INT32, 3, 2)};
    struct named_file expect = {"arg3", save("r.npy", DTYPE_UINT16, 5, 2)};
    struct record_shape shapes[] = {{.name = "arg1", .ndim = 2, .shape = {7, 2}},
                                    {.name = "arg0", .ndim = 2, .shape = {3, 2}}};
    struct run_options o = {
        .inputs = &input, .ninput = 1, .expects = &expect, .nexpect = 1, .shapes = shapes, .nshape = 2};
    struct error err;

    (void)state;
    temp_dir_put_text(dir, "data/in/x", "");
    save("data/in/arg1.npy", DTYPE_FLOAT16, 9, 2); /* typed shapes come first */
    save("data/in/arg2.npy", DTYPE_FLOAT16, 4, 2);
    assert_int_equal(found_shapes(&build, &o, &err), 0);
    expect_param(0, "int32", 3); /* the file, not fp32 of --shape */
    expect_param(1, "fp32", 7);
    expect_param(2, "fp16", 4);
    expect_param(3, "uint16", 5); /* bfloat16 is saved as that too, and cannot be known */
}

static void what_is_missing_is_listed(void **state)
{
    struct record_shape shape = {.name = "arg1", .ndim = 1, .shape = {7}};
    struct run_options o = {.shapes = &shape, .nshape = 1};
    struct error err;

    (void)state;
    temp_dir_put_text(dir, "data/out/x", "");
    save("data/out/arg3.npy", DTYPE_INT8, 1, 2);
    save("data/out/arg0.npy", DTYPE_INT8, 1, 2); /* what is only read has no reference */
    assert_int_equal(found_shapes(&build, &o, &err), -1);
    assert_non_null(strstr(err.what, "compiled_meta.json"));
    assert_non_null(strstr(err.what, "arg0 (In), arg2 (InOut)"));
    assert_null(strstr(err.what, "arg1"));
    assert_null(strstr(err.what, "arg3"));
    assert_non_null(strstr(err.hint, "--shape"));
}

static void scalars_follow_the_tensors(void **state)
{
    struct record_shape shapes[] = {{.name = "arg0", .ndim = 1, .shape = {1}},
                                    {.name = "arg1", .ndim = 1, .shape = {1}},
                                    {.name = "arg2", .ndim = 1, .shape = {1}},
                                    {.name = "arg3", .ndim = 1, .shape = {1}}};
    struct record_scalar scalars[] = {{.name = "arg5", .text = "1.5"}, {.name = "arg4", .text = "0xe"}};
    struct run_options o = {.shapes = shapes, .nshape = 4, .scalars = scalars, .nscalar = 2};
    struct error err;

    (void)state;
    assert_int_equal(found_shapes(&build, &o, &err), 0);
    assert_int_equal(build.nparam, 6);
    assert_true(build.params[4].scalar);
    assert_int_equal(build.params[4].dtype, DTYPE_INT64);
    assert_int_equal(build.params[5].dtype, DTYPE_FLOAT32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(from_files_and_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_missing_is_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(scalars_follow_the_tensors, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

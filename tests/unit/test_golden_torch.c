/* golden.py with the real torch: every element type in and out, scalars, and what compute_golden() sees. Skipped where no
 * Python has torch. */
#include "tests/support/data_build.h"

#include "common/base/args.h"
#include "common/base/python.h"
#include "orchestrator/tensor_file/tensor_read.h"
#include "orchestrator/user_python/golden.h"

#define PARAM(name, direction, type)                                                                                   \
    "{\"name\": \"" name "\", \"direction\": \"" direction "\", \"shape\": [2, 2], \"dtype\": \"" type "\"}"

static const char metadata[] = PARAM("f32", "In", "fp32") "," PARAM("f16", "In", "fp16") "," PARAM(
    "bf", "In", "bfloat16") "," PARAM("i8", "In", "int8") "," PARAM("u8", "In", "uint8") "," PARAM("i16", "In",
                                                                                                   "int16") "," //
    PARAM("u16", "In", "uint16") "," PARAM("i64", "In", "int64") "," PARAM("b", "In", "bool") ","               //
    PARAM("acc__ssa_v0", "InOut", "bfloat16") "," PARAM(
        "out", "Out", "int32") "," //
                               "{\"name\": \"n\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"int64\"},"
                               "{\"name\": \"s\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"bfloat16\"}";

/* Transposed, so that the elements do not lie in order; the 2.75 of float32 is 2 for integers. */
static const char golden[] =
    "import ctypes, os, torch\n"
    "v = torch.tensor([[0.0, 2.75], [1.0, -3.0]]).t()\n"
    "u = v.abs()\n"
    "def generate_inputs(params):\n"
    "    wide = getattr(torch, 'uint16', torch.int16)\n"
    "    return [('f32', v), ('f16', v.half()), ('bf', v.bfloat16()), ('i8', v.to(torch.int8)),\n"
    "            ('u8', u.to(torch.uint8)), ('i16', v.to(torch.int16)), ('u16', u.to(wide)),\n"
    "            ('i64', v.long() << 40), ('b', v != 0), ('acc', v.bfloat16()),\n"
    "            ('out', torch.full((2, 2), 9, dtype=torch.int32)), ('n', ctypes.c_int64(-(1 << 60))), ('s', 2.5)]\n"
    "def compute_golden(tensors, params):\n"
    "    assert (tensors['out'] == 0).all(), 'pure outputs are zeros'\n"
    "    assert tensors['acc'].dtype is torch.bfloat16 and tensors['acc'][1, 0] == 2.75, tensors['acc']\n"
    "    assert tensors['i64'][1, 0] == 2 << 40 and bool(tensors['b'][0, 1]), 'elements'\n"
    "    assert tensors['n'].value == -(1 << 60) and tensors['s'] == 2.5, 'scalars'\n"
    "    tensors['acc'] += 1\n"
    "    tensors['out'] = torch.tensor([[1.0, 2.0], [3.0, 4.0]])  # of another type\n";

static bool has_torch(void)
{
    char paths[PYTHON_USER_MAX][PATH_MAX];
    unsigned count = python_for_user(paths);
    bool found = false;

    for (unsigned i = 0; i < count && !found; i++) {
        char *command = text_format("%s -c 'import torch' 2>/dev/null", paths[i]);

        found = system(command) == 0; /* NOLINT(bugprone-command-processor): paths of ours */
        free(command);
    }
    return found;
}

static int setup(void **state)
{
    static const struct data_param planned[] = {
        {"f32", DTYPE_FLOAT32, PLAN_IN, 2, {2, 2}}, {"f16", DTYPE_FLOAT16, PLAN_IN, 2, {2, 2}},
        {"bf", DTYPE_BFLOAT16, PLAN_IN, 2, {2, 2}}, {"i8", DTYPE_INT8, PLAN_IN, 2, {2, 2}},
        {"u8", DTYPE_UINT8, PLAN_IN, 2, {2, 2}},    {"i16", DTYPE_INT16, PLAN_IN, 2, {2, 2}},
        {"u16", DTYPE_UINT16, PLAN_IN, 2, {2, 2}},  {"i64", DTYPE_INT64, PLAN_IN, 2, {2, 2}},
        {"b", DTYPE_BOOL, PLAN_IN, 2, {2, 2}},      {"acc__ssa_v0", DTYPE_BFLOAT16, PLAN_INOUT, 2, {2, 2}},
        {"out", DTYPE_INT32, PLAN_OUT, 2, {2, 2}}};
    struct data_build *f = data_build_open(metadata, planned, sizeof planned / sizeof *planned);

    temp_dir_put_text(f->dir, "golden.py", golden);
    setenv("L3REPLAY_CACHE_DIR", f->dir, 1);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    unsetenv("L3REPLAY_CACHE_DIR");
    return data_build_teardown(state);
}

/* What each input must hold: [0][0], [0][1], [1][0], [1][1] of the transpose. */
static double expected_value(const char *name, int i)
{
    static const double v[] = {0, 1, 2.75, -3}, whole[] = {0, 1, 2, -3}, positive[] = {0, 1, 2, 3};

    if (strcmp(name, "b") == 0) {
        return i > 0;
    }
    if (strcmp(name, "i64") == 0) {
        return whole[i] * (double)(INT64_C(1) << 40);
    }
    return name[0] == 'u' ? positive[i] : name[0] == 'i' ? whole[i] : v[i];
}

static void load_inputs(const struct data_build *f, const struct inputs *in, struct segment *seg)
{
    struct error err;

    assert_int_equal(inputs_check(in, &f->plan, &err), 0);
    for (uint32_t i = 0; i < f->plan.nstorage; i++) {
        const struct plan_storage *s = &f->plan.storages[i];
        const char *name = plan_text(&f->plan, s->name);

        assert_int_equal(inputs_fill(in, &f->plan, i, segment_storage(seg, i), &err), 0);
        for (int e = 0; e < 4 && s->direction != PLAN_OUT; e++) {
            double got = dtype_load(s->dtype, (char *)segment_storage(seg, i) + (size_t)e * dtype_size(s->dtype));

            if (got != expected_value(name, e)) {
                fail_msg("%s[%d] is %g and not %g", name, e, got, expected_value(name, e));
            }
        }
    }
}

static void expect_reference(const struct named_file *file, const char *name, enum dtype type, const double *values)
{
    unsigned char bytes[64];
    struct tensor_file *array;
    struct error err;

    assert_string_equal(file->name, name);
    assert_int_equal(tensor_file_open(&array, file->file, &err), 0);
    assert_true(tensor_holds(&array->tensors.items[0], type));
    assert_int_equal(array->tensors.items[0].count, 4);
    assert_int_equal(tensor_read(array, &array->tensors.items[0], bytes, &err), 0);
    tensor_file_close(array);
    for (size_t i = 0; i < 4; i++) {
        assert_true(dtype_load(type, bytes + i * dtype_size(type)) == values[i]);
    }
}

static void test_all_types(void **state)
{
    static const double acc[] = {1, 2, 3.75, -2}, out[] = {1, 2, 3, 4};
    const struct golden_options options = {.limit_s = 120};
    const struct data_build *f = *state;
    struct golden_scalar scalars[2] = {{"n", NULL}, {"s", NULL}};
    bool lacking[11] = {[9] = true, [10] = true};
    struct args given = {0};
    struct named_file const *files;
    struct inputs *in;
    struct segment seg;
    struct golden *g;
    struct error err;
    size_t count;

    if (!has_torch()) {
        skip();
    }
    if (golden_open(&g, &f->build, &given, &options, &err)) {
        fail_msg("%s", err.what);
    }
    files = golden_inputs(g, &count);
    assert_int_equal(count, 12); /* all but the pure output */
    assert_int_equal(inputs_open(&in, &f->build, NULL, 0, 0, &err), 0);
    if (inputs_add(in, &f->build, files, count, "golden.py", &err)) {
        fail_msg("%s", err.what);
    }
    scalars[0].text = inputs_scalar(in, "n");
    scalars[1].text = inputs_scalar(in, "s");
    assert_string_equal(scalars[0].text, "-1152921504606846976");
    assert_string_equal(scalars[1].text, "2.5");
    assert_int_equal(segment_create(&seg, &f->plan, "[]", "a2a3sim", &err), 0);
    load_inputs(f, in, &seg);
    if (golden_compute(g, &seg, lacking, scalars, 2, &err)) {
        fail_msg("%s", err.what);
    }
    files = golden_references(g, &count);
    assert_int_equal(count, 2);
    expect_reference(&files[0], "acc__ssa_v0", DTYPE_BFLOAT16, acc);
    expect_reference(&files[1], "out", DTYPE_INT32, out);
    /* The replay begins with what it began with before. */
    assert_true(dtype_load(DTYPE_BFLOAT16, segment_storage(&seg, 9)) == 0);
    segment_unmap(&seg);
    inputs_free(in);
    golden_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_all_types, setup, teardown)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

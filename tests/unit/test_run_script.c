/* debug/run.py: as the compiler writes it, and edited. */
#include "tests/support/temp_dir.h"

#include "orchestrator/open/run_script.h"

static struct build_param params[] = {
    {.name = "a", .direction = PLAN_IN, .dtype = DTYPE_FLOAT16, .ndim = 2, .shape = {-1, 16}},
    {.name = "mask", .direction = PLAN_INOUT, .dtype = DTYPE_BOOL, .ndim = 1, .shape = {8}},
    {.name = "i", .direction = PLAN_IN, .dtype = DTYPE_INT32, .ndim = 1, .shape = {4}},
    {.name = "n", .direction = PLAN_IN, .scalar = true, .dtype = DTYPE_INT64},
    {.name = "out", .direction = PLAN_OUT, .dtype = DTYPE_INT8, .ndim = 3, .shape = {2, 3, 4}},
};

#define INPUTS                                                                                                         \
    "import torch\n\n\ndef _inline_inputs():\n    \"\"\"Text.\n\n    a = 1\n    \"\"\"\n"                              \
    "    a = torch.randn((1, 16), dtype=torch.float16)  # NOTE: filled\n"                                              \
    "    mask = torch.randint(0, 2, (8,), dtype=torch.bool)\n"                                                         \
    "    i = torch.randint(0, 8, (4,), dtype=torch.int32)\n"                                                           \
    "    n = None  # set it\n"                                                                                         \
    "    out = torch.zeros((2, 3, 4), dtype=torch.int8)\n"
#define COMPARE "    return [a, mask, i, n, out]\n\n\ndef _user_compare(a, mask, i, n, out):\n    \"\"\"Text.\"\"\"\n"
#define END "\n\nif __name__ == \"__main__\":\n    main()\n"

/* Bit 0: inputs were edited; bit 1: the comparison was. */
static int edited(const char *text)
{
    struct build build = {.dir = temp_dir_make(), .nparam = sizeof params / sizeof *params, .params = params};
    struct run_script script;
    struct error err;
    char *dir;

    assert_true(asprintf(&dir, "%s/debug", build.dir) > 0);
    assert_int_equal(mkdir(dir, 0700), 0);
    temp_dir_put(dir, "run.py", text, strlen(text));
    assert_int_equal(run_script_read(&script, &build, &err), 0);
    temp_dir_remove(build.dir);
    free(dir);
    return script.inputs_edited + 2 * script.compare_edited;
}

static void test_as_written(void **state)
{
    (void)state;
    assert_int_equal(edited(INPUTS COMPARE "    return  # add yours\n" END), 0);
    assert_int_equal(edited(INPUTS "\n    # blanks and comments\n" COMPARE "\n    return\n" END), 0);
    assert_int_equal(edited("print('somebody else wrote this')\n"), 0);
}

static void test_edited(void **state)
{
    (void)state;
    assert_int_equal(edited(INPUTS "    n = 4\n" COMPARE "    return\n" END), 1);
    assert_int_equal(edited(INPUTS COMPARE "    assert (out == 0).all()\n    return\n" END), 2);
    assert_int_equal(edited(INPUTS "    a += 1\n" COMPARE "    pass\n" END), 3);
    assert_int_equal(edited(INPUTS COMPARE "    return\n    \nx = 1\n" END), 0); /* outside of the two */
}

static void test_the_build_of_a_script(void **state)
{
    char *dir = temp_dir_make(), *real = realpath(dir, NULL), *debug, *path, *build;

    (void)state;
    assert_true(asprintf(&debug, "%s/debug", dir) > 0);
    assert_true(asprintf(&path, "%s/run.py", debug) > 0);
    assert_int_equal(mkdir(debug, 0700), 0);
    assert_null(run_script_build(path)); /* not there */
    temp_dir_put(debug, "run.py", "", 0);
    build = run_script_build(path);
    assert_string_equal(build, real);
    free(build);
    assert_null(run_script_build(dir));
    temp_dir_put(dir, "run.py", "", 0);
    free(path);
    assert_true(asprintf(&path, "%s/run.py", dir) > 0);
    assert_null(run_script_build(path)); /* not below debug */
    free(path);
    free(debug);
    free(real);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_written),
        cmocka_unit_test(test_edited),
        cmocka_unit_test(test_the_build_of_a_script),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

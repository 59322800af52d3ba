/* Opening build directories: kinds, and directories that cannot be used. */
#include "tests/support/temp_dir.h"

#include "orchestrator/open/build.h"
#include "orchestrator/open/signature_params.h"
#include "tests/support/l3_build.h"

static void test_l3(void **state)
{
    struct error err;
    struct build b;

    l3_build_make(*state, "{\"schema\": 2, \"params\": ["
                          "{\"name\": \"x\", \"direction\": \"In\", \"shape\": [4, 128], \"dtype\": \"fp32\"},"
                          "{\"name\": \"y\", \"direction\": \"InOut\", \"shape\": [], \"dtype\": \"bfloat16\"},"
                          "{\"name\": \"z\", \"direction\": \"Out\", \"shape\": [-1], \"dtype\": \"index\"},"
                          "{\"name\": \"n\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"int32\"}],"
                          "\"num_return_types\": 1, \"platform\": \"a5sim\", \"backend_type\": \"Ascend950\","
                          "\"distributed_config\": {\"device_ids\": [4, 0, 2], \"num_sub_workers\": 3, "
                          "\"runtime\": \"tensormap_and_ringbuffer\", \"aicpu_thread_num\": 5}}");
    temp_dir_put_text(*state, "next_levels/builtin.tensor.allreduce__sum__fp32/kernel_config.py", "");
    temp_dir_put_text(*state, "next_levels/0/kernel_config.py", "");
    temp_dir_put_text(*state, "next_levels/scratch/notes.txt", "");
    temp_dir_put_text(*state, "next_levels/stray", "");
    assert_int_equal(build_open(*state, &b, &err), 0);
    assert_int_equal(b.kind, BUILD_L3);
    assert_string_equal(b.platform, "a5sim");
    assert_string_equal(b.backend_type, "Ascend950");
    assert_string_equal(b.runtime, "tensormap_and_ringbuffer");
    assert_int_equal(b.num_return_types, 1);
    assert_int_equal(b.num_sub_workers, 3);
    assert_int_equal(b.aicpu_thread_num, 5);
    assert_int_equal(b.ndevice, 3);
    assert_int_equal(b.device_ids[0], 4);
    assert_int_equal(b.device_ids[2], 2);
    assert_int_equal(b.nparam, 4);
    assert_string_equal(b.params[0].name, "x");
    assert_int_equal(b.params[0].ndim, 2);
    assert_int_equal(b.params[0].shape[1], 128);
    assert_int_equal(b.params[1].direction, PLAN_INOUT);
    assert_int_equal(b.params[1].dtype, DTYPE_BFLOAT16);
    assert_int_equal(b.params[1].ndim, 0);
    assert_false(b.params[1].scalar);
    assert_int_equal(b.params[2].shape[0], -1);
    assert_int_equal(b.params[2].dtype, DTYPE_INT64);
    assert_string_equal(b.params[2].dtype_text, "index");
    assert_true(b.params[3].scalar);
    assert_int_equal(b.nprogram, 3);
    assert_string_equal(b.program_names[0], "0");
    assert_string_equal(b.program_names[1], "builtin.tensor.allreduce__sum__fp32");
    assert_string_equal(b.program_names[2], "chip_orch");
    assert_int_equal(b.nnote, 1); /* a stray file is not worth one */
    assert_non_null(strstr(b.notes[0], "scratch"));
    build_free(&b);
}

/* The re-runner stands for its build; where the compiler wrote none, the build is named. */
static void test_no_run_script(void **state)
{
    struct error err;
    struct build b;
    char *path;

    l3_build_make(*state, L3_BUILD_META);
    assert_true(asprintf(&path, "%s/debug/run.py", (char *)*state) > 0);
    assert_int_equal(build_open(path, &b, &err), -1);
    assert_non_null(strstr(err.what, "has no debug/run.py"));
    assert_non_null(strstr(err.what, *state));
    temp_dir_put_text(*state, "debug/run.py", "");
    assert_int_equal(build_open(path, &b, &err), 0);
    build_free(&b);
    free(path);
    assert_true(asprintf(&path, "%s/none/debug/run.py", (char *)*state) > 0);
    assert_int_equal(build_open(path, &b, &err), -1);
    assert_non_null(strstr(err.what, "cannot open the build directory"));
    free(path);
}

static void test_defaults(void **state)
{
    struct error err;
    struct build b;

    l3_build_make(*state, L3_BUILD_META);
    assert_int_equal(build_open(*state, &b, &err), 0);
    assert_string_equal(b.platform, "a2a3sim");
    assert_string_equal(b.backend_type, "Ascend910B");
    assert_null(b.runtime);
    assert_int_equal(b.num_return_types, 0);
    assert_int_equal(b.ndevice, 1);
    assert_int_equal(b.device_ids[0], 0);
    build_free(&b);
}

static void test_other_kinds(void **state)
{
    struct error err;
    struct build b;

    assert_int_equal(build_open(*state, &b, &err), -1);
    assert_non_null(strstr(err.what, "host_orch.py"));
    assert_non_null(strstr(err.what, "kernel_config.py"));
    assert_int_not_equal(err.hint[0], 0);

    temp_dir_put_text(*state, "kernels/aiv/k.pto", "");
    assert_int_equal(build_open(*state, &b, &err), -1);
    assert_non_null(strstr(err.what, "ptoas"));
    assert_non_null(strstr(err.hint, "PTOAS_ROOT"));

    temp_dir_put_text(*state, "kernel_config.py", "");
    temp_dir_put_text(*state, "compiled_meta.json", "{\"schema\": 1, \"params\": []}");
    assert_int_equal(build_open(*state, &b, &err), 0);
    assert_int_equal(b.kind, BUILD_L2);
    assert_int_equal(b.nnote, 0);
    build_free(&b);

    /* Both markers: the L2 one counts, and a warning says so. */
    l3_build_make(*state, L3_BUILD_META);
    assert_int_equal(build_open(*state, &b, &err), 0);
    assert_int_equal(b.kind, BUILD_L2);
    assert_int_equal(b.nnote, 2);
    assert_non_null(strstr(b.notes[0], "left-over"));
    assert_non_null(strstr(b.notes[1], "distributed_meta.json"));
    build_free(&b);
}

static void test_parent_of_several(void **state)
{
    struct error err;
    struct build b;

    temp_dir_put_text(*state, "next_levels/one/kernel_config.py", "");
    temp_dir_put_text(*state, "next_levels/two/kernel_config.py", "");
    temp_dir_put_text(*state, "next_levels/other/notes.txt", "");
    assert_int_equal(build_open(*state, &b, &err), -1);
    assert_non_null(strstr(err.what, "2 builds for one chip"));
    assert_non_null(strstr(err.what, "next_levels/one, next_levels/two"));
    assert_null(strstr(err.what, "other"));
    assert_non_null(strstr(err.hint, "/next_levels/one"));
}

static void test_l2_without_metadata(void **state)
{
    char path[512];
    struct error err;
    struct build b;

    l3_build_make(*state, "{\"schema\": 2, \"params\": [], \"platform\": \"a5sim\", \"backend_type\": \"Ascend950\"}");
    snprintf(path, sizeof path, "%s/next_levels/chip_orch", (char *)*state);
    assert_int_equal(build_open(path, &b, &err), 0);
    assert_int_equal(b.kind, BUILD_L2);
    assert_true(b.no_metadata);
    assert_int_equal(b.nnote, 1);
    assert_non_null(strstr(b.notes[0], "no compiled_meta.json"));
    assert_string_equal(b.platform, "a5sim"); /* of the L3 build that it belongs to */
    assert_string_equal(b.backend_type, "Ascend950");
    assert_int_equal(b.ndevice, 1);
    build_free(&b);

    temp_dir_put_text(*state, "apart/kernel_config.py", "");
    snprintf(path, sizeof path, "%s/apart", (char *)*state);
    assert_int_equal(build_open(path, &b, &err), 0);
    assert_string_equal(b.platform, "a2a3sim");
    build_free(&b);
}

static void test_parameters_of_a_signature(void **state)
{
    uint8_t directions[] = {ARG_IN, ARG_SCALAR, ARG_INOUT, ARG_OUT};
    struct program program = {.signature = {.given = true, .count = 4, .directions = directions}}, none = {0};
    static const enum plan_direction expected[] = {PLAN_IN, PLAN_IN, PLAN_INOUT, PLAN_OUT};
    struct error err;
    struct build b;
    char name[16];

    temp_dir_put_text(*state, "kernel_config.py", "");
    assert_int_equal(build_open(*state, &b, &err), 0);
    assert_int_equal(signature_params(&b, &none, &err), -1);
    assert_non_null(strstr(err.what, "no signature"));
    assert_non_null(strstr(err.hint, "compiled_meta.json"));

    assert_int_equal(signature_params(&b, &program, &err), 0);
    assert_int_equal(signature_add_scalar(&b, DTYPE_FLOAT32, &err), 0);
    assert_int_equal(b.nparam, 5);
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "arg%u", i);
        assert_string_equal(b.params[i].name, name);
        assert_int_equal(b.params[i].direction, expected[i]);
        assert_int_equal(b.params[i].unknown, i != 1);
        assert_int_equal(b.params[i].scalar, i == 1);
    }
    assert_string_equal(b.params[4].name, "arg4");
    assert_int_equal(b.params[4].dtype, DTYPE_FLOAT32);
    build_free(&b);
}

static void test_compile_only_programs(void **state)
{
    struct error err;
    struct build b;

    l3_build_make(*state, L3_BUILD_META);
    temp_dir_put_text(*state, "next_levels/group_unit/kernels/group.pto", "");
    temp_dir_put_text(*state, "next_levels/per_core/kernels/aic/f.pto", "");
    temp_dir_put_text(*state, "next_levels/only_cpp/kernels/aic/f.cpp", "");
    assert_int_equal(build_open(*state, &b, &err), -1);
    assert_non_null(strstr(err.what, "2 of its programs"));
    assert_non_null(strstr(err.what, "next_levels/group_unit"));
    assert_non_null(strstr(err.what, "next_levels/per_core"));
    assert_null(strstr(err.what, "only_cpp"));
    assert_null(strstr(err.what, "chip_orch"));
    assert_non_null(strstr(err.hint, "PTOAS_ROOT"));
}

static void test_no_directory(void **state)
{
    struct error err;
    struct build b;
    char *path;

    assert_true(asprintf(&path, "%s/nothing", (char *)*state) > 0);
    assert_int_equal(build_open(path, &b, &err), -1);
    assert_non_null(strstr(err.what, path));
    assert_int_not_equal(err.hint[0], 0);
    temp_dir_put_text(*state, "nothing", "");
    assert_int_equal(build_open(path, &b, &err), -1);
    assert_non_null(strstr(err.what, "is a file"));
    free(path);
}

static void test_moved_build_is_absolute(void **state)
{
    struct error err;
    struct build b;
    char *path, *real = realpath(*state, NULL);

    l3_build_make(*state, L3_BUILD_META);
    assert_true(asprintf(&path, "%s/link", (char *)*state) > 0);
    assert_int_equal(symlink(".", path), 0);
    assert_int_equal(build_open(path, &b, &err), 0);
    assert_string_equal(b.dir, real);
    build_free(&b);
    free(real);
    free(path);
}

/* What is there and shut is reported so, rather than as missing. */
static void test_shut(void **state)
{
    static const char *const names[] = {"orchestration/host_orch.py",
                                        "orchestration",
                                        "next_levels",
                                        "next_levels/chip_orch/kernel_config.py",
                                        "next_levels/chip_orch",
                                        "distributed_meta.json",
                                        "sub_workers",
                                        "sub_workers/__required__.json",
                                        ""};
    struct error err;
    struct build b;

    l3_build_make(*state, L3_BUILD_META);
    temp_dir_put_text(*state, "sub_workers/__required__.json", "[]");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *inner, *path;
        struct stat st;
        int rc;

        /* Below a directory that stays open. */
        assert_true(asprintf(&inner, "%s%s%s", (char *)*state, *names[i] ? "/" : "", names[i]) > 0);
        path = realpath(inner, NULL);
        assert_non_null(path);
        if (!temp_dir_plain_user(*state)) {
            free(path);
            free(inner);
            skip();
        }
        temp_dir_own_user();
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(chmod(path, 0), 0);
        if (geteuid() == 0) {
            assert_int_equal(seteuid(65534), 0);
        }
        rc = build_open(*state, &b, &err);
        temp_dir_own_user();
        assert_int_equal(chmod(path, st.st_mode & 0777), 0);
        if (rc != -1 || !strstr(err.what, strerror(EACCES)) || !strstr(err.what, path) || !strstr(err.hint, "access")) {
            fail_msg("%s: %d, %s, %s", names[i], rc, err.what, err.hint);
        }
        free(path);
        free(inner);
    }
}

static void test_path_that_is_not_utf8(void **state)
{
    struct error err;
    struct build b;
    char *path;

    assert_true(asprintf(&path, "%s/b\xff", (char *)*state) > 0);
    assert_int_equal(mkdir(path, 0777), 0);
    l3_build_make(path, L3_BUILD_META);
    assert_int_equal(build_open(path, &b, &err), -1);
    assert_non_null(strstr(err.what, "not valid UTF-8"));
    assert_non_null(strstr(err.hint, "rename"));
    free(path);
    assert_true(asprintf(&path, "%s/b\xc3\xbc", (char *)*state) > 0);
    assert_int_equal(mkdir(path, 0777), 0);
    l3_build_make(path, L3_BUILD_META);
    assert_int_equal(build_open(path, &b, &err), 0);
    build_free(&b);
    free(path);
}

/* The left-over is what to correct, whether the other compile's metadata is missing or of no use. */
static void test_left_over_without_metadata(void **state)
{
    struct error err;
    struct build b;

    l3_build_make(*state, L3_BUILD_META);
    temp_dir_put_text(*state, "kernel_config.py", "");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(build_open(*state, &b, &err), -1);
        assert_non_null(strstr(err.what, "compiled_meta.json"));
        assert_non_null(strstr(err.hint, "host_orch.py"));
        assert_non_null(strstr(err.hint, "left-over"));
        temp_dir_put_text(*state, "compiled_meta.json", "{}");
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, l3_build_setup, l3_build_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_l3),
        CASE(test_no_run_script),
        CASE(test_defaults),
        CASE(test_other_kinds),
        CASE(test_parent_of_several),
        CASE(test_l2_without_metadata),
        CASE(test_parameters_of_a_signature),
        CASE(test_compile_only_programs),
        CASE(test_no_directory),
        CASE(test_moved_build_is_absolute),
        CASE(test_shut),
        CASE(test_path_that_is_not_utf8),
        CASE(test_left_over_without_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

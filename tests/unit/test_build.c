/* Opening build directories: kinds, every fault of the metadata, overrides, names. */
#include "tests/support/temp_dir.h"

#include "orchestrator/open/build.h"
#include "orchestrator/open/override.h"

#define PARAMS "\"params\": [{\"name\": \"x__ssa_v0\", \"direction\": \"In\", \"shape\": [4, -1], \"dtype\": \"fp32\"}]"
#define GOOD "{\"schema\": 2, " PARAMS "}"

static int setup(void **state)
{
    *state = temp_dir_make();
    return 0;
}

static int teardown(void **state)
{
    temp_dir_remove(*state);
    return 0;
}

static void make_l3(const char *dir, const char *meta)
{
    temp_dir_put_text(dir, "orchestration/host_orch.py", "");
    temp_dir_put_text(dir, "next_levels/chip_orch/kernel_config.py", "");
    temp_dir_put_text(dir, "distributed_meta.json", meta);
}

/* --- kinds --------------------------------------------------------------- */

static void test_l3(void **state)
{
    struct error err;
    struct build b;

    make_l3(*state, "{\"schema\": 2, \"params\": ["
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
    temp_dir_put_text(*state, "golden.py", "");
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
    assert_int_equal(b.nnote, 2); /* a stray file is not worth one */
    assert_non_null(strstr(b.notes[0], "golden.py"));
    assert_non_null(strstr(b.notes[1], "scratch"));
    build_free(&b);
}

static void test_defaults(void **state)
{
    struct error err;
    struct build b;

    make_l3(*state, GOOD);
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
    assert_int_equal(build_open(*state, &b, &err), -1);
    assert_non_null(strstr(err.what, "compiled_meta.json is missing"));

    temp_dir_put_text(*state, "compiled_meta.json", "{\"schema\": 1, \"params\": []}");
    assert_int_equal(build_open(*state, &b, &err), 0);
    assert_int_equal(b.kind, BUILD_L2);
    assert_int_equal(b.nnote, 0);
    build_free(&b);

    /* Both markers: the L2 one counts, and a warning says so. */
    make_l3(*state, GOOD);
    assert_int_equal(build_open(*state, &b, &err), 0);
    assert_int_equal(b.kind, BUILD_L2);
    assert_int_equal(b.nnote, 2);
    assert_non_null(strstr(b.notes[0], "left-over"));
    assert_non_null(strstr(b.notes[1], "distributed_meta.json"));
    build_free(&b);
}

static void test_compile_only_programs(void **state)
{
    struct error err;
    struct build b;

    make_l3(*state, GOOD);
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

    make_l3(*state, GOOD);
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

    make_l3(*state, GOOD);
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
    make_l3(path, GOOD);
    assert_int_equal(build_open(path, &b, &err), -1);
    assert_non_null(strstr(err.what, "not valid UTF-8"));
    assert_non_null(strstr(err.hint, "rename"));
    free(path);
    assert_true(asprintf(&path, "%s/b\xc3\xbc", (char *)*state) > 0);
    assert_int_equal(mkdir(path, 0777), 0);
    make_l3(path, GOOD);
    assert_int_equal(build_open(path, &b, &err), 0);
    build_free(&b);
    free(path);
}

/* The left-over is what to correct, whether the other compile's metadata is missing or of no use. */
static void test_left_over_without_metadata(void **state)
{
    struct error err;
    struct build b;

    make_l3(*state, GOOD);
    temp_dir_put_text(*state, "kernel_config.py", "");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(build_open(*state, &b, &err), -1);
        assert_non_null(strstr(err.what, "compiled_meta.json"));
        assert_non_null(strstr(err.hint, "host_orch.py"));
        assert_non_null(strstr(err.hint, "left-over"));
        temp_dir_put_text(*state, "compiled_meta.json", "{}");
    }
}

/* --- faults of the metadata ---------------------------------------------- */

struct fault {
    const char *meta;
    const char *field; /* named in `what` */
};

#define PARAM(name, direction, shape, dtype)                                                                           \
    "{\"schema\": 2, \"params\": [{\"name\": " name ", \"direction\": " direction ", \"shape\": " shape                \
    ", \"dtype\": " dtype "}]}"
#define CONFIG(text) "{\"schema\": 2, " PARAMS ", \"distributed_config\": {" text "}}"
#define FIELD(text) "{\"schema\": 2, " PARAMS ", " text "}"

static const struct fault faults[] = {
    {"", "JSON"},
    {"{\"schema\": 2,", "JSON"},
    {GOOD " x", "JSON"},
    {"\xef\xbb\xbf" GOOD, "byte order mark"},
    {"{\"schema\": 2, \"params\": [], \"platform\": \"\xff\"}", "UTF-8"},
    {"{\"schema\": 2, \"params\": [], \"platform\": \"\xc0\xaf\"}", "UTF-8"},
    {"[]", "an object"},
    {"null", "an object"},
    {"{" PARAMS "}", "'schema'"},
    {"{\"schema\": 1, " PARAMS "}", "'schema'"},
    {"{\"schema\": 3, " PARAMS "}", "'schema'"},
    {"{\"schema\": \"2\", " PARAMS "}", "'schema'"},
    {"{\"schema\": true, " PARAMS "}", "'schema'"},
    {"{\"schema\": 2, \"schema\": 2, " PARAMS "}", "'schema': the key stands there twice"},
    {"{\"schema\": 2}", "'params'"},
    {"{\"schema\": 2, \"params\": {}}", "'params'"},
    {"{\"schema\": 2, \"params\": [7]}", "'params[0]'"},
    {"{\"schema\": 2, \"params\": [{}]}", "'params[0].name'"},
    {PARAM("7", "\"In\"", "[1]", "\"fp32\""), "'params[0].name'"},
    {PARAM("\"\"", "\"In\"", "[1]", "\"fp32\""), "'params[0].name'"},
    {PARAM("\"../x\"", "\"In\"", "[1]", "\"fp32\""), "'params[0].name'"},
    {PARAM("\"a\\u0000b\"", "\"In\"", "[1]", "\"fp32\""), "NUL"},
    {PARAM("\"x\"", "\"in\"", "[1]", "\"fp32\""), "'params[0].direction'"},
    {PARAM("\"x\"", "0", "[1]", "\"fp32\""), "'params[0].direction'"},
    {PARAM("\"x\"", "\"In\"", "4", "\"fp32\""), "'params[0].shape'"},
    {PARAM("\"x\"", "\"In\"", "[4, true]", "\"fp32\""), "'params[0].shape[1]'"},
    {PARAM("\"x\"", "\"In\"", "[4, \"4\"]", "\"fp32\""), "'params[0].shape[1]'"},
    {PARAM("\"x\"", "\"In\"", "[1.5]", "\"fp32\""), "'params[0].shape[0]'"},
    {PARAM("\"x\"", "\"In\"", "[-2]", "\"fp32\""), "'params[0].shape[0]'"},
    {PARAM("\"x\"", "\"In\"", "[1e300]", "\"fp32\""), "'params[0].shape[0]'"},
    {PARAM("\"x\"", "\"In\"", "[1e999]", "\"fp32\""), "'params[0].shape[0]'"},
    {PARAM("\"x\"", "\"In\"", "[9007199254740993]", "\"fp32\""), "'params[0].shape[0]'"},
    {PARAM("\"x\"", "\"In\"", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "\"fp32\""), "'params[0].shape'"},
    {PARAM("\"x\"", "\"In\"", "[1]", "\"fp64\""), "'params[0].dtype'"},
    {PARAM("\"x\"", "\"In\"", "[1]", "\"bf16\""), "'params[0].dtype'"},
    {PARAM("\"x\"", "\"In\"", "[1]", "\"FP32\""), "'params[0].dtype'"},
    {PARAM("\"x\"", "\"In\"", "[1]", "32"), "'params[0].dtype'"},
    {"{\"schema\": 2, \"params\": [{\"name\": \"x\", \"direction\": \"In\", \"dtype\": \"fp32\"}]}",
     "'params[0].shape'"},
    {"{\"schema\": 2, \"params\": ["
     "{\"name\": \"x\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"fp32\"},"
     "{\"name\": \"x\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"fp32\"}]}",
     "'params[1].name'"},
    {FIELD("\"num_return_types\": -1"), "'num_return_types'"},
    {FIELD("\"num_return_types\": true"), "'num_return_types'"},
    {FIELD("\"num_return_types\": null"), "'num_return_types'"},
    {FIELD("\"platform\": \"a3\""), "'platform'"},
    {FIELD("\"platform\": 3"), "'platform'"},
    {FIELD("\"backend_type\": \"mro\""), "'backend_type'"},
    {FIELD("\"backend_type\": null"), "'backend_type'"},
    {FIELD("\"execution_mode\": \"dream\""), "'execution_mode'"},
    {FIELD("\"execution_mode\": 1"), "'execution_mode'"},
    {FIELD("\"platform\": \"a5\", \"execution_mode\": \"sim\""), "'platform'"},
    {FIELD("\"distributed_config\": []"), "'distributed_config'"},
    {FIELD("\"distributed_config\": null"), "'distributed_config'"},
    {CONFIG("\"devices\": [0]"), "devices"},
    {CONFIG("\"device_ids\": []"), "'distributed_config.device_ids'"},
    {CONFIG("\"device_ids\": 0"), "'distributed_config.device_ids'"},
    {CONFIG("\"device_ids\": [0, -1]"), "'distributed_config.device_ids[1]'"},
    {CONFIG("\"device_ids\": [0, 1, 0]"), "'distributed_config.device_ids[2]'"},
    {CONFIG("\"device_ids\": [true]"), "'distributed_config.device_ids[0]'"},
    {CONFIG("\"device_ids\": [\"0\"]"), "'distributed_config.device_ids[0]'"},
    {CONFIG("\"device_ids\": [0.5]"), "'distributed_config.device_ids[0]'"},
    {CONFIG("\"device_ids\": [2147483648]"), "'distributed_config.device_ids[0]'"},
    {CONFIG("\"num_sub_workers\": -1"), "'distributed_config.num_sub_workers'"},
    {CONFIG("\"num_sub_workers\": false"), "'distributed_config.num_sub_workers'"},
    {CONFIG("\"aicpu_thread_num\": 1"), "'distributed_config.aicpu_thread_num'"},
    {CONFIG("\"aicpu_thread_num\": -2"), "'distributed_config.aicpu_thread_num'"},
    {CONFIG("\"aicpu_thread_num\": true"), "'distributed_config.aicpu_thread_num'"},
    {CONFIG("\"runtime\": 7"), "'distributed_config.runtime'"},
};

static void test_faults(void **state)
{
    struct error err;
    struct build b;

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        make_l3(*state, faults[i].meta);
        memset(&err, 0, sizeof err);
        if (build_open(*state, &b, &err) == 0) {
            fail_msg("case %zu was accepted: %s", i, faults[i].meta);
        }
        if (!strstr(err.what, "distributed_meta.json") || !strstr(err.what, faults[i].field)) {
            fail_msg("case %zu: \"%s\" does not name %s", i, err.what, faults[i].field);
        }
        assert_non_null(strstr(err.where, "/distributed_meta.json"));
        assert_non_null(strstr(err.hint, "compile"));
        assert_int_equal(err.kind, ERROR_INFRA);
    }
}

static void test_deep_and_large(void **state)
{
    enum { DEPTH = 200000 };
    char *text = malloc(2 * DEPTH + 64);
    size_t used = (size_t)sprintf(text, "{\"schema\": 2, \"params\": ");
    struct error err;
    struct build b;

    assert_non_null(text);
    memset(text + used, '[', DEPTH);
    strcpy(text + used + DEPTH, "}");
    make_l3(*state, text);
    assert_int_equal(build_open(*state, &b, &err), -1);
    assert_non_null(strstr(err.what, "JSON"));
    free(text);
}

static void test_metadata_is_no_file(void **state)
{
    struct error err;
    struct build b;

    temp_dir_put_text(*state, "orchestration/host_orch.py", "");
    assert_int_equal(build_open(*state, &b, &err), -1);
    assert_non_null(strstr(err.what, "distributed_meta.json is missing"));
    assert_non_null(strstr(err.hint, "compile"));
    temp_dir_put_text(*state, "distributed_meta.json/x", "");
    assert_int_equal(build_open(*state, &b, &err), -1);
    assert_non_null(strstr(err.what, "directory"));
    assert_non_null(strstr(err.hint, "compile"));
}

static void test_two_spellings_of_a_target(void **state)
{
    static const struct {
        const char *meta, *platform;
    } cases[] = {
        {FIELD("\"backend_type\": \"Ascend910B\", \"execution_mode\": \"sim\""), "a2a3sim"},
        {FIELD("\"backend_type\": \"Ascend910B\", \"execution_mode\": \"onboard\""), "a2a3"},
        {FIELD("\"backend_type\": \"Ascend950\", \"execution_mode\": \"SIMULATOR\""), "a5sim"},
        {FIELD("\"backend_type\": \"Ascend950\", \"execution_mode\": \"hardware\""), "a5"},
        {FIELD("\"backend_type\": \"Ascend950\""), "a5sim"},
        {FIELD("\"backend_type\": \"Ascend950\", \"platform\": null"), "a5sim"},
        {FIELD("\"backend_type\": \"Ascend950\", \"platform\": \"a5\", \"execution_mode\": \"onboard\""), "a5"},
    };
    struct error err;
    struct build b;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_l3(*state, cases[i].meta);
        assert_int_equal(build_open(*state, &b, &err), 0);
        assert_string_equal(b.platform, cases[i].platform);
        assert_int_equal(build_platform_is_sim(&b), strstr(cases[i].platform, "sim") != NULL);
        build_free(&b);
    }
}

static void test_platform_of_another_chip(void **state)
{
    static const struct {
        const char *meta;
        uint32_t notes;
    } cases[] = {
        {FIELD("\"backend_type\": \"Ascend910B\", \"platform\": \"a5sim\""), 1},
        {FIELD("\"backend_type\": \"Ascend950\", \"platform\": \"a2a3sim\""), 1},
        {FIELD("\"backend_type\": \"Ascend910B\", \"platform\": \"a2a3sim\""), 0},
        {FIELD("\"backend_type\": \"Ascend910B\", \"platform\": \"a2a3\""), 0},
        {FIELD("\"backend_type\": \"Ascend950\", \"platform\": \"a5\""), 0},
        {FIELD("\"platform\": \"a5sim\""), 0}, /* nothing is contradicted */
    };
    struct error err;
    struct build b;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_l3(*state, cases[i].meta);
        assert_int_equal(build_open(*state, &b, &err), 0);
        assert_int_equal(b.nnote, cases[i].notes);
        if (b.nnote) {
            assert_true(strstr(b.notes[0], b.backend_type) && strstr(b.notes[0], b.platform));
        }
        build_free(&b);
    }
}

/* --- dtypes --------------------------------------------------------------- */

static void test_refused_dtypes(void **state)
{
    static const struct {
        const char *name;
        int cpu, simpler; /* may run there */
    } cases[] = {
        {"fp16", 1, 1},  {"fp32", 1, 1},      {"bfloat16", 1, 1}, {"int8", 1, 1},    {"int16", 1, 1},   {"int32", 1, 1},
        {"int64", 1, 1}, {"uint8", 1, 1},     {"uint16", 1, 1},   {"uint32", 1, 1},  {"uint64", 1, 1},  {"bool", 1, 1},
        {"index", 1, 1}, {"fp8e4m3fn", 0, 1}, {"fp8e8m0", 0, 1},  {"fp4", 0, 1},     {"fp8e5m2", 0, 0}, {"hf4", 0, 0},
        {"hf8", 0, 0},   {"int4", 0, 0},      {"uint4", 0, 0},    {"task_id", 0, 0},
    };
    char meta[256];
    struct error err;
    struct build b;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(meta, sizeof meta,
                 "{\"schema\": 2, \"params\": [{\"name\": \"weird\", \"direction\": \"In\", \"shape\": [2], "
                 "\"dtype\": \"%s\"}]}",
                 cases[i].name);
        make_l3(*state, meta);
        assert_int_equal(build_open(*state, &b, &err), 0);
        assert_string_equal(b.params[0].dtype_text, cases[i].name);
        memset(&err, 0, sizeof err);
        assert_int_equal(build_check_dtypes(&b, "cpu", &err), cases[i].cpu - 1);
        if (!cases[i].cpu) {
            assert_non_null(strstr(err.what, "weird"));
            assert_non_null(strstr(err.what, cases[i].name));
            assert_string_equal(err.hint, "compile the program with another dtype"); /* there is no other device */
        }
        assert_int_equal(build_check_dtypes(&b, "simpler", &err), cases[i].simpler - 1);
        build_free(&b);
    }
}

/* --- overrides ------------------------------------------------------------ */

static void test_device_ids(void **state)
{
    static const struct {
        const char *spec;
        uint32_t count;
        int first, last;
    } good[] = {
        {"0", 1, 0, 0},   {"0,1,4", 3, 0, 4}, {"0-3", 4, 0, 3},          {"7,0-2", 4, 7, 2},
        {"3-3", 1, 3, 3}, {"007", 1, 7, 7},   {"0-1023", 1024, 0, 1023}, {"2147483647", 1, 2147483647, 2147483647}};
    static const char *const bad[] = {"",
                                      "0-",
                                      "3-1",
                                      "0,0",
                                      "-1",
                                      "a",
                                      "0,",
                                      ",0",
                                      "0-2,1",
                                      "0--1",
                                      "0 1",
                                      " 0",
                                      "0x1",
                                      "1.5",
                                      "+1",
                                      "0-1-2",
                                      "2147483648",
                                      "0-1024",
                                      "99999999999999999999999",
                                      "0-99999999999999999999999"};
    struct error err;
    struct build b;

    make_l3(*state, GOOD);
    assert_int_equal(build_open(*state, &b, &err), 0);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(build_set_device_ids(&b, good[i].spec, &err), 0);
        assert_int_equal(b.ndevice, good[i].count);
        assert_int_equal(b.device_ids[0], good[i].first);
        assert_int_equal(b.device_ids[b.ndevice - 1], good[i].last);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&err, 0, sizeof err);
        if (build_set_device_ids(&b, bad[i], &err) == 0) {
            fail_msg("\"%s\" was accepted", bad[i]);
        }
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_non_null(strstr(err.where, "--device-ids"));
        assert_int_not_equal(err.hint[0], 0);
        assert_int_equal(b.device_ids[0], 2147483647); /* as before */
    }
    build_free(&b);
}

static void test_platform(void **state)
{
    static const char *const good[] = {"a2a3", "a2a3sim", "a5", "a5sim"};
    static const char *const bad[] = {"", "a3", "A5", "sim", "a5sim "};
    struct error err;
    struct build b;

    make_l3(*state, GOOD);
    assert_int_equal(build_open(*state, &b, &err), 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(build_set_platform(&b, good[i], &err), 0);
        assert_string_equal(b.platform, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(build_set_platform(&b, bad[i], &err), -1);
        assert_int_equal(err.kind, ERROR_USAGE);
        for (size_t g = 0; g < 4; g++) {
            assert_non_null(strstr(err.what, good[g]));
        }
        assert_string_equal(b.platform, "a5sim");
    }
    build_free(&b);
}

static const char *name_at(const void *of, size_t i)
{
    const char *const *names = of;

    return names[i];
}

static void test_plain_names(void **state)
{
    static const char *const names[] = {"a__ssa_v0", "b__ssa_v0",     "b__tmp_v1",       "c",
                                        "c__ssa_v1", "__comm_d0_ord", "d_e__l0_iter_v3", NULL};
    enum { N = sizeof names / sizeof *names };
    struct error err;

    (void)state;
    assert_int_equal(build_match_name(name_at, names, N, "a", &err), 0);
    assert_int_equal(build_match_name(name_at, names, N, "a__ssa_v0", &err), 0);
    assert_int_equal(build_match_name(name_at, names, N, "c", &err), 3); /* a full name wins over a plain one */
    assert_int_equal(build_match_name(name_at, names, N, "__comm_d0_ord", &err), 5);
    assert_int_equal(build_match_name(name_at, names, N, "d_e", &err), 6);
    assert_int_equal(build_match_name(name_at, names, N, "b", &err), -1);
    assert_non_null(strstr(err.what, "b__ssa_v0, b__tmp_v1"));
    assert_null(strstr(err.what, "a__ssa_v0"));
    assert_int_equal(build_match_name(name_at, names, N, "a__ssa", &err), -1);
    assert_int_equal(build_match_name(name_at, names, N, "", &err), -1);
    assert_int_equal(build_match_name(name_at, names, N, "zz", &err), -1);
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_non_null(strstr(err.what, "a__ssa_v0"));
    assert_int_equal(build_match_name(name_at, NULL, 0, "zz", NULL), -1);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_l3),
        CASE(test_defaults),
        CASE(test_other_kinds),
        CASE(test_compile_only_programs),
        CASE(test_no_directory),
        CASE(test_moved_build_is_absolute),
        CASE(test_shut),
        CASE(test_path_that_is_not_utf8),
        CASE(test_left_over_without_metadata),
        CASE(test_platform_of_another_chip),
        CASE(test_faults),
        CASE(test_deep_and_large),
        CASE(test_metadata_is_no_file),
        CASE(test_two_spellings_of_a_target),
        CASE(test_refused_dtypes),
        CASE(test_device_ids),
        CASE(test_platform),
        CASE(test_plain_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

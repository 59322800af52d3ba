/* distributed_meta.json: every fault of it, and targets that do not fit together. */
#include "tests/support/temp_dir.h"

#include "orchestrator/open/build.h"
#include "tests/support/l3_build.h"

struct fault {
    const char *meta;
    const char *field; /* named in `what` */
};

#define PARAM(name, direction, shape, dtype)                                                                           \
    "{\"schema\": 2, \"params\": [{\"name\": " name ", \"direction\": " direction ", \"shape\": " shape                \
    ", \"dtype\": " dtype "}]}"
#define CONFIG(text) "{\"schema\": 2, " L3_BUILD_PARAMS ", \"distributed_config\": {" text "}}"
#define FIELD(text) "{\"schema\": 2, " L3_BUILD_PARAMS ", " text "}"

static const struct fault faults[] = {
    {"", "JSON"},
    {"{\"schema\": 2,", "JSON"},
    {L3_BUILD_META " x", "JSON"},
    {"\xef\xbb\xbf" L3_BUILD_META, "byte order mark"},
    {"{\"schema\": 2, \"params\": [], \"platform\": \"\xff\"}", "UTF-8"},
    {"{\"schema\": 2, \"params\": [], \"platform\": \"\xc0\xaf\"}", "UTF-8"},
    {"[]", "an object"},
    {"null", "an object"},
    {"{" L3_BUILD_PARAMS "}", "'schema'"},
    {"{\"schema\": 1, " L3_BUILD_PARAMS "}", "'schema'"},
    {"{\"schema\": 3, " L3_BUILD_PARAMS "}", "'schema'"},
    {"{\"schema\": \"2\", " L3_BUILD_PARAMS "}", "'schema'"},
    {"{\"schema\": true, " L3_BUILD_PARAMS "}", "'schema'"},
    {"{\"schema\": 2, \"schema\": 2, " L3_BUILD_PARAMS "}", "'schema': the key stands there twice"},
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
        l3_build_make(*state, faults[i].meta);
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
    l3_build_make(*state, text);
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
        l3_build_make(*state, cases[i].meta);
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
        l3_build_make(*state, cases[i].meta);
        assert_int_equal(build_open(*state, &b, &err), 0);
        assert_int_equal(b.nnote, cases[i].notes);
        if (b.nnote) {
            assert_true(strstr(b.notes[0], b.backend_type) && strstr(b.notes[0], b.platform));
        }
        build_free(&b);
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, l3_build_setup, l3_build_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_platform_of_another_chip),
        CASE(test_faults),
        CASE(test_deep_and_large),
        CASE(test_metadata_is_no_file),
        CASE(test_two_spellings_of_a_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The result file and the inspect document, read back by a JSON parser. */
#include "tests/support/temp_dir.h"

#include <math.h>

#include "common/base/file.h"
#include "common/base/json.h"
#include "orchestrator/job/result.h"
#include "orchestrator/open/build.h"
#include "orchestrator/open/inspect.h"

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

static cJSON *parse_file(const char *path)
{
    struct error err;
    struct json_source source = {.file = path, .err = &err};
    size_t size;
    char *text = file_read(path, 1 << 20, &size, &err);
    cJSON *root;

    assert_non_null(text);
    root = json_parse(&source, text, size);
    if (!root) {
        fail_msg("%s", err.what);
    }
    free(text);
    return root;
}

static const cJSON *get(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);

    if (!value) {
        fail_msg("key %s is missing", key);
    }
    return value;
}

static void expect_text(const cJSON *object, const char *key, const char *text)
{
    assert_string_equal(cJSON_GetStringValue(get(object, key)), text);
}

static void expect_number(const cJSON *object, const char *key, double number)
{
    if (get(object, key)->valuedouble != number) {
        fail_msg("%s is %.17g, not %.17g", key, get(object, key)->valuedouble, number);
    }
}

static void test_early_failure(void **state)
{
    struct error error = {.kind = ERROR_INFRA, .what = "no \"build\"\n", .hint = "give one"};
    const struct result r = {.verdict = RESULT_INFRA, .marker = "PYPTO_EXEC_RESULT=INFRA", .error = &error};
    struct error err;
    cJSON *root;
    char *path;

    assert_true(asprintf(&path, "%s/r.json", (char *)*state) > 0);
    assert_int_equal(result_write(path, &r, &err), 0);
    root = parse_file(path);
    expect_number(root, "format", 1);
    expect_text(root, "result", "INFRA");
    expect_text(root, "marker", "PYPTO_EXEC_RESULT=INFRA");
    expect_text(get(root, "error"), "kind", "infra");
    expect_text(get(root, "error"), "what", "no \"build\"\n");
    expect_text(get(root, "error"), "hint", "give one");
    assert_null(cJSON_GetObjectItem(get(root, "error"), "where"));
    assert_null(cJSON_GetObjectItem(root, "devices"));
    assert_null(cJSON_GetObjectItem(root, "dispatches"));
    cJSON_Delete(root);
    free(path);
}

static void test_whole_result(void **state)
{
    static const int devices[] = {4, 0};
    static const int64_t shape[] = {2, 3};
    static const char *const notes[] = {"first", "second"};
    static const struct result_unchecked unchecked = {"count", "no --expect"};
    static const struct result_phase phases[] = {{"open", 0.25}, {"run", 1.5}};
    static const struct result_stage stages[] = {{"start", 0, 1.25}, {"open", 1.25, 4}};
    static const struct result_version versions[] = {{"l3replay", "0.1.0"}, {"mpi", "Open MPI 4.1"}};
    static const struct result_card cards[] = {{.card = 0,
                                                .device_id = 4,
                                                .host = "nodea",
                                                .process = 1,
                                                .ndispatch = 2,
                                                .start_ns = 5,
                                                .end_ns = 900,
                                                .busy_ns = 800},
                                               {.card = 1, .device_id = 0, .process = RESULT_NONE}};
    static const struct result_dispatch dispatches[] = {
        {.node = 7,
         .card = 0,
         .k = 0,
         .line = 37,
         .round = 2,
         .program = "chip_orch",
         .start_ns = 5,
         .end_ns = 400,
         .wall_ns = 395,
         .orch_ns = 10,
         .device_ns = 300,
         .ntasks = 12},
        {.node = 8, .card = 0, .k = RESULT_NONE, .program = "b", .end_ns = UINT64_C(9007199254740991)}};
    struct result_comparison comparison = {
        .parameter = "out", .file = "/x/out.npy", .dtype = "fp32", .ndim = 2, .shape = shape};
    struct result r = {.verdict = RESULT_FAIL,
                       .marker = "PYPTO_EXEC_RESULT=FAIL",
                       .build = "/b",
                       .platform = "a5sim",
                       .device = "cpu",
                       .world_size = 2,
                       .ndevice_id = 2,
                       .device_ids = devices,
                       .seed = UINT64_MAX,
                       .tolerance = {.rtol = 1e-5, .atol = 2e-5},
                       .rounds = 3,
                       .clock_error_ns = 1300,
                       .nphase = 2,
                       .stages = stages,
                       .nstage = 2,
                       .phases = phases,
                       .nversion = 2,
                       .versions = versions,
                       .ncard = 2,
                       .cards = cards,
                       .ndispatch = 2,
                       .dispatches = dispatches,
                       .ncomparison = 1,
                       .comparisons = &comparison,
                       .compared = 1,
                       .outputs = 2,
                       .nunchecked = 1,
                       .unchecked = &unchecked,
                       .nwarning = 1,
                       .warnings = notes + 1,
                       .nnote = 2,
                       .notes = notes};
    struct error err;
    const cJSON *item;
    cJSON *root;
    char *path;

    comparison.found.numbers = (struct comparison){.count = 6,
                                                   .max_index = 3,
                                                   .mismatched = 1,
                                                   .max_abs_error = INFINITY,
                                                   .nshown = 1,
                                                   .shown = {{.index = 5, .actual = NAN, .expected = 0.1}}};
    comparison.found.places =
        (struct mismatch_places){.mismatched = 1,
                                 .low = {1, 2},
                                 .high = {1, 2},
                                 .volume = 1,
                                 .has_ulps = true,
                                 .ulps = {[ULP_NONE] = 1},
                                 .has_writers = true,
                                 .nwriter = 2,
                                 .writers = {{.node = 7, .written = 5, .mismatched = 1}, {.node = PLAN_NONE}}};
    assert_true(asprintf(&path, "%s/r.json", (char *)*state) > 0);
    assert_int_equal(result_write(path, &r, &err), 0);
    root = parse_file(path);
    expect_text(root, "result", "FAIL");
    assert_null(cJSON_GetObjectItem(root, "error"));
    expect_text(root, "build", "/b");
    expect_text(root, "seed", "18446744073709551615");
    expect_number(root, "world_size", 2);
    expect_number(root, "rounds", 3);
    expect_number(root, "clock_error_ns", 1300);
    expect_number(root, "atol", 2e-5);
    assert_true(cJSON_GetArrayItem(get(root, "devices"), 0)->valuedouble == 4);
    expect_text(get(root, "versions"), "mpi", "Open MPI 4.1");
    expect_text(cJSON_GetArrayItem(get(root, "phases"), 1), "name", "run");
    expect_number(cJSON_GetArrayItem(get(root, "phases"), 1), "seconds", 1.5);
    item = cJSON_GetArrayItem(get(root, "stages"), 1);
    expect_text(item, "name", "open");
    expect_number(item, "begin_ms", 1.25);
    expect_number(item, "end_ms", 4);
    item = cJSON_GetArrayItem(get(root, "cards"), 0);
    expect_text(item, "host", "nodea");
    expect_number(item, "device_id", 4);
    expect_number(item, "busy_ns", 800);
    item = cJSON_GetArrayItem(get(root, "cards"), 1);
    assert_null(cJSON_GetObjectItem(item, "process"));
    assert_null(cJSON_GetObjectItem(item, "host"));
    item = cJSON_GetArrayItem(get(root, "dispatches"), 0);
    expect_number(item, "k", 0);
    expect_number(item, "line", 37);
    expect_number(item, "round", 2);
    expect_number(item, "tasks", 12);
    item = cJSON_GetArrayItem(get(root, "dispatches"), 1);
    assert_null(cJSON_GetObjectItem(item, "k"));
    expect_number(item, "end_ns", 9007199254740991.0);
    item = cJSON_GetArrayItem(get(root, "comparisons"), 0);
    expect_text(item, "max_abs_error", "inf");
    assert_true(cJSON_GetArrayItem(get(get(item, "largest"), "index"), 0)->valuedouble == 1); /* 3 of (2, 3) */
    expect_number(cJSON_GetArrayItem(get(item, "box"), 1), "last", 2);
    expect_number(get(item, "ulps"), "not a number", 1);
    expect_number(cJSON_GetArrayItem(get(item, "writers"), 0), "node", 7);
    expect_number(cJSON_GetArrayItem(get(item, "writers"), 0), "elements", 5);
    assert_true(cJSON_IsNull(get(cJSON_GetArrayItem(get(item, "writers"), 1), "node")));
    item = cJSON_GetArrayItem(get(item, "mismatches"), 0);
    expect_text(item, "actual", "nan");
    expect_number(item, "expected", 0.1);
    assert_true(cJSON_GetArrayItem(get(item, "index"), 0)->valuedouble == 1);
    assert_true(cJSON_GetArrayItem(get(item, "index"), 1)->valuedouble == 2);
    expect_number(root, "compared", 1);
    expect_number(root, "outputs", 2);
    item = cJSON_GetArrayItem(get(root, "unchecked"), 0);
    expect_text(item, "parameter", "count");
    expect_text(item, "why", "no --expect");
    assert_string_equal(cJSON_GetArrayItem(get(root, "warnings"), 0)->valuestring, "second");
    assert_int_equal(cJSON_GetArraySize(get(root, "notes")), 2);
    assert_string_equal(cJSON_GetArrayItem(get(root, "notes"), 1)->valuestring, "second");
    cJSON_Delete(root);
    free(path);
}

/* One clock is no news; one that is not aligned is. */
static void test_result_names_clocks(void **state)
{
    struct result r = {.verdict = RESULT_PASS, .marker = "PYPTO_EXEC_RESULT=PASS"};
    struct error err;
    cJSON *root;
    char *path;

    assert_true(asprintf(&path, "%s/clocks.json", (char *)*state) > 0);
    assert_int_equal(result_write(path, &r, &err), 0);
    root = parse_file(path);
    assert_null(cJSON_GetObjectItem(root, "clock_error_ns"));
    cJSON_Delete(root);
    r.clock_error_ns = CLOCK_NO_BOUND;
    assert_int_equal(result_write(path, &r, &err), 0);
    root = parse_file(path);
    assert_true(cJSON_IsNull(get(root, "clock_error_ns")));
    cJSON_Delete(root);
    free(path);
}

static void test_result_cannot_be_written(void **state)
{
    const struct result r = {.verdict = RESULT_PASS};
    struct error err;
    char *path;

    assert_true(asprintf(&path, "%s/no/such/r.json", (char *)*state) > 0);
    assert_int_equal(result_write(path, &r, &err), -1);
    assert_non_null(strstr(err.what, path));
    free(path);
}

/* --- inspect -------------------------------------------------------------- */

struct inspected {
    struct build build;
    struct program_table programs;
};

static void make_build(const char *dir, struct inspected *in)
{
    static struct kernel kernels[] = {{.func_id = 0, .name = "add", .core = CORE_AIV},
                                      {.func_id = 1,
                                       .name = "matmul_with_a_long_name",
                                       .source = "/elsewhere/m.cpp",
                                       .core = CORE_AIC,
                                       .external = true}};
    static struct program program = {.name = "chip_orch",
                                     .runtime = "tensormap_and_ringbuffer",
                                     .function_name = "aicpu_orchestration_entry",
                                     .nkernel = 2,
                                     .kernels = kernels};
    struct error err;

    temp_dir_put_text(dir, "orchestration/host_orch.py", "");
    temp_dir_put_text(dir, "next_levels/chip_orch/kernel_config.py", "");
    temp_dir_put_text(dir, "next_levels/other/x", "");
    temp_dir_put_text(dir, "distributed_meta.json",
                      "{\"schema\": 2, \"platform\": \"a5\", \"params\": ["
                      "{\"name\": \"x__ssa_v0\", \"direction\": \"In\", \"shape\": [4, -1], \"dtype\": \"hf8\"},"
                      "{\"name\": \"n\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"index\"}],"
                      "\"distributed_config\": {\"device_ids\": [3, 5]}}");
    assert_int_equal(build_open(dir, &in->build, &err), 0);
    program.dir = file_join(in->build.dir, "next_levels/chip_orch", NULL);
    program.orchestration = file_join(program.dir, "orchestration/o.cpp", NULL);
    kernels[0].source = file_join(program.dir, "kernels/aiv/add.cpp", NULL);
    in->programs = (struct program_table){.count = 1, .items = &program};
}

static void free_build(struct inspected *in)
{
    free(in->programs.items[0].dir);
    free(in->programs.items[0].orchestration);
    free(in->programs.items[0].kernels[0].source);
    build_free(&in->build);
}

static void test_inspect_json(void **state)
{
    struct inspected in;
    struct error err;
    const cJSON *item;
    cJSON *root;
    char *path;
    FILE *f;

    make_build(*state, &in);
    assert_true(asprintf(&path, "%s/i.json", (char *)*state) > 0);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(inspect_print_json(f, &in.build, &in.programs, &err), 0);
    fclose(f);
    root = parse_file(path);
    expect_number(root, "inspect", 1);
    expect_text(root, "kind", "L3");
    expect_text(root, "platform", "a5");
    expect_number(root, "world_size", 2);
    assert_true(cJSON_GetArrayItem(get(root, "device_ids"), 1)->valuedouble == 5);
    item = cJSON_GetArrayItem(get(root, "params"), 0);
    expect_text(item, "dtype", "hf8");
    assert_true(cJSON_GetArrayItem(get(item, "shape"), 1)->valuedouble == -1);
    assert_true(cJSON_IsNull(get(cJSON_GetArrayItem(get(root, "params"), 1), "shape")));
    item = cJSON_GetArrayItem(get(root, "programs"), 0);
    expect_text(item, "orchestration", "next_levels/chip_orch/orchestration/o.cpp");
    expect_text(cJSON_GetArrayItem(get(item, "kernels"), 0), "source", "next_levels/chip_orch/kernels/aiv/add.cpp");
    item = cJSON_GetArrayItem(get(item, "kernels"), 1);
    expect_text(item, "source", "/elsewhere/m.cpp");
    expect_text(item, "core", "aic");
    assert_true(cJSON_IsTrue(get(item, "external")));
    assert_int_equal(cJSON_GetArraySize(get(root, "notes")), 1);
    cJSON_Delete(root);
    free(path);
    free_build(&in);
}

static void test_inspect_text(void **state)
{
    static const char *const wanted[] = {"L3",
                                         "a5 (backend Ascend910B)",
                                         "2, on devices 3,5",
                                         "x__ssa_v0",
                                         "hf8",
                                         "(4, -1)",
                                         "scalar",
                                         "index",
                                         "chip_orch",
                                         "aicpu_orchestration_entry",
                                         "next_levels/chip_orch/kernels/aiv/add.cpp",
                                         "(outside the build)",
                                         "next_levels/other"};
    struct inspected in;
    struct error err;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size), *full = fopen("/dev/full", "w");

    make_build(*state, &in);
    assert_int_equal(inspect_print_text(f, &in.build, &in.programs, &err), 0);
    fclose(f);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!strstr(text, wanted[i])) {
            fail_msg("\"%s\" is not in: %s", wanted[i], text);
        }
    }
    assert_int_equal(inspect_print_text(full, &in.build, &in.programs, &err), -1);
    assert_int_equal(inspect_print_json(full, &in.build, &in.programs, &err), -1);
    fclose(full);
    free(text);
    free_build(&in);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_early_failure),       CASE(test_whole_result),
        CASE(test_result_names_clocks), CASE(test_result_cannot_be_written),
        CASE(test_inspect_json),        CASE(test_inspect_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

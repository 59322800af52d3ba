/* The outputs of a run that is over: compared, saved, and written into the result file. */
#include "tests/support/data_build.h"

#include <cjson/cJSON.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/job/notices.h"
#include "orchestrator/job/outcome.h"
#include "tests/support/captured.h"

/* Storages, in order. */
enum { X, FIRST, SECOND };

static const int64_t shape[] = {2};
static const int32_t right[2] = {1, 2}, wrong[2] = {1, 3};

static struct rig {
    struct data_build *build;
    struct prepared p;
    struct outcome out;
    struct run_options options;
    char *dir;    /* of saved outputs, in the build's */
    char *result; /* a path there */
    struct error err;
} rig;

static int setup(void **state)
{
    static const struct data_param planned[] = {{"x", DTYPE_INT32, PLAN_IN, 1, {2}},
                                                {"first", DTYPE_INT32, PLAN_OUT, 1, {2}},
                                                {"second", DTYPE_INT32, PLAN_INOUT, 1, {2}}};
    struct data_build *f =
        data_build_open("{\"name\": \"x\", \"direction\": \"In\", \"shape\": [2], \"dtype\": \"int32\"},"
                        "{\"name\": \"first\", \"direction\": \"Out\", \"shape\": [2], \"dtype\": \"int32\"},"
                        "{\"name\": \"second\", \"direction\": \"InOut\", \"shape\": [2], \"dtype\": \"int32\"}",
                        planned, 3);

    (void)state;
    memset(&rig, 0, sizeof rig);
    log_set_level(LOG_NULL);
    rig.build = f;
    rig.p.recording.plan = f->plan;
    rig.p.recording.build = f->build;
    rig.dir = file_join(f->dir, "saved", NULL);
    rig.result = file_join(f->dir, "result.json", NULL);
    rig.options = (struct run_options){.build = f->dir, .result_file = rig.result};
    assert_int_equal(segment_create(&rig.p.segment, &f->plan, "[]", "a2a3sim", &rig.err), 0);
    for (uint32_t i = X; i <= SECOND; i++) {
        memcpy(segment_storage(&rig.p.segment, i), right, sizeof right);
    }
    return 0;
}

static int teardown(void **state)
{
    void *build = rig.build;

    (void)state;
    outcome_close(&rig.out, &rig.options, &rig.p);
    verify_free(rig.p.verify);
    segment_unmap(&rig.p.segment);
    free(rig.dir);
    free(rig.result);
    notices_end();
    return data_build_teardown(&build);
}

/* With references for so many of the two outputs. Returns the path of that of the first, to be freed. */
static char *open_references(int count)
{
    char *path = data_build_save(rig.build, "data/out/first.npy", DTYPE_INT32, 1, shape, right);

    if (count == 0) {
        unlink(path);
    }
    if (count > 1) {
        free(data_build_save(rig.build, "data/out/second.npy", DTYPE_INT32, 1, shape, right));
    }
    assert_int_equal(references_open(&rig.p.references, &rig.build->build, NULL, 0, &rig.err), 0);
    assert_int_equal(verify_open(&rig.p.verify, &rig.p.references, &rig.build->build, &rig.build->plan,
                                 (struct tolerance){0}, NULL, &rig.err),
                     0);
    assert_int_equal(verify_count(rig.p.verify), count);
    return path;
}

static void verify(void)
{
    outcome_verify(&rig.out, &rig.options, &rig.p);
}

static void test_all_match(void **state)
{
    (void)state;
    free(open_references(2));
    verify();
    assert_int_equal(rig.out.verdict, RESULT_PASS);
    assert_int_equal(rig.out.ncomparison, 2);
    assert_string_equal(rig.out.comparisons[0].parameter, "first");
    assert_string_equal(rig.out.comparisons[1].parameter, "second");
}

static void test_first_that_is_wrong_is_reported(void **state)
{
    (void)state;
    free(open_references(2));
    memcpy(segment_storage(&rig.p.segment, FIRST), wrong, sizeof wrong);
    memcpy(segment_storage(&rig.p.segment, SECOND), wrong, sizeof wrong);
    verify();
    assert_int_equal(rig.out.verdict, RESULT_FAIL);
    assert_non_null(strstr(rig.out.error.what, "first"));
    assert_int_equal(rig.out.ncomparison, 2); /* the other was compared all the same */
}

/* What is known to be wrong counts for more than what could not be found out. */
static void test_wrong_output_beats_reference_that_cannot_be_read(void **state)
{
    char *path = open_references(2);

    (void)state;
    assert_int_equal(truncate(path, 0), 0);
    memcpy(segment_storage(&rig.p.segment, SECOND), wrong, sizeof wrong);
    verify();
    assert_int_equal(rig.out.verdict, RESULT_FAIL);
    assert_non_null(strstr(rig.out.error.what, "second"));
    free(path);
}

static void test_reference_that_cannot_be_read(void **state)
{
    char *path = open_references(2);

    (void)state;
    assert_int_equal(truncate(path, 0), 0);
    verify();
    assert_int_equal(rig.out.verdict, RESULT_INFRA);
    free(path);
}

static char *verify_log(void)
{
    log_set_level(LOG_WARN);
    captured_begin();
    verify();
    log_set_level(LOG_NULL);
    return captured_end();
}

/* A PASS that compared nothing says so; nobody has to know it of a run that failed. */
static void test_nothing_to_compare_is_noted(void **state)
{
    static const char note[] = "note: nothing to compare with";
    struct error failure = {.what = "crash"};
    char *text;

    free(open_references(0));
    text = verify_log();
    assert_non_null(strstr(text, note));
    assert_non_null(strstr(text, "no data/out/first.npy")); /* the first output, and no input */
    free(text);
    teardown(state);
    setup(state);
    free(open_references(1));
    text = verify_log();
    assert_null(strstr(text, note));
    free(text);
    teardown(state);
    setup(state);
    free(open_references(0));
    outcome_fail(&rig.out, &failure, false);
    text = verify_log();
    assert_null(strstr(text, note));
    free(text);
}

static void test_outputs_are_saved_and_inputs_are_not(void **state)
{
    (void)state;
    free(open_references(0));
    rig.options.save_outputs = rig.dir;
    verify();
    assert_int_equal(rig.out.verdict, RESULT_PASS);
    assert_int_equal(temp_dir_count(rig.dir), 2);
    for (int i = 0; i < 2; i++) {
        char *path = file_join(rig.dir, i ? "second.npy" : "first.npy", NULL);

        assert_true(file_is_regular(path));
        free(path);
    }
}

/* A directory that cannot be made: no PASS, and a wrong output stays the verdict. */
static void test_outputs_that_cannot_be_saved(void **state)
{
    rig.options.save_outputs = "/dev/null/saved";
    free(open_references(2));
    verify();
    assert_int_equal(rig.out.verdict, RESULT_INFRA);
    teardown(state);
    setup(state);
    rig.options.save_outputs = "/dev/null/saved";
    free(open_references(2));
    memcpy(segment_storage(&rig.p.segment, SECOND), wrong, sizeof wrong);
    verify();
    assert_int_equal(rig.out.verdict, RESULT_FAIL);
}

/* --- the result file ------------------------------------------------------ */

static void report(void)
{
    int saved = dup(STDOUT_FILENO), none = open("/dev/null", O_WRONLY);

    assert_true(saved >= 0 && none >= 0);
    fflush(stdout);
    dup2(none, STDOUT_FILENO);
    outcome_report(&rig.out, &rig.options, &rig.p);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(none);
}

/* To be freed with cJSON_Delete(). */
static cJSON *result(void)
{
    char *text = file_read(rig.result, 1 << 20, NULL, &rig.err);
    cJSON *json = text ? cJSON_Parse(text) : NULL;

    free(text);
    assert_non_null(json);
    return json;
}

static void test_comparisons_are_in_the_result_file(void **state)
{
    cJSON *json;

    (void)state;
    free(open_references(1));
    verify();
    report();
    json = result();
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "comparisons")), 1);
    assert_int_equal(cJSON_GetObjectItem(json, "compared")->valueint, 1);
    assert_int_equal(cJSON_GetObjectItem(json, "outputs")->valueint, 2);
    cJSON_Delete(json);
}

/* It is written again when something is logged after it, and only then. */
static void test_what_is_noted_later_is_in_the_result_file(void **state)
{
    cJSON *json;

    (void)state;
    notices_keep();
    free(open_references(1));
    verify();
    log_note("before");
    report();
    temp_dir_put_text(rig.build->dir, "result.json", "{}");
    outcome_close(&rig.out, &rig.options, &rig.p);
    json = result();
    assert_null(json->child);
    cJSON_Delete(json);
    log_note("after");
    outcome_close(&rig.out, &rig.options, &rig.p);
    json = result();
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "notes")), 2);
    cJSON_Delete(json);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_all_match),
        TEST(test_first_that_is_wrong_is_reported),
        TEST(test_wrong_output_beats_reference_that_cannot_be_read),
        TEST(test_reference_that_cannot_be_read),
        TEST(test_nothing_to_compare_is_noted),
        TEST(test_outputs_are_saved_and_inputs_are_not),
        TEST(test_outputs_that_cannot_be_saved),
        TEST(test_comparisons_are_in_the_result_file),
        TEST(test_what_is_noted_later_is_in_the_result_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

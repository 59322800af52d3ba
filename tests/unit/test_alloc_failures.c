/* A small replay in one process, from the build to the result file, in which one allocation fails: each one there is, in
 * turn. It never crashes, says what is wrong, and claims nothing that is not so. Only the lanes are left out, which run in
 * processes of their own: the test puts in the segment what they would have left. */
#include "tests/support/temp_dir.h"

#include <cjson/cJSON.h>
#include <dirent.h>

#include "common/base/file.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/job/outcome.h"
#include "orchestrator/prepare/changes.h"
#include "orchestrator/tensor_file/tensor_write.h"
#include "tests/support/failing_alloc.h"

enum { ELEMENTS = 8 };

static const char metadata[] = "{\"schema\": 2, \"params\": ["
                               "{\"name\": \"a\", \"direction\": \"In\", \"shape\": [8], \"dtype\": \"int32\"},"
                               "{\"name\": \"out\", \"direction\": \"Out\", \"shape\": [8], \"dtype\": \"int32\"}],"
                               " \"platform\": \"a2a3sim\", \"distributed_config\": {\"device_ids\": [0, 1]}}";

static const char saved_plan[] =
    "{\"kernel_config\":\"p\",\"dir\":\"next_levels/"
    "p\",\"runtime\":\"tensormap_and_ringbuffer\",\"aicpu_thread_num\":0,"
    "\"enable_sdma\":false,\"orchestration\":\"next_levels/p/orchestration/p.cpp\",\"function_name\":\"entry\","
    "\"config_name\":\"config\",\"signature\":[1,2],\"kernels\":[{\"func_id\":0,\"name\":\"k\","
    "\"source\":\"next_levels/p/kernels/aiv/k.cpp\",\"core\":\"aiv\",\"external\":false,\"signature\":[1,2],"
    "\"include\":[]}]}\n"
    "{\"plan\":1,\"world_size\":2}\n"
    "{\"storage\":0,\"name\":\"a\",\"kind\":\"param\",\"dtype\":\"int32\",\"shape\":[8],\"direction\":\"In\"}\n"
    "{\"storage\":1,\"name\":\"out\",\"kind\":\"param\",\"dtype\":\"int32\",\"shape\":[8],\"direction\":\"Out\"}\n"
    "{\"dispatch\":0,\"program\":\"p\",\"card\":0,\"k\":0,\"line\":1,\"args\":[[\"in\",0,\"int32\",0,[8]],"
    "[\"out_existing\",1,\"int32\",0,[8]]],\"scalars\":[]}\n"
    "{\"dispatch\":1,\"program\":\"p\",\"card\":1,\"k\":0,\"line\":1,\"args\":[[\"in\",0,\"int32\",0,[8]],"
    "[\"inout\",1,\"int32\",0,[8]]],\"scalars\":[7]}\n"
    "{\"end\":2}\n";

struct rig {
    char *dir, *plan, *result, *outputs, *output, *messages, *store;
    struct run_options options;
    int code;
    struct error err;
};

static char *path_of(const struct rig *r, const char *name)
{
    char *path = file_join(r->dir, name, NULL);

    assert_non_null(path);
    return path;
}

/* A build whose sources any compiler takes, with an input and what is expected of it: out = a + 1. */
static int setup(void **state)
{
    static const int64_t shape[] = {ELEMENTS};
    int32_t a[ELEMENTS], out[ELEMENTS];
    struct rig *r = calloc(1, sizeof *r);
    char *path;

    assert_non_null(r);
    r->dir = temp_dir_make();
    temp_dir_put_text(r->dir, "b/distributed_meta.json", metadata);
    temp_dir_put_text(r->dir, "b/orchestration/host_orch.py", "");
    temp_dir_put_text(r->dir, "b/next_levels/p/kernel_config.py", "");
    temp_dir_put_text(r->dir, "b/next_levels/p/orchestration/p.cpp", "extern \"C\" int entry() { return 1; }\n");
    temp_dir_put_text(r->dir, "b/next_levels/p/kernels/aiv/k.cpp", "extern \"C\" int kernel_entry() { return 2; }\n");
    temp_dir_put_text(r->dir, "plan.json", saved_plan);
    temp_dir_put_text(r->dir, "b/data/in/none", "");
    temp_dir_put_text(r->dir, "b/data/out/none", "");
    for (int i = 0; i < ELEMENTS; i++) {
        a[i] = 10 * i;
        out[i] = a[i] + 1;
    }
    path = path_of(r, "b/data/in/a.npy");
    assert_int_equal(tensor_write(path, TENSOR_NPY, "", DTYPE_INT32, 1, shape, a, &r->err), 0);
    free(path);
    path = path_of(r, "b/data/out/out.npy");
    assert_int_equal(tensor_write(path, TENSOR_NPY, "", DTYPE_INT32, 1, shape, out, &r->err), 0);
    free(path);
    r->plan = path_of(r, "plan.json");
    r->result = path_of(r, "result.json");
    r->outputs = path_of(r, "outputs");
    r->output = path_of(r, "outputs/out.npy");
    r->messages = path_of(r, "messages");
    r->store = path_of(r, "store");
    path = path_of(r, "b");
    r->options = (struct run_options){.build = path,
                                      .plan_file = r->plan,
                                      .result_file = r->result,
                                      .save_outputs = r->outputs,
                                      .tolerance = {.rtol = 1e-5, .atol = 1e-5},
                                      .fresh = {.no_ccache = true}};
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    temp_dir_remove(r->dir);
    free((char *)r->options.build);
    free(r->plan);
    free(r->result);
    free(r->outputs);
    free(r->output);
    free(r->messages);
    free(r->store);
    free(r);
    return 0;
}

/* What the lanes leave. */
static void run_lanes(struct segment *seg)
{
    const int32_t *a = segment_storage(seg, 0);
    int32_t *out = segment_storage(seg, 1);

    for (int i = 0; i < ELEMENTS; i++) {
        out[i] = a[i] + 1;
    }
    for (uint32_t n = 0; n < seg->header->nnode; n++) {
        seg->times[n] = (struct segment_times){.start_ns = 1000 + n, .end_ns = 2000 + n};
    }
}

/* The steps of a replay, as process 0 takes them. */
static int replay(const struct run_options *o)
{
    const struct prepare_job job = {.jobs = 1};
    struct outcome out = {.nproc = 1};
    struct changes changes = {0};
    struct prepared p;
    struct error err;
    int code;

    if (prepare(o, &job, &out.phases, &p, &out.error) < 0) {
        out.verdict = RESULT_INFRA;
    } else {
        if (changes_find(&changes, o, &p, &err) < 0) {
            error_print(&err);
        }
        run_lanes(&p.segment);
        outcome_verify(&out, o, &p);
    }
    phases_stop(&out.phases);
    changes_report(&changes);
    changes_free(&changes);
    code = outcome_report(&out, o, &p);
    if (p.sheet &&
        fresh_install(p.session, &p.recording.build, &p.recording.programs, &p.compiled, &o->fresh, &err) < 0) {
        error_print(&err);
    }
    outcome_close(&out, o, &p);
    prepare_free(&p);
    return code;
}

/* Replay with the n-th allocation failing (0: none), stdout and stderr into r->messages; how many there were. */
static unsigned long replay_with_failure(struct rig *r, unsigned long n)
{
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    const int fd = open(r->messages, O_RDWR | O_CREAT | O_TRUNC, 0600);
    unsigned long count;

    assert_true(out >= 0 && err >= 0 && fd >= 0);
    unlink(r->result);
    unlink(r->output);
    fflush(NULL);
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    close(fd);
    failing_alloc_start(n);
    r->code = replay(&r->options);
    count = failing_alloc_stop();
    fflush(NULL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    close(out);
    close(err);
    return count;
}

static int open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    assert_non_null(dir);
    while (readdir(dir)) {
        n++;
    }
    closedir(dir);
    return n;
}

/* A replay that says PASS has left all that was asked for. */
static bool is_complete(const struct rig *r)
{
    char *text = file_is_regular(r->result) ? file_read(r->result, 1 << 20, NULL, NULL) : NULL;
    cJSON *json = text ? cJSON_Parse(text) : NULL;
    const bool complete = json && cJSON_GetArraySize(cJSON_GetObjectItem(json, "comparisons")) == 1 &&
                          cJSON_GetArraySize(cJSON_GetObjectItem(json, "dispatches")) == 2 &&
                          file_is_regular(r->output);

    cJSON_Delete(json);
    free(text);
    return complete;
}

/* Whether an error says what it was that failed. */
static bool names_memory(const char *text)
{
    return strstr(text, "l3replay: error: ") &&
           (strstr(text, "out of memory (") || strstr(text, "Cannot allocate memory"));
}

static void test_every_allocation_may_fail(void **state)
{
    struct rig *r = *state;
    unsigned long count, again, wrong = 0;
    int nopen;

    /* A store that objects were taken from is marked as used as long as this process lives: the one of its own, which it
     * takes when the usual one cannot be had, is opened before descriptors are counted. */
    setenv("L3REPLAY_CACHE_DIR", "/dev/null/none", 1);
    replay_with_failure(r, 0);
    setenv("L3REPLAY_CACHE_DIR", r->store, 1);
    replay_with_failure(r, 0); /* compiles, and puts the binaries in their places */
    count = replay_with_failure(r, 0);
    nopen = open_descriptors();
    assert_int_equal(r->code, EXIT_CODE_PASS);
    assert_true(is_complete(r));
    for (unsigned long n = 1; n <= count; n++) {
        char *text;
        bool fine;

        again = replay_with_failure(r, n);
        text = file_read(r->messages, 1 << 20, NULL, NULL);
        assert_non_null(text);
        fine = again >= n && open_descriptors() == nopen;
        if (r->code == EXIT_CODE_PASS) {
            fine = fine && is_complete(r);
        } else {
            fine = fine && r->code == EXIT_CODE_INFRA && names_memory(text) && strstr(text, "PYPTO_EXEC_RESULT=INFRA");
        }
        if (!fine) {
            fprintf(stderr, "%lu of %lu (%s): code %d\n%s\n", n, count,
                    failing_alloc_name() ? failing_alloc_name() : "none", r->code, text);
        }
        wrong += !fine;
        free(text);
    }
    assert_int_equal(wrong, 0);
    replay_with_failure(r, 0);
    assert_int_equal(r->code, EXIT_CODE_PASS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_allocation_may_fail, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

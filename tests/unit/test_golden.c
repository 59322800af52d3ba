/* golden.py and debug/run.py: when they are run, what is taken of their answers, and what they are asked. A script of the
 * test stands for Python with torch. */
#include "tests/support/data_build.h"

#include <sched.h>
#include <time.h>

#include "common/base/args.h"
#include "common/base/file.h"
#include "common/base/python.h"
#include "orchestrator/tensor_file/tensor_read.h"
#include "orchestrator/user_python/golden.h"

static const char metadata[] =
    "{\"name\": \"x__ssa_v0\", \"direction\": \"In\", \"shape\": [3], \"dtype\": \"int32\"},"
    "{\"name\": \"n__ssa_v0\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"int32\"},"
    "{\"name\": \"acc\", \"direction\": \"InOut\", \"shape\": [-1], \"dtype\": \"int32\"},"
    "{\"name\": \"out\", \"direction\": \"Out\", \"shape\": [3], \"dtype\": \"int32\"}";

/* Answers from files beside it, else says ok; each "save" writes an array of 3, or a scalar 5. All requests are kept. */
static const char script[] =
    "import json, os, struct, sys\n"
    "here = os.path.dirname(os.path.abspath(__file__))\n"
    "def write(path, shape, *values):\n"
    "    head = \"{'descr': '<i4', 'fortran_order': False, 'shape': %s, }\" % shape\n"
    "    head = head.ljust(117) + '\\n'\n"
    "    with open(path, 'wb') as f:\n"
    "        f.write(b'\\x93NUMPY\\x01\\0' + struct.pack('<H', len(head)) + head.encode())\n"
    "        f.write(struct.pack('<%di' % len(values), *values))\n"
    "for line in sys.stdin:\n"
    "    request = json.loads(line)\n"
    "    open(os.path.join(here, 'requests'), 'a').write(line)\n"
    "    if request['op'] == 'save':\n"
    "        for v in request['values']:\n"
    "            write(v['path'], *(('()', 5) if v['scalar'] else ('(3,)', 7, 8, 9)))\n"
    "    answer = os.path.join(here, 'answer-' + request['op'])\n"
    "    text = open(answer).read() if os.path.exists(answer) else '{\"ok\":true,\"files\":[]}'\n"
    "    print(text, flush=True)\n";

#define X "{\"name\":\"x\",\"dtype\":\"int32\",\"shape\":[3]}"
#define ACC "{\"name\":\"acc\",\"dtype\":\"int32\",\"shape\":[3]}"
#define N "{\"name\":\"n\",\"scalar\":true}"
#define VALUES(list) "{\"ok\":true,\"values\":[" list "]}"

static char *helper; /* directory of the script */

static int setup(void **state)
{
    static const struct data_param planned[] = {{"x__ssa_v0", DTYPE_INT32, PLAN_IN, 1, {3}}};
    struct error err;
    char *python;

    *state = data_build_open(metadata, planned, 1);
    helper = temp_dir_make();
    temp_dir_put_text(helper, "user_python.py", script);
    temp_dir_put_text(helper, "answer-inputs", VALUES(X "," N "," ACC));
    setenv("L3REPLAY_RECORDER_DIR", helper, 1);
    setenv("L3REPLAY_CACHE_DIR", helper, 1);
    assert_int_equal(python_find(&python, &err), 0);
    setenv("L3REPLAY_SUBWORKER_PYTHON", python, 1);
    free(python);
    return 0;
}

static int teardown(void **state)
{
    unsetenv("L3REPLAY_RECORDER_DIR");
    unsetenv("L3REPLAY_CACHE_DIR");
    unsetenv("L3REPLAY_SUBWORKER_PYTHON");
    temp_dir_remove(helper);
    return data_build_teardown(state);
}

/* Until the clock of files has gone on: a file of the same tick may have changed since the replay began. */
static void put_golden(const struct data_build *f, const char *text)
{
    struct timespec now;
    struct stat st;
    char *path;

    temp_dir_put_text(f->dir, "golden.py", text);
    path = file_join(f->dir, "golden.py", NULL);
    assert_int_equal(stat(path, &st), 0);
    do {
        sched_yield();
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
    } while (now.tv_sec == st.st_ctim.tv_sec && now.tv_nsec <= st.st_ctim.tv_nsec);
    free(path);
}

/* How many requests of this kind there were. */
static int asked(const char *op)
{
    char *path = file_join(helper, "requests", NULL), *text = file_read(path, 1 << 20, NULL, NULL), *wanted;
    int count = 0;

    wanted = text_format("\"op\":\"%s\"", op);
    for (const char *at = text; at && (at = strstr(at, wanted)); at++) {
        count++;
    }
    free(wanted);
    free(text);
    free(path);
    return count;
}

static int open_golden(const struct data_build *f, struct golden_options options, const char *given, struct golden **g,
                       struct error *err)
{
    struct args names = {0};
    int rc;

    if (given) {
        args_add(&names, "%s", given);
    }
    options.limit_s = 60;
    rc = golden_open(g, &f->build, &names, &options, err);
    args_free(&names);
    return rc;
}

/* The numbers of the input called `name`; false: it is none. */
static bool input(const struct golden *g, const char *name, int32_t *got)
{
    const struct named_file *files;
    struct tensor_file *file;
    struct error err;
    size_t count;

    files = golden_inputs(g, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].name, name) == 0) {
            assert_int_equal(tensor_file_open(&file, files[i].file, &err), 0);
            assert_int_equal(tensor_read(file, &file->tensors.items[0], got, &err), 0);
            tensor_file_close(file);
            return true;
        }
    }
    return false;
}

static void test_inputs(void **state)
{
    static const int32_t seven[] = {7, 8, 9}, of_build[] = {1, 2, 3};
    static const int64_t three[] = {3};
    const struct data_build *f = *state;
    int32_t got[3] = {0};
    struct golden *g;
    struct error err;

    assert_int_equal(open_golden(f, (struct golden_options){0}, NULL, &g, &err), 0);
    assert_null(g); /* there is none */
    put_golden(f, "RTOL = 1\n");
    free(data_build_save(f, "data/in/x.npy", DTYPE_INT32, 1, three, of_build));
    assert_int_equal(open_golden(f, (struct golden_options){0}, NULL, &g, &err), 0);
    assert_string_equal(golden_label(g), "golden.py");
    assert_true(golden_computes(g));
    assert_false(golden_calls_compare(g));
    assert_false(input(g, "x__ssa_v0", got)); /* data/in has it */
    assert_false(input(g, "out", got));       /* zeros */
    assert_true(input(g, "acc", got));
    assert_memory_equal(got, seven, sizeof seven);
    assert_true(input(g, "n__ssa_v0", got));
    assert_int_equal(got[0], 5);
    golden_free(g);
    assert_int_equal(asked("save"), 1);
    /* Kept, until another seed is asked for, or what is wanted differs, or the user wants it fresh. */
    assert_int_equal(open_golden(f, (struct golden_options){0}, NULL, &g, &err), 0);
    assert_true(input(g, "acc", got));
    golden_free(g);
    assert_int_equal(asked("load"), 1);
    assert_int_equal(open_golden(f, (struct golden_options){.seed = 1}, NULL, &g, &err), 0);
    golden_free(g);
    assert_int_equal(asked("load"), 2);
    assert_int_equal(open_golden(f, (struct golden_options){0}, "n", &g, &err), 0);
    assert_false(input(g, "n__ssa_v0", got));
    golden_free(g);
    assert_int_equal(asked("load"), 3);
    assert_int_equal(open_golden(f, (struct golden_options){.fresh = true}, NULL, &g, &err), 0);
    golden_free(g);
    assert_int_equal(asked("load"), 4);
    put_golden(f, "RTOL = 2\n");
    assert_int_equal(open_golden(f, (struct golden_options){.no_validate = true}, NULL, &g, &err), 0);
    assert_false(golden_computes(g));
    golden_free(g);
    assert_int_equal(asked("load"), 5);
    assert_int_equal(open_golden(f, (struct golden_options){.off = true}, NULL, &g, &err), 0);
    assert_null(g);
}

/* Reads /proc: how many memfds of Python's this process has open. */
static int open_memfds(void)
{
    int count = 0;

    for (int fd = 0; fd < 1024; fd++) {
        char path[64], target[256] = "";

        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "l3replay-python")) {
            count++;
        }
    }
    return count;
}

/* What is as large as the model must not stay in memory twice while it runs. */
static void test_memory_is_given_back(void **state)
{
    static const int32_t seven[] = {7, 8, 9};
    const struct data_build *f = *state;
    struct inputs *in;
    struct golden *g;
    struct error err;
    int32_t got[3];
    size_t count;

    temp_dir_put_text(f->dir, "golden.py", "");
    assert_int_equal(open_golden(f, (struct golden_options){0}, NULL, &g, &err), 0);
    golden_inputs(g, &count);
    assert_int_equal(count, 3);
    assert_int_equal(open_memfds(), 3);
    assert_int_equal(inputs_open(&in, &f->build, NULL, 0, 0, &err), 0);
    assert_int_equal(inputs_add(in, &f->build, golden_inputs(g, &count), 3, "golden.py", &err), 0);
    golden_release_inputs(g);
    assert_int_equal(open_memfds(), 3);
    assert_int_equal(inputs_fill(in, &f->plan, 0, got, &err), 0);
    assert_memory_equal(got, seven, sizeof got);
    assert_string_equal(inputs_scalar(in, "n__ssa_v0"), "5");
    inputs_release(in);
    assert_int_equal(open_memfds(), 0);
    assert_string_equal(inputs_file(in, "acc"), "golden.py");
    inputs_free(in);
    golden_free(g);
}

/* `plan` runs it for shapes and scalars only. */
static void test_shapes_only(void **state)
{
    static const int32_t of_build[] = {1, 2, 3};
    static const int64_t three[] = {3};
    const struct golden_options options = {.shapes_only = true};
    const struct data_build *f = *state;
    struct golden *g;
    struct error err;

    temp_dir_put_text(f->dir, "golden.py", "");
    free(data_build_save(f, "data/in/acc.npy", DTYPE_INT32, 1, three, of_build));
    assert_int_equal(open_golden(f, options, "n", &g, &err), 0); /* x is wanted, and its shape is known */
    assert_false(golden_computes(g));
    golden_free(g);
    assert_int_equal(asked("load"), 0);
    assert_int_equal(open_golden(f, options, NULL, &g, &err), 0);
    golden_free(g);
    assert_int_equal(asked("save"), 1);
}

static void expect_refusal(const struct data_build *f, const char *op, const char *answer, const char *what)
{
    struct golden *g;
    struct error err;
    char name[32];

    snprintf(name, sizeof name, "answer-%s", op);
    temp_dir_put_text(helper, name, answer);
    if (open_golden(f, (struct golden_options){0}, NULL, &g, &err) == 0) {
        fail_msg("taken: %s", answer);
    }
    if (!strstr(err.what, what)) {
        fail_msg("%s: %s", answer, err.what);
    }
    assert_int_equal(err.kind, ERROR_INFRA);
    assert_null(g);
}

static void test_refused_values(void **state)
{
    const struct data_build *f = *state;

    temp_dir_put_text(f->dir, "golden.py", "");
    expect_refusal(f, "inputs", VALUES(X "," N), "gives no value for parameter acc");
    expect_refusal(f, "inputs", VALUES("{\"name\":\"y\",\"scalar\":true}"), "there is no parameter \"y\"");
    expect_refusal(f, "inputs", VALUES("{\"name\":\"x\",\"dtype\":\"float32\",\"shape\":[3]}"),
                   "gives x as torch.float32, and the parameter is int32");
    expect_refusal(f, "inputs", VALUES("{\"name\":\"x\",\"dtype\":\"int32\",\"shape\":[3,1]}"),
                   "gives x as a tensor of 2 dimensions");
    expect_refusal(f, "inputs", VALUES("{\"name\":\"x\",\"scalar\":true}"), "gives x as a number");
    expect_refusal(f, "inputs", VALUES("{\"name\":\"n\",\"dtype\":\"int32\",\"shape\":[1]}"), "is a scalar");
    expect_refusal(f, "inputs", VALUES("{\"name\":\"x\",\"dtype\":\"int32\"}"), "shape");
    expect_refusal(f, "inputs", VALUES("{\"dtype\":\"int32\"}"), "name");
    expect_refusal(f, "inputs", VALUES("7"), "name");
    expect_refusal(f, "inputs", "{\"ok\":true}", "values");
    expect_refusal(f, "load", "{\"ok\":true,\"rtol\":-1}", "rtol");
    expect_refusal(f, "load", "{\"ok\":true,\"rtol\":\"nan\"}", "rtol");
    expect_refusal(f, "load", "{\"ok\":true,\"outputs\":[\"zz\"]}", "__outputs__ of golden.py has \"zz\"");
    expect_refusal(f, "load", "{\"ok\":true,\"outputs\":7}", "outputs");
}

static void test_script(void **state)
{
    static const char edited[] = "import torch\n\ndef _inline_inputs():\n    return [1, 2, 3, 4]\n\n"
                                 "def _user_compare(x, n, acc, out):\n    assert 0\n";
    const struct data_build *f = *state;
    int32_t got[3];
    struct golden *g;
    struct error err;

    temp_dir_put_text(f->dir, "debug/run.py", edited);
    assert_int_equal(open_golden(f, (struct golden_options){0}, NULL, &g, &err), 0);
    assert_string_equal(golden_label(g), "debug/run.py");
    assert_true(golden_calls_compare(g));
    assert_false(golden_computes(g));
    assert_true(input(g, "x__ssa_v0", got));
    golden_free(g);
    assert_int_equal(asked("inputs"), 1);
    /* golden.py goes first; without validation the script does, as in the stack. */
    temp_dir_put_text(f->dir, "golden.py", "");
    assert_int_equal(open_golden(f, (struct golden_options){0}, NULL, &g, &err), 0);
    assert_string_equal(golden_label(g), "golden.py");
    assert_false(golden_calls_compare(g));
    golden_free(g);
    assert_int_equal(open_golden(f, (struct golden_options){.no_validate = true}, NULL, &g, &err), 0);
    assert_string_equal(golden_label(g), "debug/run.py");
    assert_true(golden_calls_compare(g));
    golden_free(g);
}

static void expect_tolerance(const struct data_build *f, const char *text, double rtol, double atol)
{
    double got_rtol = 0.25, got_atol = 0.5;

    temp_dir_put_text(f->dir, "golden.py", text);
    golden_tolerance(NULL, &f->build, &got_rtol, &got_atol);
    assert_true(got_rtol == rtol && got_atol == atol);
}

static void test_tolerances_of_the_text(void **state)
{
    const struct data_build *f = *state;
    double rtol = 0.25, atol = 0.5;

    golden_tolerance(NULL, &f->build, &rtol, &atol);
    assert_true(rtol == 0.25 && atol == 0.5);
    expect_tolerance(f, "RTOL = 1e-3\nATOL=2\n", 1e-3, 2);
    expect_tolerance(f, "import torch\n\nATOL\t=  1e-4  # wide\r\nRTOL = 0", 0, 1e-4);
    expect_tolerance(f, "RTOL = 1e-3 * 2\nATOL = EPS\n", 0.25, 0.5); /* what has to be computed */
    expect_tolerance(f, "RTOL = -1\nATOL = inf\n", 0.25, 0.5);
    expect_tolerance(f, "RTOLS = 1\nX_ATOL = 1\n    ATOL = 1\nATOL == 1\nRTOL", 0.25, 0.5);
    expect_tolerance(f, "RTOL = 1\nRTOL = 2\n", 2, 0.5); /* the last one, as Python has it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_inputs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_is_given_back, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shapes_only, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_script, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tolerances_of_the_text, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

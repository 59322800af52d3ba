/* Sub-workers: which a build has, what is bound to them, and the process that runs them. */
#include "tests/support/temp_dir.h"

#include <fcntl.h>

#include "common/plan/plan_build.h"
#include "common/segment/segment.h"
#include "orchestrator/open/sub_worker_files.h"
#include "orchestrator/prepare/binding.h"
#include "rank-worker/executor/sub_workers.h"

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

static void lists_files_and_required_names(void **state)
{
    struct sub_workers s;
    struct error err;

    assert_int_equal(sub_workers_open(*state, &s, &err), 0);
    assert_int_equal(s.count, 0);
    temp_dir_put_text(*state, "sub_workers/verify.py", "");
    temp_dir_put_text(*state, "sub_workers/bound.py", "");
    temp_dir_put_text(*state, "sub_workers/__init__.py", "");
    temp_dir_put_text(*state, "sub_workers/.hidden.py", "");
    temp_dir_put_text(*state, "sub_workers/notes.txt", "");
    temp_dir_put_text(*state, "sub_workers/__required__.json", "[\"bound\", \"bare\"]");
    assert_int_equal(sub_workers_open(*state, &s, &err), 0);
    assert_int_equal(s.count, 3);
    assert_string_equal(s.items[0].name, "bare");
    assert_true(s.items[0].required && !s.items[0].file);
    assert_string_equal(s.items[1].name, "bound");
    assert_true(s.items[1].required && s.items[1].file);
    assert_string_equal(s.items[2].name, "verify");
    assert_true(!s.items[2].required && strstr(s.items[2].file, "/sub_workers/verify.py"));
    assert_ptr_equal(sub_workers_find(&s, "verify"), &s.items[2]);
    assert_null(sub_workers_find(&s, "verif"));
    sub_workers_free(&s);
}

static void refuses_a_damaged_manifest(void **state)
{
    static const char *const texts[] = {"", "{\"a\": 1}", "[1]", "[\"a\"", "\"a\""};
    struct sub_workers s;
    struct error err;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        temp_dir_put_text(*state, "sub_workers/__required__.json", texts[i]);
        assert_int_equal(sub_workers_open(*state, &s, &err), -1);
        assert_non_null(strstr(err.where, "__required__.json"));
        assert_int_equal(s.count, 0);
    }
}

/* A plan with one storage of `nbytes` and one call of sub-worker `name`. */
static void one_call(struct plan *plan, const char *name, uint64_t nbytes, const struct plan_arg *arg,
                     const struct plan_scalar *scalars, uint32_t nscalar)
{
    static const int64_t two[] = {2}, one[] = {1};
    struct plan_storage proto = {
        .kind = PLAN_TEMP, .dtype = DTYPE_INT32, .ndim = 1, .nbytes = nbytes, .domain = PLAN_NONE, .card = PLAN_NONE};
    int64_t count = (int64_t)nbytes / 4;
    struct plan_node node = {.kind = PLAN_SUB,
                             .lane = 2,
                             .group = PLAN_NONE,
                             .k = PLAN_NONE,
                             .line = 9,
                             .narg = arg ? 1 : 0,
                             .nscalar = nscalar};
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);
    uint32_t view;

    assert_non_null(b);
    assert_int_equal(plan_add_storage(b, &proto, "t", &count, NULL, &err), 0);
    assert_int_equal(plan_add_view(b, 0, DTYPE_INT32, 2, 1, two, one, &view, &err), 0);
    assert_int_equal(plan_add_sub(b, name, &node.program, &err), 0);
    assert_int_equal(plan_add_node(b, &node, arg, scalars, NULL, &err), 0);
    plan_builder_finish(b, plan);
}

static void two_calls(struct plan *plan, const char *first, const char *second)
{
    struct plan_node node = {.kind = PLAN_SUB, .lane = 2, .group = PLAN_NONE, .k = PLAN_NONE};
    struct error err;
    struct plan_builder *b = plan_builder_new(1, &err);

    assert_non_null(b);
    assert_int_equal(plan_add_sub(b, first, &node.program, &err), 0);
    assert_int_equal(plan_add_node(b, &node, NULL, NULL, NULL, &err), 0);
    assert_int_equal(plan_add_sub(b, second, &node.program, &err), 0);
    assert_int_equal(plan_add_node(b, &node, NULL, NULL, NULL, &err), 0);
    plan_builder_finish(b, plan);
}

static void expect_binding(const struct sub_workers *s, const struct plan *plan, const char *file,
                           const char *wanted_file, const char *wanted_function)
{
    struct named_file given = {"verify", file};
    struct bindings b;
    struct error err;

    if (bindings_open(&b, s, plan, &given, file ? 1 : 0, &err) < 0) {
        fail_msg("%s", err.what);
    }
    assert_int_equal(b.count, 1);
    assert_non_null(strstr(b.items[0].file, wanted_file));
    assert_string_equal(b.items[0].function, wanted_function);
    bindings_free(&b);
}

static void what_was_typed_comes_before_the_build(void **state)
{
    struct sub_workers s;
    struct error err;
    struct plan plan;
    char typed[512], odd[512];

    temp_dir_put_text(*state, "sub_workers/verify.py", "");
    temp_dir_put_text(*state, "mine.py", "");
    temp_dir_put_text(*state, "odd:name", "");
    assert_int_equal(sub_workers_open(*state, &s, &err), 0);
    one_call(&plan, "verify", 16, NULL, NULL, 0);
    expect_binding(&s, &plan, NULL, "/sub_workers/verify.py", "verify");
    snprintf(typed, sizeof typed, "%s/mine.py", (char *)*state);
    expect_binding(&s, &plan, typed, "/mine.py", "verify");
    snprintf(typed, sizeof typed, "%s/mine.py:check_2", (char *)*state);
    expect_binding(&s, &plan, typed, "/mine.py", "check_2");
    snprintf(odd, sizeof odd, "%s/odd:name", (char *)*state);
    expect_binding(&s, &plan, odd, "/odd:name", "verify");
    plan_free(&plan);
    sub_workers_free(&s);
}

static void expect_unbound(const struct sub_workers *s, const struct plan *plan, const struct named_file *given,
                           size_t ngiven, enum error_kind kind, const char *first, const char *second)
{
    struct bindings b;
    struct error err;

    assert_int_equal(bindings_open(&b, s, plan, given, ngiven, &err), -1);
    assert_int_equal(err.kind, kind);
    if (!strstr(err.what, first) ||
        !(strstr(err.what, second) || strstr(err.hint, second) || strstr(err.where, second))) {
        fail_msg("'%s' (%s) [%s] names not both %s and %s", err.what, err.hint, err.where, first, second);
    }
}

static void what_cannot_be_bound_is_refused(void **state)
{
    struct plan_scalar context = {.kind = PLAN_DEVICE_CTX, .domain = 0, .card = 0};
    struct named_file given[] = {{"vrify", "x.py"}, {"verify", "/nowhere/x.py"}, {"verify", "/nowhere/x.py"}};
    struct sub_workers s;
    struct error err;
    struct plan plan;

    temp_dir_put_text(*state, "sub_workers/verify.py", "");
    temp_dir_put_text(*state, "sub_workers/later.py", "");
    temp_dir_put_text(*state, "sub_workers/__required__.json", "[\"later\"]");
    assert_int_equal(sub_workers_open(*state, &s, &err), 0);
    one_call(&plan, "verify", 16, NULL, NULL, 0);
    expect_unbound(&s, &plan, given, 1, ERROR_USAGE, "vrify", "later, verify");
    expect_unbound(&s, &plan, given + 1, 1, ERROR_INFRA, "/nowhere/x.py", "--sub-worker verify");
    expect_unbound(&s, &plan, given + 1, 2, ERROR_USAGE, "verify", "--sub-worker");
    plan_free(&plan);
    one_call(&plan, "later", 16, NULL, NULL, 0);
    expect_unbound(&s, &plan, NULL, 0, ERROR_INFRA, "later", "--sub-worker later=FILE.py");
    plan_free(&plan);
    two_calls(&plan, "later", "other");
    expect_unbound(&s, &plan, NULL, 0, ERROR_INFRA, "2 sub-workers", "later, other");
    plan_free(&plan);
    one_call(&plan, "other", 16, NULL, NULL, 0);
    expect_unbound(&s, &plan, NULL, 0, ERROR_INFRA, "other", "--sub-worker other=FILE.py");
    plan_free(&plan);
    one_call(&plan, "verify", 16, NULL, &(struct plan_scalar){.kind = PLAN_VALUE}, 1);
    plan.scalars[0] = context;
    expect_unbound(&s, &plan, NULL, 0, ERROR_INFRA, "address", "verify");
    plan_free(&plan);
    sub_workers_free(&s);
}

/* A file that is there is never called missing: why it cannot be read is reported. */
static void what_is_there_and_of_no_use_is_reported(void **state)
{
    char directory[512], shut[512], behind[512], gone[512];
    struct named_file given[] = {{"verify", directory}, {"verify", shut}, {"verify", behind}, {"verify", gone}};
    static const char *const why[] = {"a directory", "Permission denied", "Permission denied", "there is no file"};
    struct sub_workers s = {0};
    struct plan plan;

    snprintf(directory, sizeof directory, "%s/folder.py", (char *)*state);
    snprintf(shut, sizeof shut, "%s/shut.py", (char *)*state);
    snprintf(behind, sizeof behind, "%s/folder.py/in.py", (char *)*state);
    snprintf(gone, sizeof gone, "%s/gone.py", (char *)*state);
    temp_dir_put_text(*state, "folder.py/in.py", "");
    temp_dir_put_text(*state, "shut.py", "");
    assert_int_equal(chmod(shut, 0), 0);
    one_call(&plan, "verify", 16, NULL, NULL, 0);
    for (int i = 0; i < 4; i++) {
        bool permission = i == 1 || i == 2;
        struct bindings b;
        struct error err = {0};
        int rc = -1;

        if (i == 2) {
            assert_int_equal(chmod(directory, 0), 0);
        }
        if (permission && !temp_dir_plain_user(*state)) {
            continue;
        }
        rc = bindings_open(&b, &s, &plan, &given[i], 1, &err);
        temp_dir_own_user();
        if (rc != -1 || !strstr(err.what, why[i]) || !strstr(err.what, given[i].file) || !err.hint[0]) {
            fail_msg("%s: %d, %s (%s)", given[i].file, rc, err.what, err.hint);
        }
    }
    assert_int_equal(chmod(directory, 0700), 0);
    plan_free(&plan);
}

/* --- the process -------------------------------------------------------- */

struct process {
    struct plan plan;
    struct segment seg;
    struct sheet sheet;
    struct sub_workers_process *python;
};

/* Start Python for a sub-worker f(args) with this text; as sub_workers_start(). */
static int start(struct process *p, const char *dir, const char *text, struct error *err)
{
    struct plan_scalar scalars[] = {{.kind = PLAN_VALUE, .bits = UINT64_MAX}, {.kind = PLAN_VALUE, .bits = 5}};
    struct plan_arg arg = {.view = 0, .tag = PLAN_TAG_INOUT};
    struct sheet_writer *w = sheet_writer_new(err);
    char path[512], *sheet;

    temp_dir_put_text(dir, "f.py", text);
    snprintf(path, sizeof path, "%s/f.py", dir);
    assert_non_null(w);
    assert_int_equal(sheet_write_sub_worker(w, "f", path, "f", err), 0);
    sheet = sheet_writer_text(w, err);
    assert_non_null(sheet);
    one_call(&p->plan, "f", 24, &arg, scalars, 2);
    assert_int_equal(segment_create(&p->seg, &p->plan, sheet, "a2a3sim", err), 0);
    free(sheet);
    assert_int_equal(sheet_parse(p->seg.sheet, &p->sheet, err), 0);
    assert_int_equal(dup2(p->seg.parts[SEGMENT_DATA].fd, SEGMENT_FIRST_FD), SEGMENT_FIRST_FD); /* as in an executor */
    return sub_workers_start(&p->python, &p->seg, 2, &p->sheet, err);
}

static void stop(struct process *p)
{
    sub_workers_stop(p->python);
    sheet_free(&p->sheet);
    segment_unmap(&p->seg);
    close(SEGMENT_FIRST_FD);
    plan_free(&p->plan);
}

static void a_call_reads_and_writes_the_segment(void **state)
{
    struct process p;
    struct error err;
    int32_t *t;

    if (start(&p, *state,
              "def f(args):\n"
              "    t = args[0].buffer.cast('i')\n"
              "    assert str(args[0].dtype).endswith('.INT32')\n"
              "    assert args[0].shapes == (2,) and args[0].strides == (1,)\n"
              "    assert len(args) == 1 and len(t) == 4 and list(t[:2]) == [30, 40]\n"
              "    assert args.scalar(0) == 2 ** 64 - 1 and args.scalar(1) == 5\n"
              "    t[1] = -7\n",
              &err) < 0) {
        fail_msg("%s (%s)", err.what, err.where);
    }
    t = segment_storage(&p.seg, 0);
    for (int i = 0; i < 6; i++) {
        t[i] = 10 * (i + 1);
    }
    if (sub_workers_call(p.python, 0, &err) < 0) {
        fail_msg("%s (%s)", err.what, err.where);
    }
    assert_int_equal(t[2], 30);
    assert_int_equal(t[3], -7);
    assert_int_equal(t[4], 50);
    t[3] = 40;
    assert_int_equal(sub_workers_call(p.python, 0, &err), 0);
    assert_int_equal(t[3], -7);
    stop(&p);
}

static void expect_call_fails(const char *dir, const char *body, enum error_kind kind, const char *what)
{
    struct process p;
    struct error err;
    char text[256];

    snprintf(text, sizeof text, "import os\ndef f(args):\n    %s\n", body);
    assert_int_equal(start(&p, dir, text, &err), 0);
    assert_int_equal(sub_workers_call(p.python, 0, &err), -1);
    assert_int_equal(err.kind, kind);
    if (!strstr(err.what, what) || !strstr(err.where, "host_orch.py:9")) {
        fail_msg("'%s' in '%s' does not say %s", err.what, err.where, what);
    }
    stop(&p);
}

/* By its descriptors a sub-worker could overwrite the header of the segment, and what it starts could. */
static void no_descriptor_of_the_segment_is_open(void **state)
{
    struct process p;
    struct error err;

    assert_int_equal(start(&p, *state,
                           "import os, subprocess\n"
                           "def f(args):\n"
                           "    paths = [os.readlink('/proc/self/fd/' + fd) for fd in os.listdir('/proc/self/fd')\n"
                           "             if os.path.exists('/proc/self/fd/' + fd)]\n"
                           "    paths += subprocess.check_output('ls -l /proc/self/fd', shell=True, close_fds=False,\n"
                           "                                     universal_newlines=True).splitlines()\n"
                           "    assert len(paths) > 6 and not [path for path in paths if 'memfd' in path], paths\n",
                           &err),
                     0);
    if (sub_workers_call(p.python, 0, &err) < 0) {
        fail_msg("%s (%s)", err.what, err.where);
    }
    stop(&p);
}

static void a_wrong_one_is_a_fail(void **state)
{
    expect_call_fails(*state, "raise ValueError('x' * 9999)", ERROR_FAIL, "f raised ValueError: xxx");
    expect_call_fails(*state, "exit(7)", ERROR_FAIL, "f called sys.exit(7)");
    expect_call_fails(*state, "os._exit(7)", ERROR_FAIL, "exit status 7");
    expect_call_fails(*state, "os.abort()", ERROR_FAIL, "signal 6");
    expect_call_fails(*state, "os.kill(os.getpid(), 9)", ERROR_INFRA, "signal 9");
}

static void expect_not_loaded(const char *dir, const char *text, const char *what)
{
    struct process p;
    struct error err;

    assert_int_equal(start(&p, dir, text, &err), -1);
    assert_null(p.python);
    assert_int_equal(err.kind, ERROR_INFRA);
    if (!strstr(err.what, what)) {
        fail_msg("'%s' does not say %s", err.what, what);
    }
    stop(&p);
}

static void what_cannot_be_loaded_is_infra(void **state)
{
    expect_not_loaded(*state, "def f(:\n", "SyntaxError");
    expect_not_loaded(*state, "f = 3\n", "cannot be loaded: its file defines no function f(args)");
    expect_not_loaded(*state, "import no_such_module_here\n", "no_such_module_here");
    expect_not_loaded(*state, "import os\nos._exit(3)\n", "exit status 3");
    setenv("L3REPLAY_SUBWORKER_PYTHON", "/nowhere/python3", 1);
    expect_not_loaded(*state, "def f(args): pass\n", "/nowhere/python3");
    unsetenv("L3REPLAY_SUBWORKER_PYTHON");
}

/* One that waits for ever while it is imported is no reason to wait as long. */
static void loading_has_a_time_limit(void **state)
{
    setenv("L3REPLAY_RECORD_TIMEOUT", "0.5", 1);
    expect_not_loaded(*state, "import time\ntime.sleep(1000)\ndef f(args): pass\n", "did not answer in time");
    unsetenv("L3REPLAY_RECORD_TIMEOUT");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(lists_files_and_required_names),
        CASE(refuses_a_damaged_manifest),
        CASE(what_was_typed_comes_before_the_build),
        CASE(what_cannot_be_bound_is_refused),
        CASE(what_is_there_and_of_no_use_is_reported),
        CASE(a_call_reads_and_writes_the_segment),
        CASE(no_descriptor_of_the_segment_is_open),
        CASE(a_wrong_one_is_a_fail),
        CASE(loading_has_a_time_limit),
        CASE(what_cannot_be_loaded_is_infra),
    };

    setenv("L3REPLAY_RECORDER_DIR", SOURCE_DIR "/orchestrator/record/recorder", 1);
    unsetenv("L3REPLAY_SUBWORKER_PYTHON");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

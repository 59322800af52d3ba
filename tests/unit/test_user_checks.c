/* Comparators of the user's: what is bound, what they are given, and what is made of their answers. A script of the test
 * stands for Python with torch. */
#include "tests/support/data_build.h"

#include "common/base/args.h"
#include "common/base/python.h"
#include "orchestrator/user_python/user_checks.h"

static const char metadata[] =
    "{\"name\": \"x\", \"direction\": \"In\", \"shape\": [3], \"dtype\": \"int32\"},"
    "{\"name\": \"n\", \"direction\": \"In\", \"shape\": null, \"dtype\": \"int32\"},"
    "{\"name\": \"out__ssa_v1\", \"direction\": \"Out\", \"shape\": [3], \"dtype\": \"int32\"},"
    "{\"name\": \"more\", \"direction\": \"InOut\", \"shape\": [3], \"dtype\": \"int32\"}";

/* A comparison says what it was given, as a text; else the answer is in a file beside the script. */
static const char script[] =
    "import json, os, struct, sys\n"
    "here = os.path.dirname(os.path.abspath(__file__))\n"
    "def show(entries):\n"
    "    parts = []\n"
    "    for e in entries:\n"
    "        with open(e['path'], 'rb') as f:\n"
    "            f.seek(e['offset'])\n"
    "            parts.append('%s=%s' % (e['name'], struct.unpack('<3i', f.read(12))))\n"
    "    return ' '.join(parts)\n"
    "for line in sys.stdin:\n"
    "    r = json.loads(line)\n"
    "    answer = os.path.join(here, 'answer')\n"
    "    if r['op'] == 'load':\n"
    "        print('{\"ok\":true}', flush=True)\n"
    "    elif os.path.exists(answer):\n"
    "        print(open(answer).read(), flush=True)\n"
    "    else:\n"
    "        text = ' | '.join([show(r['actual']), show(r['expected']), show(r['inputs']), r['name'], r['function'],\n"
    "                           json.dumps(r['scalars']), str(r['rtol'])])\n"
    "        wanted = open(os.path.join(here, 'wanted')).read()\n"
    "        if text != wanted:\n"
    "            print(text, file=sys.stderr, flush=True)\n"
    "        print(json.dumps({'ok': True, 'matches': text == wanted, 'text': text}), flush=True)\n";

static struct rig {
    struct data_build *f;
    char *helper, *spec;
    struct verify *verify;
    struct segment seg;
    struct user_checks checks;
    struct error err;
    /* What was found. */
    int nfound, nmatch;
    char fault[1536], label[300];
} rig;

static int setup(void **state)
{
    static const struct data_param planned[] = {{"x", DTYPE_INT32, PLAN_IN, 1, {3}},
                                                {"out__ssa_v1", DTYPE_INT32, PLAN_OUT, 1, {3}},
                                                {"more", DTYPE_INT32, PLAN_INOUT, 1, {3}}};
    static const int32_t expected[] = {4, 5, 6}, x[] = {1, 2, 3}, out[] = {7, 8, 9};
    static const int64_t three[] = {3};
    struct references references = {0};
    char *python;

    (void)state;
    memset(&rig, 0, sizeof rig);
    rig.f = data_build_open(metadata, planned, sizeof planned / sizeof *planned);
    rig.helper = temp_dir_make();
    temp_dir_put_text(rig.helper, "user_python.py", script);
    temp_dir_put_text(rig.f->dir, "checks.py", "def mine(actual, expected, **more): ...\n");
    rig.spec = text_format("%s/checks.py:mine", rig.f->dir);
    setenv("L3REPLAY_RECORDER_DIR", rig.helper, 1);
    assert_int_equal(python_find(&python, &rig.err), 0);
    setenv("L3REPLAY_SUBWORKER_PYTHON", python, 1);
    free(python);
    free(data_build_save(rig.f, "data/out/out.npy", DTYPE_INT32, 1, three, expected));
    assert_int_equal(references_open(&references, &rig.f->build, NULL, 0, &rig.err), 0);
    assert_int_equal(
        verify_open(&rig.verify, &references, &rig.f->build, &rig.f->plan, TOLERANCE_DEFAULT, NULL, &rig.err), 0);
    assert_int_equal(segment_create(&rig.seg, &rig.f->plan, "[]", "a2a3sim", &rig.err), 0);
    memcpy(segment_storage(&rig.seg, 0), x, sizeof x);
    memcpy(segment_storage(&rig.seg, 1), out, sizeof out);
    return 0;
}

static int teardown(void **state)
{
    void *f = rig.f;

    (void)state;
    user_checks_free(&rig.checks);
    verify_free(rig.verify);
    segment_unmap(&rig.seg);
    unsetenv("L3REPLAY_RECORDER_DIR");
    unsetenv("L3REPLAY_SUBWORKER_PYTHON");
    temp_dir_remove(rig.helper);
    free(rig.spec);
    return data_build_teardown(&f);
}

static int open_checks(const char *name, const char *spec)
{
    const struct named_file given = {name, spec};

    user_checks_free(&rig.checks);
    return user_checks_open(&rig.checks, &given, 1, &rig.f->plan, &rig.f->build, NULL, 60, rig.verify, &rig.err);
}

static void found(void *context, uint32_t storage, const char *label, bool matches, const struct error *err)
{
    struct rig *r = context;

    assert_int_equal(storage, 1);
    r->nfound++;
    r->nmatch += matches;
    snprintf(r->label, sizeof r->label, "%s", label);
    if (!matches) {
        assert_int_equal(err->kind, ERROR_FAIL);
        snprintf(r->fault, sizeof r->fault, "%s", err->what);
    }
}

static int run(void)
{
    static const struct golden_scalar n = {"n", "-4"};

    rig.nfound = rig.nmatch = 0;
    rig.fault[0] = '\0';
    return user_checks_run(&rig.checks, &rig.seg, rig.verify, (struct tolerance){.rtol = 0.5}, &n, 1, found, &rig,
                           &rig.err);
}

static void test_what_it_is_given(void **state)
{
    struct verified numbers;

    (void)state;
    assert_int_equal(open_checks("out", rig.spec), 0);
    /* The plain comparison leaves it out, and it has a reference all the same. */
    assert_int_equal(verify_storage_full(rig.verify, &rig.f->plan, 1, segment_storage(&rig.seg, 1), &numbers, &rig.err),
                     0);
    assert_null(numbers.file);
    assert_int_equal(verify_count(rig.verify), 1);
    temp_dir_put_text(rig.helper, "wanted",
                      "out=(7, 8, 9) more=(0, 0, 0) | out=(4, 5, 6) | x=(1, 2, 3) | out | mine | "
                      "[{\"name\": \"n\", \"kind\": \"int\", \"value\": \"-4\"}] | 0.5");
    if (run()) {
        fail_msg("%s", rig.err.what);
    }
    assert_int_equal(rig.nfound, 1);
    assert_int_equal(rig.nmatch, 1);
    assert_string_equal(rig.label, rig.spec);
}

static void answer(const char *text)
{
    temp_dir_put_text(rig.helper, "answer", text);
}

static void test_answers(void **state)
{
    (void)state;
    assert_int_equal(open_checks("out", rig.spec), 0);
    answer("{\"ok\":true,\"matches\":false,\"text\":\"worst 7\\nat 2\"}");
    assert_int_equal(run(), 0);
    assert_int_equal(rig.nfound, 1);
    assert_int_equal(rig.nmatch, 0);
    assert_non_null(strstr(rig.fault, "checks.py:mine says that it does not match"));
    answer("{\"ok\":true,\"matches\":false,\"text\":\"AssertionError: 7 != 8\",\"raised\":true}");
    assert_int_equal(run(), 0);
    assert_non_null(strstr(rig.fault, "checks.py:mine raised AssertionError: 7 != 8"));
    /* Nothing is known of the output: INFRA. */
    answer("{\"error\":\"mine returns 'bool', not (matches, text)\",\"where\":\"checks.py\",\"raised\":false}");
    assert_int_equal(run(), -1);
    assert_int_equal(rig.nfound, 0);
    assert_int_equal(rig.err.kind, ERROR_INFRA);
    assert_non_null(strstr(rig.err.what, "not (matches, text)"));
    answer("{\"ok\":true,\"matches\":1,\"text\":\"\"}");
    assert_int_equal(run(), -1);
    answer("{\"ok\":true,\"matches\":true}");
    assert_int_equal(run(), -1);
    assert_int_equal(rig.nfound, 0);
}

static void expect_refusal(const char *name, const char *spec, enum error_kind kind, const char *what)
{
    assert_int_equal(open_checks(name, spec), -1);
    if (!strstr(rig.err.what, what) || rig.err.kind != kind) {
        fail_msg("%s: %s", spec, rig.err.what);
    }
}

static void test_refused(void **state)
{
    char *other = text_format("%s/checks.py:your", rig.f->dir);
    const struct named_file given = {"out", other};

    (void)state;
    expect_refusal("zz", rig.spec, ERROR_USAGE, "no parameter \"zz\"");
    expect_refusal("more", rig.spec, ERROR_INFRA, "nothing to compare more with");
    expect_refusal("out", "checks.py", ERROR_USAGE, "'checks.py' is not FILE.py:FUNC");
    expect_refusal("out", ":mine", ERROR_USAGE, "is not FILE.py:FUNC");
    expect_refusal("out", "/dev/null/checks.py:mine", ERROR_USAGE, "cannot open /dev/null/checks.py");
    expect_refusal("out", other, ERROR_USAGE, "there is no function your in ");
    assert_int_equal(user_checks_look(&given, 1, &rig.err), -1);
    assert_int_equal(rig.err.kind, ERROR_USAGE);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_it_is_given, setup, teardown),
        cmocka_unit_test_setup_teardown(test_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The Python that runs files of the user's: answers of all kinds, its end, its limits, and which interpreter it is. */
#include "tests/support/temp_dir.h"

#include "common/base/args.h"
#include "common/base/python.h"
#include "orchestrator/user_python/session.h"

/* In place of the script: what it does depends on the name of the file that is to be loaded. */
static const char script[] =
    "import json, os, sys, time\n"
    "for line in sys.stdin:\n"
    "    request = json.loads(line)\n"
    "    how = request.get('file')\n"
    "    print('printed by', how, file=sys.stderr, flush=True)\n"
    "    if how == 'missing' or how == 'wrapped' and os.environ.get('WRAPPED'):\n"
    "        print('{\"error\":\"ModuleNotFoundError: torch\",\"where\":\"f.py:1\",\"missing\":\"torch\"}', "
    "flush=True)\n"
    "    elif how == 'raised':\n"
    "        print('{\"error\":\"ValueError: no\",\"where\":\"f.py:3\",\"raised\":true}', flush=True)\n"
    "    elif how == 'wrong':\n"
    "        print('{\"error\":\"RTOL is None\",\"where\":\"f.py\",\"raised\":false}', flush=True)\n"
    "    elif how == 'garbage':\n"
    "        print('PYPTO_EXEC_RESULT=PASS device=0', flush=True)\n"
    "    elif how == 'not':\n"
    "        print('{\"ok\":false}', flush=True)\n"
    "    elif how == 'silent':\n"
    "        time.sleep(1000)\n"
    "    elif how == 'closed':\n"
    "        os.close(1)\n"
    "        os._exit(7)\n"
    "    elif how == 'endless':\n"
    "        while True:\n"
    "            print('x' * 65536, end='', flush=True)\n"
    "    else:\n"
    "        print(json.dumps({'ok': True, 'seed': request.get('seed'), 'long': 'y' * 200000}), flush=True)\n";

static char *dir;

static int setup(void **state)
{
    struct error err;
    char *python;

    (void)state;
    dir = temp_dir_make();
    temp_dir_put_text(dir, "user_python.py", script);
    setenv("L3REPLAY_RECORDER_DIR", dir, 1);
    assert_int_equal(python_find(&python, &err), 0);
    setenv("L3REPLAY_SUBWORKER_PYTHON", python, 1);
    free(python);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unsetenv("L3REPLAY_SUBWORKER_PYTHON");
    unsetenv("L3REPLAY_RECORDER_DIR");
    temp_dir_remove(dir);
    return 0;
}

/* Load a file of that name; the error must say `what`. */
static void expect_refusal(const char *name, double limit, const char *what, const char *hint)
{
    struct user_session *s;
    struct json_source src;
    struct error err;

    assert_int_equal(user_session_open(&s, limit, &err), 0);
    assert_null(user_session_load(s, name, "golden.py", 0, &src, &err));
    if (!strstr(err.what, what) || !strstr(err.hint, hint)) {
        fail_msg("%s: %s (%s)", name, err.what, err.hint);
    }
    assert_int_equal(err.kind, ERROR_INFRA);
    user_session_close(s);
}

static void test_answers(void **state)
{
    struct user_session *s;
    struct json_source src;
    struct error err;
    int64_t seed;
    cJSON *json;

    (void)state;
    assert_int_equal(user_session_open(&s, 60, &err), 0);
    json = user_session_load(s, "fine", "golden.py", 41, &src, &err);
    assert_non_null(json);
    assert_int_equal(json_get_int(&src, json, "seed", 0, 100, &seed), 0);
    assert_int_equal(seed, 41);
    assert_int_equal(strlen(json_text_of(json, "long")), 200000);
    cJSON_Delete(json);
    json = user_session_ask(s, strdup("{\"op\":\"inputs\"}"), "golden.py", "inputs of golden.py", &src, &err);
    assert_non_null(json);
    cJSON_Delete(json);
    user_session_close(s);
}

static void test_refusals(void **state)
{
    (void)state;
    expect_refusal("missing", 60, "golden.py cannot be run by ", "python3-torch");
    expect_refusal("raised", 60, "golden.py raised ValueError: no", "traceback");
    expect_refusal("wrong", 60, "golden.py: RTOL is None", "correct");
}

/* What comes from the pipe is input. */
static void test_what_is_no_answer(void **state)
{
    (void)state;
    expect_refusal("garbage", 60, "golden.py", "descriptors");
    expect_refusal("not", 60, "is false", "descriptors");
    expect_refusal("endless", 60, "more than 16 MB", "descriptors");
}

static void test_its_end(void **state)
{
    (void)state;
    expect_refusal("closed", 60, "golden.py ended its process with exit status 7", "memory ran out");
    expect_refusal("silent", 0.3, "golden.py took longer than 0.3 s", "--golden-timeout");
    setenv("L3REPLAY_SUBWORKER_PYTHON", "/nonexistent/python3", 1);
    expect_refusal("fine", 60, "/nonexistent/python3", "--python");
}

/* Where the first interpreter lacks a module the next one is tried; what that one says counts. */
static void test_the_second_interpreter(void **state)
{
    struct user_session *s;
    struct json_source src;
    char *wrapper, *text;
    struct error err;
    cJSON *json;

    (void)state;
    if (access("/usr/bin/python3", X_OK) != 0) {
        skip();
    }
    unsetenv("L3REPLAY_SUBWORKER_PYTHON");
    unsetenv("L3REPLAY_PYTHON");
    temp_dir_put_text(dir, "bin/python3", "#!/bin/sh\nWRAPPED=1 exec /usr/bin/python3 \"$@\"\n");
    wrapper = text_format("%s/bin/python3", dir);
    assert_int_equal(chmod(wrapper, 0755), 0);
    setenv("VIRTUAL_ENV", dir, 1);
    assert_int_equal(user_session_open(&s, 60, &err), 0);
    json = user_session_load(s, "wrapped", "golden.py", 0, &src, &err);
    assert_non_null(json);
    cJSON_Delete(json);
    user_session_close(s);
    /* Both lack it: the one that the user chose is the one to be corrected. */
    assert_int_equal(user_session_open(&s, 60, &err), 0);
    assert_null(user_session_load(s, "missing", "golden.py", 0, &src, &err));
    assert_non_null(strstr(err.what, wrapper));
    user_session_close(s);
    /* Another interpreter, another identity. */
    text = user_session_interpreter();
    assert_non_null(strstr(text, wrapper));
    assert_non_null(strstr(text, "/usr/bin/python3 "));
    free(text);
    unsetenv("VIRTUAL_ENV");
    free(wrapper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_no_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_its_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_second_interpreter, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

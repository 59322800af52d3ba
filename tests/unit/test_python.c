/* Which python3 is taken: a program before a script, whatever comes first on PATH. */
#include "common/base/python.h"

#include "tests/support/temp_dir.h"

static char *top;

static void make(const char *dir, const char *text)
{
    char name[64], path[512];

    snprintf(name, sizeof name, "%s/python3", dir);
    temp_dir_put_text(top, name, text);
    snprintf(path, sizeof path, "%s/%s", top, name);
    assert_int_equal(chmod(path, 0755), 0);
}

static void expect(const char *path, const char *found)
{
    char *python, want[512];
    struct error err;

    setenv("PATH", path, 1);
    assert_int_equal(python_find(&python, &err), 0);
    snprintf(want, sizeof want, "%s%s", *found == '/' ? top : "", found);
    assert_string_equal(python, want);
    free(python);
}

static void a_program_wins_over_a_script_before_it(void **state)
{
    char path[1024];

    (void)state;
    make("shims", "#!/bin/sh\n");
    make("more", "#!/bin/sh\n");
    make("real", "\177ELF");
    make("later", "\177ELF");
    snprintf(path, sizeof path, "/nonexistent:%s/shims:%s/real:%s/later", top, top, top);
    expect(path, "/real/python3");
    snprintf(path, sizeof path, "%s/shims:%s/more:/nonexistent", top, top);
    expect(path, "/shims/python3");
    expect("/nonexistent::", "python3");
    expect("", "python3");
}

/* Variables that name one alone; a virtual environment in place of python3; the system's last. */
static void the_interpreter_of_users_code(void **state)
{
    char paths[PYTHON_USER_MAX][PATH_MAX], venv[512];
    const unsigned system = access("/usr/bin/python3", X_OK) == 0;

    (void)state;
    unsetenv("L3REPLAY_SUBWORKER_PYTHON");
    unsetenv("L3REPLAY_PYTHON");
    unsetenv("VIRTUAL_ENV");
    assert_int_equal(python_for_user(paths), 1 + system);
    assert_string_equal(paths[0], "python3");
    assert_string_equal(paths[system], system ? "/usr/bin/python3" : "python3");
    make("venv/bin", "#!/bin/sh\n");
    snprintf(venv, sizeof venv, "%s/venv", top);
    setenv("VIRTUAL_ENV", venv, 1);
    assert_int_equal(python_for_user(paths), 1 + system);
    assert_int_equal(strncmp(paths[0], venv, strlen(venv)), 0);
    assert_string_equal(paths[0] + strlen(venv), "/bin/python3");
    setenv("VIRTUAL_ENV", "/nonexistent", 1); /* a left-over of a shell */
    python_for_user(paths);
    assert_string_equal(paths[0], "python3");
    setenv("L3REPLAY_PYTHON", "/one", 1);
    assert_int_equal(python_for_user(paths), 1);
    assert_string_equal(paths[0], "/one");
    setenv("L3REPLAY_SUBWORKER_PYTHON", "/other", 1);
    assert_int_equal(python_for_user(paths), 1);
    assert_string_equal(paths[0], "/other");
    unsetenv("L3REPLAY_SUBWORKER_PYTHON");
    unsetenv("L3REPLAY_PYTHON");
    unsetenv("VIRTUAL_ENV");
}

static int setup(void **state)
{
    (void)state;
    top = temp_dir_make();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(top);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_wins_over_a_script_before_it),
                                       cmocka_unit_test(the_interpreter_of_users_code)};

    return cmocka_run_group_tests(tests, setup, teardown);
}

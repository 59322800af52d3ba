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
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_wins_over_a_script_before_it)};

    return cmocka_run_group_tests(tests, setup, teardown);
}

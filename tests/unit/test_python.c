/* Which python3 is taken: a program before a script, whatever comes first on PATH. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/python.h"

static char top[] = "/tmp/l3r-python-XXXXXX";

static void make(const char *dir, const char *text)
{
    char path[256];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", top, dir);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%s/python3", top, dir);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    chmod(path, 0755);
}

static void expect(const char *path, const char *found)
{
    char buf[512], want[512];

    setenv("PATH", path, 1);
    python_find(buf, sizeof buf);
    snprintf(want, sizeof want, "%s%s", *found == '/' ? top : "", found);
    assert_string_equal(buf, want);
}

static void a_program_wins_over_a_script_before_it(void **state)
{
    char path[1024];

    (void)state;
    make("shims", "#!/bin/sh\n");
    make("real", "\177ELF");
    make("later", "\177ELF");
    snprintf(path, sizeof path, "/nonexistent:%s/shims:%s/real:%s/later", top, top, top);
    expect(path, "/real/python3");
    snprintf(path, sizeof path, "%s/shims:/nonexistent", top);
    expect(path, "/shims/python3");
    expect("/nonexistent::", "python3");
    expect("", "python3");
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
    static const char *const dirs[] = {"shims", "real", "later"};
    char path[256];

    (void)state;
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        snprintf(path, sizeof path, "%s/%s/python3", top, dirs[i]);
        unlink(path);
        snprintf(path, sizeof path, "%s/%s", top, dirs[i]);
        rmdir(path);
    }
    return rmdir(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_wins_over_a_script_before_it)};

    return cmocka_run_group_tests(tests, setup, teardown);
}

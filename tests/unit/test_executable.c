/* Programs are found as execvp() finds them, by name on PATH or at a path. */
#include "common/base/executable.h"

#include "tests/support/temp_dir.h"

static char *top, *path_before;

static void place(const char *name, mode_t mode)
{
    char path[512];

    temp_dir_put_text(top, name, "");
    snprintf(path, sizeof path, "%s/%s", top, name);
    assert_int_equal(chmod(path, mode), 0);
}

/* With this PATH (NULL: none) `want` below `top` is found, or nothing (NULL). */
static void expect(const char *path, const char *name, const char *want)
{
    char wanted[512], *found = (char *)1;
    struct error err;

    if (path) {
        setenv("PATH", path, 1);
    } else {
        unsetenv("PATH");
    }
    assert_int_equal(executable_find(name, &found, &err), 0);
    if (want) {
        snprintf(wanted, sizeof wanted, "%s/%s", top, want);
        assert_non_null(found);
        assert_string_equal(found, wanted);
    } else {
        assert_null(found);
    }
    free(found);
}

static void test_the_first_on_path(void **state)
{
    char path[1024];

    (void)state;
    snprintf(path, sizeof path, "/nowhere:%s/a:%s/b:%s/c", top, top, top);
    expect(path, "tool", "b/tool");   /* a/tool is a directory */
    expect(path, "other", "c/other"); /* b/other has no permission to be executed */
    expect(path, "missing", NULL);
    expect(NULL, "tool", NULL);
}

static void test_an_empty_entry_is_the_current_directory(void **state)
{
    static const char *const paths[] = {"", ":/nowhere", "/nowhere:", "/nowhere::/nowhere"};
    char *before = getcwd(NULL, 0), *found, where[512];
    struct error err;

    (void)state;
    assert_non_null(before);
    snprintf(where, sizeof where, "%s/b", top);
    assert_int_equal(chdir(where), 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        setenv("PATH", paths[i], 1);
        assert_int_equal(executable_find("tool", &found, &err), 0);
        assert_string_equal(found, "./tool");
        free(found);
    }
    assert_int_equal(chdir(before), 0);
    free(before);
}

static void test_a_path_is_itself(void **state)
{
    char tool[512], other[512];

    (void)state;
    snprintf(tool, sizeof tool, "%s/b/tool", top);
    snprintf(other, sizeof other, "%s/b/other", top);
    expect("/nowhere", tool, "b/tool");
    expect(top, "b/tool", NULL); /* PATH does not count */
    expect(top, other, NULL);
}

static void refuse(const char *name, const char *why)
{
    char *found = (char *)1;
    struct error err;

    assert_int_equal(executable_need(name, "SOME_VARIABLE", "install it", &found, &err), -1);
    assert_null(found);
    assert_non_null(strstr(err.what, name));
    assert_non_null(strstr(err.what, why));
    assert_string_equal(err.where, "SOME_VARIABLE");
    assert_string_equal(err.hint, "install it");
}

static void test_what_must_be_there(void **state)
{
    char path[512], *found;
    struct error err;

    (void)state;
    snprintf(path, sizeof path, "%s/b", top);
    setenv("PATH", path, 1);
    assert_int_equal(executable_need("tool", NULL, NULL, &found, &err), 0);
    free(found);
    refuse("other", "on PATH");
    snprintf(path, sizeof path, "%s/b/other", top);
    refuse(path, "Permission denied");
    snprintf(path, sizeof path, "%s/b/none", top);
    refuse(path, "No such file");
    snprintf(path, sizeof path, "%s/a/tool", top);
    refuse(path, "directory");
}

/* The rest of PATH comes after what was found. */
static void test_one_after_the_other(void **state)
{
    static const char *const want[] = {"b/tool", "c/tool"};
    char path[1024], wanted[512], *found;
    const char *rest = path;
    struct error err;

    (void)state;
    snprintf(path, sizeof path, "%s/a:%s/b:/nowhere:%s/c:/nowhere", top, top, top);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(executable_next("tool", &rest, &found, &err), 0);
        snprintf(wanted, sizeof wanted, "%s/%s", top, want[i]);
        assert_non_null(found);
        assert_string_equal(found, wanted);
        free(found);
    }
    assert_int_equal(executable_next("tool", &rest, &found, &err), 0);
    assert_null(found);
    assert_null(rest);
}

static int setup(void **state)
{
    (void)state;
    path_before = strdup(getenv("PATH"));
    top = temp_dir_make();
    place("a/tool/x", 0755);
    place("b/tool", 0755);
    place("b/other", 0644);
    place("c/tool", 0755);
    place("c/other", 0755);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    setenv("PATH", path_before, 1);
    free(path_before);
    temp_dir_remove(top);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_on_path),   cmocka_unit_test(test_an_empty_entry_is_the_current_directory),
        cmocka_unit_test(test_a_path_is_itself),    cmocka_unit_test(test_what_must_be_there),
        cmocka_unit_test(test_one_after_the_other),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}

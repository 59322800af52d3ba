/* Names in directories, and directories that go with all that is in them. */
#include "tests/support/temp_dir.h"

#include <sys/resource.h>

#include "common/base/directory.h"
#include "common/base/file.h"

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

static char *in(void **state, const char *name)
{
    char *path = file_join(*state, name, NULL);

    assert_non_null(path);
    return path;
}

static bool is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

static bool has_no_dot(const char *name)
{
    return name[0] != '.';
}

static void test_list(void **state)
{
    struct args names = {0};

    temp_dir_put(*state, "b", "", 0);
    temp_dir_put(*state, "a/c", "", 0);
    temp_dir_put(*state, ".x", "", 0);
    temp_dir_put(*state, "B", "", 0);
    args_add(&names, "z");
    assert_int_equal(directory_list(*state, NULL, &names), 0);
    assert_int_equal(names.n, 5);
    assert_string_equal(names.v[0], "z"); /* what was there stays where it was */
    assert_string_equal(names.v[1], ".x");
    assert_string_equal(names.v[2], "B");
    assert_string_equal(names.v[3], "a");
    assert_string_equal(names.v[4], "b");
    assert_null(names.v[5]);
    args_free(&names);
    assert_int_equal(directory_list(*state, has_no_dot, &names), 0);
    assert_int_equal(names.n, 3);
    args_free(&names);
}

static void test_list_of_nothing(void **state)
{
    char *path = in(state, "f");
    struct args names = {0};

    errno = 0;
    assert_int_equal(directory_list(path, NULL, &names), -1);
    assert_int_equal(errno, ENOENT);
    temp_dir_put(*state, "f", "", 0);
    assert_int_equal(directory_list(path, NULL, &names), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(names.n, 0);
    args_free(&names);
    free(path);
}

static void test_remove(void **state)
{
    char *tree = in(state, "tree"), *link = in(state, "tree/a/link"), *outside = in(state, "outside/f");
    char *folder = in(state, "outside");

    temp_dir_put(*state, "outside/f", "", 0);
    temp_dir_put(*state, "tree/a/b/c", "", 0);
    temp_dir_put(*state, "tree/d", "", 0);
    assert_int_equal(symlink(folder, link), 0);
    assert_int_equal(directory_remove(tree, NULL), 0);
    assert_false(is_there(tree));
    assert_true(is_there(outside));
    assert_int_equal(directory_remove(tree, NULL), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(directory_remove(outside, NULL), 0); /* a file goes as well */
    assert_false(is_there(outside));
    free(tree);
    free(link);
    free(outside);
    free(folder);
}

static void test_remove_but_one(void **state)
{
    static const struct directory_remove how = {.spared = "lock"};
    char *tree = in(state, "tree"), *lock = in(state, "tree/lock"), *deeper = in(state, "tree/a");

    temp_dir_put(*state, "tree/lock", "", 0);
    temp_dir_put(*state, "tree/a/lock", "", 0);
    assert_int_equal(directory_remove(tree, &how), 0);
    assert_true(is_there(lock));
    assert_false(is_there(deeper)); /* the name counts directly below the directory only */
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(rmdir(tree), 0);
    assert_int_equal(directory_remove(tree, &how), -1);
    assert_int_equal(errno, ENOENT);
    free(tree);
    free(lock);
    free(deeper);
}

/* "Directory not empty" would name the consequence. */
static void test_why_it_could_not_be_removed(void **state)
{
    char *tree = in(state, "tree");
    struct rlimit before, none;
    int rc, why;

    temp_dir_put(*state, "tree/a", "", 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    rc = directory_remove(tree, NULL);
    why = errno;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(rc, -1);
    assert_int_equal(why, EMFILE);
    assert_int_equal(directory_remove(tree, NULL), 0);
    free(tree);
}

static void expect_ours(const char *path, mode_t mode, bool sticky, bool ours)
{
    struct error err;

    assert_int_equal(chmod(path, mode), 0);
    assert_int_equal(directory_check_ours(path, sticky, &err), ours ? 0 : -1);
    if (!ours) {
        assert_non_null(strstr(err.what, path));
        assert_non_null(strstr(err.hint, "L3REPLAY_CACHE_SHARED=1"));
    }
}

/* What others can write is not ours, unless the user says that they are trusted. */
static void test_who_can_write(void **state)
{
    const char *path = *state;

    unsetenv("L3REPLAY_CACHE_SHARED");
    expect_ours(path, 0700, false, true);
    expect_ours(path, 0755, false, true);
    expect_ours(path, 0777, false, false);
    expect_ours(path, 0777, true, false);
    expect_ours(path, 01777, false, false);
    expect_ours(path, 01777, true, true);
    setenv("L3REPLAY_CACHE_SHARED", "1", 1);
    expect_ours(path, 0777, false, true);
    setenv("L3REPLAY_CACHE_SHARED", "0", 1);
    expect_ours(path, 0777, false, false);
    unsetenv("L3REPLAY_CACHE_SHARED");
    expect_ours(path, 0700, false, true);
}

static void test_who_owns(void **state)
{
    enum { NOBODY = 65534 };
    const char *path = *state;

    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(chown(path, NOBODY, (gid_t)-1), 0);
    expect_ours(path, 0700, false, false);
    expect_ours(path, 01777, true, false); /* its owner may remove what is in it */
    assert_int_equal(chown(path, 0, NOBODY), 0);
    expect_ours(path, 0755, false, true);
    expect_ours(path, 0775, false, false);
    assert_int_equal(chown(path, 0, 0), 0);
}

static void test_made_for_us_alone(void **state)
{
    const mode_t before = umask(0);
    char *path = in(state, "a/b");
    struct stat st;

    assert_int_equal(directory_make_ours(path, NULL), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0755);
    setenv("L3REPLAY_CACHE_SHARED", "1", 1);
    free(path);
    path = in(state, "shared");
    assert_int_equal(directory_make_ours(path, NULL), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0777);
    unsetenv("L3REPLAY_CACHE_SHARED");
    umask(before);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_list, setup, teardown),
        cmocka_unit_test_setup_teardown(test_list_of_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_remove, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_can_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_who_owns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_made_for_us_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_remove_but_one, setup, teardown),
        cmocka_unit_test_setup_teardown(test_why_it_could_not_be_removed, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* real_path() gives what realpath() gives. */
#include "tests/support/temp_dir.h"

#include <limits.h>

#include "common/base/file.h"
#include "orchestrator/prepare/real_paths.h"

static void test_as_realpath(void **state)
{
    static const char *const names[] = {
        "a/x.h", "a/y.h", "a/../a/x.h",      "link/x.h", "a/linked.h", "a/dangling.h", "a/none.h",    "a",     "a/",
        "a/.",   "a/..",  "b/../link/./y.h", "no/x.h",   ".",          "../..",        "a/x.h/child", "a//y.h"};
    char *dir = temp_dir_make(), path[PATH_MAX], expected[PATH_MAX];
    struct real_paths r = {0};

    (void)state;
    temp_dir_put_text(dir, "a/x.h", "x");
    temp_dir_put_text(dir, "a/y.h", "y");
    temp_dir_put_text(dir, "b/z.h", "z");
    assert_int_equal(chdir(dir), 0);
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(symlink("../b/z.h", "a/linked.h"), 0);
    assert_int_equal(symlink("nothing", "a/dangling.h"), 0);
    for (int turn = 0; turn < 4; turn++) { /* absolute and relative, each again */
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char *found;

            snprintf(path, sizeof path, "%s%s%s", turn % 2 ? "" : dir, turn % 2 ? "" : "/", names[i]);
            found = real_path(&r, path);
            if (realpath(path, expected)) {
                assert_non_null(found);
                assert_string_equal(found, expected);
            } else {
                assert_null(found);
            }
            free(found);
        }
    }
    free(real_path(&r, "/etc"));
    real_paths_free(&r);
    assert_int_equal(chdir("/"), 0);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_realpath)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What counts as something that concerns a replay: real files, real events. */
#include "tests/support/temp_dir.h"

#include <poll.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "orchestrator/watch/watch_files.h"

static struct rig {
    char *dir, *build, *outside;
    struct watch_files *files;
    struct error err;
} rig;

static int setup(void **state)
{
    char *made;

    (void)state;
    rig = (struct rig){.dir = NULL};
    made = temp_dir_make();
    rig.dir = realpath(made, NULL);
    free(made);
    assert_non_null(rig.dir);
    rig.build = file_join(rig.dir, "build", NULL);
    rig.outside = file_join(rig.dir, "outside", NULL);
    temp_dir_put_text(rig.dir, "build/kernels/aiv/a.cpp", "int a;\n");
    temp_dir_put_text(rig.dir, "build/cache/a.json", "{}");
    temp_dir_put_text(rig.dir, "outside/x.npy", "1");
    assert_int_equal(watch_files_open(&rig.files, rig.build, &rig.err), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    watch_files_close(rig.files);
    free(rig.build);
    free(rig.outside);
    temp_dir_remove(rig.dir);
    return 0;
}

/* Events are there as soon as the call that causes them returns. */
static bool concerns(void)
{
    return watch_files_read(rig.files);
}

static void put(const char *dir, const char *name)
{
    temp_dir_put_text(dir, name, "text");
}

static void move(const char *from, const char *to)
{
    char *a = file_join(rig.build, from, NULL), *b = file_join(rig.build, to, NULL);

    assert_int_equal(rename(a, b), 0);
    free(a);
    free(b);
}

static void test_sources_count(void **state)
{
    static const char *const counted[] = {"kernels/aiv/a.cpp", "new.py", "data/in/a.npy", "a.pto", "meta.json"};
    static const char *const others[] = {"cache/a.json",
                                         "dfx_outputs/rank0/d0/x.json",
                                         ".hidden.cpp",
                                         "notes.txt",
                                         "kernels/aiv/a.cpp~",
                                         ".#a.cpp",
                                         "4913",
                                         "a.so"};

    (void)state;
    assert_false(concerns());
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        put(rig.build, counted[i]);
        if (!concerns()) {
            fail_msg("%s does not count", counted[i]);
        }
        assert_false(concerns());
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strchr(others[i], '/')) { /* its directories may be new, which counts for those that are watched */
            put(rig.build, others[i]);
            concerns();
        }
        put(rig.build, others[i]);
        if (concerns()) {
            fail_msg("%s counts", others[i]);
        }
    }
}

/* Editors write beside the file and rename; a file that goes away counts, and one that comes back. */
static void test_renames_and_removals_count(void **state)
{
    char *path = file_join(rig.build, "kernels/aiv/a.cpp", NULL);

    (void)state;
    put(rig.build, "kernels/aiv/.a.tmp");
    assert_false(concerns());
    move("kernels/aiv/.a.tmp", "kernels/aiv/a.cpp");
    assert_true(concerns());
    assert_int_equal(unlink(path), 0);
    assert_true(concerns());
    assert_int_equal(symlink("/dev/null", path), 0); /* a link is there at once */
    assert_true(concerns());
    free(path);
}

/* A file counts when it is whole. */
static void test_file_that_is_being_written(void **state)
{
    char *path = file_join(rig.build, "large.npy", NULL);
    FILE *f = fopen(path, "w");

    (void)state;
    assert_non_null(f);
    assert_true(fputs("first", f) >= 0 && fflush(f) == 0);
    assert_false(concerns());
    assert_int_equal(fclose(f), 0);
    assert_true(concerns());
    free(path);
}

static void test_new_directories_are_watched(void **state)
{
    (void)state;
    put(rig.build, "next/deep/b.cpp"); /* made before anybody could watch it */
    assert_true(concerns());
    put(rig.build, "next/deep/b.cpp");
    assert_true(concerns());
    move("next", "moved");
    concerns();
    put(rig.build, "moved/deep/b.cpp");
    assert_true(concerns());
}

static void test_named_files_outside(void **state)
{
    char *path = file_join(rig.outside, "x.npy", NULL), *ignored = file_join(rig.build, "outputs", NULL);

    (void)state;
    put(rig.outside, "x.npy");
    assert_false(concerns());
    assert_int_equal(watch_files_add(rig.files, path, &rig.err), 0);
    assert_int_equal(watch_files_add(rig.files, path, &rig.err), 0);
    put(rig.outside, "x.npy");
    assert_true(concerns());
    put(rig.outside, "y.npy"); /* its neighbours do not count */
    assert_false(concerns());
    assert_int_equal(watch_files_ignore(rig.files, ignored, &rig.err), 0);
    put(rig.build, "outputs/y.npy");
    assert_false(concerns());
    free(path);
    free(ignored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sources_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_renames_and_removals_count, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_that_is_being_written, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_directories_are_watched, setup, teardown),
        cmocka_unit_test_setup_teardown(test_named_files_outside, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

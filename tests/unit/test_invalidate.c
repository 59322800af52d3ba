/* Which files an invalidation deletes, and which it must not. */
#include "tests/support/temp_dir.h"

#include "common/base/file.h"
#include "common/base/lock.h"
#include "common/base/log.h"
#include "rank-worker/cache/invalidate.h"
#include "rank-worker/cache/lock_files.h"

static int setup(void **state)
{
    log_set_level(LOG_NULL);
    *state = temp_dir_make();
    temp_dir_put_text(*state, "b/orchestration/host_orch.py", "");
    return 0;
}

static int teardown(void **state)
{
    temp_dir_remove(*state);
    return 0;
}

static char *build_of(void **state)
{
    char *path = file_join(*state, "b", NULL);

    assert_non_null(path);
    return path;
}

static void expect(void **state, uint32_t removed, const char *line)
{
    struct invalidate_options options = {0};
    char *build = build_of(state), *said = NULL;
    struct error err;
    uint32_t count;
    size_t size;

    options.lines = open_memstream(&said, &size);
    assert_non_null(options.lines);
    assert_int_equal(invalidate_build(build, &options, &count, &err), 0);
    assert_int_equal(fclose(options.lines), 0);
    assert_int_equal(count, removed);
    assert_string_equal(said, line);
    free(said);
    free(build);
}

static bool has(void **state, const char *name)
{
    char *path = file_join(*state, name, NULL);
    struct stat st;
    bool yes = lstat(path, &st) == 0;

    free(path);
    return yes;
}

#define NONE "[cpp->.so] no cached binaries to invalidate\n"

static void test_what_goes(void **state)
{
    static const char *const go[] = {
        "b/cache/orch_x.bin",
        "b/kernels/a.so",
        "b/next_levels/p/cache/k.bin",
        "b/next_levels/p/kernels/aiv/k.so",
        "b/next_levels/p/kernels/aic/deep/er/k.o",
        "b/next_levels/p/orchestration/o.so",
        "b/next_levels/builtin.x__y/kernels/aiv/.hidden.o",
    };
    static const char *const stay[] = {
        "b/next_levels/p/cache/sub/k.bin",
        "b/next_levels/p/cache/x.so",
        "b/next_levels/p/kernels/aiv/k.cpp",
        "b/next_levels/p/kernels/aiv/k.bin",
        "b/next_levels/p/kernels/aiv/so",
        "b/next_levels/p/kernels/k.so.cpp",
        "b/next_levels/p/other/k.so",
        "b/next_levels/p/k.so",
        "b/next_levels/k.so",
        "b/next_levels/cache/k.bin",
        "b/next_levels/kernels/k.so",
        "b/other/cache/x.bin",
        "b/next_levels/p/ptoas/u.o",
        "b/next_levels/p/kernels/lib.so/inside.cpp",
        "b/next_levels/p/kernel_config.py",
    };
    size_t n = sizeof go / sizeof *go;

    for (size_t i = 0; i < n; i++) {
        temp_dir_put_text(*state, go[i], "x");
    }
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        temp_dir_put_text(*state, stay[i], "x");
    }
    temp_dir_put_text(*state, "b/next_levels/p/cache/binary_context.json", "{}");
    expect(state, (uint32_t)n, "[cpp->.so] invalidated 7 cached binary file(s); cpp will rebuild\n");
    for (size_t i = 0; i < n; i++) {
        assert_false(has(state, go[i]));
    }
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        assert_true(has(state, stay[i]));
    }
    assert_false(has(state, "b/next_levels/p/cache/binary_context.json"));
    assert_true(has(state, "b/next_levels/p/" LOCK_BINARIES_FILE));
    expect(state, 0, NONE);
}

/* What a killed process of ours left goes and is not counted, also when it is all there is; names that are only alike
 * stay. */
static void test_unfinished_files(void **state)
{
    static const char *const go[] = {
        "b/next_levels/p/cache/k.bin.4711.0.part",
        "b/next_levels/p/cache/binary_context.json.1.23.part",
        "b/next_levels/p/kernels/aiv/k.so.4711.1.part",
        "b/next_levels/p/orchestration/o.so.9.9.part",
    };
    static const char *const stay[] = {
        "b/next_levels/p/cache/k.bin.part",           "b/next_levels/p/cache/k.bin.1.part",
        "b/next_levels/p/cache/k.bin.1.x.part",       "b/next_levels/p/cache/k.bin..1.part",
        "b/next_levels/p/cache/notes.1.2.part",       "b/next_levels/p/cache/.1.2.part",
        "b/next_levels/p/kernels/aiv/k.cpp.1.2.part", "b/next_levels/p/kernels/aiv/k.so.1.2.part.txt",
        "b/next_levels/p/other/k.so.1.2.part",
    };

    for (size_t i = 0; i < sizeof go / sizeof *go; i++) {
        temp_dir_put_text(*state, go[i], "x");
    }
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        temp_dir_put_text(*state, stay[i], "x");
    }
    expect(state, 0, NONE);
    for (size_t i = 0; i < sizeof go / sizeof *go; i++) {
        assert_false(has(state, go[i]));
    }
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        assert_true(has(state, stay[i]));
    }
}

/* The stamp goes also when no binary is there, and is not counted. */
static void test_stamp_alone(void **state)
{
    temp_dir_put_text(*state, "b/next_levels/p/cache/binary_context.json", "{}");
    expect(state, 0, NONE);
    assert_false(has(state, "b/next_levels/p/cache/binary_context.json"));
}

static void test_clean_build_is_not_written_to(void **state)
{
    temp_dir_put_text(*state, "b/next_levels/p/kernels/aiv/k.cpp", "x");
    expect(state, 0, NONE);
    assert_false(has(state, "b/cache"));
    assert_false(has(state, "b/next_levels/p/cache"));
}

static void link_to(void **state, const char *target, const char *name)
{
    char *path = file_join(*state, name, NULL);

    assert_int_equal(symlink(target, path), 0);
    free(path);
}

/* Links are deleted themselves where they are called like a binary; nothing outside is reached through one. */
static void test_links(void **state)
{
    temp_dir_put_text(*state, "out/kernels/k.so", "x");
    temp_dir_put_text(*state, "out/cache/k.bin", "x");
    temp_dir_put_text(*state, "b/next_levels/p/kernels/aiv/k.cpp", "x");
    temp_dir_put_text(*state, "b/next_levels/q/kernel_config.py", "x");
    temp_dir_put_text(*state, "b/elsewhere/cache/in.bin", "x");
    link_to(state, "../../../../../out/kernels/k.so", "b/next_levels/p/kernels/aiv/l.so");
    link_to(state, "../../../../../out/kernels", "b/next_levels/p/kernels/aiv/far");
    link_to(state, "nowhere", "b/next_levels/p/kernels/aiv/dangling.o");
    link_to(state, "../../../out/cache", "b/next_levels/p/cache");
    link_to(state, "../../out", "b/next_levels/linked");
    link_to(state, "../../elsewhere/cache", "b/next_levels/q/cache");
    expect(state, 3, "[cpp->.so] invalidated 3 cached binary file(s); cpp will rebuild\n");
    assert_true(has(state, "out/kernels/k.so"));
    assert_true(has(state, "out/cache/k.bin"));
    assert_false(has(state, "b/next_levels/p/kernels/aiv/l.so"));
    assert_false(has(state, "b/next_levels/p/kernels/aiv/dangling.o"));
    assert_true(has(state, "b/next_levels/p/kernels/aiv/far"));
    assert_false(has(state, "b/elsewhere/cache/in.bin"));
}

static void test_two_kinds(void **state)
{
    char *path = file_join(*state, "b/orchestration/host_orch.py", NULL);

    temp_dir_put_text(*state, "b/kernel_config.py", "");
    temp_dir_put_text(*state, "b/kernels/aiv/k.o", "x");
    assert_int_equal(unlink(path), 0);
    free(path);
    expect(state, 1, "[cpp->.so] invalidated 1 cached binary file(s); cpp will rebuild\n");
}

static void test_errors(void **state)
{
    struct invalidate_options options = {0};
    struct error err;
    char *path = file_join(*state, "b/next_levels", NULL);

    assert_int_equal(invalidate_build("/nowhere/at/all", &options, NULL, &err), -1);
    assert_non_null(strstr(err.what, "/nowhere/at/all"));
    /* Something that is no build is not searched for files to delete. */
    temp_dir_put_text(*state, "b/next_levels/kernels/x.so", "x");
    assert_int_equal(invalidate_build(path, &options, NULL, &err), -1);
    assert_non_null(strstr(err.what, "not a build directory"));
    assert_true(has(state, "b/next_levels/kernels/x.so"));
    free(path);
}

/* The parent of several builds for one chip has marks below next_levels/ only. */
static void test_parent(void **state)
{
    struct invalidate_options options = {0};
    struct error err;
    char *path = file_join(*state, "parent", NULL);

    temp_dir_put_text(*state, "parent/next_levels/one/kernels/aiv/k.so", "x");
    temp_dir_put_text(*state, "parent/next_levels/two/kernels/aiv/k.so", "x");
    assert_int_equal(invalidate_build(path, &options, NULL, &err), -1);
    assert_non_null(strstr(err.what, "not a build directory"));
    assert_true(has(state, "parent/next_levels/two/kernels/aiv/k.so"));
    temp_dir_put_text(*state, "parent/next_levels/two/kernel_config.py", "");
    assert_int_equal(invalidate_build(path, &options, NULL, &err), 0);
    assert_false(has(state, "parent/next_levels/one/kernels/aiv/k.so"));
    assert_false(has(state, "parent/next_levels/two/kernels/aiv/k.so"));
    free(path);
}

static void test_off(void **state)
{
    struct invalidate_options options = {.off = true};
    char *build = build_of(state), *said = NULL;
    struct error err;
    size_t size;

    temp_dir_put_text(*state, "b/kernels/x.so", "x");
    options.lines = open_memstream(&said, &size);
    assert_int_equal(invalidate_build(build, &options, NULL, &err), 0);
    assert_int_equal(fclose(options.lines), 0);
    assert_string_equal(said,
                        "[cpp->.so] skipped forced invalidation; compatibility checks still apply (recompile=False)\n");
    assert_true(has(state, "b/kernels/x.so"));
    free(said);
    free(build);
}

/* A compile that goes on in a program holds its lock: it is waited for. */
static void test_waits_for_lock(void **state)
{
    struct invalidate_options options = {.lock_timeout = 1};
    char *build = build_of(state), *path;
    struct error err;
    uint32_t count;
    int fd;

    temp_dir_put_text(*state, "b/next_levels/p/cache/k.bin", "x");
    path = file_join(build, "next_levels/p/" LOCK_BINARIES_FILE, NULL);
    fd = lock_take(path, 1, &err);
    assert_true(fd >= 0);
    assert_int_equal(invalidate_build(build, &options, &count, &err), -1);
    assert_non_null(strstr(err.what, path));
    assert_true(has(state, "b/next_levels/p/cache/k.bin"));
    lock_release(fd);
    assert_int_equal(invalidate_build(build, &options, &count, &err), 0);
    assert_int_equal(count, 1);
    free(path);
    free(build);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unfinished_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stamp_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clean_build_is_not_written_to, setup, teardown),
        cmocka_unit_test_setup_teardown(test_links, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_off, setup, teardown),
        cmocka_unit_test_setup_teardown(test_waits_for_lock, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

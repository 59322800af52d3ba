/* What golden.py computed, kept: found again while what decided it is the same, and nothing else is taken for it. */
#include "tests/support/temp_dir.h"

#include "common/base/file.h"
#include "orchestrator/user_python/golden_cache.h"
#include "orchestrator/user_python/shared_file.h"
#include "rank-worker/compile/store_trim.h"

static struct rig {
    char *dir, *read; /* a file that decides the entry */
    struct golden_cache cache;
    struct key key;
    struct args files;
    int fds[2];
    struct error err;
} rig;

static int setup(void **state)
{
    (void)state;
    rig = (struct rig){.dir = temp_dir_make(), .key = {.high = 0xabcdefu, .low = 7}};
    setenv("L3REPLAY_CACHE_DIR", rig.dir, 1);
    temp_dir_put_text(rig.dir, "helper.py", "SCALE = 1\n");
    rig.read = file_join(rig.dir, "helper.py", NULL);
    args_add(&rig.files, "%s", rig.read);
    for (int i = 0; i < 2; i++) {
        rig.fds[i] = shared_file_make(&rig.err);
        assert_true(rig.fds[i] >= 0);
        assert_int_equal(write(rig.fds[i], i ? "second" : "first!", 6), 6);
    }
    assert_int_equal(golden_cache_open(&rig.cache, &rig.err), 0);
    assert_true(rig.cache.usable);
    rig.cache.begun.tv_sec += 10; /* the files are older than the replay */
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    golden_cache_close(&rig.cache);
    close(rig.fds[0]);
    close(rig.fds[1]);
    args_free(&rig.files);
    unsetenv("L3REPLAY_CACHE_DIR");
    unsetenv("L3REPLAY_CACHE_MAX");
    free(rig.read);
    temp_dir_remove(rig.dir);
    return 0;
}

static void keep(void)
{
    golden_cache_keep(&rig.cache, rig.key, "{\"rtol\":0.5}", &rig.files, rig.fds, 2);
}

static bool is_found(void)
{
    struct golden_entry e;
    bool found = golden_cache_find(&rig.cache, rig.key, 2, &e);

    golden_entry_free(&e);
    return found;
}

/* Path of a file of the entry. */
static char *part(const char *suffix)
{
    return store_path(&rig.cache.store, "golden", rig.key, suffix);
}

static void test_found_again(void **state)
{
    struct golden_entry e;
    struct json_source src = {.err = &rig.err};
    struct stat st;
    double rtol;
    char *text;

    (void)state;
    assert_false(is_found());
    keep();
    assert_true(golden_cache_find(&rig.cache, rig.key, 2, &e));
    assert_int_equal(json_get_number(&src, e.about, "rtol", &rtol), 0);
    assert_true(rtol == 0.5);
    assert_int_equal(e.files.n, 1);
    assert_string_equal(e.files.v[0], rig.read);
    assert_int_equal(e.arrays.n, 2);
    text = file_read(e.arrays.v[1], 100, NULL, &rig.err);
    assert_string_equal(text, "second");
    free(text);
    /* Weights are nobody else's to read. */
    assert_int_equal(stat(e.arrays.v[1], &st), 0);
    assert_int_equal(st.st_mode & 0777, 0400);
    golden_entry_free(&e);
    rig.key.low++;
    assert_false(is_found());
}

static void test_what_decided_it_changed(void **state)
{
    (void)state;
    keep();
    temp_dir_put_text(rig.dir, "helper.py", "SCALE = 2\n");
    assert_false(is_found());
    temp_dir_put_text(rig.dir, "helper.py", "SCALE = 1\n"); /* taken back: content counts, not time */
    assert_true(is_found());
    assert_int_equal(unlink(rig.read), 0);
    assert_false(is_found());
}

static void test_damage(void **state)
{
    char *text = part(".json"), *array = part(".1.npy");
    struct golden_entry e;
    int fd;

    (void)state;
    keep();
    assert_false(golden_cache_find(&rig.cache, rig.key, 1, &e)); /* of another number of arrays */
    assert_int_equal(chmod(text, 0600), 0);
    fd = open(text, O_WRONLY);
    assert_int_equal(pwrite(fd, "[", 1, 0), 1);
    close(fd);
    assert_false(is_found());
    keep();
    assert_true(is_found());
    assert_int_equal(unlink(array), 0);
    assert_false(is_found());
    /* A link to what somebody else wrote is no array, and is not followed when one is kept in its place. */
    temp_dir_put_text(rig.dir, "planted", "other!");
    free(text);
    text = file_join(rig.dir, "planted", NULL);
    assert_int_equal(symlink(text, array), 0);
    assert_false(is_found());
    keep();
    assert_true(is_found());
    free(array);
    array = file_read(text, 100, NULL, &rig.err);
    assert_string_equal(array, "other!");
    free(array);
    free(text);
}

static void test_not_kept(void **state)
{
    (void)state;
    rig.cache.begun.tv_sec -= 3600; /* the file was written while the replay ran */
    keep();
    assert_false(is_found());
    rig.cache.begun.tv_sec += 7200;
    rig.cache.limit = 11; /* of 12 bytes */
    keep();
    assert_false(is_found());
    rig.cache.limit = 12;
    rig.cache.usable = false;
    keep();
    assert_false(is_found());
}

/* A replay that has an array open watches that nobody writes to it; another one that finds the entry is no writer. */
static void test_found_by_two(void **state)
{
    struct timespec old[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};
    char *text = part(".json"), *array = part(".0.npy");
    struct stat before, after;

    (void)state;
    keep();
    assert_int_equal(utimensat(AT_FDCWD, array, old, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, text, old, 0), 0);
    assert_int_equal(stat(array, &before), 0);
    assert_true(is_found());
    assert_int_equal(stat(array, &after), 0);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
    assert_int_equal(stat(text, &after), 0);
    assert_true(after.st_mtim.tv_sec > before.st_mtim.tv_sec);
    free(text);
    free(array);
}

/* Entries count in the store, and go like others. */
static void test_room(void **state)
{
    struct store_size size;
    struct store_trimmed trimmed;
    struct golden_cache other;
    char *text = part(".json");

    (void)state;
    keep();
    assert_int_equal(store_measure(&rig.cache.store, &size, &rig.err), 0);
    assert_int_equal(size.ngolden, 3);
    assert_true(size.nbytes > 12);
    /* This process uses them. */
    assert_int_equal(store_trim(&rig.cache.store, 1, &trimmed, &rig.err), 0);
    assert_int_equal(trimmed.nused, 3);
    assert_int_equal(access(text, F_OK), 0);
    free(text);
    setenv("L3REPLAY_CACHE_MAX", "odd", 1);
    assert_int_equal(golden_cache_open(&other, &rig.err), -1);
    golden_cache_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_decided_it_changed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_found_by_two, setup, teardown),
        cmocka_unit_test_setup_teardown(test_room, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

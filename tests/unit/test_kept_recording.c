/* A recording that is kept: found again while what decided it is the same, whole, and ours; of what may come out another way
 * nothing is kept. */
#include "tests/support/temp_dir.h"

#include "common/base/file.h"
#include "orchestrator/kept/kept_files.h"
#include "orchestrator/record/kept_recording.h"

static struct rig {
    char *dir, *orch, *store;
    struct build build;
    struct sub_worker sub;
    struct kept_recording kept;
} rig;

static const char lines[] = "{\"end\": 4}\n{\"done\": 1}\n", python[] = "/bin/sh"; /* any program */

static void reopen(const char *request)
{
    kept_recording_close(&rig.kept);
    kept_recording_open(&rig.kept, &rig.build, request, python);
    assert_non_null(rig.kept.path);
    rig.kept.begun.tv_sec += 10; /* the files are older than the replay */
}

static int setup(void **state)
{
    (void)state;
    rig = (struct rig){.dir = temp_dir_make(), .sub = {.name = "check"}};
    rig.build.dir = rig.dir;
    temp_dir_put_text(rig.dir, "host_orch.py", "ROWS = 1\n");
    rig.orch = file_join(rig.dir, "host_orch.py", NULL);
    rig.store = file_join(rig.dir, "store", NULL);
    setenv("L3REPLAY_CACHE_DIR", rig.store, 1);
    reopen("request");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    kept_recording_close(&rig.kept);
    unsetenv("L3REPLAY_CACHE_DIR");
    unsetenv("PYTHONHASHSEED");
    free(rig.orch);
    free(rig.store);
    temp_dir_remove(rig.dir);
    return 0;
}

static void keep(void)
{
    struct args paths = {0};

    args_add(&paths, "%s", rig.orch);
    kept_recording_keep(&rig.kept, lines, sizeof lines - 1, &paths);
    args_free(&paths);
}

static bool is_found(void)
{
    char *found = kept_recording_find(&rig.kept);
    const bool same = found && strcmp(found, lines) == 0;

    assert_true(same || !found);
    free(found);
    return same;
}

static void test_found_while_files_are_the_same(void **state)
{
    (void)state;
    assert_false(is_found());
    keep();
    assert_true(is_found());
    temp_dir_put_text(rig.dir, "host_orch.py", "ROWS = 2\n");
    assert_false(is_found());
    temp_dir_put_text(rig.dir, "host_orch.py", "ROWS = 1\n"); /* times do not count */
    assert_true(is_found());
    assert_int_equal(unlink(rig.orch), 0);
    assert_false(is_found());
}

static void test_what_decides_it_is_its_name(void **state)
{
    (void)state;
    keep();
    reopen("another request");
    assert_false(is_found());
    rig.build.sub_workers = (struct sub_workers){.count = 1, .items = &rig.sub};
    reopen("request");
    assert_false(is_found());
    rig.build.sub_workers.count = 0;
    setenv("PYTHONHASHSEED", "5", 1);
    reopen("request");
    assert_false(is_found());
    unsetenv("PYTHONHASHSEED");
    reopen("request");
    assert_true(is_found());
}

static void test_without_files_nothing_is_kept(void **state)
{
    const struct args none = {0};

    (void)state;
    kept_recording_keep(&rig.kept, lines, sizeof lines - 1, &none);
    assert_false(is_found());
}

/* The recorder may have read what was there before. */
static void test_files_written_meanwhile_keep_nothing(void **state)
{
    (void)state;
    rig.kept.begun.tv_sec -= 20;
    keep();
    assert_false(is_found());
}

static void test_damaged_or_linked_entries_are_none(void **state)
{
    char *text, *aside;

    (void)state;
    keep();
    aside = file_join(rig.dir, "aside", NULL);
    assert_int_equal(rename(rig.kept.path, aside), 0);
    assert_int_equal(symlink(aside, rig.kept.path), 0);
    assert_false(is_found());
    assert_int_equal(unlink(rig.kept.path), 0);
    text = file_read(aside, 1 << 20, NULL, NULL);
    assert_non_null(text);
    strstr(text, "end")[0] = 'E';
    assert_int_equal(file_write(rig.kept.path, text, strlen(text), NULL), 0);
    assert_false(is_found());
    free(text);
    free(aside);
    keep();
    assert_true(is_found());
}

static void test_without_a_store_nothing_is_kept(void **state)
{
    (void)state;
    kept_recording_close(&rig.kept);
    setenv("L3REPLAY_CACHE_DIR", rig.orch, 1);
    kept_recording_open(&rig.kept, &rig.build, "request", python);
    assert_null(rig.kept.path);
    keep();
    assert_false(is_found());
    /* An interpreter that would be looked for at its start may be another one each time. */
    setenv("L3REPLAY_CACHE_DIR", rig.store, 1);
    kept_recording_close(&rig.kept);
    kept_recording_open(&rig.kept, &rig.build, "request", "python3");
    assert_null(rig.kept.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_while_files_are_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_decides_it_is_its_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_files_nothing_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files_written_meanwhile_keep_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_or_linked_entries_are_none, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_a_store_nothing_is_kept, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A directory of this process: who can enter it, and that it goes. */
#include <sys/wait.h>

#include "tests/support/temp_dir.h"

#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/private_dir.h"

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

static void test_only_we_can_enter(void **state)
{
    struct private_dir d;
    struct stat st;

    assert_int_equal(private_dir_make(&d, *state, "own.", NULL), 0);
    assert_int_equal(stat(d.path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    private_dir_remove(&d);
    assert_int_equal(temp_dir_count(*state), 0);
}

/* There it could be exchanged for another one. */
static void test_not_where_others_can_write(void **state)
{
    struct private_dir d;
    struct error err;

    assert_int_equal(chmod(*state, 0777), 0);
    assert_int_equal(private_dir_make(&d, *state, "own.", &err), -1);
    assert_non_null(strstr(err.what, *state));
    private_dir_remove(&d);
    assert_int_equal(temp_dir_count(*state), 0);
    assert_int_equal(chmod(*state, 0700), 0);
}

/* As when a signal comes; what links lead to stays. */
static void test_all_go_at_once(void **state)
{
    char *base = file_join(*state, "base", NULL), *outside = file_join(*state, "outside", NULL), *link;
    struct private_dir a, b;

    temp_dir_put_text(*state, "outside/file", "x");
    assert_int_equal(mkdir(base, 0700), 0);
    assert_int_equal(private_dir_make(&a, base, "a.", NULL), 0);
    assert_int_equal(private_dir_make(&b, base, "b.", NULL), 0);
    for (int i = 0; i < 300; i++) { /* more than one read of the directory gives */
        char name[64];

        snprintf(name, sizeof name, "d%d/a-file-with-a-long-name-%d", i % 7, i);
        temp_dir_put_text(a.path, name, "x");
    }
    link = file_join(b.path, "link", NULL);
    assert_int_equal(symlink(outside, link), 0);
    private_dir_remove_all();
    assert_int_equal(temp_dir_count(base), 0);
    assert_int_equal(temp_dir_count(outside), 1);
    private_dir_remove(&a);
    private_dir_remove(&b);
    free(link);
    free(base);
    free(outside);
}

/* A fork has none, and so takes none away. */
/* Somebody removed it while it was used, and a program that writes there made it again. */
static void test_one_that_was_made_again_goes(void **state)
{
    struct private_dir d = PRIVATE_DIR_NONE;
    struct error err;
    char *path, *below;

    assert_int_equal(private_dir_make(&d, *state, "own.", &err), 0);
    path = strdup(d.path);
    assert_int_equal(directory_remove(path, NULL), 0);
    below = file_join(path, "session", NULL);
    assert_int_equal(file_make_dirs(below, &err), 0);
    private_dir_remove(&d);
    assert_int_equal(access(path, F_OK), -1);
    free(below);
    free(path);
}

static void test_a_fork_has_none(void **state)
{
    struct private_dir d;
    int status;
    pid_t pid;

    assert_int_equal(private_dir_make(&d, *state, "own.", NULL), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        private_dir_remove_all();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(access(d.path, F_OK), 0);
    private_dir_remove(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_only_we_can_enter, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_where_others_can_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_all_go_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_that_was_made_again_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_fork_has_none, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

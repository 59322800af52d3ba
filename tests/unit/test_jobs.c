/* Child processes: output, codes, how many at once, and what ends them. */
#include <fcntl.h>
#include <signal.h>

#include "rank-worker/compile/jobs.h"
#include "tests/support/temp_dir.h"

static struct job_result run_shell(const char *script, int limit_ms, int rc)
{
    char *argv[] = {(char[]){"/bin/bash"}, (char[]){"-c"}, (char *)(size_t)script, NULL};
    struct job_result result = {0};
    struct error err = {0};

    assert_int_equal(job_run(&(struct job){.argv = argv, .limit_ms = limit_ms}, &result, &err), rc);
    return result;
}

static void test_output_and_code(void **state)
{
    struct job_result r = run_shell("echo out; echo err >&2; read line; echo \"<$line>\"; exit 7", 0, 0);

    (void)state;
    assert_int_equal(r.code, 7);
    /* Nothing to read: stdin is empty. */
    assert_string_equal(r.output, "out\nerr\n<>\n");
    assert_false(r.cut);
    free(r.output);
    r = run_shell("kill -SEGV $$", 0, 0);
    assert_int_equal(r.code, 128 + SIGSEGV);
    free(r.output);
}

static void test_long_output_is_cut(void **state)
{
    struct job_result r = run_shell("head -c 1000000 /dev/zero | tr '\\0' x; exit 3", 0, 0);

    (void)state;
    assert_int_equal(r.code, 3);
    assert_int_equal(strlen(r.output), JOB_OUTPUT_MAX);
    assert_true(r.cut);
    free(r.output);
}

static void test_no_such_program(void **state)
{
    char *argv[] = {(char[]){"/nowhere/compiler"}, NULL};
    struct job_result result = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(job_run(&(struct job){.argv = argv}, &result, &err), -1);
    assert_string_equal(err.what, "cannot start /nowhere/compiler: No such file or directory");
}

static void test_environment_is_the_given_one(void **state)
{
    char *argv[] = {(char[]){"/usr/bin/env"}, NULL}, *envp[] = {(char[]){"ONLY=this"}, NULL};
    struct job_result result = {0};
    struct error err = {0};

    (void)state;
    assert_int_equal(job_run(&(struct job){.argv = argv, .envp = envp}, &result, &err), 0);
    assert_string_equal(result.output, "ONLY=this\n");
    free(result.output);
}

static void test_patience_has_an_end(void **state)
{
    (void)state;
    run_shell("sleep 1000", 50, -1);
    run_shell("exec >&- 2>&-; sleep 1000", 50, -1);
}

/* Also one in a session of its own, whose parent has ended. */
static void test_a_held_pipe_is_no_output(void **state)
{
    struct job_result r = run_shell("(setsid sleep 1000 &); echo out; exit 3", 0, 0);

    (void)state;
    assert_int_equal(r.code, 3);
    assert_string_equal(r.output, "out\n");
    free(r.output);
}

static void test_pool_takes_everything_along(void **state)
{
    struct job_pool *pool = job_pool_new(1);
    char *dir = temp_dir_make(), *fifo, *script, *argv[] = {(char[]){"/bin/bash"}, (char[]){"-c"}, NULL, NULL}, byte;
    struct error err = {0};
    int fd;

    (void)state;
    assert_true(asprintf(&fifo, "%s/fifo", dir) > 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    /* A grandchild that listens to nothing holds the fifo as long as it lives. */
    assert_true(asprintf(&script, "exec 8>'%s'; trap '' TERM INT; (echo -n x >&8; sleep 1000) & wait", fifo) > 0);
    argv[2] = script;
    assert_int_equal(job_start(pool, &(struct job){.argv = argv}, &err), 0);
    fd = open(fifo, O_RDONLY);
    assert_int_equal(read(fd, &byte, 1), 1);
    job_pool_free(pool);
    assert_int_equal(read(fd, &byte, 1), 0);
    close(fd);
    free(script);
    free(fifo);
    temp_dir_remove(dir);
}

/* Two at once and no third before one ended: each waits for one byte, since a line could be shared between
 * the two that read it. */
static void test_pool_is_as_wide_as_asked(void **state)
{
    struct job_pool *pool = job_pool_new(2);
    char *dir = temp_dir_make(), *fifo, *script, *argv[] = {(char[]){"/bin/bash"}, (char[]){"-c"}, NULL, NULL};
    struct job_result result;
    struct error err = {0};
    int tags[2], fd;

    (void)state;
    assert_non_null(pool);
    assert_true(asprintf(&fifo, "%s/fifo", dir) > 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_true(asprintf(&script, "read -n 1 line <'%s'; echo \"got $line\"", fifo) > 0);
    argv[2] = script;
    assert_int_equal(job_wait(pool, -1, &result, &err), 0);
    for (int i = 0; i < 2; i++) {
        assert_false(job_pool_full(pool));
        assert_int_equal(job_start(pool, &(struct job){.argv = argv, .tag = &tags[i]}, &err), 0);
    }
    assert_true(job_pool_full(pool));
    assert_int_equal(job_pool_running(pool), 2);
    assert_int_equal(job_wait(pool, 0, &result, &err), 0);
    fd = open(fifo, O_RDWR);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(write(fd, "y", 1), 1);
        assert_int_equal(job_wait(pool, -1, &result, &err), 1);
        assert_string_equal(result.output, "got y\n");
        assert_true(result.tag == &tags[0] || result.tag == &tags[1]);
        assert_int_equal(result.code, 0);
        assert_int_equal(job_pool_running(pool), 1 - i);
        free(result.output);
    }
    close(fd);
    job_pool_free(pool);
    free(script);
    free(fifo);
    temp_dir_remove(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_and_code),          cmocka_unit_test(test_long_output_is_cut),
        cmocka_unit_test(test_no_such_program),          cmocka_unit_test(test_environment_is_the_given_one),
        cmocka_unit_test(test_patience_has_an_end),      cmocka_unit_test(test_pool_takes_everything_along),
        cmocka_unit_test(test_pool_is_as_wide_as_asked), cmocka_unit_test(test_a_held_pipe_is_no_output),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

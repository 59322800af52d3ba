/* Whole files in, whole files out. */
#include "temp_dir.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/file.h"

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

static void test_read(void **state)
{
    char *path = in(state, "f"), *text;
    struct error err;
    size_t size;

    temp_dir_put(*state, "f", "a\0b", 3);
    text = file_read(path, 3, &size, &err);
    assert_non_null(text);
    assert_int_equal(size, 3);
    assert_memory_equal(text, "a\0b", 4); /* with the NUL after it */
    free(text);
    assert_null(file_read(path, 2, &size, &err));
    assert_non_null(strstr(err.what, "3 bytes"));
    temp_dir_put(*state, "f", "", 0);
    text = file_read(path, 0, NULL, &err);
    assert_string_equal(text, "");
    free(text);
    free(path);
}

static void test_read_what_is_no_file(void **state)
{
    char *path = in(state, "fifo");
    struct error err;

    assert_null(file_read(*state, 100, NULL, &err));
    assert_non_null(strstr(err.what, "a directory"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(file_read(path, 100, NULL, &err)); /* and does not wait for a writer */
    free(path);
    path = in(state, "missing");
    assert_null(file_read(path, 100, NULL, &err));
    assert_non_null(strstr(err.what, path));
    free(path);
}

static void test_write_replaces(void **state)
{
    char *path = in(state, "f"), *text;
    struct error err;
    struct stat st;
    mode_t mask = umask(027);

    assert_int_equal(file_write(path, "one", 3, &err), 0);
    assert_int_equal(file_write(path, "three", 5, &err), 0);
    umask(mask);
    text = file_read(path, 100, NULL, &err);
    assert_string_equal(text, "three");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(temp_dir_count(*state), 1);
    free(text);
    free(path);
}

static void test_abort_and_failure(void **state)
{
    char *path = in(state, "f"), *beyond = in(state, "no/such/f");
    struct file_writer w;
    struct error err;

    temp_dir_put(*state, "f", "old", 3);
    assert_int_equal(file_write_begin(&w, path, &err), 0);
    fputs("new", w.stream);
    assert_int_equal(temp_dir_count(*state), 2);
    file_write_abort(&w);
    file_write_abort(&w); /* harmless */
    assert_int_equal(temp_dir_count(*state), 1);

    assert_int_equal(file_write_begin(&w, beyond, &err), -1);
    assert_non_null(strstr(err.what, beyond));
    file_write_abort(&w);

    /* A directory is in the way: nothing is left of the attempt. */
    free(beyond);
    beyond = in(state, "d");
    assert_int_equal(mkdir(beyond, 0700), 0);
    assert_int_equal(file_write(beyond, "x", 1, &err), -1);
    assert_int_equal(temp_dir_count(*state), 2);
    free(beyond);
    free(path);
}

static void test_full_disk(void **state)
{
    struct file_writer w;
    struct error err;
    FILE *full = fopen("/dev/full", "w");
    char *path = in(state, "f");

    assert_non_null(full);
    assert_int_equal(file_write_begin(&w, path, &err), 0);
    fclose(w.stream);
    w.stream = full;
    fputs("lost", w.stream);
    assert_int_equal(file_write_commit(&w, &err), -1);
    assert_non_null(strstr(err.what, path));
    assert_non_null(strstr(err.mend, "room"));
    assert_int_equal(temp_dir_count(*state), 0);
    free(path);
}

static void test_make_dirs(void **state)
{
    char *path = in(state, "a/b//c/"), *through = in(state, "f/x");
    struct error err;

    assert_int_equal(file_make_dirs(path, &err), 0);
    assert_true(file_is_directory(path));
    assert_int_equal(file_make_dirs(path, &err), 0);
    assert_int_equal(file_make_dirs("/", &err), 0);
    temp_dir_put(*state, "f", "", 0);
    assert_int_equal(file_make_dirs(through, &err), -1);
    assert_non_null(strstr(err.what, "in the way"));
    free(through);
    through = in(state, "f");
    assert_int_equal(file_make_dirs(through, &err), -1);
    assert_true(file_is_regular(through));
    assert_false(file_is_regular(*state));
    free(through);
    free(path);
}

/* Readers see one writer's content whole, whichever it is. */
static void *write_often(void *arg)
{
    static atomic_int next;
    char text[4096];

    memset(text, 'a' + next++, sizeof text);
    for (int i = 0; i < 50; i++) {
        if (file_write(arg, text, sizeof text, NULL))
            return arg;
    }
    return NULL;
}

static void test_writers_at_once(void **state)
{
    char *path = in(state, "f");
    pthread_t threads[4];
    void *failed;

    temp_dir_put(*state, "f", "", 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_often, path), 0);
    for (int i = 0; i < 200; i++) {
        size_t size;
        char *text = file_read(path, 10000, &size, NULL);
        assert_non_null(text);
        assert_true(size == 0 || size == 4096);
        for (size_t b = 1; b < size; b++)
            assert_int_equal(text[b], text[0]);
        free(text);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(temp_dir_count(*state), 1);
    free(path);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_read),      CASE(test_read_what_is_no_file), CASE(test_write_replaces),  CASE(test_abort_and_failure),
        CASE(test_full_disk), CASE(test_make_dirs),            CASE(test_writers_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

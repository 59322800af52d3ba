/* Whole files in, whole files out. */
#include "tests/support/temp_dir.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>

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

/* What is being written has the name by which left-overs are known. */
static void test_unfinished_name(void **state)
{
    char *path = file_join(*state, "k.1.so", NULL);
    DIR *dir = opendir(*state);
    const struct dirent *entry;
    struct file_writer w;
    struct error err;
    size_t length;

    assert_non_null(dir);
    assert_int_equal(file_write_begin(&w, path, &err), 0);
    do {
        entry = readdir(dir);
        assert_non_null(entry);
    } while (entry->d_name[0] == '.');
    assert_true(file_is_unfinished(entry->d_name, &length));
    assert_int_equal(length, strlen("k.1.so"));
    assert_memory_equal(entry->d_name, "k.1.so", length);
    file_write_abort(&w);
    closedir(dir);
    free(path);
    assert_false(file_is_unfinished("k.1.so", &length));
    assert_false(file_is_unfinished("", &length));
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
    assert_non_null(strstr(err.hint, "room"));
    assert_int_equal(temp_dir_count(*state), 0);
    free(path);
}

/* A write through a link changes what the link leads to, and the link stays, also one that leads to nothing yet. */
static void test_write_through_links(void **state)
{
    char *link = in(state, "link"), *chain = in(state, "chain"), *target = in(state, "d/target"), *text;
    char *loop = in(state, "loop"), *end = in(state, "end");
    struct error err;
    struct stat st;

    temp_dir_put(*state, "d/other", "", 0);
    assert_int_equal(symlink("d/target", link), 0); /* relative, to nothing */
    assert_int_equal(symlink(link, chain), 0);
    assert_int_equal(symlink("loop", loop), 0);
    assert_int_equal(symlink("no/such/file", end), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(file_check_writable(chain, &err), 0);
        assert_int_equal(file_write(chain, i ? "two" : "one", 3, &err), 0);
        text = file_read(target, 100, NULL, &err);
        assert_string_equal(text, i ? "two" : "one");
        free(text);
        assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
        assert_true(lstat(chain, &st) == 0 && S_ISLNK(st.st_mode));
    }
    assert_int_equal(temp_dir_count(*state), 5);
    assert_int_equal(file_check_writable(loop, &err), -1);
    assert_int_equal(file_write(loop, "x", 1, &err), -1);
    assert_int_equal(file_check_writable(end, &err), -1);
    assert_int_equal(file_write(end, "x", 1, &err), -1);
    assert_int_equal(temp_dir_count(*state), 5);
    free(link);
    free(chain);
    free(target);
    free(loop);
    free(end);
}

/* No device, FIFO or stream is ever replaced by a file. */
static void test_write_into_special_files(void **state)
{
    char *fifo = in(state, "fifo"), *full = in(state, "full"), buf[8] = "";
    struct error err;
    struct stat st;
    int reader;

    assert_int_equal(mkfifo(fifo, 0600), 0);
    reader = open(fifo, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(file_check_writable(fifo, &err), 0);
    assert_int_equal(file_write(fifo, "abc", 3, &err), 0);
    assert_int_equal(read(reader, buf, sizeof buf), 3);
    assert_string_equal(buf, "abc");
    assert_true(lstat(fifo, &st) == 0 && S_ISFIFO(st.st_mode));
    close(reader);

    assert_int_equal(symlink("/dev/full", full), 0);
    assert_int_equal(file_write(full, "abc", 3, &err), -1);
    assert_non_null(strstr(err.what, full));
    assert_non_null(strstr(err.what, strerror(ENOSPC)));
    assert_int_equal(file_write("/dev/null", "abc", 3, &err), 0);
    assert_true(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    assert_int_equal(temp_dir_count(*state), 2);
    free(fifo);
    free(full);
}

/* What is written to /dev/stdout of a redirected program stands between what it printed before and after. */
static void test_write_into_own_output(void **state)
{
    char *path = in(state, "log"), *text;
    int log = open(path, O_WRONLY | O_CREAT, 0600), saved, rcs[2];
    struct error err;

    assert_true(log >= 0);
    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    dup2(log, STDOUT_FILENO);
    printf("before ");
    rcs[0] = file_write("/dev/stdout", "one ", 4, &err);
    rcs[1] = file_write(path, "two ", 4, &err);
    printf("after");
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(log);
    assert_int_equal(rcs[0], 0);
    assert_int_equal(rcs[1], 0);
    text = file_read(path, 100, NULL, &err);
    assert_string_equal(text, "before one two after");
    assert_int_equal(temp_dir_count(*state), 1);
    free(text);
    free(path);
}

static void test_check_writable(void **state)
{
    char *made = in(state, "d"), *shut = in(state, "shut/f"), *beyond = in(state, "no/such/f"), *sub = in(state, "d/f");
    char *through = in(state, "file/f"), *dangling = in(state, "dangling");
    struct error err;
    int rcs[2];

    assert_int_equal(mkdir(made, 0700), 0);
    assert_int_equal(file_check_writable(sub, &err), 0);
    assert_int_equal(file_check_writable("plain name", &err), access(".", W_OK | X_OK));
    assert_int_equal(file_check_writable("", &err), -1);
    assert_int_equal(file_check_writable(made, &err), -1);
    assert_non_null(strstr(err.what, "is a directory"));
    assert_int_equal(file_check_writable(beyond, &err), -1);
    assert_non_null(strstr(err.what, beyond));
    assert_non_null(strstr(err.hint, "make that directory"));

    temp_dir_put(*state, "file", "", 0);
    assert_int_equal(symlink("nothing", dangling), 0);
    assert_int_equal(file_check_makeable(made, &err), 0);
    assert_int_equal(file_check_makeable(beyond, &err), 0);
    assert_int_equal(file_check_makeable("", &err), -1);
    assert_int_equal(file_check_makeable(dangling, &err), -1);
    assert_non_null(strstr(err.what, "in the way"));
    assert_int_equal(file_check_makeable(through, &err), -1);
    assert_int_equal(temp_dir_count(*state), 3); /* nothing was made */
    assert_int_equal(temp_dir_count(made), 0);

    temp_dir_put(*state, "shut/other", "", 0);
    *strrchr(shut, '/') = '\0';
    assert_int_equal(chmod(shut, 0500), 0);
    shut[strlen(shut)] = '/';
    if (temp_dir_plain_user(*state)) {
        rcs[0] = file_check_writable(shut, &err);
        rcs[1] = file_check_makeable(shut, &err);
        temp_dir_own_user();
        assert_int_equal(rcs[0], -1);
        assert_int_equal(rcs[1], -1);
        assert_non_null(strstr(err.what, strerror(EACCES)));
    }
    *strrchr(shut, '/') = '\0';
    assert_int_equal(chmod(shut, 0700), 0);
    free(made);
    free(shut);
    free(beyond);
    free(sub);
    free(through);
    free(dangling);
}

static void test_is_there(void **state)
{
    char *path = in(state, "f"), *through = in(state, "f/x");
    struct error err;
    int rc;

    assert_int_equal(file_is_there(path, &err), 0);
    assert_int_equal(symlink("nothing", path), 0);
    assert_int_equal(file_is_there(path, &err), -1);
    assert_non_null(strstr(err.what, path));
    assert_int_equal(unlink(path), 0);
    temp_dir_put(*state, "f", "", 0);
    assert_int_equal(file_is_there(path, &err), 1);
    assert_int_equal(file_is_there(*state, &err), 1);
    assert_int_equal(file_is_there(through, &err), -1);
    assert_int_equal(chmod(path, 0), 0);
    if (temp_dir_plain_user(*state)) {
        rc = file_is_there(path, &err);
        temp_dir_own_user();
        assert_int_equal(rc, -1);
        assert_non_null(strstr(err.what, strerror(EACCES)));
    }
    free(path);
    free(through);
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
        if (file_write(arg, text, sizeof text, NULL)) {
            return arg;
        }
    }
    return NULL;
}

static void test_writers_at_once(void **state)
{
    char *path = in(state, "f");
    pthread_t threads[4];
    void *failed;

    temp_dir_put(*state, "f", "", 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, write_often, path), 0);
    }
    for (int i = 0; i < 200; i++) {
        size_t size;
        char *text = file_read(path, 10000, &size, NULL);
        assert_non_null(text);
        assert_true(size == 0 || size == 4096);
        for (size_t b = 1; b < size; b++) {
            assert_int_equal(text[b], text[0]);
        }
        free(text);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(temp_dir_count(*state), 1);
    free(path);
}

/* What has a name of ours replaces what somebody planted there, a FIFO too, which would have to wait for a reader. */
static void test_replace_what_was_planted(void **state)
{
    char *victim = in(state, "victim"), *place = in(state, "place"), *text;
    int (*const ways[])(const char *, const void *, size_t, struct error *) = {file_replace, file_write_unsynced};
    struct error err;
    struct stat st;

    temp_dir_put_text(*state, "victim", "precious");
    for (int i = 0; i < 6; i++) {
        assert_int_equal(i < 2 ? mkfifo(place, 0600) : i < 4 ? symlink(victim, place) : mkdir(place, 0700), 0);
        assert_int_equal(ways[i % 2](place, "new", 3, &err), 0);
        assert_true(lstat(place, &st) == 0 && S_ISREG(st.st_mode));
        text = file_read(place, 100, NULL, &err);
        assert_string_equal(text, "new");
        free(text);
        assert_int_equal(unlink(place), 0);
    }
    text = file_read(victim, 100, NULL, &err);
    assert_string_equal(text, "precious");
    free(text);
    free(victim);
    free(place);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_read),
        CASE(test_read_what_is_no_file),
        CASE(test_write_replaces),
        CASE(test_abort_and_failure),
        CASE(test_unfinished_name),
        CASE(test_full_disk),
        CASE(test_make_dirs),
        CASE(test_writers_at_once),
        CASE(test_write_through_links),
        CASE(test_replace_what_was_planted),
        CASE(test_write_into_special_files),
        CASE(test_write_into_own_output),
        CASE(test_check_writable),
        CASE(test_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

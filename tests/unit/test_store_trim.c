/* The limit of the object store: what goes first, what stays, and who is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "common/base/args.h"
#include "rank-worker/compile/store_trim.h"
#include "rank-worker/compile/store_use.h"
#include "tests/support/temp_dir.h"

static const char *const names[] = {"objects/aa/1.so", "objects/bb/2.so", "headers/cc/3", "pch/dd/4.pch"};

enum { COUNT = 4, SIZE = 100 };

/* A store of four entries of 100 bytes, last used 4, 3, 2 and 1 hours ago. */
static char *make_store(struct store *s)
{
    char *dir = temp_dir_make(), text[SIZE + 1], name[64];
    struct error err;

    memset(text, 'x', SIZE);
    text[SIZE] = '\0';
    assert_int_equal(setenv("L3REPLAY_CACHE_DIR", dir, 1), 0);
    assert_int_equal(store_open(s, &err), 0);
    for (int i = 0; i < COUNT; i++) {
        struct timespec times[2] = {{.tv_sec = time(NULL) - 3600 * (COUNT - i)}};
        char *path;

        times[1] = times[0];
        snprintf(name, sizeof name, "v1/%s", names[i]);
        temp_dir_put_text(dir, name, text);
        path = text_format("%s/%s", s->root, names[i]);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
        free(path);
    }
    temp_dir_put_text(dir, "v1/pch/dd/4.hpp", text);
    temp_dir_put_text(dir, "v1/pch/dd/4.pch.seal", text);
    temp_dir_put_text(dir, "v1/tools/ee/5", text);
    return dir;
}

static void drop_store(struct store *s, char *dir)
{
    store_close(s);
    unsetenv("L3REPLAY_CACHE_DIR");
    temp_dir_remove(dir);
}

static bool is_there(const struct store *s, const char *name)
{
    char *path = text_format("%s/%s", s->root, name);
    bool there = access(path, F_OK) == 0;

    free(path);
    return there;
}

static void use(const struct store *s, const char *name)
{
    char *path = text_format("%s/%s", s->root, name);
    struct error err;

    if (store_use(s, path, &err) < 0) {
        fail_msg("%s: %s", err.where, err.what);
    }
    free(path);
}

static struct store_trimmed trim(const struct store *s, uint64_t limit)
{
    struct store_trimmed out;
    struct error err;

    if (store_trim(s, limit, &out, &err) < 0) {
        fail_msg("%s: %s", err.where, err.what);
    }
    return out;
}

static void test_the_oldest_go_until_the_limit_is_met(void **state)
{
    struct store s;
    char *dir = make_store(&s);
    struct store_trimmed out = trim(&s, COUNT * SIZE);

    (void)state;
    assert_int_equal(out.nentry, 0);
    assert_int_equal(out.left.nbytes, 400);
    assert_int_equal(out.left.nobject, 2);
    assert_int_equal(out.left.nlist, 1);
    assert_int_equal(out.left.nheader, 1);
    out = trim(&s, COUNT * SIZE - 1);
    assert_int_equal(out.nentry, 1);
    assert_int_equal(out.nbytes, 100);
    assert_false(is_there(&s, names[0]));
    assert_true(is_there(&s, names[1]));
    out = trim(&s, 100);
    assert_int_equal(out.nentry, 2);
    assert_int_equal(out.left.nbytes, 100);
    assert_int_equal(out.left.nheader, 1);
    assert_true(is_there(&s, names[3]));
    out = trim(&s, 0);
    assert_int_equal(out.left.nbytes, 0);
    assert_false(is_there(&s, names[3]));
    assert_false(is_there(&s, "pch/dd/4.pch.seal")); /* goes with its header, and is not counted */
    /* Neither is an entry. */
    assert_true(is_there(&s, "pch/dd/4.hpp"));
    assert_true(is_there(&s, "tools/ee/5"));
    drop_store(&s, dir);
}

static void test_used_means_younger(void **state)
{
    struct store s;
    char *dir = make_store(&s);
    pid_t pid = fork();
    int status;

    (void)state;
    if (pid == 0) { /* a process that has ended protects nothing */
        use(&s, names[0]);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(trim(&s, 100).nentry, 3);
    assert_true(is_there(&s, names[0]));
    assert_int_equal(trim(&s, 99).nentry, 1);
    drop_store(&s, dir);
}

/* Its own time says nothing of an array of golden.py: who has it open watches that nobody writes to it. */
static void test_an_array_is_as_old_as_its_entry(void **state)
{
    static const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct store s;
    char *dir = make_store(&s), *array = text_format("%s/golden/ab/12.3.npy", s.root);

    (void)state;
    temp_dir_put_text(dir, "v1/golden/ab/12.json", "{}");
    temp_dir_put_text(dir, "v1/golden/ab/12.3.npy", "array");
    assert_int_equal(utimensat(AT_FDCWD, array, old, 0), 0);
    assert_int_equal(trim(&s, 7).nentry, COUNT);
    assert_true(is_there(&s, "golden/ab/12.json"));
    assert_true(is_there(&s, "golden/ab/12.3.npy"));
    assert_int_equal(trim(&s, 0).left.ngolden, 0);
    free(array);
    drop_store(&s, dir);
}

/* Lives until it is killed, having used `name`. */
static pid_t start_user(const struct store *s, const char *name)
{
    int fds[2];
    pid_t pid;
    char byte;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    if (pid == 0) {
        use(s, name);
        if (write(fds[1], "", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    assert_true(pid > 0);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    close(fds[0]);
    close(fds[1]);
    return pid;
}

static void end_user(pid_t pid)
{
    int status;

    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void test_what_is_used_stays(void **state)
{
    struct store s;
    char *dir = make_store(&s);
    pid_t one = start_user(&s, names[1]), other = start_user(&s, names[1]);
    struct store_trimmed out = trim(&s, 0);

    (void)state;
    assert_int_equal(out.nentry, 3);
    assert_int_equal(out.nused, 1);
    assert_int_equal(out.left.nbytes, 100);
    assert_true(is_there(&s, names[1]));
    end_user(one);
    assert_int_equal(trim(&s, 0).nused, 1);
    end_user(other);
    out = trim(&s, 0);
    assert_int_equal(out.nused, 0);
    assert_int_equal(out.nentry, 1);
    assert_false(is_there(&s, names[1]));
    drop_store(&s, dir);
}

/* An entry may be listed before it is there, as one that is being made is. */
static void test_what_is_made_stays(void **state)
{
    struct store s;
    char *dir = make_store(&s);
    pid_t user = start_user(&s, "objects/ff/6.so");

    (void)state;
    temp_dir_put_text(dir, "v1/objects/ff/6.so", "new");
    assert_int_equal(trim(&s, 0).left.nobject, 1);
    assert_true(is_there(&s, "objects/ff/6.so"));
    end_user(user);
    drop_store(&s, dir);
}

static void test_lists_of_the_dead_are_removed(void **state)
{
    struct store s;
    char *dir = make_store(&s), *users = text_format("%s/users", s.root);
    pid_t user = start_user(&s, names[0]);

    (void)state;
    end_user(user);
    assert_int_not_equal(rmdir(users), 0);
    trim(&s, 1000);
    assert_int_equal(rmdir(users), 0); /* empty */
    assert_int_equal(mkdir(users, 0777), 0);
    free(users);
    drop_store(&s, dir);
}

/* Processes that look up, check and go, while another one trims to nothing: who has listed an entry and then seen it
 * keeps it. */
static void test_looking_up_beside_trimming(void **state)
{
    struct store s;
    char *dir = make_store(&s);
    pid_t users[3];
    int status, ended = 0;

    (void)state;
    for (int u = 0; u < 3; u++) {
        users[u] = fork();
        if (users[u]) {
            continue;
        }
        for (int round = 0; round < 60; round++) {
            char name[64];

            snprintf(name, sizeof name, "v1/objects/%02x/%d-%d.so", round % 7, u, round);
            temp_dir_put_text(dir, name, "object");
            use(&s, name + 3);
            if (!is_there(&s, name + 3)) { /* trimmed before it was listed */
                continue;
            }
            for (int again = 0; again < 5; again++) {
                if (!is_there(&s, name + 3)) {
                    _exit(1);
                }
            }
        }
        _exit(0);
    }
    while (ended < 3) {
        trim(&s, 0);
        for (int u = 0; u < 3; u++) {
            if (users[u] > 0 && waitpid(users[u], &status, WNOHANG) == users[u]) {
                assert_int_equal(status, 0);
                users[u] = 0;
                ended++;
            }
        }
    }
    assert_int_equal(trim(&s, 0).left.nbytes, 0);
    drop_store(&s, dir);
}

static void test_limits(void **state)
{
    static const struct {
        const char *text;
        uint64_t nbytes; /* 1: refused */
    } cases[] = {{"", UINT64_C(5) << 30},
                 {"0", 0},
                 {"123", 123},
                 {"2K", 2048},
                 {"3M", 3 << 20},
                 {"5G", UINT64_C(5) << 30},
                 {"G", 1},
                 {"-2K", 1},
                 {" 2K", 1},
                 {"2k", 2048},
                 {"2KB", 2048},
                 {"2kb", 2048},
                 {"7B", 7},
                 {"1T", UINT64_C(1) << 40},
                 {"2KBB", 1},
                 {"2Bk", 1},
                 {"B", 1},
                 {"2.5G", 1},
                 {"99999999999999999999", 1},
                 {"17179869183G", UINT64_C(17179869183) << 30},
                 {"17179869184G", 1}};
    struct error err;
    uint64_t nbytes;

    (void)state;
    unsetenv("L3REPLAY_CACHE_MAX");
    assert_int_equal(store_limit(&nbytes, &err), 0);
    assert_true(nbytes == UINT64_C(5) << 30);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(setenv("L3REPLAY_CACHE_MAX", cases[i].text, 1), 0);
        if (store_limit(&nbytes, &err) != (cases[i].nbytes == 1 ? -1 : 0) ||
            (cases[i].nbytes != 1 && nbytes != cases[i].nbytes)) {
            fail_msg("'%s'", cases[i].text);
        }
    }
    unsetenv("L3REPLAY_CACHE_MAX");
}

static void test_counts_add_up(void **state)
{
    struct store s;
    char *dir = make_store(&s);
    struct store_counts c = store_counts_read(&s);

    (void)state;
    assert_true(c.lookups == 0 && c.hits == 0);
    store_count(&s, (struct store_counts){10, 4});
    store_count(&s, (struct store_counts){5, 5});
    c = store_counts_read(&s);
    assert_true(c.lookups == 15 && c.hits == 9);
    temp_dir_put_text(dir, "v1/counts", "3 nonsense");
    c = store_counts_read(&s);
    assert_true(c.lookups == 0 && c.hits == 0);
    temp_dir_put_text(dir, "v1/counts", "3 4");
    c = store_counts_read(&s);
    assert_true(c.lookups == 0 && c.hits == 0);
    store_counts_clear(&s);
    assert_false(is_there(&s, "counts"));
    drop_store(&s, dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_oldest_go_until_the_limit_is_met),
        cmocka_unit_test(test_used_means_younger),
        cmocka_unit_test(test_an_array_is_as_old_as_its_entry),
        cmocka_unit_test(test_what_is_used_stays),
        cmocka_unit_test(test_what_is_made_stays),
        cmocka_unit_test(test_lists_of_the_dead_are_removed),
        cmocka_unit_test(test_looking_up_beside_trimming),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_counts_add_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

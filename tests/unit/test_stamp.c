/* The stamp of binaries, the transaction around a compile, and the locks. */
#include "tests/support/temp_dir.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "common/base/file.h"
#include "common/base/lock.h"
#include "common/base/log.h"
#include "rank-worker/cache/lock_files.h"
#include "rank-worker/cache/transaction.h"
#include "rank-worker/compile/identity.h"

/* As the Python tools write it. */
#define PYTHONS                                                                                                        \
    "{\n  \"platform\": \"a2a3sim\",\n  \"pto_isa_revision\": \"aaaa\",\n"                                             \
    "  \"runtime_name\": \"tensormap_and_ringbuffer\",\n  \"runtime_revision\": \"bbbb\",\n  \"schema\": 1\n}\n"

static char runtime[] = "tensormap_and_ringbuffer", platform[] = "a2a3sim", isa[] = "aaaa", sha[] = "bbbb";
static const struct cache_identity today = {platform, runtime, sha, isa};

static int setup(void **state)
{
    log_set_level(LOG_NULL);
    *state = temp_dir_make();
    return 0;
}

static int teardown(void **state)
{
    temp_dir_remove(*state);
    return 0;
}

static void expect_verdict(const char *dir, const struct cache_identity *id, enum stamp_reason reason, const char *text)
{
    struct stamp_verdict v;

    stamp_check(dir, id, false, &v);
    assert_string_equal(v.text, text);
    assert_int_equal(v.reason, reason);
}

static bool has(const char *dir, const char *name)
{
    char *path = file_join(dir, name, NULL);
    bool yes = access(path, F_OK) == 0;

    free(path);
    return yes;
}

static void test_reasons(void **state)
{
    const char *dir = *state;
    char other[] = "a2a3", newer[] = "cccc", empty[] = "";
    struct cache_identity id = today;
    struct stamp_verdict v;

    expect_verdict(dir, &today, STAMP_NONE, "no stamp");
    temp_dir_put_text(dir, STAMP_FILE, PYTHONS);
    expect_verdict(dir, &today, STAMP_CURRENT, "current");
    stamp_check(dir, &today, true, &v);
    assert_int_equal(v.reason, STAMP_FORCED);
    assert_string_equal(v.text, "forced");
    id.platform = other;
    expect_verdict(dir, &id, STAMP_DIFFERS, "platform a2a3sim -> a2a3");
    id = today;
    id.runtime_name = other;
    expect_verdict(dir, &id, STAMP_DIFFERS, "runtime tensormap_and_ringbuffer -> a2a3");
    id = today;
    id.runtime_revision = newer;
    expect_verdict(dir, &id, STAMP_DIFFERS, "runtime revision bbbb -> cccc");
    id.runtime_revision = NULL;
    expect_verdict(dir, &id, STAMP_REVISION_UNKNOWN, "runtime revision unknown");
    id.runtime_revision = empty;
    expect_verdict(dir, &id, STAMP_REVISION_UNKNOWN, "runtime revision unknown");
    id = today;
    id.pto_isa_revision = newer;
    expect_verdict(dir, &id, STAMP_DIFFERS, "PTO-ISA revision aaaa -> cccc");
    id.pto_isa_revision = NULL;
    expect_verdict(dir, &id, STAMP_REVISION_UNKNOWN, "PTO-ISA revision unknown");
}

static void test_damaged(void **state)
{
    static const char *const texts[] = {"", "{", "[]", "1", "\"x\"", PYTHONS PYTHONS, "\xff"};
    const char *dir = *state;
    struct stamp_verdict v;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        temp_dir_put_text(dir, STAMP_FILE, texts[i]);
        stamp_check(dir, &today, false, &v);
        assert_int_equal(v.reason, STAMP_DAMAGED);
        assert_ptr_equal(strstr(v.text, "the stamp is damaged: "), v.text);
        assert_non_null(strstr(v.text, "binary_context.json"));
    }
    temp_dir_put_text(dir, STAMP_FILE, "{\"schema\": 2}");
    expect_verdict(dir, &today, STAMP_DIFFERS, "schema 2 -> 1");
    temp_dir_put_text(dir, STAMP_FILE, "{\"platform\": \"a2a3sim\"}");
    expect_verdict(dir, &today, STAMP_DIFFERS, "schema none -> 1");
    temp_dir_put_text(dir, STAMP_FILE, "{\"schema\": 1, \"platform\": 7}");
    expect_verdict(dir, &today, STAMP_DIFFERS, "platform none -> a2a3sim");
    temp_dir_put_text(dir, STAMP_FILE,
                      "{\"platform\": \"a2a3sim\", \"pto_isa_revision\": \"aaaa\", \"runtime_name\": "
                      "\"tensormap_and_ringbuffer\", \"runtime_revision\": \"bbbb\", \"schema\": 1, \"flags\": 1}");
    expect_verdict(dir, &today, STAMP_DIFFERS, "the stamp has more fields than are known");
}

static void test_write(void **state)
{
    const char *dir = *state;
    char p[512], q[512];
    struct cache_identity id = today;
    struct error err;

    temp_dir_put_text(dir, "cache/x.bin", "");
    id.runtime_revision = NULL;
    assert_int_equal(stamp_write(dir, &id, &err), 0);
    assert_false(has(dir, STAMP_FILE));
    assert_int_equal(stamp_write(dir, &today, &err), 0);
    expect_verdict(dir, &today, STAMP_CURRENT, "current");
    assert_int_equal(stamp_discard(dir, &err), 0);
    assert_int_equal(stamp_discard(dir, &err), 0);
    expect_verdict(dir, &today, STAMP_NONE, "no stamp");
    assert_int_equal(stamp_discard("/nowhere/at/all", &err), 0);
    assert_int_equal(stamp_write("/nowhere/at/all", &today, &err), -1);
    snprintf(p, sizeof p, "%s/p", dir);
    snprintf(q, sizeof q, "%s/q", dir);
    temp_dir_put_text(dir, "p/cache", "");
    temp_dir_put_text(dir, "q/" STAMP_FILE "/x", "");
    assert_int_equal(stamp_discard(p, &err), 0); /* no directory, so no stamp in it */
    assert_int_equal(stamp_discard(q, &err), -1);
    assert_non_null(strstr(err.what, "cannot delete"));
}

/* A current stamp keeps binaries, but goes before anything is compiled; an interrupted compile leaves none. */
static void test_transaction(void **state)
{
    const char *dir = *state;
    struct cache_transaction t;
    struct error err;

    temp_dir_put_text(dir, STAMP_FILE, PYTHONS);
    temp_dir_put_text(dir, "cache/incore_0_aiv_k_a2a3sim.bin", "x");
    temp_dir_put_text(dir, "kernels/aiv/k.so", "x");
    assert_int_equal(cache_begin(&t, dir, dir, &today, false, 0, &err), 0);
    assert_int_equal(t.verdict.reason, STAMP_CURRENT);
    assert_false(has(dir, STAMP_FILE));
    assert_true(has(dir, "cache/incore_0_aiv_k_a2a3sim.bin"));
    assert_int_equal(cache_commit(&t, &err), 0);
    cache_abort(&t);
    expect_verdict(dir, &today, STAMP_CURRENT, "current");

    assert_int_equal(cache_begin(&t, dir, dir, &today, false, 0, &err), 0);
    cache_abort(&t);
    expect_verdict(dir, &today, STAMP_NONE, "no stamp");
    assert_true(has(dir, "kernels/aiv/k.so"));

    assert_int_equal(cache_begin(&t, dir, dir, &today, false, 0, &err), 0);
    assert_int_equal(t.removed, 2);
    assert_false(has(dir, "kernels/aiv/k.so"));
    assert_int_equal(cache_commit(&t, &err), 0);
    assert_true(has(dir, LOCK_BINARIES_FILE));
}

static void test_transaction_unknown(void **state)
{
    const char *dir = *state;
    struct cache_identity id = today;
    struct cache_transaction t;
    struct error err;

    id.pto_isa_revision = NULL;
    temp_dir_put_text(dir, STAMP_FILE, PYTHONS);
    temp_dir_put_text(dir, "cache/orch_o.bin", "x");
    assert_int_equal(cache_begin(&t, dir, dir, &id, false, 0, &err), 0);
    assert_int_equal(t.removed, 1);
    assert_int_equal(cache_commit(&t, &err), 0);
    assert_false(has(dir, STAMP_FILE));
}

/* Start a process that holds the lock at `path` until it is killed; returns when it does. */
static pid_t hold(const char *path)
{
    int fds[2];
    char c;
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when the test fails */
        if (lock_take(path, 1, NULL) < 0 || write(fds[1], "x", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    assert_int_equal(read(fds[0], &c, 1), 1);
    close(fds[0]);
    close(fds[1]);
    return pid;
}

static void test_lock(void **state)
{
    char *path = file_join(*state, "lock", NULL);
    struct error err;
    struct stat before, after;
    pid_t holder = hold(path);
    int fd;

    assert_int_equal(stat(path, &before), 0);
    assert_int_equal(lock_take(path, 1, &err), -1);
    assert_non_null(strstr(err.what, path));
    assert_int_equal(kill(holder, SIGKILL), 0);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
    fd = lock_take(path, 1, &err);
    assert_true(fd >= 0);
    lock_release(fd);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    free(path);
}

static void test_lock_errors(void **state)
{
    char *path = file_join(*state, "none/lock", NULL);
    struct error err;

    assert_int_equal(lock_take(path, 1, &err), -1);
    assert_non_null(strstr(err.what, path));
    free(path);
    temp_dir_put_text(*state, "file", "");
    assert_int_equal(lock_take(*state, 1, &err), -1);
}

/* An empty directory and a link to elsewhere stand in nobody's way. */
static void test_lock_makes_its_place(void **state)
{
    char *path = file_join(*state, "lock", NULL), *victim = file_join(*state, "victim", NULL);
    struct error err;
    struct stat st;
    int fd;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(i ? symlink(victim, path) : mkdir(path, 0700), 0);
        fd = lock_take(path, 1, &err);
        assert_true(fd >= 0);
        lock_release(fd);
        assert_true(lstat(path, &st) == 0 && S_ISREG(st.st_mode));
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(lstat(victim, &st), -1);
    free(victim);
    free(path);
}

/* Two lockers of which one's file was taken away meanwhile must not both go on. */
static void test_lock_file_replaced(void **state)
{
    char *path = file_join(*state, "lock", NULL);
    struct error err;
    pid_t first = hold(path), second;

    assert_int_equal(unlink(path), 0);
    second = hold(path);
    assert_int_equal(kill(first, SIGKILL), 0);
    assert_int_equal(waitpid(first, NULL, 0), first);
    assert_int_equal(lock_take(path, 1, &err), -1);
    assert_int_equal(kill(second, SIGKILL), 0);
    assert_int_equal(waitpid(second, NULL, 0), second);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_reasons, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_transaction, setup, teardown),
        cmocka_unit_test_setup_teardown(test_transaction_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_makes_its_place, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_file_replaced, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

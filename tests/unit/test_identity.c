/* Revisions of checkouts, digests of directories, and the identity of the cpu device. */
#include "tests/support/temp_dir.h"

#include "common/base/file.h"
#include "common/base/log.h"
#include "rank-worker/compile/identity.h"
#include "rank-worker/compile/toolchain.h"

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

static void shell(const char *dir, const char *command)
{
    char *line;

    assert_true(asprintf(&line, "cd '%s' && (%s) >/dev/null 2>&1", dir, command) > 0);
    assert_int_equal(system(line), 0);
    free(line);
}

#define COMMIT                                                                                                         \
    "git init -q . && git add . && git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -q -m m"

static char *revision(const char *dir, const char *expected)
{
    const char *why;
    char *text = identity_checkout(dir, &why);

    assert_true(!text == !!why);
    if (expected) {
        assert_non_null(strstr(why ? why : "", expected));
    }
    return text;
}

static void test_checkout(void **state)
{
    const char *dir = *state;
    char *text;

    if (system("git --version >/dev/null 2>&1") != 0) {
        skip();
    }
    temp_dir_put_text(dir, "include/a.h", "1");
    temp_dir_put_text(dir, ".gitignore", "*.o\n");
    assert_null(revision(dir, "not a git checkout"));
    shell(dir, "git init -q .");
    assert_null(revision(dir, "does not know its revision")); /* no commit yet */
    shell(dir, COMMIT);
    text = revision(dir, NULL);
    assert_non_null(text);
    assert_int_equal(strlen(text), 40);
    /* An ignored file is no change; an untracked or edited one is. */
    temp_dir_put_text(dir, "x.o", "");
    free(text);
    text = revision(dir, NULL);
    assert_non_null(text);
    free(text);
    /* Hooks of another repository may have set this. */
    setenv("GIT_DIR", "/nowhere", 1);
    text = revision(dir, NULL);
    unsetenv("GIT_DIR");
    assert_non_null(text);
    free(text);
    temp_dir_put_text(dir, "new.h", "");
    assert_null(revision(dir, "changed or added"));
    shell(dir, "rm new.h; echo 2 >include/a.h");
    assert_null(revision(dir, "changed or added"));
}

/* A damaged checkout is not taken for one without git. */
static void test_broken_checkout(void **state)
{
    temp_dir_put_text(*state, ".git/HEAD", "ref: refs/heads/none\n");
    assert_null(revision(*state, "does not know its revision"));
}

static char *content(const char *dir)
{
    struct error err;
    char *text = identity_content(dir, &err);

    assert_non_null(text);
    assert_memory_equal(text, "l3replay-content-", 17);
    assert_int_equal(strlen(text), 17 + 32);
    return text;
}

static void expect_content(const char *dir, const char *before, bool same)
{
    char *now = content(dir);

    assert_int_equal(strcmp(before, now) == 0, same);
    free(now);
}

static void test_content(void **state)
{
    const char *dir = *state;
    char *a = file_join(dir, "a", NULL), *b = file_join(dir, "b", NULL), *before;
    struct error err;

    temp_dir_put_text(dir, "a/x.h", "12");
    temp_dir_put_text(dir, "a/sub/y.h", "3");
    before = content(a);
    temp_dir_put_text(dir, "b/sub/y.h", "3");
    expect_content(b, before, false);
    temp_dir_put_text(dir, "b/x.h", "12");
    expect_content(b, before, true); /* wherever it is */
    temp_dir_put_text(dir, "b/.git/HEAD", "x");
    expect_content(b, before, true);
    temp_dir_put_text(dir, "b/x.h", "13");
    expect_content(b, before, false);
    temp_dir_put_text(dir, "b/x.h", "12");
    shell(b, "mv sub/y.h sub/z.h");
    expect_content(b, before, false);
    shell(b, "mv sub/z.h sub/y.h; mv x.h sub/x.h");
    expect_content(b, before, false);
    free(before);
    assert_null(identity_content("/nowhere/at/all", &err));
    shell(a, "ln -s nowhere dangling.h");
    before = identity_content(a, &err);
    assert_non_null(before); /* what cannot be included does not count */
    free(before);
    free(a);
    free(b);
}

static void expect_cpu(const char *include, const struct toolchain *kernel, const struct toolchain *orchestration,
                       const char *before, bool same)
{
    struct error err;
    char *now = identity_cpu_revision(include, kernel, orchestration, &err);

    assert_non_null(now);
    assert_int_equal(strcmp(before, now) == 0, same);
    free(now);
}

/* Whatever of ours changes, the revision does; and it is never what the Python tools write. */
static void test_cpu(void **state)
{
    char gcc[] = "/usr/bin/g++", version[] = "g++ 12", *include = file_join(*state, "inc", NULL);
    struct toolchain kernel = {.path = gcc, .version = version, .major = 12, .id = {1, 2}}, other = kernel;
    struct error err;
    char *first;

    temp_dir_put_text(*state, "inc/tensor.h", "1");
    first = identity_cpu_revision(include, &kernel, &kernel, &err);
    assert_non_null(first);
    assert_memory_equal(first, "l3replay-cpu-", 13);
    other.id.low = 3;
    expect_cpu(include, &kernel, &other, first, false);
    expect_cpu(include, &other, &kernel, first, false);
    other = kernel;
    other.bfloat16 = BFLOAT16_SHIM; /* a stamp is checked before the probe and written after it */
    expect_cpu(include, &other, &kernel, first, true);
    temp_dir_put_text(*state, "inc/tensor.h", "2");
    expect_cpu(include, &kernel, &kernel, first, false);
    assert_null(identity_cpu_revision("/nowhere/at/all", &kernel, &kernel, &err));
    free(first);
    free(include);
}

static void test_pto(void **state)
{
    char *isa = file_join(*state, "isa", NULL), *text;
    struct error err;

    text = identity_pto_revision(NULL, &err);
    assert_string_equal(text, "l3replay-none");
    free(text);
    temp_dir_put_text(*state, "isa/include/pto/pto-inst.hpp", "1");
    text = identity_pto_revision(isa, &err);
    assert_non_null(text);
    assert_memory_equal(text, "l3replay-content-", 17);
    free(text);
    assert_null(identity_pto_revision("/nowhere", &err));
    free(isa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_checkout, setup, teardown),
        cmocka_unit_test_setup_teardown(test_broken_checkout, setup, teardown),
        cmocka_unit_test_setup_teardown(test_content, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cpu, setup, teardown),
        cmocka_unit_test_setup_teardown(test_pto, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

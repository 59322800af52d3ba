/* Entries of the store that are not what was kept there, and compilers that fail because of the machine. */
#include "tests/support/compile_fixture.h"

static const char plain[] = "extern \"C\" int kernel_entry() { return 7; }\n";

/* What is found under the name of an entry need not be one: none of it may block, be used, or end the job. */
static void test_what_is_no_entry_is_made_again(void **state)
{
    struct fixture f;
    char *path, byte;
    int fd;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    fixture_expect(&f, 2, 0);
    path = strdup(f.out.items[0].kernels[0]);
    for (int what = 0; what < 5; what++) {
        chmod(path, 0644);
        if (what == 0) { /* one byte of the code, in the middle of a file that still is an object */
            fd = open(path, O_RDWR);
            assert_int_equal(pread(fd, &byte, 1, 4096), 1);
            byte ^= 1;
            assert_int_equal(pwrite(fd, &byte, 1, 4096), 1);
            close(fd);
        } else {
            assert_int_equal(unlink(path), 0);
            assert_int_equal(what == 1   ? mkfifo(path, 0600)
                             : what == 2 ? mkdir(path, 0700)
                             : what == 3 ? symlink("/dev/zero", path)
                                         : symlink(path, path),
                             0);
        }
        fixture_expect(&f, 1, 1);
        assert_int_equal(fixture_kernel_result(&f, 0), 7);
    }
    free(path);
    fixture_close(&f);
}

/* A garbled answer of a compiler is asked for again; it does not mean that there is no compiler. */
static void test_garbled_tools_are_asked_again(void **state)
{
    static const char *const spoilers[] = {"find . -type f -exec chmod u+w {} + -exec truncate -s 0 {} +",
                                           "find . -type f -exec rm {} \\; -exec mkfifo {} \\;"};
    struct fixture f;
    char *tools;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    fixture_expect(&f, 2, 0);
    tools = fixture_text("%s/the store/v1/tools", f.root);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chdir(tools), 0);
        assert_int_equal(system(spoilers[i]), 0); /* NOLINT(cert-env33-c) */
        assert_int_equal(chdir("/"), 0);
        fixture_expect(&f, 0, 2);
    }
    free(tools);
    fixture_close(&f);
}

/* "Correct the source" would be no help: the source is right. */
static void test_a_machine_at_fault_is_named(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "c++",
                     "[[ \"$*\" == *k.cpp* ]] && { echo 'error: cannot write: No space left on device'; exit 1; }",
                     "clang++-19");
    fixture_refused(&f, "k of program", "No space left on device", "make room", "L3REPLAY_CACHE_DIR");
    fixture_close(&f);
}

/* A compiler that is there and does not work is not one that is not there. */
static void test_a_compiler_that_does_not_answer_is_named(void **state)
{
    char *path = strdup(getenv("PATH")), *only;
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    fixture_script(&f, "bin/g++", "#!/bin/bash\necho broken on purpose\nexit 3\n");
    only = fixture_text("%s/bin", f.root);
    setenv("PATH", only, 1);
    fixture_refused(&f, "bin/g++", "broken on purpose", "ended with code 3");
    setenv("PATH", path, 1);
    free(only);
    free(path);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_entry_is_made_again),
        cmocka_unit_test(test_garbled_tools_are_asked_again),
        cmocka_unit_test(test_a_machine_at_fault_is_named),
        cmocka_unit_test(test_a_compiler_that_does_not_answer_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

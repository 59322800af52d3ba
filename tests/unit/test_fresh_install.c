/* Binaries that were made are put into the build, alone: of which programs, in which order, and what is left as it is. */
#include "tests/unit/fresh_rig.h"

static int install(void)
{
    return fresh_install(session(), &rig.build, &rig.table, &rig.out, &rig.options, &rig.err);
}

static void compile_all(void)
{
    assert_int_equal(binaries(NULL), 0);
    rig.steps[0] = '\0';
}

static void lie_at(int program, const char *path)
{
    free(rig.out.items[program].orchestration);
    assert_true(asprintf(&rig.out.items[program].orchestration, "%s/%s", rig.dir, path) > 0);
}

static void test_each_is_installed_and_stamped(void **state)
{
    (void)state;
    compile_all();
    assert_int_equal(install(), 0);
    assert_string_equal(rig.steps, " identity stamp:a begin:a install:a commit stamp:b begin:b install:b commit"
                                   " stamp:c begin:c install:c commit ");
    assert_true(rig.forced);
}

/* The same content with a stamp that says so stays; with another stamp, or made of something else, it does not. */
static void test_what_the_build_has_is_not_installed_again(void **state)
{
    (void)state;
    compile_all();
    rig.current = "ab";
    rig.same = "ac";
    assert_int_equal(install(), 0);
    assert_string_equal(rig.steps, " identity stamp:a hold:a stamp:b hold:b begin:b install:b commit"
                                   " stamp:c begin:c install:c commit ");
}

static void test_no_recompile_does_not_force(void **state)
{
    (void)state;
    compile_all();
    rig.options.no_recompile = true;
    assert_int_equal(install(), 0);
    assert_false(rig.forced);
}

/* Not wanted; used as it lay in the build; in a directory that cannot be written to. */
static void test_what_is_not_installed(void **state)
{
    (void)state;
    assert_int_equal(binaries((const bool[]){false, true, true}), 0);
    rig.steps[0] = '\0';
    lie_at(1, "b/cache/orch_x.bin");
    free(rig.programs[2].dir);
    rig.programs[2].dir = strdup("/nowhere/at/all");
    assert_int_equal(install(), 0);
    assert_string_equal(rig.steps, ""); /* and nobody asks for the revision of a checkout */
}

/* Directories whose names begin alike. */
static void test_object_of_another_directory_is_installed(void **state)
{
    (void)state;
    assert_int_equal(binaries((const bool[]){true, false, false}), 0);
    rig.steps[0] = '\0';
    lie_at(0, "a2/cache/orch_x.bin");
    assert_int_equal(install(), 0);
    assert_string_equal(rig.steps, " identity stamp:a begin:a install:a commit ");
}

static void test_install_fails(void **state)
{
    static const struct {
        const char *failing, *steps;
    } cases[] = {
        {"identity", " identity "},
        {"begin:b", " identity stamp:a begin:a install:a commit stamp:b begin:b "},
        {"hold:c", " identity stamp:a begin:a install:a commit stamp:b begin:b install:b commit stamp:c hold:c "},
        {"install:b", " identity stamp:a begin:a install:a commit stamp:b begin:b install:b abort "},
        {"commit", " identity stamp:a begin:a install:a commit "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compile_all();
        rig.current = "c";
        rig.failing = cases[i].failing;
        expect_error(install(), cases[i].failing);
        assert_string_equal(rig.steps, cases[i].steps);
        again(state);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_each_is_installed_and_stamped),
        TEST(test_what_the_build_has_is_not_installed_again),
        TEST(test_no_recompile_does_not_force),
        TEST(test_what_is_not_installed),
        TEST(test_object_of_another_directory_is_installed),
        TEST(test_install_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is compiled, what is reused, and why: real compilers, small sources. */
#include "tests/support/compile_fixture.h"

static const char seven[] = "#include \"../seven.h\"\nextern \"C\" int kernel_entry() { return SEVEN; }\n";
static const char header[] = "build/next_levels/prog0/kernels/seven.h";
static const char source[] = "build/next_levels/prog0/kernels/aiv/k.cpp";

static void open_with_kernel(struct fixture *f)
{
    fixture_open(f);
    fixture_put(f, header, "#define SEVEN 7\n");
    fixture_kernel(f, 0, "k", seven);
}

static void touch(const struct fixture *f, const char *name)
{
    char *path = fixture_text("%s/%s", f->root, name);
    struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(path);
}

static void test_compiles_once(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f);
    fixture_expect(&f, 2, 0);
    assert_int_equal(fixture_call(f.out.items[0].orchestration, "entry"), 100);
    assert_int_equal(fixture_kernel_result(&f, 0), 7);
    fixture_expect(&f, 0, 2);
    assert_int_equal(fixture_kernel_result(&f, 0), 7);
    fixture_close(&f);
}

static void test_touching_compiles_nothing(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f);
    fixture_expect(&f, 2, 0);
    touch(&f, source);
    touch(&f, header);
    fixture_expect(&f, 0, 2);
    fixture_close(&f);
}

static void test_edited_source(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f);
    fixture_expect(&f, 2, 0);
    /* Same length, same time: only the content differs. */
    fixture_put(&f, source, "#include \"../seven.h\"\nextern \"C\" int kernel_entry() { return 11111; }\n");
    touch(&f, source);
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 11111);
    fixture_put(&f, source, seven);
    fixture_expect(&f, 0, 2);
    assert_int_equal(fixture_kernel_result(&f, 0), 7);
    fixture_close(&f);
}

/* The compiler numbers names of inlined locals anew at each compile. */
static void test_renumbered_names(void **state)
{
    static const char text[] =
        "extern \"C\" int kernel_entry() { int a_inline%d = 1, b_inline%d = %d; return %s_inline%d; }\n";
    static const struct {
        int a, b, value, result;
        const char *returned;
        unsigned built;
    } cases[] = {
        {5, 6, 2, 1, "a", 2},  {17, 3, 2, 1, "a", 0}, {6, 5, 2, 1, "a", 0}, /* the same but for the numbers */
        {17, 3, 2, 2, "b", 1}, {17, 3, 4, 1, "a", 1},                       /* not the same */
    };
    struct fixture f;

    (void)state;
    open_with_kernel(&f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *kernel = fixture_text(text, cases[i].a, cases[i].b, cases[i].value, cases[i].returned,
                                    *cases[i].returned == 'a' ? cases[i].a : cases[i].b);

        fixture_put(&f, source, kernel);
        fixture_expect(&f, cases[i].built, 2 - cases[i].built);
        assert_int_equal(fixture_kernel_result(&f, 0), cases[i].result);
        free(kernel);
    }
    fixture_close(&f);
}

static void test_edited_header(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f);
    fixture_expect(&f, 2, 0);
    touch(&f, header);
    fixture_put(&f, header, "#define SEVEN 8\n");
    touch(&f, header);
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 8);
    fixture_put(&f, header, "#define SEVEN 7\n");
    fixture_expect(&f, 0, 2);
    assert_int_equal(fixture_kernel_result(&f, 0), 7);
    /* A header that starts to include another one. */
    fixture_put(&f, "build/next_levels/prog0/kernels/more.h", "#define SEVEN 20\n");
    fixture_put(&f, header, "#include \"more.h\"\n");
    fixture_expect(&f, 1, 1);
    fixture_put(&f, "build/next_levels/prog0/kernels/more.h", "#define SEVEN 21\n");
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 21);
    fixture_close(&f);
}

static void test_header_that_comes_to_stand_before_another(void **state)
{
    struct fixture f;
    char *dir;

    (void)state;
    fixture_open(&f);
    fixture_put(&f, "out side/value.h", "#define VALUE 1\n");
    dir = fixture_text("%s/out side", f.root);
    fixture_kernel(&f, 0, "k", "#include \"value.h\"\nextern \"C\" int kernel_entry() { return VALUE; }\n");
    f.kernels[0][0].ninclude = 1;
    f.kernels[0][0].include_dirs = &dir;
    fixture_expect(&f, 2, 0);
    fixture_expect(&f, 0, 2);
    assert_int_equal(fixture_kernel_result(&f, 0), 1);
    fixture_put(&f, "out side/value.h", "#define VALUE 3\n");
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 3);
    fixture_put(&f, "build/next_levels/prog0/kernels/aiv/value.h", "#define VALUE 2\n");
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 2);
    free(dir);
    fixture_close(&f);
}

static void test_core_type_and_own_headers_count(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k",
                   "#ifdef __DAV_VEC__\n#define IS 1\n#elif defined(__DAV_CUBE__)\n#define IS 2\n#endif\n"
                   "extern \"C\" int kernel_entry() { return IS; }\n");
    fixture_expect(&f, 2, 0);
    assert_int_equal(fixture_kernel_result(&f, 0), 1);
    f.kernels[0][0].core = CORE_AIC;
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 2);
    fixture_close(&f);
}

static void test_other_compiler(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f);
    fixture_compiler(&f, "L3REPLAY_ORCH_CXX", "my c++", "", "g++");
    fixture_expect(&f, 2, 0);
    fixture_expect(&f, 0, 2);
    assert_int_equal(fixture_runs(&f, "orch.cpp"), 1);
    /* It calls itself the same, and is another file. */
    fixture_compiler(&f, "L3REPLAY_ORCH_CXX", "my c++", "# changed", "g++");
    fixture_expect(&f, 1, 1);
    /* The same file says that it is another version: what a wrapper calls was upgraded. */
    fixture_put(&f, "version", "");
    fixture_compiler(&f, "L3REPLAY_ORCH_CXX", "my c++",
                     "[ \"$1\" = --version ] && { echo \"g++ (My) 12.9.$(cat \"$odd/version\")\"; exit; }", "g++");
    fixture_expect(&f, 1, 1);
    fixture_put(&f, "version", "1");
    fixture_expect(&f, 1, 1);
    fixture_put(&f, "version", "");
    fixture_expect(&f, 0, 2);
    fixture_close(&f);
}

static void test_environment_that_compilers_read(void **state)
{
    struct fixture f;
    char *dir;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k",
                   "#if __has_include(<from_environment.h>)\n#include <from_environment.h>\n#else\n"
                   "#define VALUE 1\n#endif\nextern \"C\" int kernel_entry() { return VALUE; }\n");
    fixture_expect(&f, 2, 0);
    fixture_put(&f, "env/from_environment.h", "#define VALUE 2\n");
    dir = fixture_text("%s/env", f.root);
    setenv("CPLUS_INCLUDE_PATH", dir, 1);
    fixture_expect(&f, 2, 0);
    unsetenv("CPLUS_INCLUDE_PATH");
    assert_int_equal(fixture_kernel_result(&f, 0), 2);
    fixture_expect(&f, 0, 2);
    assert_int_equal(fixture_kernel_result(&f, 0), 1);
    free(dir);
    fixture_close(&f);
}

static void test_moved_build(void **state)
{
    struct fixture f;
    char *from, *to;

    (void)state;
    open_with_kernel(&f);
    fixture_expect(&f, 2, 0);
    from = fixture_text("%s/build", f.root);
    to = fixture_text("%s/moved", f.root);
    assert_int_equal(rename(from, to), 0);
    free(f.kernels[0][0].source);
    free(f.programs[0].orchestration);
    f.kernels[0][0].source = fixture_text("%s/next_levels/prog0/kernels/aiv/k.cpp", to);
    f.programs[0].orchestration = fixture_text("%s/next_levels/prog0/orchestration/orch.cpp", to);
    fixture_expect(&f, 0, 2);
    fixture_put(&f, "moved/next_levels/prog0/kernels/seven.h", "#define SEVEN 9\n");
    fixture_expect(&f, 1, 1);
    assert_int_equal(fixture_kernel_result(&f, 0), 9);
    free(from);
    free(to);
    fixture_close(&f);
}

static void test_shared_kernel_is_compiled_once(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f);
    fixture_put(&f, "build/next_levels/prog1/kernels/seven.h", "#define SEVEN 7\n");
    fixture_kernel(&f, 1, "k", seven);
    f.table.count = 2;
    /* Three objects for four sources: the orchestrations differ. */
    fixture_expect(&f, 3, 0); /* the store was empty: nothing is reused */
    assert_string_equal(f.out.items[0].kernels[0], f.out.items[1].kernels[0]);
    /* The same text, with another header beside it, is another kernel. */
    fixture_put(&f, "build/next_levels/prog1/kernels/seven.h", "#define SEVEN 70\n");
    fixture_expect(&f, 1, 3);
    assert_int_equal(fixture_kernel_result(&f, 0), 7);
    assert_int_equal(fixture_call(f.out.items[1].kernels[0], "kernel_entry"), 70);
    fixture_close(&f);
}

static void test_unwanted_programs_are_not_compiled(void **state)
{
    static const bool wanted[] = {false, true};
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "broken", "this is no C++\n");
    f.table.count = 2;
    f.options.wanted = wanted;
    fixture_expect(&f, 1, 0);
    assert_null(f.out.items[0].orchestration);
    assert_int_equal(fixture_call(f.out.items[1].orchestration, "entry"), 101);
    fixture_close(&f);
}

static void test_failing_source(void **state)
{
    struct fixture f;

    (void)state;
    open_with_kernel(&f);
    fixture_kernel(&f, 0, "bad", "extern \"C\" int kernel_entry() { return not_declared; }\n");
    fixture_refused(&f, "kernel bad", "program prog0", "bad.cpp", "1 of 3");
    /* Command and messages are in the log. */
    assert_non_null(strstr(f.log, "prog0/aiv/bad.cpp does not compile: "));
    assert_non_null(strstr(f.log, "-std=c++23"));
    assert_non_null(strstr(f.log, "not_declared"));
    /* The others finished: only the corrected one is left. */
    fixture_put(&f, "build/next_levels/prog0/kernels/aiv/bad.cpp", "extern \"C\" int kernel_entry() { return 5; }\n");
    fixture_expect(&f, 1, 2);
    assert_int_equal(fixture_kernel_result(&f, 1), 5);
    fixture_close(&f);
}

static void test_two_failing_sources(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "bad1", "#error first reason\n");
    fixture_kernel(&f, 0, "good", "extern \"C\" int kernel_entry() { return 5; }\n");
    fixture_kernel(&f, 0, "bad2", "#error second reason\n");
    f.options.jobs = 1;
    fixture_refused(&f, "kernel bad1", "program prog0", "2 of 4");
    assert_non_null(strstr(f.log, "first reason"));
    assert_non_null(strstr(f.log, "second reason"));
    fixture_close(&f);
}

static void test_standard_headers_that_come_along(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k",
                   "#ifndef L3R_TRANSITIVE_INCLUDES\n#error needs more\n#endif\n"
                   "extern \"C\" int kernel_entry() { return 6; }\n");
    fixture_expect(&f, 2, 0);
    assert_int_equal(fixture_kernel_result(&f, 0), 6);
    fixture_expect(&f, 0, 2);
    fixture_close(&f);
}

static void test_missing_source(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    free(f.programs[0].orchestration);
    f.programs[0].orchestration = fixture_text("%s/gone.cpp", f.root);
    fixture_refused(&f, "gone.cpp");
    fixture_close(&f);
}

static void test_hardware_platform(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    f.options.platform = "a2a3";
    fixture_refused(&f, "a2a3", "simulator");
    f.options.platform = "a5sim";
    fixture_expect(&f, 1, 0);
    fixture_close(&f);
}

/* Who answers what it is asked, and compiles for ever. */
static void test_a_compiler_has_a_time_limit(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_compiler(&f, "L3REPLAY_ORCH_CXX", "slow c++", "[[ \" $* \" == *' -o '* ]] && sleep 1000", "g++");
    f.session.limit_s = 1;
    fixture_refused(&f, "slow c++ did not end within 1 s", "the orchestration of program prog0", "--compile-timeout");
    assert_non_null(strstr(f.log, "(--compile-timeout) and was killed"));
    /* The next one would wait as long. */
    fixture_kernel(&f, 0, "k", "extern \"C\" int kernel_entry() { return 7; }\n");
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "slow kernel c++", "[[ \" $* \" == *k.cpp* ]] && sleep 1000",
                     "clang++-19");
    f.options.jobs = 1;
    fixture_refused(&f, "did not end within 1 s", "kernel k of program prog0");
    assert_null(strstr(f.log, "orch.cpp does not compile"));
    unsetenv("L3REPLAY_KERNEL_CXX");
    unsetenv("L3REPLAY_ORCH_CXX");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiles_once),
        cmocka_unit_test(test_touching_compiles_nothing),
        cmocka_unit_test(test_edited_source),
        cmocka_unit_test(test_renumbered_names),
        cmocka_unit_test(test_edited_header),
        cmocka_unit_test(test_header_that_comes_to_stand_before_another),
        cmocka_unit_test(test_core_type_and_own_headers_count),
        cmocka_unit_test(test_other_compiler),
        cmocka_unit_test(test_environment_that_compilers_read),
        cmocka_unit_test(test_moved_build),
        cmocka_unit_test(test_shared_kernel_is_compiled_once),
        cmocka_unit_test(test_unwanted_programs_are_not_compiled),
        cmocka_unit_test(test_failing_source),
        cmocka_unit_test(test_two_failing_sources),
        cmocka_unit_test(test_standard_headers_that_come_along),
        cmocka_unit_test(test_missing_source),
        cmocka_unit_test(test_hardware_platform),
        cmocka_unit_test(test_a_compiler_has_a_time_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

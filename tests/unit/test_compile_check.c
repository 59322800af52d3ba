/* What is refused by name before anything is compiled, and compilers that will not do. */
#include "orchestrator/device/cpu_check.h"
#include "tests/support/compile_fixture.h"

static const char plain[] = "extern \"C\" int kernel_entry() { return 7; }\n";

static void refused(struct fixture *f, const char *one, const char *two)
{
    memset(&f->err, 0, sizeof f->err);
    assert_int_equal(cpu_check_programs(&f->table, f->options.wanted, &f->err), -1);
    assert_int_equal(f->err.kind, ERROR_INFRA);
    if (!strstr(f->err.what, one) || !strstr(f->err.what, two) || !strstr(f->err.what, "prog0")) {
        fail_msg("%s", f->err.what);
    }
    assert_true(f->err.hint[0]);
}

static void test_features_the_device_lacks(void **state)
{
    static const bool none[] = {false};
    struct fixture f;

    (void)state;
    fixture_open(&f);
    assert_int_equal(cpu_check_programs(&f.table, NULL, &f.err), 0);
    f.programs[0].enable_sdma = true;
    refused(&f, "enable_sdma", "SDMA");
    f.options.wanted = none;
    assert_int_equal(cpu_check_programs(&f.table, none, &f.err), 0);
    f.options.wanted = NULL;
    f.programs[0].enable_sdma = false;
    free(f.programs[0].runtime);
    f.programs[0].runtime = strdup("host_build_graph");
    refused(&f, "host_build_graph", "runtime");
    fixture_close(&f);
}

static void test_deferred_completion(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    /* Text that is no include is no reason. */
    fixture_kernel(&f, 0, "talks",
                   "// #include \"pto_async_kernel_api.h\"\n"
                   "/*\n#include \"pto_async_kernel_api.h\"\n*/\n"
                   "const char *s = \"\\\"/*\"; // */\n");
    assert_int_equal(cpu_check_programs(&f.table, NULL, &f.err), 0);
    fixture_kernel(&f, 0, "waits", "  #  include   \"pto_async_kernel_api.h\"\n");
    refused(&f, "kernel waits", "deferred completion");
    fixture_put(&f, "build/next_levels/prog0/kernels/aiv/waits.cpp", "#include \"../own.h\"\n");
    fixture_put(&f, "build/next_levels/prog0/kernels/own.h",
                "#pragma once\n#include \"own.h\"\n#include <backend/sdma/sdma_completion_kernel.h>\n");
    refused(&f, "kernel waits", "sdma_completion_kernel.h");
    fixture_close(&f);
}

static void test_types_the_device_lacks(void **state)
{
    char text[] = "x\0prog0\0elsewhere";
    uint32_t programs[] = {2, 8};
    struct plan_view views[] = {{.dtype = DTYPE_BFLOAT16}, {.dtype = DTYPE_FP8E4M3FN}, {.dtype = DTYPE_FP4E2M1}};
    struct plan_arg args[] = {{.view = 0}, {.view = 0}, {.view = 1}, {.view = 2}};
    struct plan_node nodes[] = {{.kind = PLAN_DISPATCH, .program = 0, .narg = 2, .line = 11},
                                {.kind = PLAN_DISPATCH, .program = 0, .narg = 1, .first_arg = 2, .line = 12}};
    struct plan plan = {.world_size = 1,
                        .nnode = 2,
                        .nodes = nodes,
                        .args = args,
                        .narg = 4,
                        .views = views,
                        .nview = 3,
                        .programs = programs,
                        .nprogram = 2,
                        .text = text,
                        .ntext = sizeof text};
    struct fixture f;

    (void)state;
    fixture_open(&f);
    assert_int_equal(cpu_check_plan(&plan, &f.table, &f.err), -1);
    assert_non_null(strstr(f.err.what, "prog0"));
    assert_non_null(strstr(f.err.what, dtype_name(DTYPE_FP8E4M3FN)));
    assert_non_null(strstr(f.err.where, "12"));
    nodes[1].first_arg = 3;
    assert_int_equal(cpu_check_plan(&plan, &f.table, &f.err), -1);
    assert_non_null(strstr(f.err.what, dtype_name(DTYPE_FP4E2M1)));
    /* A program that runs elsewhere, or a host copy, may have what it likes. */
    nodes[1].program = 1;
    assert_int_equal(cpu_check_plan(&plan, &f.table, &f.err), 0);
    nodes[1].program = 0;
    nodes[1].kind = PLAN_COPY;
    assert_int_equal(cpu_check_plan(&plan, &f.table, &f.err), 0);
    fixture_close(&f);
}

static void test_bfloat16_without_a_type_for_it(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "float", plain);
    /* A compiler with which nothing named stdfloat compiles. */
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "c++", "[[ \"$*\" == *probe.cpp* ]] && exit 1", "clang++-19");
    fixture_expect(&f, 2, 0);
    fixture_kernel(&f, 0, "brain", "using bfloat16_t = short;\nextern \"C\" int kernel_entry() { return 7; }\n");
    fixture_refused(&f, "kernel brain", "program prog0", "bfloat16_t", "clang-19");
    /* The compiler that has it. */
    unsetenv("L3REPLAY_KERNEL_CXX");
    fixture_put(&f, "build/next_levels/prog0/kernels/aiv/brain.cpp",
                "#include <stdfloat>\n#ifndef __STDCPP_BFLOAT16_T__\n#error no bfloat16_t\n#endif\n"
                "extern \"C\" int kernel_entry() { volatile float x = 1.00390625f; "
                "return x * (std::bfloat16_t)x == 1 ? 1 : 2; }\n");
    fixture_expect(&f, 2, 1);
    /* 1 + 2^-8 is a tie between 1 and 1 + 2^-7 and goes to the even one, 1; times 1 + 2^-8 that is not 1. */
    assert_int_equal(fixture_kernel_result(&f, 1), 2);
    fixture_close(&f);
}

static void test_old_and_missing_compilers(void **state)
{
    char *path = strdup(getenv("PATH")), *empty;
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "c++",
                     "[ \"$1\" = --version ] && { echo 'g++ (Debian 12.2.0-14+deb12u1) 12.2.0'; exit; }", "false");
    fixture_refused(&f, "12.2.0", "too old", "g++ 13", "L3REPLAY_KERNEL_CXX");
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "c++",
                     "[ \"$1\" = --version ] && { echo 'Debian clang version 16.0.6 (1)'; exit; }", "false");
    fixture_refused(&f, "16.0.6", "too old", "clang++ 17");
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "c++", "[ \"$1\" = --version ] && { echo broken >&2; exit 4; }",
                     "false");
    fixture_refused(&f, "version", "code 4", "broken");
    setenv("L3REPLAY_KERNEL_CXX", "no-such-compiler", 1);
    fixture_refused(&f, "no-such-compiler", "L3REPLAY_KERNEL_CXX");
    unsetenv("L3REPLAY_KERNEL_CXX");
    empty = fixture_text("%s/empty", f.root);
    setenv("PATH", empty, 1);
    fixture_refused(&f, "PATH", "g++");
    setenv("L3REPLAY_ORCH_CXX", "/usr/bin/g++", 1);
    fixture_refused(&f, "PATH", "clang-19", "g++ 13");
    setenv("PATH", path, 1);
    fixture_expect(&f, 2, 0);
    free(empty);
    free(path);
    fixture_close(&f);
}

/* The compilers of the objects are known, whether they ran now or when the objects came into the store. */
static void test_compilers_are_named(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    fixture_kernel(&f, 0, "k", plain);
    fixture_compiler(&f, "L3REPLAY_KERNEL_CXX", "kernel-c++",
                     "[ \"$1\" = --version ] && { printf 'g++ (Mine) 99.1.0\\nand more\\n'; exit; }", "g++");
    fixture_compiler(&f, "L3REPLAY_ORCH_CXX", "orch-c++",
                     "[ \"$1\" = --version ] && { echo 'g++ (Other) 98.2.0'; exit; }", "g++");
    for (unsigned i = 0; i < 2; i++) {
        fixture_expect(&f, i ? 0 : 2, i ? 2 : 0);
        assert_string_equal(f.out.kernel_compiler, "g++ (Mine) 99.1.0");
        assert_string_equal(f.out.orchestration_compiler, "g++ (Other) 98.2.0");
    }
    f.programs[0].nkernel = 0;
    fixture_expect(&f, 0, 1);
    assert_null(f.out.kernel_compiler);
    f.programs[0].nkernel = 1;
    fixture_close(&f);
}

static void test_headers_that_are_not_there(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f);
    f.session.include = "/nowhere/include";
    fixture_refused(&f, "/nowhere/include", "L3REPLAY_INCLUDE_DIR");
    f.session.include = NULL;
    setenv("L3REPLAY_INCLUDE_DIR", "/nowhere/else", 1);
    fixture_refused(&f, "/nowhere/else");
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features_the_device_lacks),  cmocka_unit_test(test_deferred_completion),
        cmocka_unit_test(test_types_the_device_lacks),     cmocka_unit_test(test_bfloat16_without_a_type_for_it),
        cmocka_unit_test(test_old_and_missing_compilers),  cmocka_unit_test(test_compilers_are_named),
        cmocka_unit_test(test_headers_that_are_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The headers that users' sources compile against: all names, both languages, both compilers, and what is refused. */
#include "tests/support/cpu_rig.h"

static int setup(void **state)
{
    (void)state;
    rig.dir = temp_dir_make();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    temp_dir_remove(rig.dir);
    return 0;
}

static bool have(const char *compiler)
{
    return rig_shell("command -v %s >/dev/null 2>&1", compiler);
}

static bool compiles(const char *compiler, const char *flags, const char *source)
{
    return rig_shell("%s -shared -fPIC -Wall -Wextra -Werror %s -I %s %s -o %s/object.so", compiler, flags, RIG_INCLUDE,
                     source, rig.dir);
}

static void orchestrations_have_every_name(void **state)
{
    static const char *const compilers[] = {"g++", "clang++-19", "clang++"};
    int tried = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
        if (have(compilers[i])) {
            const char *const names = SOURCE_DIR "/tests/unit/cpu/names.cpp";
            assert_true(compiles(compilers[i], "-O3 -std=c++17", names));
            assert_true(compiles(compilers[i], "-O0 -std=c++20 -DL3R_TRANSITIVE_INCLUDES", names));
            assert_true(compiles(compilers[i], "-O3 -std=c++17", SOURCE_DIR "/tests/unit/cpu/later_names.cpp"));
            tried++;
        }
    }
    assert_true(tried > 0);
}

static void kernels_have_every_name(void **state)
{
    const char *const names = SOURCE_DIR "/tests/unit/cpu/kernel_names.cpp";
    (void)state;
    assert_true(compiles(rig_cxx23(), "-O2 -std=c++23 -DNDEBUG -D__CPU_SIM -D__DAV_VEC__", names));
    assert_true(compiles(rig_cxx23(), "-O2 -std=c++23 -DNDEBUG -D__CPU_SIM -D__DAV_CUBE__", names));
}

static void refuse_deferred(const char *source)
{
    temp_dir_put_text(rig.dir, "deferred.cpp", source);
    assert_false(rig_shell("%s -c -std=c++23 -I %s %s/deferred.cpp -o %s/object.o 2>%s/errors", rig_cxx23(),
                           RIG_INCLUDE, rig.dir, rig.dir, rig.dir));
    assert_true(rig_shell("grep -q 'deferred completion' %s/errors", rig.dir));
}

static void deferred_completion_is_refused_by_name(void **state)
{
    (void)state;
    refuse_deferred("#include \"pto_async_kernel_api.h\"\n");
    refuse_deferred("#include \"async_kernel_api.h\"\n");
}

/* Values by hand: 1 + 2^-8 lies halfway between 1 and 1 + 2^-7 and goes to the even one, 1; 1 + 3 * 2^-8 goes up to
 * 1 + 2^-6; a double just above the first tie goes up, although its nearest float is the tie. */
static const char rounding[] = "#include <stdfloat>\n"
                               "#include <limits>\n"
                               "#ifndef __STDCPP_BFLOAT16_T__\n"
                               "#error\n"
                               "#endif\n"
                               "static float f(volatile float x) { return (float)(std::bfloat16_t)x; }\n"
                               "static float d(volatile double x) { return (float)(std::bfloat16_t)x; }\n"
                               "int main() {\n"
                               "    float big = 3.4e38f;\n"
                               "    volatile float nan = __builtin_nanf(\"\");\n"
                               "    return !(f(1.00390625f) == 1.0f && f(1.01171875f) == 1.015625f &&\n"
                               "             d(1.00390625 + 1e-12) == 1.0078125f && d(1.00390625) == 1.0f &&\n"
                               "             f(-big) < -3.39e38f && f(3.4e38f) > 3.39e38f && f(nan) != f(nan) &&\n"
                               "             d(1e300) == __builtin_inff() && d(-1e-300) == 0.0f &&\n"
                               "             std::numeric_limits<std::bfloat16_t>::has_infinity &&\n"
                               "             (float)std::numeric_limits<std::bfloat16_t>::max() > 3.38e38f &&\n"
                               "             sizeof(std::bfloat16_t) == 2);\n"
                               "}\n";

static void bfloat16_rounds_to_nearest_even(void **state)
{
    (void)state;
    temp_dir_put(rig.dir, "rounding.cpp", rounding, sizeof(rounding) - 1);
    if (!rig_shell("%s -std=c++23 -O2 -w %s/rounding.cpp -o %s/rounding 2>/dev/null", rig_cxx23(), rig.dir, rig.dir)) {
        assert_true(rig_shell("%s -std=c++23 -O2 -w -D__STDCPP_BFLOAT16_T__=1 -I %s/stdfloat-shim %s/rounding.cpp "
                              "-o %s/rounding",
                              rig_cxx23(), RIG_INCLUDE, rig.dir, rig.dir));
    }
    assert_true(rig_shell("%s/rounding", rig.dir));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orchestrations_have_every_name),
        cmocka_unit_test(kernels_have_every_name),
        cmocka_unit_test(deferred_completion_is_refused_by_name),
        cmocka_unit_test(bfloat16_rounds_to_nearest_even),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

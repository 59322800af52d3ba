/* Which device runs a build, by --device and the build's platform. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "orchestrator/device/device_choice.h"

static int choose(const char *name, const char *platform, enum device_kind *kind, struct error *err)
{
    const struct device_options options = {.name = name};
    const struct build build = {.platform = (char *)(uintptr_t)platform};

    memset(err, 0, sizeof *err);
    return device_choose(&options, &build, kind, err);
}

static void test_simulators(void **state)
{
    enum device_kind kind;
    struct error err;

    (void)state;
    assert_int_equal(choose(NULL, "a2a3sim", &kind, &err), 0);
    assert_int_equal(kind, DEVICE_CPU);
    assert_int_equal(choose("auto", "a5sim", &kind, &err), 0);
    assert_int_equal(kind, DEVICE_CPU);
    assert_int_equal(choose("cpu", "a5sim", &kind, &err), 0);
    assert_int_equal(kind, DEVICE_CPU);
    assert_int_equal(choose("simpler", "a2a3sim", &kind, &err), 0);
    assert_int_equal(kind, DEVICE_SIMPLER);
    assert_string_equal(device_kind_name(DEVICE_SIMPLER), "simpler");
    assert_string_equal(device_kind_name(DEVICE_CPU), "cpu");
}

/* Nothing runs on hardware yet; each says so by the name of its device. */
static void test_hardware(void **state)
{
    static const char *const names[] = {NULL, "cpu", "simpler"};
    static const char *const words[] = {"simpler device", "cpu device", "simpler device"};
    enum device_kind kind;
    struct error err;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(choose(names[i], "a2a3", &kind, &err), -1);
        assert_int_equal(err.kind, ERROR_INFRA);
        assert_non_null(strstr(err.what, words[i]));
        assert_non_null(strstr(err.what, "a2a3"));
        assert_non_null(strstr(err.hint, "a2a3sim"));
    }
}

/* What no runtime can run is refused before one is looked for. */
static void test_programs(void **state)
{
    struct program programs[] = {
        {.name = (char[]){"one"}, .dir = (char[]){"/b/one"}, .runtime = (char[]){"tensormap_and_ringbuffer"}},
        {.name = (char[]){"two"}, .dir = (char[]){"/b/two"}, .runtime = (char[]){"host_build_graph"}}};
    const struct program_table table = {.count = 2, .items = programs};
    const struct device_options options = {.simpler_root = "/nowhere"};
    const struct build build = {.platform = (char[]){"a2a3sim"}};
    const bool second[] = {false, true};
    struct runtime_info info;
    struct device_setup setup;
    struct error err = {0};

    (void)state;
    assert_int_equal(device_prepare_simpler(&options, &build, &table, NULL, &info, &setup, &err), -1);
    assert_non_null(strstr(err.what, "program two is made for the runtime host_build_graph"));
    programs[1].enable_sdma = true;
    assert_int_equal(device_prepare_simpler(&options, &build, &table, second, &info, &setup, &err), -1);
    assert_non_null(strstr(err.what, "program two asks for the SDMA engine"));
    programs[1].enable_sdma = false;
    assert_int_equal(device_prepare_simpler(&options, &build, &table, second, &info, &setup, &err), -1);
    assert_non_null(strstr(err.what, "there is no /nowhere"));
    runtime_info_free(&info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_simulators), cmocka_unit_test(test_hardware),
                                       cmocka_unit_test(test_programs)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

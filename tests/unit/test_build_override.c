/* What the command line changes in a build: device ids, platform; names as they are typed; element types that run. */
#include "tests/support/temp_dir.h"

#include "orchestrator/open/build.h"
#include "orchestrator/open/override.h"
#include "tests/support/l3_build.h"

/* --- dtypes --------------------------------------------------------------- */

static void test_refused_dtypes(void **state)
{
    static const struct {
        const char *name;
        int cpu, simpler; /* may run there */
    } cases[] = {
        {"fp16", 1, 1},  {"fp32", 1, 1},      {"bfloat16", 1, 1}, {"int8", 1, 1},    {"int16", 1, 1},   {"int32", 1, 1},
        {"int64", 1, 1}, {"uint8", 1, 1},     {"uint16", 1, 1},   {"uint32", 1, 1},  {"uint64", 1, 1},  {"bool", 1, 1},
        {"index", 1, 1}, {"fp8e4m3fn", 0, 1}, {"fp8e8m0", 0, 1},  {"fp4", 0, 1},     {"fp8e5m2", 0, 0}, {"hf4", 0, 0},
        {"hf8", 0, 0},   {"int4", 0, 0},      {"uint4", 0, 0},    {"task_id", 0, 0},
    };
    char meta[256];
    struct error err;
    struct build b;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(meta, sizeof meta,
                 "{\"schema\": 2, \"params\": [{\"name\": \"weird\", \"direction\": \"In\", \"shape\": [2], "
                 "\"dtype\": \"%s\"}]}",
                 cases[i].name);
        l3_build_make(*state, meta);
        assert_int_equal(build_open(*state, &b, &err), 0);
        assert_string_equal(b.params[0].dtype_text, cases[i].name);
        memset(&err, 0, sizeof err);
        assert_int_equal(build_check_dtypes(&b, "cpu", &err), cases[i].cpu - 1);
        if (!cases[i].cpu) {
            assert_non_null(strstr(err.what, "weird"));
            assert_non_null(strstr(err.what, cases[i].name));
            assert_string_equal(err.hint, "compile the program with another dtype"); /* there is no other device */
        }
        assert_int_equal(build_check_dtypes(&b, "simpler", &err), cases[i].simpler - 1);
        build_free(&b);
    }
}

/* --- overrides ------------------------------------------------------------ */

static void test_device_ids(void **state)
{
    static const struct {
        const char *spec;
        uint32_t count;
        int first, last;
    } good[] = {
        {"0", 1, 0, 0},   {"0,1,4", 3, 0, 4}, {"0-3", 4, 0, 3},          {"7,0-2", 4, 7, 2},
        {"3-3", 1, 3, 3}, {"007", 1, 7, 7},   {"0-1023", 1024, 0, 1023}, {"2147483647", 1, 2147483647, 2147483647}};
    static const char *const bad[] = {"",
                                      "0-",
                                      "3-1",
                                      "0,0",
                                      "-1",
                                      "a",
                                      "0,",
                                      ",0",
                                      "0-2,1",
                                      "0--1",
                                      "0 1",
                                      " 0",
                                      "0x1",
                                      "1.5",
                                      "+1",
                                      "0-1-2",
                                      "2147483648",
                                      "0-1024",
                                      "99999999999999999999999",
                                      "0-99999999999999999999999"};
    struct error err;
    struct build b;

    l3_build_make(*state, L3_BUILD_META);
    assert_int_equal(build_open(*state, &b, &err), 0);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(build_set_device_ids(&b, good[i].spec, &err), 0);
        assert_int_equal(b.ndevice, good[i].count);
        assert_int_equal(b.device_ids[0], good[i].first);
        assert_int_equal(b.device_ids[b.ndevice - 1], good[i].last);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        memset(&err, 0, sizeof err);
        if (build_set_device_ids(&b, bad[i], &err) == 0) {
            fail_msg("\"%s\" was accepted", bad[i]);
        }
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_non_null(strstr(err.where, "--device-ids"));
        assert_int_not_equal(err.hint[0], 0);
        assert_int_equal(b.device_ids[0], 2147483647); /* as before */
    }
    build_free(&b);
}

static void test_platform(void **state)
{
    static const char *const good[] = {"a2a3", "a2a3sim", "a5", "a5sim"};
    static const char *const bad[] = {"", "a3", "A5", "sim", "a5sim "};
    struct error err;
    struct build b;

    l3_build_make(*state, L3_BUILD_META);
    assert_int_equal(build_open(*state, &b, &err), 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(build_set_platform(&b, good[i], &err), 0);
        assert_string_equal(b.platform, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(build_set_platform(&b, bad[i], &err), -1);
        assert_int_equal(err.kind, ERROR_USAGE);
        for (size_t g = 0; g < 4; g++) {
            assert_non_null(strstr(err.what, good[g]));
        }
        assert_string_equal(b.platform, "a5sim");
    }
    build_free(&b);
}

static const char *name_at(const void *of, size_t i)
{
    const char *const *names = of;

    return names[i];
}

static void test_plain_names(void **state)
{
    static const char *const names[] = {"a__ssa_v0", "b__ssa_v0",     "b__tmp_v1",       "c",
                                        "c__ssa_v1", "__comm_d0_ord", "d_e__l0_iter_v3", NULL};
    enum { N = sizeof names / sizeof *names };
    struct error err;

    (void)state;
    assert_int_equal(build_match_name(name_at, names, N, "a", &err), 0);
    assert_int_equal(build_match_name(name_at, names, N, "a__ssa_v0", &err), 0);
    assert_int_equal(build_match_name(name_at, names, N, "c", &err), 3); /* a full name wins over a plain one */
    assert_int_equal(build_match_name(name_at, names, N, "__comm_d0_ord", &err), 5);
    assert_int_equal(build_match_name(name_at, names, N, "d_e", &err), 6);
    assert_int_equal(build_match_name(name_at, names, N, "b", &err), -1);
    assert_non_null(strstr(err.what, "b__ssa_v0, b__tmp_v1"));
    assert_null(strstr(err.what, "a__ssa_v0"));
    assert_int_equal(build_match_name(name_at, names, N, "a__ssa", &err), -1);
    assert_int_equal(build_match_name(name_at, names, N, "", &err), -1);
    assert_int_equal(build_match_name(name_at, names, N, "zz", &err), -1);
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_non_null(strstr(err.what, "a__ssa_v0"));
    assert_int_equal(build_match_name(name_at, NULL, 0, "zz", NULL), -1);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, l3_build_setup, l3_build_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_refused_dtypes),
        CASE(test_device_ids),
        CASE(test_platform),
        CASE(test_plain_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

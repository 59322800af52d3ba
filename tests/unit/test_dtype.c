/* Element types: names, and conversions against values worked out from the formats' definitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/plan/dtype.h"

static void test_names(void **state)
{
    enum dtype t;

    (void)state;
    for (int i = 0; i < DTYPE_COUNT; i++) {
        assert_int_equal(dtype_parse(dtype_name((enum dtype)i), &t), 0);
        assert_int_equal(t, i);
        assert_int_equal(dtype_parse_runtime(dtype_runtime_name((enum dtype)i), &t), 0);
        assert_int_equal(t, i);
    }
    assert_int_equal(dtype_parse("index", &t), 0);
    assert_int_equal(t, DTYPE_INT64);
    assert_int_equal(dtype_parse("FP32", &t), -1);
    assert_int_equal(dtype_parse("", &t), -1);
    assert_int_equal(dtype_parse("fp8e5m2", &t), -1);
    assert_int_equal(dtype_parse_runtime("fp32", &t), -1);
    assert_string_equal(dtype_npy_descr(DTYPE_FLOAT32), "<f4");
    assert_string_equal(dtype_npy_descr(DTYPE_BFLOAT16), "<u2");
    assert_string_equal(dtype_npy_descr(DTYPE_BOOL), "|b1");
    /* The runtime's numbers. */
    assert_int_equal(DTYPE_BFLOAT16, 6);
    assert_int_equal(DTYPE_BOOL, 11);
    assert_int_equal(DTYPE_FP4E2M1, 14);
}

static void test_sizes(void **state)
{
    static const size_t sizes[DTYPE_COUNT] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1, 1, 1, 1, 8};

    (void)state;
    for (int i = 0; i < DTYPE_COUNT; i++) {
        assert_int_equal(dtype_size((enum dtype)i), sizes[i]);
    }
}

static uint64_t bits(enum dtype type, double value)
{
    uint64_t out = 0;

    dtype_store(type, &out, value);
    return out;
}

static double back(enum dtype type, uint64_t value)
{
    return dtype_load(type, &value);
}

struct known {
    double value;
    uint64_t bits;
};

static void check_known(enum dtype type, const struct known *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bits(type, known[i].value) != known[i].bits) {
            fail_msg("%s: %a gives %#llx, not %#llx", dtype_name(type), known[i].value,
                     (unsigned long long)bits(type, known[i].value), (unsigned long long)known[i].bits);
        }
    }
}

#define CHECK(type, known) check_known((type), (known), sizeof(known) / sizeof *(known))

static void test_half(void **state)
{
    static const struct known known[] = {
        {0.0, 0x0000},
        {-0.0, 0x8000},
        {1.0, 0x3c00},
        {-2.0, 0xc000},
        {65504.0, 0x7bff},
        {65519.0, 0x7bff}, /* below the midpoint to 65536 */
        {65520.0, 0x7c00}, /* the midpoint: the even neighbour is infinity */
        {1e300, 0x7c00},
        {-INFINITY, 0xfc00},
        {0x1p-14, 0x0400},
        {0x1p-24, 0x0001}, /* least normal, least subnormal */
        {0x1p-25, 0x0000},
        {0x1.8p-25, 0x0001}, /* tie to zero; above the tie */
        {0x1.8p-24, 0x0002}, /* tie between 1 and 2 units */
        {1.0 + 0x1p-11, 0x3c00},
        {1.0 + 0x1.8p-10, 0x3c02},
        {1.0 + 0x1p-11 + 0x1p-40, 0x3c01},
        {2.0 - 0x1p-11, 0x4000},     /* carries into the exponent */
        {0x1p-14 - 0x1p-26, 0x0400}, /* carries out of the subnormals */
    };

    (void)state;
    CHECK(DTYPE_FLOAT16, known);
    assert_true(isnan(back(DTYPE_FLOAT16, bits(DTYPE_FLOAT16, NAN))));
    /* Every bit pattern comes back as itself. */
    for (uint32_t i = 0; i < 65536; i++) {
        if (!isnan(back(DTYPE_FLOAT16, i))) {
            assert_int_equal(bits(DTYPE_FLOAT16, back(DTYPE_FLOAT16, i)), i);
        }
    }
    assert_true(back(DTYPE_FLOAT16, 0x3555) == 0x1.554p-2);
}

static void test_bfloat16(void **state)
{
    (void)state;
    /* bfloat16 is the upper half of a float: rounding a float's bits as an integer is an independent way there. */
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t f = i * 2654435761u, expected;
        float value;

        memcpy(&value, &f, sizeof f);
        if (isnan(value)) {
            continue;
        }
        expected = (f + 0x7fff + (f >> 16 & 1)) >> 16;
        if (bits(DTYPE_BFLOAT16, (double)value) != expected) {
            fail_msg("%a gives %#llx, not %#x", (double)value, (unsigned long long)bits(DTYPE_BFLOAT16, (double)value),
                     expected);
        }
        f &= 0xffff0000u;
        memcpy(&value, &f, sizeof f);
        assert_true(back(DTYPE_BFLOAT16, f >> 16) == (double)value);
    }
    /* Rounding to float first would make this a tie and lose the last bit. */
    assert_int_equal(bits(DTYPE_BFLOAT16, 1.0 + 0x1p-8 + 0x1p-40), 0x3f81);
    assert_true(isnan(back(DTYPE_BFLOAT16, bits(DTYPE_BFLOAT16, NAN))));
}

static void test_fp8_and_fp4(void **state)
{
    static const struct known e4m3[] = {
        {0.0, 0x00},    {1.0, 0x38},      {-1.0, 0xb8},      {448.0, 0x7e},  {464.0, 0x7e},
        {465.0, 0x7f},  {INFINITY, 0x7f}, {-INFINITY, 0xff}, {0x1p-9, 0x01}, {0x1p-10, 0x00},
        {0x1p-6, 0x08}, {17.0, 0x58},     {19.0, 0x5a},
    };
    static const struct known e8m0[] = {
        {1.0, 127},     {2.0, 128},  {0.5, 126}, {0x1p-127, 0}, {0x1p127, 254},
        {0x1p128, 255}, {-1.0, 255}, {0.0, 0},   {1.25, 127},   {1.75, 128},
    };
    static const double fp4[16] = {0.0,  0.5,  1.0,  1.5,  2.0,  3.0,  4.0,  6.0,
                                   -0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0};

    (void)state;
    CHECK(DTYPE_FP8E4M3FN, e4m3);
    CHECK(DTYPE_FP8E8M0, e8m0);
    assert_true(isnan(back(DTYPE_FP8E4M3FN, 0x7f)) && isnan(back(DTYPE_FP8E8M0, 255)));
    for (uint32_t i = 0; i < 256; i++) {
        if (!isnan(back(DTYPE_FP8E4M3FN, i))) {
            assert_int_equal(bits(DTYPE_FP8E4M3FN, back(DTYPE_FP8E4M3FN, i)), i);
        }
        if (i != 255) {
            assert_int_equal(bits(DTYPE_FP8E8M0, back(DTYPE_FP8E8M0, i)), i);
        }
    }
    for (uint32_t i = 0; i < 16; i++) {
        assert_true(back(DTYPE_FP4E2M1, i) == fp4[i]);
        assert_int_equal(bits(DTYPE_FP4E2M1, fp4[i]), i);
    }
    assert_int_equal(bits(DTYPE_FP4E2M1, 100.0), 7);
    assert_int_equal(bits(DTYPE_FP4E2M1, 2.5), 4);
    assert_int_equal(bits(DTYPE_FP4E2M1, 5.0), 6);
}

static void test_integers(void **state)
{
    (void)state;
    assert_int_equal(bits(DTYPE_INT8, -1.9), 0xff);
    assert_int_equal(bits(DTYPE_INT8, 300), 127);
    assert_int_equal(bits(DTYPE_UINT8, -3), 0);
    assert_int_equal(bits(DTYPE_UINT16, 65535.9), 65535);
    assert_int_equal(bits(DTYPE_INT32, NAN), 0);
    assert_int_equal(bits(DTYPE_BOOL, 0.25), 1);
    assert_int_equal(bits(DTYPE_BOOL, -0.0), 0);
    assert_true(bits(DTYPE_INT64, 1e300) == INT64_MAX);
    assert_true(bits(DTYPE_INT64, -INFINITY) == (uint64_t)INT64_MIN);
    assert_true(bits(DTYPE_UINT64, INFINITY) == UINT64_MAX);
    assert_true(bits(DTYPE_UINT64, 0x1p63) == UINT64_C(1) << 63);
    assert_true(back(DTYPE_INT64, UINT64_MAX) == -1.0);
    assert_true(back(DTYPE_UINT32, UINT32_MAX) == 4294967295.0);
    assert_true(back(DTYPE_INT16, 0x8000) == -32768.0);
    assert_true(back(DTYPE_BOOL, 2) == 1.0);
}

static void test_wide_floats(void **state)
{
    (void)state;
    assert_true(bits(DTYPE_FLOAT32, 1.0) == 0x3f800000);
    assert_true(bits(DTYPE_FLOAT64, 0.1) == 0x3fb999999999999a);
    assert_true(back(DTYPE_FLOAT32, 0x3dcccccd) == (double)0.1f);
    assert_true(dtype_is_float(DTYPE_FP8E8M0) && dtype_is_float(DTYPE_FLOAT64) && !dtype_is_float(DTYPE_BOOL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),       cmocka_unit_test(test_sizes),       cmocka_unit_test(test_half),
        cmocka_unit_test(test_bfloat16),    cmocka_unit_test(test_fp8_and_fp4), cmocka_unit_test(test_integers),
        cmocka_unit_test(test_wide_floats),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

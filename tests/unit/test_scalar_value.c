/* Values of scalars: the bits that a kernel gets. */
#include "tests/support/temp_dir.h"

#include "orchestrator/record/scalar_value.h"

static int value(enum dtype type, const char *text, uint64_t *bits, struct error *err)
{
    char name[] = "n", dtype[16];
    struct build_param p = {.name = name, .scalar = true, .dtype = type, .dtype_text = dtype};

    snprintf(dtype, sizeof dtype, "%s", dtype_name(type));
    return scalar_value(&p, text, bits, err);
}

static void bits_of_values(void **state)
{
    static const struct {
        enum dtype type;
        const char *text;
        uint64_t bits;
    } cases[] = {
        {DTYPE_INT32, "7", 7},
        {DTYPE_INT32, "-1", UINT64_MAX}, /* a kernel reads the low half, an orchestration all of it */
        {DTYPE_INT8, "-128", (uint64_t)-128},
        {DTYPE_INT8, "0x7f", 127},
        {DTYPE_INT64, "-9223372036854775808", UINT64_C(1) << 63},
        {DTYPE_INT64, "9007199254740993", 9007199254740993}, /* a double does not hold it */
        {DTYPE_UINT64, "18446744073709551615", UINT64_MAX},
        {DTYPE_UINT8, "255", 255},
        {DTYPE_BOOL, "true", 1},
        {DTYPE_BOOL, "False", 0},
        {DTYPE_BOOL, "1", 1},
        {DTYPE_FLOAT32, "1.5", 0x3fc00000},
        {DTYPE_FLOAT32, "-2", 0xc0000000},
        {DTYPE_FLOAT32, "0.1", 0x3dcccccd},
        {DTYPE_FLOAT16, "0.5", 0x3f000000}, /* the runtime passes all floats as float32 */
        {DTYPE_BFLOAT16, "0.5", 0x3f000000},
    };
    struct error err;
    uint64_t bits;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(value(cases[i].type, cases[i].text, &bits, &err), 0);
        if (bits != cases[i].bits) {
            fail_msg("%s gives %llx", cases[i].text, (unsigned long long)bits);
        }
    }
}

static void refused_values(void **state)
{
    static const struct {
        enum dtype type;
        const char *text, *what;
    } cases[] = {
        {DTYPE_INT32, "1.5", "not a value"},
        {DTYPE_INT32, "1e3", "not a value"},
        {DTYPE_INT32, "", "not a value"},
        {DTYPE_INT32, "2147483648", "out of range"},
        {DTYPE_INT32, "-2147483649", "out of range"},
        {DTYPE_INT8, "128", "out of range"},
        {DTYPE_UINT8, "-1", "out of range"},
        {DTYPE_UINT64, "18446744073709551616", "out of range"},
        {DTYPE_INT64, "9223372036854775808", "out of range"},
        {DTYPE_BOOL, "2", "out of range"},
        {DTYPE_FLOAT32, "one", "not a value"},
    };
    struct error err;
    uint64_t bits;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(value(cases[i].type, cases[i].text, &bits, &err), -1);
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_non_null(strstr(err.what, cases[i].what));
        assert_non_null(strstr(err.what, "'n'"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_of_values),
        cmocka_unit_test(refused_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

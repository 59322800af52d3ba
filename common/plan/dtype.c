#include "common/plan/dtype.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct dtype_info {
    const char *name, *runtime, *npy;
    uint8_t size;
    bool is_float;
};

static const struct dtype_info infos[DTYPE_COUNT] = {
    [DTYPE_FLOAT32] = {"fp32", "FLOAT32", "<f4", 4, true},
    [DTYPE_FLOAT16] = {"fp16", "FLOAT16", "<f2", 2, true},
    [DTYPE_INT32] = {"int32", "INT32", "<i4", 4, false},
    [DTYPE_INT16] = {"int16", "INT16", "<i2", 2, false},
    [DTYPE_INT8] = {"int8", "INT8", "|i1", 1, false},
    [DTYPE_UINT8] = {"uint8", "UINT8", "|u1", 1, false},
    [DTYPE_BFLOAT16] = {"bfloat16", "BFLOAT16", "<u2", 2, true},
    [DTYPE_INT64] = {"int64", "INT64", "<i8", 8, false},
    [DTYPE_UINT64] = {"uint64", "UINT64", "<u8", 8, false},
    [DTYPE_UINT16] = {"uint16", "UINT16", "<u2", 2, false},
    [DTYPE_UINT32] = {"uint32", "UINT32", "<u4", 4, false},
    [DTYPE_BOOL] = {"bool", "BOOL", "|b1", 1, false},
    [DTYPE_FP8E4M3FN] = {"fp8e4m3fn", "FP8E4M3FN", "|u1", 1, true},
    [DTYPE_FP8E8M0] = {"fp8e8m0", "FP8E8M0", "|u1", 1, true},
    [DTYPE_FP4E2M1] = {"fp4", "FP4E2M1", "|u1", 1, true},
    [DTYPE_FLOAT64] = {"fp64", "FLOAT64", "<f8", 8, true},
};

size_t dtype_size(enum dtype type)
{
    return infos[type].size;
}

bool dtype_is_float(enum dtype type)
{
    return infos[type].is_float;
}

const char *dtype_name(enum dtype type)
{
    return infos[type].name;
}

const char *dtype_runtime_name(enum dtype type)
{
    return infos[type].runtime;
}

const char *dtype_npy_descr(enum dtype type)
{
    return infos[type].npy;
}

int dtype_parse(const char *name, enum dtype *type)
{
    static const struct {
        const char *name;
        enum dtype type;
    } aliases[] = {{"index", DTYPE_INT64}, {"bf16", DTYPE_BFLOAT16}, {"fp4e2m1", DTYPE_FP4E2M1}};

    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (strcmp(name, infos[i].name) == 0) {
            *type = (enum dtype)i;
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strcmp(name, aliases[i].name) == 0) {
            *type = aliases[i].type;
            return 0;
        }
    }
    return -1;
}

int dtype_parse_runtime(const char *name, enum dtype *type)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        if (strcmp(name, infos[i].runtime) == 0) {
            *type = (enum dtype)i;
            return 0;
        }
    }
    return -1;
}

/* A small binary format: sign (when is_signed), exponent, mantissa. */
struct minifloat {
    int exponent_bits, mantissa_bits;
    bool is_signed;
    bool has_inf; /* the top exponent is infinities and NaNs */
    bool has_nan; /* without has_inf: only the all-ones pattern is NaN */
};

static const struct minifloat half = {5, 10, true, true, true};
static const struct minifloat brain = {8, 7, true, true, true};
static const struct minifloat e4m3fn = {4, 3, true, false, true};
static const struct minifloat e2m1 = {2, 1, true, false, false};

static uint32_t top_exponent(const struct minifloat *f)
{
    return (1u << f->exponent_bits) - 1;
}

static double minifloat_load(const struct minifloat *f, uint32_t bits)
{
    uint32_t mantissa_mask = (1u << f->mantissa_bits) - 1;
    uint32_t mantissa = bits & mantissa_mask, exponent = bits >> f->mantissa_bits & top_exponent(f);
    int bias = (1 << (f->exponent_bits - 1)) - 1;
    bool negative = bits >> (f->mantissa_bits + f->exponent_bits) & 1;
    double value;

    if (exponent == top_exponent(f) && f->has_inf) {
        value = mantissa ? NAN : INFINITY;
    } else if (exponent == top_exponent(f) && f->has_nan && mantissa == mantissa_mask) {
        value = NAN;
    } else if (exponent == 0) {
        value = ldexp(mantissa, 1 - bias - f->mantissa_bits);
    } else {
        value = ldexp(mantissa | (1u << f->mantissa_bits), (int)exponent - bias - f->mantissa_bits);
    }
    return negative ? -value : value;
}

/* Magnitude bits of the value nearest to `a` (>= 0, finite), ties to even; may be past the largest finite one. */
static uint64_t round_magnitude(const struct minifloat *f, double a)
{
    int bias = (1 << (f->exponent_bits - 1)) - 1, exponent;
    double scaled;

    if (a == 0) {
        return 0;
    }
    exponent = ilogb(a);
    if (exponent < 1 - bias) {
        exponent = 1 - bias;
    }
    /* In units of the last place here; rint() rounds ties to even, and a carry moves into the exponent. */
    scaled = rint(ldexp(a, f->mantissa_bits - exponent));
    if (exponent > bias + 1) {
        return UINT64_MAX;
    }
    return ((uint64_t)(exponent + bias - 1) << f->mantissa_bits) + (uint64_t)scaled;
}

static uint32_t minifloat_store(const struct minifloat *f, double value)
{
    uint32_t sign = signbit(value) ? 1u << (f->mantissa_bits + f->exponent_bits) : 0;
    uint32_t inf = top_exponent(f) << f->mantissa_bits, all = inf | ((1u << f->mantissa_bits) - 1);
    uint32_t largest = f->has_inf ? inf - 1 : f->has_nan ? all - 1 : all;
    uint64_t magnitude;

    if (isnan(value)) {
        if (f->has_inf) {
            return sign | inf | 1u << (f->mantissa_bits - 1);
        }
        return f->has_nan ? sign | all : 0;
    }
    magnitude = isinf(value) ? UINT64_MAX : round_magnitude(f, fabs(value));
    if (magnitude > largest) {
        return sign | (f->has_inf ? inf : f->has_nan ? all : largest);
    }
    return sign | (uint32_t)magnitude;
}

/* e8m0: 2^(bits - 127), no sign, no zero; 255 is NaN. */
static double e8m0_load(uint8_t bits)
{
    return bits == 255 ? NAN : ldexp(1.0, bits - 127);
}

static uint8_t e8m0_store(double value)
{
    int exponent;
    double fraction;

    if (isnan(value) || value < 0 || isinf(value)) {
        return 255;
    }
    if (value == 0) {
        return 0;
    }
    fraction = frexp(value, &exponent) * 2; /* value = fraction * 2^(exponent - 1), fraction in [1, 2) */
    exponent--;
    /* The midpoint of two powers goes to the one with the even code. */
    if (fraction > 1.5 || (fraction == 1.5 && (exponent + 127) % 2 != 0)) {
        exponent++;
    }
    if (exponent < -127) {
        return 0;
    }
    return exponent > 127 ? 255 : (uint8_t)(exponent + 127);
}

/* Toward zero, kept within [low, high]; NaN becomes 0. */
static double whole(double value, double low, double high)
{
    if (isnan(value)) {
        return 0;
    }
    value = trunc(value);
    return value < low ? low : value > high ? high : value;
}

#define LOAD(type, element)                                                                                            \
    ({                                                                                                                 \
        type loaded_;                                                                                                  \
        memcpy(&loaded_, (element), sizeof loaded_);                                                                   \
        loaded_;                                                                                                       \
    })

#define STORE(type, element, value)                                                                                    \
    do {                                                                                                               \
        type stored_ = (type)(value);                                                                                  \
        memcpy((element), &stored_, sizeof stored_);                                                                   \
    } while (0)

double dtype_load(enum dtype type, const void *element)
{
    switch (type) {
    case DTYPE_FLOAT32:
        return (double)LOAD(float, element);
    case DTYPE_FLOAT64:
        return LOAD(double, element);
    case DTYPE_FLOAT16:
        return minifloat_load(&half, LOAD(uint16_t, element));
    case DTYPE_BFLOAT16:
        return minifloat_load(&brain, LOAD(uint16_t, element));
    case DTYPE_FP8E4M3FN:
        return minifloat_load(&e4m3fn, LOAD(uint8_t, element));
    case DTYPE_FP8E8M0:
        return e8m0_load(LOAD(uint8_t, element));
    case DTYPE_FP4E2M1:
        return minifloat_load(&e2m1, LOAD(uint8_t, element) & 15);
    case DTYPE_INT8:
        return LOAD(int8_t, element);
    case DTYPE_INT16:
        return LOAD(int16_t, element);
    case DTYPE_INT32:
        return LOAD(int32_t, element);
    case DTYPE_INT64:
        return (double)LOAD(int64_t, element);
    case DTYPE_UINT8:
        return LOAD(uint8_t, element);
    case DTYPE_UINT16:
        return LOAD(uint16_t, element);
    case DTYPE_UINT32:
        return LOAD(uint32_t, element);
    case DTYPE_UINT64:
        return (double)LOAD(uint64_t, element);
    case DTYPE_BOOL:
        return LOAD(uint8_t, element) != 0;
    case DTYPE_COUNT:
        break;
    }
    return NAN;
}

static void store_float(enum dtype type, void *element, double value)
{
    switch (type) {
    case DTYPE_FLOAT32:
        STORE(float, element, value);
        break;
    case DTYPE_FLOAT64:
        STORE(double, element, value);
        break;
    case DTYPE_FLOAT16:
        STORE(uint16_t, element, minifloat_store(&half, value));
        break;
    case DTYPE_BFLOAT16:
        STORE(uint16_t, element, minifloat_store(&brain, value));
        break;
    case DTYPE_FP8E4M3FN:
        STORE(uint8_t, element, minifloat_store(&e4m3fn, value));
        break;
    case DTYPE_FP8E8M0:
        STORE(uint8_t, element, e8m0_store(value));
        break;
    default:
        STORE(uint8_t, element, minifloat_store(&e2m1, value));
    }
}

void dtype_store(enum dtype type, void *element, double value)
{
    switch (type) {
    case DTYPE_INT8:
        STORE(int8_t, element, whole(value, INT8_MIN, INT8_MAX));
        break;
    case DTYPE_INT16:
        STORE(int16_t, element, whole(value, INT16_MIN, INT16_MAX));
        break;
    case DTYPE_INT32:
        STORE(int32_t, element, whole(value, INT32_MIN, INT32_MAX));
        break;
    case DTYPE_INT64:
        if (value >= 0x1p63) {
            STORE(int64_t, element, INT64_MAX);
        } else {
            STORE(int64_t, element, whole(value, -0x1p63, 0x1p63));
        }
        break;
    case DTYPE_UINT8:
        STORE(uint8_t, element, whole(value, 0, UINT8_MAX));
        break;
    case DTYPE_UINT16:
        STORE(uint16_t, element, whole(value, 0, UINT16_MAX));
        break;
    case DTYPE_UINT32:
        STORE(uint32_t, element, whole(value, 0, UINT32_MAX));
        break;
    case DTYPE_UINT64:
        if (value >= 0x1p64) {
            STORE(uint64_t, element, UINT64_MAX);
        } else {
            STORE(uint64_t, element, whole(value, 0, 0x1p64));
        }
        break;
    case DTYPE_BOOL:
        STORE(uint8_t, element, value != 0);
        break;
    default:
        store_float(type, element, value);
    }
}

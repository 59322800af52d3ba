#include "orchestrator/data/generate.h"

#include <math.h>
#include <string.h>
#include <xxhash.h>

/* splitmix64's output function over a counter: word i of the stream without the words before it. */
static uint64_t word(uint64_t key, uint64_t i)
{
    uint64_t z = key + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Box-Muller: elements 2*pair and 2*pair+1. */
static void normal_pair(uint64_t key, uint64_t pair, float out[2])
{
    static const float two_pi = 6.28318530717958647693f;
    uint64_t w = word(key, pair);
    /* (0, 1]: the logarithm of zero does not exist. */
    float u = ((float)(uint32_t)(w >> 32) + 1.0f) * 0x1p-32f, angle = (float)(uint32_t)w * 0x1p-32f * two_pi;
    float radius = sqrtf(-2.0f * logf(u)), s, c;

    sincosf(angle, &s, &c);
    out[0] = radius * c;
    out[1] = radius * s;
}

/* `value` rounded to the nearest with `drop` mantissa bits fewer, ties to even. */
static uint32_t round_mantissa(uint32_t value, int drop)
{
    return (value + (1u << (drop - 1)) - 1 + ((value >> drop) & 1)) >> drop;
}

/* The 16-bit types have twice the elements a byte, and dtype_store() takes any number: too slow for them. Here numbers
 * are finite and below 8, and those that would be subnormal are left to it. */
static void store_16(enum dtype type, unsigned char *dst, float value)
{
    uint32_t bits, magnitude;
    uint16_t half;

    memcpy(&bits, &value, sizeof bits);
    magnitude = bits & 0x7fffffff;
    if (magnitude < 0x38800000) { /* 2^-14, the least normal fp16 */
        dtype_store(type, dst, (double)value);
        return;
    }
    /* fp16 counts its exponents from 15, fp32 from 127. */
    magnitude = type == DTYPE_BFLOAT16 ? round_mantissa(magnitude, 16) : round_mantissa(magnitude - (112u << 23), 13);
    half = (uint16_t)((bits >> 16 & 0x8000) | magnitude);
    memcpy(dst, &half, sizeof half);
}

static void fill_normal(enum dtype type, uint64_t key, unsigned char *dst, uint64_t count)
{
    size_t size = dtype_size(type);
    float pair[2];

    for (uint64_t i = 0; i < count; i += 2) {
        uint64_t n = count - i < 2 ? 1 : 2;
        normal_pair(key, i / 2, pair);
        if (type == DTYPE_FLOAT32) {
            memcpy(dst + i * size, pair, n * size);
            continue;
        }
        for (uint64_t j = 0; j < n; j++) {
            if (type == DTYPE_FLOAT16 || type == DTYPE_BFLOAT16) {
                store_16(type, dst + (i + j) * size, pair[j]);
            } else {
                dtype_store(type, dst + (i + j) * size, (double)pair[j]);
            }
        }
    }
}

/* 16 elements a word: one nibble each. Small numbers have the same low byte in every integer type. */
static void fill_small(size_t size, unsigned mask, uint64_t key, unsigned char *dst, uint64_t count)
{
    uint64_t w = 0;

    for (uint64_t i = 0; i < count; i++, dst += size) {
        uint64_t value;
        if (i % 16 == 0) {
            w = word(key, i / 16);
        }
        value = (w >> (i % 16 * 4)) & mask;
        switch (size) {
        case 1:
            dst[0] = (unsigned char)value;
            break;
        case 2:
            memcpy(dst, &value, 2);
            break;
        case 4:
            memcpy(dst, &value, 4);
            break;
        default:
            memcpy(dst, &value, 8);
            break;
        }
    }
}

void generate(enum dtype type, uint64_t seed, const char *name, void *dst, uint64_t count)
{
    uint64_t key = XXH3_64bits_withSeed(name, strlen(name), seed);

    if (dtype_is_float(type)) {
        fill_normal(type, key, dst, count);
    } else {
        fill_small(dtype_size(type), type == DTYPE_BOOL ? 1 : 7, key, dst, count);
    }
}

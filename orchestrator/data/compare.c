#include "orchestrator/data/compare.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 512 };

static void load_block(enum dtype type, const unsigned char *src, double *dst, uint64_t count)
{
    size_t size = dtype_size(type);
    float f;

    if (type == DTYPE_FLOAT32) {
        for (uint64_t i = 0; i < count; i++) {
            memcpy(&f, src + i * sizeof f, sizeof f);
            dst[i] = (double)f;
        }
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        dst[i] = dtype_load(type, src + i * size);
    }
}

/* What one call compares by, and where its numbers go. */
struct span {
    struct tolerance tol;
    bool nan_is_any;
    compare_visit *visit;
    void *context;
    struct comparison *out;
};

static void note(const struct span *s, uint64_t index, double actual, double expected)
{
    struct comparison *out = s->out;

    if (s->visit) {
        s->visit(s->context, index);
    }
    if (out->nshown < VERIFY_MAX_SHOWN) {
        out->shown[out->nshown++] = (struct mismatch){.index = index, .actual = actual, .expected = expected};
    }
    out->mismatched++;
}

static void take_difference(struct comparison *out, uint64_t index, double diff)
{
    if (diff > out->max_abs_error) {
        out->max_abs_error = diff;
        out->max_index = index;
    }
}

/* The relative difference of the model repository's comparator: the difference itself where that is small. */
static double relative_difference(double actual, double expected, double diff, double threshold)
{
    const double floor = 0x1p-14 / threshold;

    return diff < threshold ? diff : diff / (fmax(fmax(fabs(actual), fabs(expected)), floor) + 1e-9);
}

static void compare_float(const struct span *s, uint64_t index, double actual, double expected)
{
    double diff, relative;

    if (s->nan_is_any && isnan(expected)) {
        s->out->ignored++;
        return;
    }
    if (actual == expected) { /* equal infinities too */
        return;
    }
    diff = fabs(actual - expected);
    if (!isfinite(diff)) {
        take_difference(s->out, index, INFINITY);
        note(s, index, actual, expected);
        return;
    }
    take_difference(s->out, index, diff);
    if (s->tol.reldiff > 0) {
        relative = relative_difference(actual, expected, diff, s->tol.reldiff);
        if (relative > s->tol.reldiff) {
            s->out->max_reldiff = fmax(s->out->max_reldiff, relative);
            note(s, index, actual, expected);
        }
        return;
    }
    /* Negated, so that a tolerance that is not a number lets nothing through. */
    if (!(diff <= s->tol.atol + s->tol.rtol * fabs(expected))) {
        note(s, index, actual, expected);
    }
}

/* 64-bit integers as magnitude and sign: their difference needs 65 bits, and no double holds it. */
struct wide {
    uint64_t magnitude;
    bool negative;
};

static struct wide load_wide(enum dtype type, const unsigned char *src)
{
    uint64_t bits;

    memcpy(&bits, src, sizeof bits);
    if (type == DTYPE_INT64 && bits >> 63) {
        return (struct wide){.magnitude = -bits, .negative = true};
    }
    return (struct wide){.magnitude = bits, .negative = false};
}

static long double wide_difference(struct wide a, struct wide b)
{
    if (a.negative != b.negative) {
        return (long double)a.magnitude + (long double)b.magnitude;
    }
    return (long double)(a.magnitude > b.magnitude ? a.magnitude - b.magnitude : b.magnitude - a.magnitude);
}

static void compare_wide(const struct span *s, enum dtype type, const unsigned char *actual,
                         const unsigned char *expected, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++) {
        struct wide a = load_wide(type, actual + i * 8), e = load_wide(type, expected + i * 8);
        long double diff = wide_difference(a, e);
        if (diff == 0) {
            continue;
        }
        take_difference(s->out, i, (double)diff);
        if (!(diff <= (long double)s->tol.atol + (long double)s->tol.rtol * (long double)e.magnitude)) {
            note(s, i, dtype_load(type, actual + i * 8), dtype_load(type, expected + i * 8));
        }
    }
}

/* May a block hold a NaN, which equal bytes do not make equal? */
static bool may_hold_nan(enum dtype type, const unsigned char *block, uint64_t count)
{
    unsigned limit = type == DTYPE_BFLOAT16 ? 0x7f80 : 0x7c00; /* infinity */
    uint16_t bits;

    if (!dtype_is_float(type)) {
        return false;
    }
    if (type != DTYPE_BFLOAT16 && type != DTYPE_FLOAT16) {
        return true;
    }
    for (uint64_t i = 0; i < count; i++) {
        memcpy(&bits, block + i * sizeof bits, sizeof bits);
        if ((bits & 0x7fffu) > limit) {
            return true;
        }
    }
    return false;
}

void compare_span(enum dtype type, const void *actual, enum dtype expected_type, const void *expected, uint64_t first,
                  uint64_t count, struct tolerance tol, bool nan_is_any, compare_visit *visit, void *context,
                  struct comparison *out)
{
    const struct span s = {.tol = tol, .nan_is_any = nan_is_any, .visit = visit, .context = context, .out = out};
    const unsigned char *a = actual, *e = expected;
    const uint64_t end = first + count;
    size_t size = dtype_size(type), expected_size = dtype_size(expected_type);
    double got[BLOCK], want[BLOCK];

    out->count += count;
    if ((type == DTYPE_INT64 || type == DTYPE_UINT64) && !(tol.reldiff > 0)) {
        compare_wide(&s, type, a, e, first, end);
        return;
    }
    for (uint64_t at = first; at < end; at += BLOCK) {
        uint64_t n = end - at < BLOCK ? end - at : BLOCK;
        if (type == expected_type && memcmp(a + at * size, e + at * size, n * size) == 0 &&
            !may_hold_nan(type, a + at * size, n)) {
            continue;
        }
        load_block(type, a + at * size, got, n);
        load_block(expected_type, e + at * expected_size, want, n);
        for (uint64_t i = 0; i < n; i++) {
            compare_float(&s, at + i, got[i], want[i]);
        }
    }
}

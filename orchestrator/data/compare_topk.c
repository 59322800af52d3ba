#include "orchestrator/data/compare_topk.h"

#include <math.h>
#include <string.h>

static bool in_order(const struct topk_values *v, uint64_t left)
{
    const size_t size = dtype_size(v->type);
    const double a = dtype_load(v->type, (const char *)v->data + left * size);
    const double b = dtype_load(v->type, (const char *)v->data + (left + 1) * size);

    return v->ascending ? a <= b : a >= b;
}

bool topk_is_tie(const struct topk_values *v, uint64_t index)
{
    const uint64_t at = index % v->length;

    return (at == 0 || in_order(v, index - 1)) && (at + 1 == v->length || in_order(v, index));
}

struct judging {
    const struct topk_values *values;
    enum dtype type, expected_type;
    const char *actual, *expected;
    struct comparison *out;
    uint64_t ties;
};

static void judge(void *context, uint64_t index)
{
    struct judging *j = context;
    struct comparison *out = j->out;
    double actual, expected;

    if (topk_is_tie(j->values, index)) {
        j->ties++;
        return;
    }
    actual = dtype_load(j->type, j->actual + index * dtype_size(j->type));
    expected = dtype_load(j->expected_type, j->expected + index * dtype_size(j->expected_type));
    if (fabs(actual - expected) > out->max_abs_error) {
        out->max_abs_error = fabs(actual - expected);
        out->max_index = index;
    }
    if (out->nshown < VERIFY_MAX_SHOWN) {
        out->shown[out->nshown++] = (struct mismatch){.index = index, .actual = actual, .expected = expected};
    }
    out->mismatched++;
}

uint64_t compare_topk(enum dtype type, const void *actual, enum dtype expected_type, const void *expected,
                      uint64_t count, const struct topk_values *values, struct comparison *out)
{
    struct judging j = {.values = values,
                        .type = type,
                        .expected_type = expected_type,
                        .actual = actual,
                        .expected = expected,
                        .out = out};
    struct comparison all = {0};

    memset(out, 0, sizeof *out);
    compare_span(type, actual, expected_type, expected, 0, count, (struct tolerance){0}, false, judge, &j, &all);
    out->count = count;
    return j.ties;
}

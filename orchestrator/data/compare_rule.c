#include "orchestrator/data/compare_rule.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/data/compare_parallel.h"

struct compare_rule compare_rule_default(struct tolerance tol)
{
    return (struct compare_rule){.tol = tol, .error_ratio = -1, .valid_rows = COMPARE_ALL_ROWS};
}

double compare_rule_ratio(const struct compare_rule *rule)
{
    return rule->error_ratio >= 0 || !(rule->tol.reldiff > 0) ? rule->error_ratio : COMPARE_RELDIFF_RATIO;
}

void compare_rule_set(struct compare_rule *rule, const struct compare_setting *s)
{
    switch (s->what) {
    case COMPARE_RTOL:
        rule->tol.rtol = s->value;
        return;
    case COMPARE_ATOL:
        rule->tol.atol = s->value;
        return;
    case COMPARE_RATIO:
        rule->error_ratio = s->value;
        return;
    case COMPARE_ROWS:
        rule->valid_rows = (int64_t)s->value;
        return;
    case COMPARE_AXIS:
        rule->valid_axis = (uint32_t)s->value;
        return;
    case COMPARE_TAIL:
        rule->zero_tail = s->value != 0;
        return;
    case COMPARE_RELDIFF:
        rule->tol.reldiff = s->value;
        return;
    case COMPARE_RELDIFF_MOST:
        rule->reldiff_most = s->value;
        return;
    }
}

int compare_rule_check(const struct compare_rule *rule, const char *param, uint32_t ndim, const int64_t *shape,
                       struct error *err)
{
    if (rule->reldiff_most > 0 && !(rule->tol.reldiff > 0)) {
        return error_set_kind(err, ERROR_USAGE, "--max-reldiff", "say which share may be beyond: --reldiff X",
                              "%s is not compared by relative difference", param);
    }
    if (rule->valid_rows == COMPARE_ALL_ROWS) {
        return rule->zero_tail
                   ? error_set_kind(err, ERROR_USAGE, "--zero-tail", "say where the tail begins: --valid-rows N",
                                    "%s has no tail: all of its rows count", param)
                   : 0;
    }
    if (rule->valid_axis >= ndim) {
        return error_set_kind(err, ERROR_USAGE, "--valid-axis", "give an axis that it has, counted from 0",
                              "%s has %u dimension%s and no axis %u", param, ndim, ndim == 1 ? "" : "s",
                              rule->valid_axis);
    }
    if (rule->valid_rows > shape[rule->valid_axis]) {
        return error_set_kind(err, ERROR_USAGE, "--valid-rows", "give as many as there are, or fewer",
                              "%s has %" PRId64 " rows along axis %u, and %" PRId64 " should count", param,
                              shape[rule->valid_axis], rule->valid_axis, rule->valid_rows);
    }
    return 0;
}

static uint64_t count_not_finite(enum dtype type, const unsigned char *p, uint64_t count)
{
    const size_t size = dtype_size(type);
    uint64_t n = 0;

    for (uint64_t i = 0; dtype_is_float(type) && i < count; i++) {
        n += !isfinite(dtype_load(type, p + i * size));
    }
    return n;
}

static uint64_t count_nonzero(enum dtype type, const unsigned char *p, uint64_t count)
{
    const size_t size = dtype_size(type);
    uint64_t n = 0;

    for (uint64_t i = 0; i < count; i++) {
        n += dtype_load(type, p + i * size) != 0; /* a NaN too */
    }
    return n;
}

/* A tensor as blocks of `rows` rows of `inner` elements. */
struct blocks {
    uint64_t outer, rows, inner, valid; /* valid: elements of a block that count, its first */
};

static struct blocks blocks_of(const struct compare_rule *rule, uint32_t ndim, const int64_t *shape)
{
    struct blocks b = {.outer = 1, .rows = 1, .inner = 1};

    for (uint32_t d = 0; d < ndim; d++) {
        if (rule->valid_rows == COMPARE_ALL_ROWS || d > rule->valid_axis) {
            b.inner *= (uint64_t)shape[d];
        } else if (d < rule->valid_axis) {
            b.outer *= (uint64_t)shape[d];
        } else {
            b.rows = (uint64_t)shape[d];
        }
    }
    b.valid = rule->valid_rows == COMPARE_ALL_ROWS ? b.rows * b.inner : (uint64_t)rule->valid_rows * b.inner;
    return b;
}

void compare_by_rule(const struct compare_rule *rule, enum dtype type, uint32_t ndim, const int64_t *shape,
                     const void *actual, enum dtype expected_type, const void *expected, struct comparison *out,
                     struct compare_verdict *verdict)
{
    const struct blocks b = blocks_of(rule, ndim, shape);
    const uint64_t whole = b.rows * b.inner;
    const double ratio = compare_rule_ratio(rule);
    const bool strict = ratio >= 0;

    memset(out, 0, sizeof *out);
    *verdict = (struct compare_verdict){0};
    for (uint64_t o = 0; o < b.outer; o++) {
        const uint64_t first = o * whole;
        const unsigned char *a = (const unsigned char *)actual + first * dtype_size(type);
        const unsigned char *e = (const unsigned char *)expected + first * dtype_size(expected_type);

        compare_more(type, actual, expected_type, expected, first, b.valid, rule->tol, !strict, out);
        if (strict) {
            verdict->not_finite += count_not_finite(type, a, b.valid) + count_not_finite(expected_type, e, b.valid);
        }
        if (rule->zero_tail) {
            verdict->tail_nonzero += count_nonzero(type, a + b.valid * dtype_size(type), whole - b.valid);
        }
    }
    verdict->allowed = strict ? (uint64_t)nearbyint(ratio * (double)out->count) : 0;
    verdict->too_far = rule->reldiff_most > 0 && out->mismatched && out->max_reldiff >= rule->reldiff_most;
    verdict->passed =
        out->mismatched <= verdict->allowed && !verdict->not_finite && !verdict->tail_nonzero && !verdict->too_far;
}

void compare_visit_by_rule(const struct compare_rule *rule, enum dtype type, uint32_t ndim, const int64_t *shape,
                           const void *actual, enum dtype expected_type, const void *expected, compare_visit *visit,
                           void *context)
{
    const struct blocks b = blocks_of(rule, ndim, shape);
    struct comparison found = {0};

    for (uint64_t o = 0; o < b.outer; o++) {
        compare_span(type, actual, expected_type, expected, o * b.rows * b.inner, b.valid, rule->tol,
                     compare_rule_ratio(rule) < 0, visit, context, &found);
    }
}

const char *compare_rule_text(const struct compare_rule *rule, char *buf, size_t size)
{
    size_t used = rule->tol.reldiff > 0
                      ? (size_t)snprintf(buf, size, "relative difference %g", rule->tol.reldiff)
                      : (size_t)snprintf(buf, size, "rtol %g, atol %g", rule->tol.rtol, rule->tol.atol);

    if (compare_rule_ratio(rule) >= 0 && used < size) {
        used += (size_t)snprintf(buf + used, size - used, ", of which %g may be off", compare_rule_ratio(rule));
    }
    if (rule->reldiff_most > 0 && used < size) {
        used += (size_t)snprintf(buf + used, size - used, ", none by %g", rule->reldiff_most);
    }
    if (rule->valid_rows != COMPARE_ALL_ROWS && used < size) {
        snprintf(buf + used, size - used, ", the first %" PRId64 " row%s of axis %u%s", rule->valid_rows,
                 rule->valid_rows == 1 ? "" : "s", rule->valid_axis, rule->zero_tail ? ", zeros behind them" : "");
    }
    return buf;
}

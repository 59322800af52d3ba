#include "orchestrator/measure/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The normal quantile of 97.5 %. */
static const double NORMAL = 1.959963984540054, HALF_PI = 1.5707963267948966;
enum { LEAST_DEGREES = 4, MOST_LAGS = 10000 };

/* --- order --------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double series_quantile(const double *ascending, uint32_t count, double q)
{
    const double at = q * (count - 1.0);
    const uint32_t low = (uint32_t)at;

    return low + 1 < count ? ascending[low] + (at - low) * (ascending[low + 1] - ascending[low]) : ascending[count - 1];
}

static double *ascending(const double *series, uint32_t count, struct error *err)
{
    double *copy = malloc(count * sizeof *copy);

    if (!copy) {
        error_nomem(err, "statistics", count * sizeof *copy);
        return NULL;
    }
    memcpy(copy, series, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, by_value);
    return copy;
}

/* How many of `sorted` are below `value`. */
static uint32_t below(const double *sorted, uint32_t count, double value)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (sorted[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t not_above(const double *sorted, uint32_t count, double value)
{
    return below(sorted, count, nextafter(value, INFINITY));
}

/* --- dependence ---------------------------------------------------------- */

/* Of `x`, whose mean is 0; 0 where nothing varies. */
static double autocorrelation(const double *x, uint32_t count, uint32_t lag)
{
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < count; i++) {
        squares += x[i] * x[i];
        sum += i + lag < count ? x[i] * x[i + lag] : 0;
    }
    return squares > 0 ? sum / squares : 0;
}

/* Of signs around the median, when the series is like one in which each value keeps `rho` of the one before: the signs of
 * two normal values with correlation c agree as 2/pi * asin(c) says. */
static double inflation_by_rank(double rho)
{
    double sum = 0, power = rho;

    for (int lag = 1; lag < MOST_LAGS && power > 1e-4; lag++, power *= rho) {
        sum += asin(power) / HALF_PI;
    }
    return 1 + 2 * sum;
}

/* The signs' own, over some neighbours: periods and drifts, which are not like that. */
static double inflation_by_sign(const double *signs, uint32_t count)
{
    const uint32_t lags = (uint32_t)ceil(1.3 * sqrt(count));
    double sum = 0;

    for (uint32_t lag = 1; lag <= lags && lag < count; lag++) {
        sum += (1 - lag / (lags + 1.0)) * autocorrelation(signs, count, lag);
    }
    return 1 + 2 * sum;
}

/* `work` has room for `count` values. */
static double inflation_of(const double *series, const double *sorted, uint32_t count, double *work)
{
    double rho, by_rank, by_sign, median = series_quantile(sorted, count, 0.5);

    for (uint32_t i = 0; i < count; i++) {
        work[i] = (below(sorted, count, series[i]) + (double)not_above(sorted, count, series[i])) / 2 - count / 2.0;
    }
    rho = autocorrelation(work, count, 1);
    rho += (1 + 3 * rho) / count; /* what a short series hides, since its own mean is taken off */
    rho = fmin(2 * sin(fmax(rho, 0) * HALF_PI / 3), 0.98);
    by_rank = inflation_by_rank(rho);
    for (uint32_t i = 0; i < count; i++) {
        work[i] = (series[i] > median) - (double)(series[i] < median);
    }
    by_sign = inflation_by_sign(work, count);
    return fmax(1, fmax(by_rank, by_sign));
}

int series_inflation(const double *series, uint32_t count, double *inflation, struct error *err)
{
    double *sorted = ascending(series, count, err), *work = sorted ? malloc(count * sizeof *work) : NULL;

    if (sorted && !work) {
        error_nomem(err, "statistics", count * sizeof *work);
    }
    if (work) {
        *inflation = inflation_of(series, sorted, count, work);
    }
    free(sorted);
    free(work);
    return work ? 0 : -1;
}

/* --- intervals ----------------------------------------------------------- */

/* The 97.5 % quantile of Student's distribution, by its expansion in 1/degrees. */
static double student(double degrees)
{
    const double z = NORMAL, z2 = z * z;

    return z * (1 + (z2 + 1) / (4 * degrees) + ((5 * z2 + 16) * z2 + 3) / (96 * degrees * degrees));
}

/* As many values lie below the median as a coin shows heads: that says between which two of them it lies. */
static struct series_interval interval_of(const double *sorted, uint32_t count, double inflation)
{
    const double independent = count / inflation;
    const double half =
        independent - 1 < LEAST_DEGREES ? count : student(independent - 1) * 0.5 * sqrt(count * inflation);
    const double rank = floor(count / 2.0 - half); /* from 1 */

    if (rank < 1) {
        return (struct series_interval){.low = sorted[0], .high = sorted[count - 1]};
    }
    return (struct series_interval){
        .known = true, .low = sorted[(uint32_t)rank - 1], .high = sorted[count - (uint32_t)rank]};
}

int series_summarize(const double *series, uint32_t count, struct series_summary *out, struct error *err)
{
    double *sorted = ascending(series, count, err), inflation, sum = 0;

    if (!sorted || series_inflation(series, count, &inflation, err) < 0) {
        free(sorted);
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        sum += series[i];
    }
    *out = (struct series_summary){.count = count,
                                   .min = sorted[0],
                                   .median = series_quantile(sorted, count, 0.5),
                                   .mean = sum / count,
                                   .p95 = series_quantile(sorted, count, 0.95),
                                   .max = sorted[count - 1],
                                   .interval = interval_of(sorted, count, inflation)};
    free(sorted);
    return 0;
}

static enum series_finding find(const struct series_interval *of)
{
    return !of->known     ? SERIES_UNKNOWN
           : of->low > 0  ? SERIES_GREATER
           : of->high < 0 ? SERIES_LESS
                          : SERIES_NO_DIFFERENCE;
}

int series_compare_pairs(const double *a, const double *b, uint32_t count, struct series_difference *out,
                         struct error *err)
{
    double *logs = malloc(count * sizeof *logs);
    struct series_summary s;
    int rc;

    if (!logs) {
        return error_nomem(err, "statistics", count * sizeof *logs);
    }
    for (uint32_t i = 0; i < count; i++) {
        logs[i] = log(b[i]) - log(a[i]);
    }
    rc = series_summarize(logs, count, &s, err);
    free(logs);
    if (rc < 0) {
        return -1;
    }
    *out = (struct series_difference){.ratio = expm1(s.median),
                                      .interval = {s.interval.known, expm1(s.interval.low), expm1(s.interval.high)}};
    out->finding = find(&out->interval);
    return 0;
}

/* Both medians may be off, and independently: squares add up. */
void series_compare_apart(const struct series_summary *a, const struct series_summary *b, struct series_difference *out)
{
    const double middle = log(b->median / a->median);
    const double down = hypot(log(b->median / b->interval.low), log(a->interval.high / a->median));
    const double up = hypot(log(b->interval.high / b->median), log(a->median / a->interval.low));

    *out = (struct series_difference){.ratio = expm1(middle),
                                      .interval = {.known = a->interval.known && b->interval.known,
                                                   .low = expm1(middle - down),
                                                   .high = expm1(middle + up)}};
    out->finding = find(&out->interval);
}

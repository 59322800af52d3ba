/*
 * series - what a series of measurements says: quantiles, an interval of its median, and the difference of two series.
 *
 * A series is in the order in which it was measured, because neighbours resemble each other: a clock of the processor, a
 * neighbour on the machine or the state of a cache last for more than a round. Intervals that take rounds for independent
 * are then too narrow. Nothing here is random, and no distribution is assumed; docs/decisions.md, "Intervals of medians",
 * has the method. Values may be of any unit; results have the same one. No value may be NaN.
 */
#ifndef L3R_ORCHESTRATOR_MEASURE_SERIES_H
#define L3R_ORCHESTRATOR_MEASURE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

/* Of 95 %; not known: there are too few values, of which `low` and `high` are then the least and the greatest. */
struct series_interval {
    bool known;
    double low, high;
};

struct series_summary {
    uint32_t count;
    double min, median, mean, p95, max;
    struct series_interval interval; /* of the median */
};

/* Is one of two series greater, as far as is known? */
enum series_finding { SERIES_NO_DIFFERENCE = 0, SERIES_LESS, SERIES_GREATER, SERIES_UNKNOWN };

/* Of a second series in terms of a first one: 0.02 is 2 % more. */
struct series_difference {
    double ratio; /* estimate */
    struct series_interval interval;
    enum series_finding finding;
};

/* Quantile `q` (0 to 1) of `count` >= 1 ascending values; between two of them it is interpolated. */
double series_quantile(const double *ascending, uint32_t count, double q);

/* By how much the values' dependence makes the variance of their median greater: at least 1. `count` >= 1. */
int series_inflation(const double *series, uint32_t count, double *inflation, struct error *err);

/* All of a series of `count` >= 1 values. -1 with `err` when out of memory. */
int series_summarize(const double *series, uint32_t count, struct series_summary *out, struct error *err);

/* Two series that were measured in turns, value i of the one beside value i of the other: what made both slower at that
 * time does not count. All values above 0, `count` >= 1. */
int series_compare_pairs(const double *a, const double *b, uint32_t count, struct series_difference *out,
                         struct error *err);

/* Two series that were measured apart. Medians and bounds of both must be above 0. */
void series_compare_apart(const struct series_summary *a, const struct series_summary *b,
                          struct series_difference *out);

#endif

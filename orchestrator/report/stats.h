/* stats - min, median, mean, 95th percentile and maximum of a set of durations. */
#ifndef L3R_ORCHESTRATOR_REPORT_STATS_H
#define L3R_ORCHESTRATOR_REPORT_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats {
    size_t count;
    uint64_t min, max, total;
    double median, mean;
    uint64_t p95; /* nearest rank: the smallest value that at least 95 of 100 do not exceed */
};

/* Sorts `values`. All zero when there are none. */
struct stats stats_of(uint64_t *values, size_t count);

#endif

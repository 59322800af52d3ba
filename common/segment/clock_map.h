/*
 * clock_map - the clock of another process in terms of process 0's, and how wrong that may be.
 *
 * A sample is one exchange: process 0 asks, the other answers with its time. Whatever the messages took on either way,
 * process 0's clock stood between "sent" and "received" when the other's stood at the stamp: an interval that holds
 * the true offset. A point joins the samples of one measurement; two points, before and after a run, make a line
 * between them, whose slope is the drift.
 *
 * Bounds hold under two assumptions: clocks run apart by at most CLOCK_MOST_DRIFT_PPB, and between two points the rate
 * stays within CLOCK_WANDER_PPB of its mean. All times are nanoseconds of clock_now_ns() (below 2^62); offsets are
 * process 0's clock minus the other. Pure arithmetic, without MPI and without a clock of its own.
 */
#ifndef L3R_COMMON_SEGMENT_CLOCK_MAP_H
#define L3R_COMMON_SEGMENT_CLOCK_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* A kernel steers its clock by up to 500 ppm, and there are two of them. */
#define CLOCK_MOST_DRIFT_PPB INT64_C(1000000)
/* What temperature and time daemons change within a run. */
#define CLOCK_WANDER_PPB INT64_C(1000)
#define CLOCK_NO_BOUND UINT64_MAX

struct clock_sample {
    uint64_t sent_ns, received_ns; /* process 0's clock */
    uint64_t stamp_ns;             /* the other's, read between the two */
};

struct clock_point {
    uint64_t at_ns; /* the other's clock */
    int64_t offset_ns;
    uint64_t error_ns; /* the true offset at `at_ns` is no farther than this from `offset_ns` */
};

enum clock_alignment {
    CLOCK_SHARED = 0, /* it is process 0's clock: nothing to convert, no error */
    CLOCK_UNALIGNED,  /* could not be measured; points[0].offset_ns is assumed, for drawing, and nothing more */
    CLOCK_ONE_POINT,  /* points[0]: the drift is not known, and the bound grows with the distance */
    CLOCK_TWO_POINTS,
};

struct clock_map {
    enum clock_alignment kind;
    struct clock_point points[2]; /* by time */
};

/* Join the samples of one measurement: -1 when none of them can be used (received before it was sent). The bound is
 * never above half the shortest round trip, except for the rounding of the clocks. */
int clock_point_of(const struct clock_sample *samples, size_t n, struct clock_point *point);

/* A map through one point, or through two (`after` may be NULL). Fails when the two cannot be of one pair of clocks
 * that ran evenly: then one of them was set or stood still in between, and no line through them says anything. */
int clock_map_make(struct clock_map *map, const struct clock_point *before, const struct clock_point *after,
                   struct error *err);

/* The time on process 0's clock. Never decreases with `ns`; what lies before its start becomes 0. */
uint64_t clock_map_to_root(const struct clock_map *map, uint64_t ns);

/* How far clock_map_to_root(ns) may be from the truth; CLOCK_NO_BOUND of a clock that is not aligned. */
uint64_t clock_map_error(const struct clock_map *map, uint64_t ns);

/* The largest clock_map_error() of all times from `from_ns` to `to_ns`. */
uint64_t clock_map_worst_error(const struct clock_map *map, uint64_t from_ns, uint64_t to_ns);

/* How much process 0's clock gains, in ns a second of the other's; 0 where two points are not known. */
int64_t clock_map_drift_ppb(const struct clock_map *map);

#endif

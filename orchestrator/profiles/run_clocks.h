/*
 * run_clocks - the clocks that the lanes of a run were timed with, and how well they are aligned.
 *
 * Every lane's executor reads the clock of its process; times in a record are on that of process 0. Format of both
 * directions: docs/formats.md, "l3_run.json", "clocks".
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_RUN_CLOCKS_H
#define L3R_ORCHESTRATOR_PROFILES_RUN_CLOCKS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/array.h"
#include "common/base/error.h"
#include "common/base/json.h"
#include "common/segment/clock_map.h"

enum { RUN_CLOCK_HOST_MAX = 65 };

struct run_clock {
    struct clock_map map;
    char host[RUN_CLOCK_HOST_MAX]; /* of the process that was measured; "": not known */
    uint64_t error_ns;             /* largest over the run; CLOCK_NO_BOUND: not aligned */
};

/* Zeroed: nothing is known of clocks, as in records of versions that knew one clock only. */
struct run_clocks {
    struct run_clock *items;
    uint32_t count;
    uint32_t *of_lane; /* nlane: indexes of items */
    uint32_t nlane;
};

/* The clock of a lane; one that is process 0's where nothing is known. */
const struct run_clock *run_clocks_of(const struct run_clocks *clocks, uint32_t lane);

/* How far two nodes of the run may be from where they stand beside each other, at worst: 0 on one clock,
 * CLOCK_NO_BOUND when a clock is not aligned. In ns. */
uint64_t run_clocks_error(const struct run_clocks *clocks);

/* Can times of these two lanes be compared? */
bool run_clocks_related(const struct run_clocks *clocks, uint32_t a, uint32_t b);

/* Add a note for each clock that is not aligned, or less well than it could be; returns how many are not at all. */
uint32_t run_clocks_report(const struct run_clocks *clocks, uint32_t world_size, struct notes *notes);

/* The members "clock_error_ns" and "clocks" of the record, each after a comma; nothing where nothing is known. */
void run_clocks_write(FILE *f, const struct run_clocks *clocks);

/* Read and check them; a record without them leaves `clocks` zeroed. To be freed in every case. */
int run_clocks_read(const struct json_source *src, const cJSON *record, uint32_t nlane, struct run_clocks *clocks);
void run_clocks_free(struct run_clocks *clocks); /* a zeroed struct is fine */

#endif

/*
 * pairs - two builds measured in turns: by how much the second one is faster or slower, and how sure that is.
 *
 * A pair is a round of each, side by side in time. Pairs come from several passes, whose samples are added up; a pair in
 * which a dispatch has no time is dropped. Compared are effective times (samples.h) and union; ranks of both builds, and
 * slots of a rank where both have as many of them.
 */
#ifndef L3R_ORCHESTRATOR_BENCH_PAIRS_H
#define L3R_ORCHESTRATOR_BENCH_PAIRS_H

#include <stdio.h>

#include "common/base/json_write.h"
#include "orchestrator/bench/measured.h"

enum { PAIRS_MAX = 100000, PAIRS_OF_PASS = 32, PAIRS_LEAST = 20 };

struct pairs_row {
    enum measured_level level;
    uint32_t rank, slot;
    char *program; /* of a slot, in the first build; else NULL */
    const char *metric;
    double *values[ROUNDS_PARTS]; /* microseconds, by pair */
    struct series_summary summaries[ROUNDS_PARTS];
    struct series_difference difference; /* of the second build from the first */
};

struct pairs {
    uint32_t count, room, dropped, passes;
    uint32_t nrow;
    struct pairs_row *rows;
};

/* A pass is over, and its times are settled: add its pairs, and compare all there are. `*pairs` is NULL before the first pass.
 * -1 with `err`: no memory, or no pair has all its times (INFRA). */
int pairs_take(struct pairs **pairs, const struct segment *seg, const struct rounds *rounds, struct error *err);
void pairs_free(struct pairs *p); /* NULL is fine */

/* Is the interval of the difference of whole rounds narrower than `precision` (0.01: 1 %)? */
bool pairs_are_precise(const struct pairs *p, double precision);

void pairs_print(FILE *f, const struct pairs *p, double precision);

/* As key "ab" of the result file. */
void pairs_put_json(struct json_writer *w, cJSON *root, const struct pairs *p, const char *other, double precision);

#endif

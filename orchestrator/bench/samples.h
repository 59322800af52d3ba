/*
 * samples - the times of rounds, by dispatch, rank and round.
 *
 * A slot is the n-th dispatch of a rank (card) in a round. Of each there are three metrics: host (from the executor's start
 * of the dispatch to its end), effective (the device's: orchestration and scheduling, without what the executor does
 * before and after), device (first task start to last task end). Of a rank it is the sum of its slots; of a round, the
 * slowest rank's and the fastest one's. Union is the time from the first start to the last end in a round, over all ranks.
 *
 * Start skew: how far the first dispatches of a round lie apart, of ranks whose first dispatch waits for no other. It is in
 * union, and in none of the other metrics.
 *
 * A round in which a dispatch has no time is dropped. Unit: nanoseconds, as doubles.
 */
#ifndef L3R_ORCHESTRATOR_BENCH_SAMPLES_H
#define L3R_ORCHESTRATOR_BENCH_SAMPLES_H

#include "common/segment/segment.h"
#include "orchestrator/bench/rounds.h"

enum samples_metric { SAMPLES_EFFECTIVE = 0, SAMPLES_DEVICE, SAMPLES_HOST, SAMPLES_METRICS };

extern const char *const samples_metric_names[SAMPLES_METRICS];

struct samples_slot {
    uint32_t rank, slot; /* the how manieth dispatch of its rank */
    const char *program; /* in the plan */
};

struct samples {
    struct rounds_options options;
    uint32_t count, dropped; /* rounds */
    uint32_t nrank;          /* cards with dispatches */
    uint32_t nslot;
    struct samples_slot *slots; /* by rank, then in order */
    uint32_t *ranks;            /* nrank: numbers of cards */
    uint32_t *round;            /* count: which of the measured rounds, from 0 */
    double *values;             /* [metric][slot][round] */
    double *starts;             /* [slot][round], after the first start of the round */
    double *union_ns, *skew;    /* [round] */
};

/* Take those of a part from the segment, whose plan has rounds and whose times are settled. To be freed with samples_free(), also after
 * a failure; the segment must stay. -1 with `err`: no memory, or no round has all its times (INFRA). */
int samples_take(struct samples *s, const struct segment *seg, const struct rounds *rounds, uint32_t part,
                 struct error *err);
void samples_free(struct samples *s); /* a zeroed struct is fine */

/* The values of a slot by round. */
const double *samples_of_slot(const struct samples *s, enum samples_metric metric, uint32_t slot);

/* Fill out[count]: the sums of a rank, and the greatest or least rank of each round. */
void samples_of_rank(const struct samples *s, enum samples_metric metric, uint32_t rank, double *out);
void samples_slowest(const struct samples *s, enum samples_metric metric, double *out);
void samples_fastest(const struct samples *s, enum samples_metric metric, double *out);

#endif

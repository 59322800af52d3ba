/*
 * repeat - do several replays of one plan, over the same inputs, compute the same bits?
 *
 * After each run the outputs are compared with those of run 1, bit for bit, and runs with equal outputs form a group.
 * Where a run departs from run 1 is found by the hashes that executors take of what each node wrote
 * (segment.h, `hashes`): the first node, in submit order, that left something else. Submit order respects all that a
 * node waits for, so what that node read from nodes was the same in both runs, except in windows.
 *
 * Windows are reported separately: other cards write there at any time, so that what a window holds when a node ends may
 * depend on timing alone.
 *
 * Runs with the same bits get the same verdict, so references are read once a group.
 */
#ifndef L3R_ORCHESTRATOR_REPEAT_REPEAT_H
#define L3R_ORCHESTRATOR_REPEAT_REPEAT_H

#include <stdbool.h>
#include <stdio.h>

#include "common/base/json_write.h"
#include "common/segment/segment.h"
#include "orchestrator/data/verify.h"

enum { REPEAT_MAX = 1000, REPEAT_ELEMENT = 8 };

/* A tensor argument of a node; `node` PLAN_NONE: there is none. */
struct repeat_place {
    uint32_t node;
    uint64_t arg; /* of the plan */
};

/* How an output of a run differs from that of run 1. */
struct repeat_difference {
    uint64_t ndiffer;                                         /* elements; 0: the same bits */
    uint64_t first;                                           /* the first of them, flat */
    unsigned char one[REPEAT_ELEMENT], other[REPEAT_ELEMENT]; /* its bytes in run 1, and in this run */
    uint32_t node; /* the first that wrote other bits into this output; PLAN_NONE: none did */
};

struct repeat_run {
    uint32_t group;
    struct repeat_difference *outputs;  /* noutput; NULL: all are those of run 1 */
    struct repeat_place tensor, window; /* where it departs from run 1; windows only where that is earlier */
};

struct repeat_group {
    uint64_t hash[2];      /* of all outputs */
    uint32_t first, count; /* runs, from 0 */
    bool matches;          /* the references, as far as there are any */
};

struct repeat {
    const struct plan *plan;
    const struct verify *verify;
    uint32_t wanted, nrun, ngroup, noutput;
    uint32_t *outputs;   /* storages: parameters that are written, or compared with a reference */
    uint32_t *output_of; /* storage -> output; PLAN_NONE: it is none */
    struct repeat_run *runs;
    struct repeat_group *groups; /* in order of their first runs */
    char **kept;                 /* bytes of the outputs of run 1 */
    uint64_t *hashes;            /* as the segment's, of run 1 */
};

/* For `wanted` runs of `plan`; both pointers must stay. -1 with `err` when out of memory. */
int repeat_open(struct repeat **out, const struct plan *plan, const struct verify *verify, uint32_t wanted,
                struct error *err);
void repeat_free(struct repeat *r); /* NULL is fine */

/* A run is over, and no executor lives: take what the segment holds. `seg` has the plan of repeat_open(). -1 with `err`
 * (INFRA) when out of memory or when a reference cannot be read; a run that matches no reference is no error. */
int repeat_take(struct repeat *r, const struct segment *seg, struct error *err);

/* Does the run taken last fail its references, as the first of all? */
bool repeat_is_first_failure(const struct repeat *r);

/* Put "run 3 of 20", the run taken last, in front of `where`. */
void repeat_name_run(const struct repeat *r, struct error *err);

/* The run, from 0, that the segment holds: the one under way or, when there are no more, the last one. */
uint32_t repeat_current(const struct repeat *r);

/* How many runs do not match the references. */
uint32_t repeat_failed(const struct repeat *r);

/* The largest group; of several the one whose first run is the earliest. Needs a run. */
uint32_t repeat_largest(const struct repeat *r);

/* Of a run that has `outputs`: which of them differed first, that is, was written with other bits by the earliest node;
 * those that no node is known to have written come last. */
uint32_t repeat_first_output(const struct repeat *r, uint32_t run);

/* In plain words, some lines (repeat_text.c). */
void repeat_print(FILE *f, const struct repeat *r);

/* As key "repeat" of the result file (repeat_json.c). */
void repeat_put_json(struct json_writer *w, cJSON *root, const struct repeat *r);

#endif

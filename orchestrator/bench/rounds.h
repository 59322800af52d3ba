/*
 * rounds - a plan that runs a recorded one many times, in the same executors.
 *
 * Executors know of nodes and edges only, so rounds are nodes too: the recorded ones again and again, which share their
 * arguments. Between two rounds lies a gate: host copies that put back what rounds change, of which the first waits for the
 * last node of every lane, and the last one is waited for by the first node of every lane. So no card begins a round
 * before all have ended the one before it. Where there is nothing to put back, the gate copies one byte; a replay of one
 * lane with nothing to put back has no gate.
 *
 * Several variants of a program can be measured in turns: their plans are parts of one (plan_join.h), and each round runs the
 * nodes of one part, after a gate of that part's storages. With two parts a round of each makes a pair, in an order
 * that is drawn anew for each pair.
 *
 * Put back are the windows (zeros), and storages that nodes read as well as write, or that are in-out: the first
 * nodes of the plan keep their bytes. What is only written stays.
 */
#ifndef L3R_ORCHESTRATOR_BENCH_ROUNDS_H
#define L3R_ORCHESTRATOR_BENCH_ROUNDS_H

#include <stdbool.h>

#include "common/plan/plan.h"

enum { ROUNDS_MAX = 1000000, ROUNDS_WARMUP_MAX = 100000, ROUNDS_PARTS = 2 };

/* What is asked for. */
struct rounds_options {
    uint32_t count, warmup; /* measured rounds of each part, and those before them; count 0: no rounds */
    bool keep_state;        /* storages stay as a round leaves them */
    bool keep_windows;      /* the same for windows */
    uint64_t seed;          /* of the order of two parts */
};

/* What of the plan belongs to a variant. */
struct rounds_part {
    uint32_t first_node, nnode, first_storage, nstorage;
    uint32_t ngate;  /* nodes of its gate; set by rounds_unroll(), as is the next */
    uint64_t nbytes; /* that the gate copies */
};

struct rounds {
    struct rounds_options options;
    uint32_t npart;
    struct rounds_part parts[ROUNDS_PARTS];
    uint32_t total;   /* of all parts, warm-up included; 0: the plan has no rounds */
    uint32_t nkept;   /* nodes before the first gate */
    uint32_t *firsts; /* total: number of the first node of each round, after its gate */
    uint8_t *part;    /* total: whose round it is */
};

/* Make `plan`, whose edges are compiled, one of rounds; it owns its arrays afterwards. `parts` NULL: all of it is one. `out` is to
 * be freed with rounds_free(). -1 with `err`, and the plan is as it was, when there are too many nodes or memory runs out. */
int rounds_unroll(struct plan *plan, const struct rounds_options *options, const struct rounds_part *parts,
                  uint32_t npart, struct rounds *out, struct error *err);
void rounds_free(struct rounds *r); /* a zeroed struct is fine */

/* The number of node `node` of the recorded plan in a round, from 0, of its part. */
static inline uint32_t rounds_node(const struct rounds *r, uint32_t round, uint32_t node)
{
    return r->firsts[round] + node - r->parts[r->part[round]].first_node;
}

#endif

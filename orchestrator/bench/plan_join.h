/*
 * plan_join - the plans of two builds as one, which are run in turns (rounds.h).
 *
 * The first plan stays as it is; storages, views, programs and so on of the second follow, its storages at the next multiple of
 * PLAN_JOIN_ALIGN: where a tensor lies in its page goes by its number (segment_layout.c), and must not be a difference between the two. Its parameters become
 * intermediates, because names of parameters are the first one's: inputs, references and saved outputs are of the first plan,
 * and who runs it fills the second one's from there.
 */
#ifndef L3R_ORCHESTRATOR_BENCH_PLAN_JOIN_H
#define L3R_ORCHESTRATOR_BENCH_PLAN_JOIN_H

#include "orchestrator/bench/rounds.h"

enum { PLAN_JOIN_ALIGN = 64 };

/* A parameter of both plans. */
struct plan_twin {
    uint32_t first, second; /* storages of the joined plan */
};

/* The parameters of `b` with their storages once it is behind `a`: `*twins` is to be freed. -1 with `err` (usage) when `a` has
 * none of this name, type and shape; or out of memory. */
int plan_twins(const struct plan *a, const struct plan *b, struct plan_twin **twins, uint32_t *count,
               struct error *err);

/* Append `b` to `a`, both with edges; `a` owns its arrays afterwards, and `parts` says what belongs to which. -1 with `err`,
 * and `a` is as it was: they have not the same cards (usage), `b` calls sub-workers (usage), or no memory. */
int plan_join(struct plan *a, const struct plan *b, struct rounds_part parts[ROUNDS_PARTS], struct error *err);

#endif

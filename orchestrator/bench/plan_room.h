/*
 * plan_room - a plan copied into arrays of its own, with room for more behind them.
 */
#ifndef L3R_ORCHESTRATOR_BENCH_PLAN_ROOM_H
#define L3R_ORCHESTRATOR_BENCH_PLAN_ROOM_H

#include "common/plan/plan.h"

/* Entries of arrays. */
struct plan_room {
    uint64_t storages, views, domains, buffers, notes, programs, subs, nodes, cards, args, scalars, preds, dims, text;
};

/* As many as a plan has. */
struct plan_room plan_room_of(const struct plan *p);

/* Copy `from`, with zeros for `more` entries behind its own; the counts are those of `from`. To be freed with plan_free(), also
 * after a failure. -1: no memory. */
int plan_room_copy(struct plan *to, const struct plan *from, const struct plan_room *more, struct error *err);

#endif

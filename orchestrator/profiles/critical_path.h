/*
 * critical_path - what each of a set of timed things waited for last, and the chain that made the whole take so long.
 *
 * It knows nothing of plans: items are the nodes of a plan or the tasks of one dispatch, lanes are cards or cores, and
 * an edge says that one item may start only when another has ended. Times are nanoseconds on one clock.
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_CRITICAL_PATH_H
#define L3R_ORCHESTRATOR_PROFILES_CRITICAL_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define PATH_NONE UINT32_MAX

struct path_item {
    uint64_t start, end;
    uint32_t lane;
};

struct path_edge {
    uint32_t pred, succ; /* indices of items */
};

/* What one item waited for. */
struct path_bind {
    uint32_t before; /* the item before it on its lane; PATH_NONE: none */
    uint32_t pred;   /* of its edges' preds the one that ended last; PATH_NONE: none */
};

enum path_reason { PATH_FIRST = 0, PATH_EDGE, PATH_LANE };

struct path_step {
    uint32_t item;
    enum path_reason reason; /* why it follows the step before it */
    uint64_t gap;            /* from the end of the step before it to its start; 0 when they overlap */
    uint64_t time;           /* its part of the whole: from the later of its start and that end, to its end */
};

/* Fill binds[n]. Edges from an item that starts later than its successor contradict the times and are ignored. */
int path_bind(const struct path_item *items, size_t n, const struct path_edge *edges, size_t nedge,
              struct path_bind *binds, struct error *err);

/* Which of the two of a bind held the item back; PATH_NONE with PATH_FIRST when neither exists. An edge wins a tie. */
uint32_t path_holder(const struct path_item *items, const struct path_bind *bind, enum path_reason *reason);

/* The chain of holders from the item that ends last back to the start, in order of time; gaps and times add up to the
 * time from the first step's start to the last one's end, unless an item ends before its holder. `*steps` is the
 * caller's to free; no items: no steps. */
int path_critical(const struct path_item *items, size_t n, const struct path_bind *binds, struct path_step **steps,
                  size_t *nstep, struct error *err);

#endif

/*
 * edges - from what views touch to what must wait for what.
 *
 * Read after write, write after read and write after write over exact overlap
 * of strided views; transitive edges dropped; nothing between members of a
 * group. Rules: docs/formats.md, "Order of dispatches".
 *
 * Cost: near linear in the number of nodes for programs whose views are boxes
 * of their storages (slices, column blocks, whole tensors), whatever their
 * number; memory is about 200 bytes a node and 100 a distinct view, and
 * 4 * (world_size + 2) bytes for each node that can still get a successor in
 * another lane.
 */
#ifndef L3R_ORCHESTRATOR_PLAN_EDGES_H
#define L3R_ORCHESTRATOR_PLAN_EDGES_H

#include "common/base/error.h"
#include "common/plan/plan.h"

enum deps_mode {
    DEPS_EXACT = 0, /* default: all three; only read-after-write between cards that share a domain */
    DEPS_FULL,      /* all three everywhere */
    DEPS_UPSTREAM,  /* read-after-write only, everywhere */
};

int deps_mode_parse(const char *name, enum deps_mode *mode); /* "exact", "full", "upstream"; 0 or -1 */

/* Fill plan->preds and each node's first_pred/npred, preds ascending; edges of an earlier call are replaced.
 * Every edge that the order of lanes and the other edges imply is left out. `why` holds the reasons that were
 * found while the edge was needed: never a false one, not always all of them. Under DEPS_EXACT warns once (log)
 * when a write-after-read or write-after-write between cards that share a domain was dropped and nothing else
 * orders the two, naming both nodes. The plan must own its arrays (not be mapped from a packed one). On an error
 * the plan has no edges. */
int edges_compile(struct plan *plan, enum deps_mode mode, struct error *err);

#endif

/* task_graph - the tasks of one dispatch as items and edges of critical_path.h. */
#ifndef L3R_ORCHESTRATOR_PROFILES_TASK_GRAPH_H
#define L3R_ORCHESTRATOR_PROFILES_TASK_GRAPH_H

#include "orchestrator/profiles/critical_path.h"
#include "orchestrator/profiles/dfx_read.h"

struct task_graph {
    struct path_item *items; /* as records.tasks: ns after the first record; lane = core */
    size_t nitem;
    struct path_edge *edges; /* one for each edge of deps.json whose tasks both ran: from the row of the predecessor
                              * that ended last to the row of the successor that started first */
    size_t nedge;
};

int task_graph_build(const struct dfx_dispatch *d, struct task_graph *g, struct error *err);
void task_graph_free(struct task_graph *g); /* a zeroed struct is fine */

#endif

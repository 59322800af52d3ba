#include "common/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plan_free(struct plan *p)
{
    if (p->image) {
        free(p->image);
    } else {
        free(p->storages);
        free(p->views);
        free(p->domains);
        free(p->buffers);
        free(p->notes);
        free(p->programs);
        free(p->subs);
        free(p->nodes);
        free(p->cards);
        free(p->args);
        free(p->scalars);
        free(p->preds);
        free(p->dims);
        free(p->text);
    }
    *p = (struct plan){0};
}

const char *plan_node_label(const struct plan *p, uint32_t node, char *buf, size_t size)
{
    const struct plan_node *n = &p->nodes[node];
    char line[40] = "";

    if (n->line) {
        snprintf(line, sizeof line, "host_orch.py:%u", n->line);
    }
    switch (n->kind) {
    case PLAN_DISPATCH:
        snprintf(buf, size, "dispatch %u (%s on card %u%s%s)", node, plan_text(p, p->programs[n->program]), n->lane,
                 n->line ? ", " : "", line);
        break;
    case PLAN_COPY:
        snprintf(buf, size, "host copy %u%s%s%s", node, n->line ? " (" : "", line, n->line ? ")" : "");
        break;
    default:
        snprintf(buf, size, "sub-worker call %u (%s%s%s)", node, plan_text(p, p->subs[n->program]), n->line ? ", " : "",
                 line);
    }
    return buf;
}

const char *plan_node_place(const struct plan *p, uint32_t node, char *buf, size_t size)
{
    const struct plan_node *n = &p->nodes[node];
    size_t used;

    plan_node_label(p, node, buf, size);
    used = strlen(buf);
    if (n->kind == PLAN_DISPATCH && n->k != PLAN_NONE) {
        snprintf(buf + used, size - used, ", rank%u/d%u", n->lane, n->k);
    }
    return buf;
}

const char *plan_lane_name(uint32_t world_size, uint32_t lane, char *buf, size_t size)
{
    if (lane < world_size) {
        snprintf(buf, size, "card %u", lane);
    } else if (lane <= world_size + 1) {
        snprintf(buf, size, "%s", lane == world_size ? "host lane" : "sub-workers");
    } else {
        snprintf(buf, size, "sub-workers %u", lane - world_size);
    }
    return buf;
}

bool plan_lane_is_used(const struct plan *p, uint32_t lane)
{
    for (uint32_t i = 0; i < p->nnode; i++) {
        if (p->nodes[i].lane == lane) {
            return true;
        }
    }
    return false;
}

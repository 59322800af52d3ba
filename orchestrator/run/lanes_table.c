#include "orchestrator/run/lanes_table.h"

#include <stdio.h>

#include "common/clock.h"
#include "common/log.h"

/* " (domain comm_d0)" when the node is a dispatch that uses one, so that a deadlock tells where its signals are. */
static const char *domain_of(const struct plan *plan, uint32_t node, char *buf, size_t size)
{
    const struct plan_node *n = &plan->nodes[node];
    uint32_t domain = PLAN_NONE;

    for (uint32_t i = 0; i < n->narg && domain == PLAN_NONE; i++)
        domain = plan->storages[plan->views[plan->args[n->first_arg + i].view].storage].domain;
    for (uint32_t i = 0; i < n->nscalar && domain == PLAN_NONE; i++)
        domain = plan->scalars[n->first_scalar + i].domain;
    buf[0] = '\0';
    if (domain < plan->ndomain)
        snprintf(buf, size, " (domain %s)", plan_text(plan, plan->domains[domain].name));
    return buf;
}

static void print_lane(const struct segment *seg, uint32_t lane)
{
    const struct segment_lane *l = &seg->lanes[lane];
    enum lane_state state = (enum lane_state)atomic_load_explicit(&l->state, memory_order_acquire);
    uint32_t node = atomic_load(&l->node), awaits = atomic_load(&l->awaits);
    double seconds = (double)(clock_now_ns() - atomic_load(&l->since_ns)) / 1e9;
    char name[32], at[256], awaited[256], domain[128], other[32];

    plan_lane_name(seg->plan.world_size, lane, name, sizeof name);
    if (node >= seg->plan.nnode)
        log_msg(LOG_ERROR, "  %s: %s, nothing run yet", name, lane_state_name(state));
    else if (state == LANE_WAITING && awaits < seg->plan.nnode) {
        plan_lane_name(seg->plan.world_size, seg->plan.nodes[awaits].lane, other, sizeof other);
        log_msg(LOG_ERROR, "  %s: %s waits for %s of %s, for %.1f s", name,
                plan_node_label(&seg->plan, node, at, sizeof at),
                plan_node_label(&seg->plan, awaits, awaited, sizeof awaited), other, seconds);
    } else
        log_msg(LOG_ERROR, "  %s: %s %s%s, for %.1f s", name, lane_state_name(state),
                plan_node_label(&seg->plan, node, at, sizeof at), domain_of(&seg->plan, node, domain, sizeof domain),
                seconds);
}

void lanes_table_print(const struct segment *seg, unsigned most)
{
    unsigned shown = 0, more = 0;

    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        const struct segment_lane *l = &seg->lanes[lane];
        uint32_t state = atomic_load(&l->state);

        if (state == LANE_DONE || (state == LANE_STARTING && !plan_lane_is_used(&seg->plan, lane)))
            continue;
        if (shown++ < most)
            print_lane(seg, lane);
        else
            more++;
    }
    if (more)
        log_msg(LOG_ERROR, "  ... and %u more lanes", more);
}

uint64_t lanes_progress(const struct segment *seg)
{
    uint64_t done = 0;

    for (uint32_t lane = 0; lane < seg->header->nlane; lane++)
        done += atomic_load_explicit(&seg->lanes[lane].ndone, memory_order_relaxed);
    return done;
}

uint32_t lanes_longest_running(const struct segment *seg)
{
    uint32_t longest = PLAN_NONE;
    uint64_t since = UINT64_MAX;

    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        const struct segment_lane *l = &seg->lanes[lane];

        if (atomic_load(&l->state) == LANE_RUNNING && atomic_load(&l->since_ns) < since) {
            since = atomic_load(&l->since_ns);
            longest = lane;
        }
    }
    return longest;
}

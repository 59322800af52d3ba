#include "orchestrator/run/lanes_table.h"

#include "common/clock.h"
#include "common/log.h"

static void print_lane(const struct segment *seg, uint32_t lane)
{
    const struct segment_lane *l = &seg->lanes[lane];
    enum lane_state state = (enum lane_state)atomic_load_explicit(&l->state, memory_order_acquire);
    uint32_t node = atomic_load(&l->node), awaits = atomic_load(&l->awaits);
    double seconds = (double)(clock_now_ns() - atomic_load(&l->since_ns)) / 1e9;
    char name[32], at[256], awaited[256], other[32];

    plan_lane_name(seg->plan.world_size, lane, name, sizeof name);
    if (node >= seg->plan.nnode)
        log_msg(LOG_ERROR, "  %s: %s, nothing run yet", name, lane_state_name(state));
    else if (state == LANE_WAITING && awaits < seg->plan.nnode) {
        plan_lane_name(seg->plan.world_size, seg->plan.nodes[awaits].lane, other, sizeof other);
        log_msg(LOG_ERROR, "  %s: %s waits for %s of %s, for %.1f s", name,
                plan_node_label(&seg->plan, node, at, sizeof at),
                plan_node_label(&seg->plan, awaits, awaited, sizeof awaited), other, seconds);
    } else
        log_msg(LOG_ERROR, "  %s: %s %s, for %.1f s", name, lane_state_name(state),
                plan_node_label(&seg->plan, node, at, sizeof at), seconds);
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

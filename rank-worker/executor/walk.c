#include "rank-worker/executor/walk.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/segment/control_check.h"
#include "rank-worker/executor/crash.h"
#include "rank-worker/executor/host_copy.h"

int walk_open(struct lane_walk *walk, struct segment *seg, uint32_t lane, struct error *err)
{
    const struct plan *plan = &seg->plan;

    memset(walk, 0, sizeof *walk);
    walk->seg = seg;
    walk->lane = lane;
    if (seg->header->hashing && written_hash_open(&walk->hash, err) < 0) {
        return -1;
    }
    if (seg->header->paced && lane < plan->world_size && pace_open(&walk->pace, seg, lane, err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < plan->nnode; i++) {
        walk->count += plan->nodes[i].lane == lane;
    }
    walk->nodes = calloc(walk->count ? walk->count : 1, sizeof *walk->nodes);
    if (!walk->nodes) {
        return error_nomem(err, "lane", (uint64_t)walk->count * sizeof *walk->nodes);
    }
    walk->count = 0;
    for (uint32_t i = 0; i < plan->nnode; i++) {
        if (plan->nodes[i].lane == lane) {
            walk->nodes[walk->count++] = i;
        }
    }
    return 0;
}

void walk_close(struct lane_walk *walk)
{
    written_hash_close(walk->hash);
    pace_close(walk->pace);
    free(walk->nodes);
    walk->hash = NULL;
    walk->pace = NULL;
    walk->nodes = NULL;
}

static void set_state(struct segment_lane *status, enum lane_state state, uint64_t now)
{
    atomic_store_explicit(&status->since_ns, now, memory_order_relaxed);
    atomic_store_explicit(&status->state, state, memory_order_release);
}

/* The status is touched only when there is something to wait for: a lane that flows pays nothing. */
static void wait_for_preds(struct lane_walk *walk, uint32_t node)
{
    struct segment_lane *status = lane_status(walk->seg, walk->lane);
    const struct plan *plan = &walk->seg->plan;
    const struct plan_node *n = &plan->nodes[node];
    bool waiting_shown = false;

    for (uint32_t i = 0; i < n->npred; i++) {
        uint32_t pred = plan->preds[n->first_pred + i].node;

        if (word_is_done(&walk->seg->words[pred])) {
            continue;
        }
        atomic_store_explicit(&status->awaits, pred, memory_order_relaxed);
        if (!waiting_shown) {
            set_state(status, LANE_WAITING, clock_now_ns());
        }
        waiting_shown = true;
        word_wait(&walk->seg->words[pred]);
    }
    if (waiting_shown) {
        atomic_store_explicit(&status->awaits, PLAN_NONE, memory_order_relaxed);
    }
}

/* After wait_for_preds(): what only keeps cards in step. */
static void keep_pace(struct lane_walk *walk, uint32_t index)
{
    struct segment_lane *status = lane_status(walk->seg, walk->lane);
    uint32_t behind;
    bool reported = false, waiting = true;

    while (walk->pace && waiting && (behind = pace_next(walk->pace, index)) != PLAN_NONE) {
        atomic_store_explicit(&status->awaits, behind, memory_order_relaxed);
        if (!reported) {
            set_state(status, LANE_WAITING, clock_now_ns());
        }
        reported = true;
        waiting = pace_wait(walk->pace, behind);
    }
    if (reported) {
        atomic_store_explicit(&status->awaits, PLAN_NONE, memory_order_relaxed);
    }
}

/* What runs, apart from the segment: for the signal handler, after a kernel has overwritten the lane's block. */
static struct {
    const struct segment *seg;
    uint32_t lane, node, ndone;
} current;

static void restore_lane(void)
{
    if (current.seg && !lane_is_whole(current.seg, current.lane)) {
        lane_restore(current.seg, current.lane, current.node, current.ndone, LANE_RUNNING);
    }
}

/* After a node: has its kernel overwritten what executors keep in the segment? Of the common pages all executors that
 * ran a node then make a note, since one of them did it. */
static int check_control(const struct lane_walk *walk, uint32_t node, bool was_whole, struct error *err)
{
    struct segment_lane *status = lane_status(walk->seg, walk->lane);
    char label[256];

    if (!lane_is_whole(walk->seg, walk->lane)) {
        restore_lane();
        return error_set_kind(
            err, ERROR_FAIL, plan_node_label(&walk->seg->plan, node, label, sizeof label),
            "look for writes far outside of its tensors",
            "a kernel of this dispatch wrote over memory in which l3replay keeps what its executors do");
    }
    if (was_whole && !common_is_whole(walk->seg)) {
        atomic_store_explicit(&status->suspect, node, memory_order_release);
    }
    return 0;
}

static int run_node(struct lane_walk *walk, uint32_t node, struct segment_times *times, struct error *err)
{
    const struct plan_node *n = &walk->seg->plan.nodes[node];
    const bool was_whole = common_is_whole(walk->seg);
    struct device_result result = {0};
    int rc;

    *times = (struct segment_times){.start_ns = clock_now_ns()};
    set_state(lane_status(walk->seg, walk->lane), LANE_RUNNING, times->start_ns);
    if (node >= walk->seg->header->skip_first && node < walk->seg->header->skip_end) {
        rc = 0;
    } else if (n->kind == PLAN_COPY) {
        rc = host_copy_run(walk->seg, n, err);
    } else if (n->kind == PLAN_SUB) {
        rc = sub_workers_call(walk->subs, node, err);
    } else {
        rc = card_dispatch(walk->card, n, &result, err);
    }
    times->device_ns = result.device_ns;
    times->orch_ns = result.orch_ns;
    times->effective_ns = result.wall_ns;
    times->ntasks = result.ntasks;
    times->turns_lost = result.turns_lost;
    times->end_ns = clock_now_ns();
    if (rc < 0) {
        restore_lane();
        return -1;
    }
    return check_control(walk, node, was_whole, err);
}

static bool is_profiled(const struct lane_walk *walk)
{
    return walk->card && dfx_any(&walk->seg->header->dfx);
}

/* Those that wait for the node go on before its profiles are written; LANE_SAVING says that they are being written. What
 * it wrote is hashed before: the next node may write there. */
static void complete_node(struct lane_walk *walk, uint32_t node, struct segment_times *times)
{
    struct segment_lane *status = lane_status(walk->seg, walk->lane);

    if (walk->hash) {
        written_hash_take(walk->hash, walk->seg, node);
    }
    *segment_node_times(walk->seg, node) = *times;
    if (is_profiled(walk)) {
        set_state(status, LANE_SAVING, times->end_ns);
    }
    word_complete(&walk->seg->words[node]);
    if (!is_profiled(walk)) {
        return;
    }
    atomic_fetch_add_explicit(&status->nlost, card_save_profile(walk->card), memory_order_relaxed);
    segment_node_times(walk->seg, node)->profile_ns = clock_now_ns() - times->end_ns;
}

int walk_run(struct lane_walk *walk, struct error *err)
{
    struct segment_lane *status = lane_status(walk->seg, walk->lane);
    struct segment_times times;

    current.seg = walk->seg;
    current.lane = walk->lane;
    crash_call_first(restore_lane);
    for (uint32_t i = 0; i < walk->count; i++) {
        uint32_t node = walk->nodes[i];

        current.node = node;
        current.ndone = i;
        atomic_store_explicit(&status->node, node, memory_order_relaxed);
        wait_for_preds(walk, node);
        keep_pace(walk, i);
        if (run_node(walk, node, &times, err) < 0) {
            return -1;
        }
        complete_node(walk, node, &times);
        atomic_store_explicit(&status->ndone, i + 1, memory_order_release);
    }
    set_state(status, LANE_DONE, clock_now_ns());
    crash_call_first(NULL);
    current.seg = NULL;
    return 0;
}

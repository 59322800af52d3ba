#include "common/segment/control_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"

enum { PATIENCE_MS = 500, MOST_NAMED = 4 };

static const char HINT[] = "look for writes far outside of its tensors in the kernels of this dispatch";

/* --- one lane ------------------------------------------------------------ */

static bool has_canary(const struct segment *seg, _Atomic uint64_t *first, uint32_t lane)
{
    return atomic_load_explicit(first, memory_order_relaxed) == seg->header->canary &&
           atomic_load_explicit(segment_last_canary(seg, lane), memory_order_relaxed) == seg->header->canary;
}

bool lane_is_whole(const struct segment *seg, uint32_t lane)
{
    return has_canary(seg, &lane_status(seg, lane)->canary, lane);
}

bool common_is_whole(const struct segment *seg)
{
    return has_canary(seg, &seg->common->canary, PLAN_NONE);
}

static bool is_node_of(const struct segment *seg, uint32_t node, uint32_t lane)
{
    return node == PLAN_NONE || (node < seg->plan.nnode && seg->plan.nodes[node].lane == lane);
}

struct lane_view lane_view(const struct segment *seg, uint32_t lane)
{
    struct segment_lane *status = lane_status(seg, lane);
    const uint32_t state = atomic_load_explicit(&status->state, memory_order_acquire);
    struct lane_view v = {.state = (enum lane_state)state,
                          .node = atomic_load_explicit(&status->node, memory_order_relaxed),
                          .awaits = atomic_load_explicit(&status->awaits, memory_order_relaxed),
                          .ndone = atomic_load_explicit(&status->ndone, memory_order_acquire),
                          .since_ns = atomic_load_explicit(&status->since_ns, memory_order_relaxed)};

    v.sound = state <= LANE_FAILED && is_node_of(seg, v.node, lane) &&
              (v.awaits == PLAN_NONE || v.awaits < seg->plan.nnode) && v.ndone <= seg->plan.nnode &&
              is_node_of(seg, atomic_load_explicit(&status->suspect, memory_order_relaxed), lane) &&
              lane_is_whole(seg, lane);
    if (!v.sound) { /* nothing there is worth anything */
        v = (struct lane_view){.state = LANE_RUNNING, .node = PLAN_NONE, .awaits = PLAN_NONE};
    }
    return v;
}

bool lane_error(const struct segment *seg, uint32_t lane, struct error *err)
{
    memcpy(err, &lane_status(seg, lane)->error, sizeof *err);
    err->what[sizeof err->what - 1] = '\0';
    err->where[sizeof err->where - 1] = '\0';
    err->hint[sizeof err->hint - 1] = '\0';
    return (unsigned)err->kind <= ERROR_USAGE && err->what[0];
}

void lane_restore(const struct segment *seg, uint32_t lane, uint32_t node, uint32_t ndone, enum lane_state state)
{
    struct segment_lane *status = lane_status(seg, lane);

    atomic_store(&status->since_ns, clock_now_ns());
    atomic_store(&status->node, node);
    atomic_store(&status->awaits, PLAN_NONE);
    atomic_store(&status->ndone, ndone);
    atomic_store(&status->nlost, 0);
    atomic_store(&status->nopened, 0);
    atomic_store(&status->suspect, node);
    atomic_store(&status->answered, 0);
    atomic_store(segment_last_canary(seg, lane), seg->header->canary);
    atomic_store(&status->state, state);
    atomic_store(&status->canary, seg->header->canary);
}

/* The lane's node after `node`; its first one after PLAN_NONE; PLAN_NONE: there is none. */
static uint32_t next_node(const struct plan *plan, uint32_t lane, uint32_t node)
{
    for (uint32_t i = node == PLAN_NONE ? 0 : node + 1; i < plan->nnode; i++) {
        if (plan->nodes[i].lane == lane) {
            return i;
        }
    }
    return PLAN_NONE;
}

int lane_blame(const struct segment *seg, uint32_t lane, uint32_t node, const char *end, struct error *err)
{
    const struct plan *plan = &seg->plan;
    char name[32], label[256] = "", where[320];

    if (node == PLAN_NONE) {
        node = next_node(plan, lane, PLAN_NONE);
    }
    plan_lane_name(plan->world_size, lane, name, sizeof name);
    if (node != PLAN_NONE) {
        plan_node_label(plan, node, label, sizeof label);
    }
    snprintf(where, sizeof where, "%s%s", node == PLAN_NONE ? name : label,
             node != PLAN_NONE && next_node(plan, lane, node) != PLAN_NONE ? ", or a later one of this lane" : "");
    return error_set_kind(err, ERROR_FAIL, where, HINT,
                          "a kernel on %s wrote over memory in which l3replay keeps what its executors do%s", name,
                          end);
}

/* --- all of them --------------------------------------------------------- */

int control_check_open(struct control_check *check, const struct segment *seg, struct error *err)
{
    const uint32_t nlane = seg->header->nlane;

    *check = (struct control_check){.seg = seg, .count = calloc(3 * (size_t)nlane + 1, sizeof *check->count)};
    if (!check->count) {
        return error_nomem(err, "supervision", 3 * (uint64_t)nlane * sizeof *check->count);
    }
    check->ndone = check->count + nlane;
    check->node = check->ndone + nlane;
    for (uint32_t i = 0; i < nlane; i++) {
        check->node[i] = PLAN_NONE;
    }
    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        check->count[seg->plan.nodes[i].lane]++;
    }
    return 0;
}

void control_check_close(struct control_check *check)
{
    free(check->count);
    memset(check, 0, sizeof *check);
}

static int blame_lane(const struct control_check *check, uint32_t lane, struct error *err)
{
    return lane_blame(check->seg, lane, check->node[lane], "", err);
}

/* Append the label of a node to the list in `where`. */
static void add_place(const struct plan *plan, uint32_t node, uint32_t count, char *where, size_t size)
{
    const size_t used = strlen(where);
    char label[256];

    if (count < MOST_NAMED) {
        snprintf(where + used, size - used, "%s%s", count ? "; or " : "",
                 plan_node_label(plan, node, label, sizeof label));
    } else if (count == MOST_NAMED) {
        snprintf(where + used, size - used, "; or others that ran then");
    }
}

/* The lanes that noticed it after a node, and those that run one: it may be theirs. */
static int blame_common(const struct control_check *check, struct error *err)
{
    const struct segment *seg = check->seg;
    char where[512] = "";
    uint32_t count = 0;

    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        const struct lane_view v = lane_view(seg, lane);
        const uint32_t suspect = atomic_load(&lane_status(seg, lane)->suspect);
        const uint32_t node = suspect < seg->plan.nnode ? suspect : v.node;

        if (v.sound && node < seg->plan.nnode && (node == suspect || v.state == LANE_RUNNING)) {
            add_place(&seg->plan, node, count++, where, sizeof where);
        }
    }
    return error_set_kind(err, ERROR_FAIL, count ? where : "a card that had ended its dispatches", HINT,
                          "a kernel wrote over memory through which the executors of the cards wait for each other");
}

/* Read before the words: what is counted there is complete. */
static bool look_at_lane(struct control_check *check, uint32_t lane)
{
    const struct lane_view v = lane_view(check->seg, lane);

    if (!v.sound || v.ndone > check->count[lane] || v.ndone < check->ndone[lane]) {
        return false;
    }
    check->ndone[lane] = v.ndone;
    check->node[lane] = v.node;
    return true;
}

/* What a lane waits for is a word that there is, and of a node that is not known to be complete. */
static bool can_go_on(const struct control_check *check, uint32_t lane)
{
    const struct segment *seg = check->seg;
    const struct lane_view v = lane_view(seg, lane);
    uint32_t word;

    if (v.state != LANE_WAITING || v.awaits == PLAN_NONE) {
        return true;
    }
    word = atomic_load_explicit(&seg->words[v.awaits], memory_order_acquire);
    return word == WORD_DONE ||
           (word < WORD_DONE && check->ndone[seg->plan.nodes[v.awaits].lane] <= seg->slots[v.awaits]);
}

static bool common_is_sound(struct control_check *check)
{
    const struct segment *seg = check->seg;
    const uint32_t go = atomic_load(&seg->common->go);

    if (!common_is_whole(seg) || go > WORD_DONE || (check->begun && go != WORD_DONE)) {
        return false;
    }
    check->begun = go == WORD_DONE;
    for (uint32_t lane = 0; lane < seg->header->nlane; lane++) {
        if (!can_go_on(check, lane)) {
            return false;
        }
    }
    return true;
}

static int look(struct control_check *check, uint64_t patience_ns, struct error *err)
{
    uint64_t now;

    for (uint32_t lane = 0; lane < check->seg->header->nlane; lane++) {
        if (!look_at_lane(check, lane)) {
            return blame_lane(check, lane, err);
        }
    }
    if (!check->broken && common_is_sound(check)) {
        return 0;
    }
    now = clock_now_ns();
    check->broken = check->broken ? check->broken : now;
    return now - check->broken >= patience_ns ? blame_common(check, err) : 0;
}

int control_check_running(struct control_check *check, struct error *err)
{
    return look(check, PATIENCE_MS * UINT64_C(1000000), err);
}

int control_check_stopped(struct control_check *check, struct error *err)
{
    return look(check, 0, err);
}

int control_check_complete(struct control_check *check, struct error *err)
{
    const struct segment *seg = check->seg;

    if (look(check, 0, err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < seg->plan.nnode; i++) {
        const uint32_t lane = seg->plan.nodes[i].lane;
        const struct segment_times *t = segment_node_times(seg, i);

        if (!word_is_done(&seg->words[i])) {
            return blame_common(check, err);
        }
        if (check->ndone[lane] != check->count[lane] || lane_view(seg, lane).state != LANE_DONE || !t->start_ns ||
            t->end_ns < t->start_ns) {
            return blame_lane(check, lane, err);
        }
    }
    return 0;
}

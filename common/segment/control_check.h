/*
 * control_check - is what executors write in the control part (segment.h) what executors write?
 *
 * A kernel may have written over it. An executor can write the common pages and its own lane's block, so a block that
 * was overwritten names its lane. When the common pages were, the executors say during which of their nodes that
 * happened. No value of the part is used as a length or an index before it was compared with the plan.
 */
#ifndef L3R_COMMON_SEGMENT_CONTROL_CHECK_H
#define L3R_COMMON_SEGMENT_CONTROL_CHECK_H

#include <stdbool.h>

#include "common/segment/segment.h"

/* A lane's status as it was read once: each value is one that there is. */
struct lane_view {
    enum lane_state state;
    uint32_t node;   /* one of the lane's, or PLAN_NONE */
    uint32_t awaits; /* a node, or PLAN_NONE */
    uint32_t ndone;  /* at most the plan's nodes */
    uint64_t since_ns;
    bool sound; /* false: the block was overwritten; what is above is what could be kept */
};

struct lane_view lane_view(const struct segment *seg, uint32_t lane);

/* The error that a lane's executor left (LANE_FAILED), with its strings ended; false when it is none. */
bool lane_error(const struct segment *seg, uint32_t lane, struct error *err);

/* FAIL: the lane's block was overwritten, while `node` ran or one after it; PLAN_NONE: the lane's first. `end`, which may
 * be "", goes on with the sentence. Returns -1. */
int lane_blame(const struct segment *seg, uint32_t lane, uint32_t node, const char *end, struct error *err);

/* Are the lane's block and the common pages not overwritten? For executors: a few loads. */
bool lane_is_whole(const struct segment *seg, uint32_t lane);
bool common_is_whole(const struct segment *seg);

/* For the lane's executor, after its block was overwritten: what is known of it, so that what is put there next can be
 * read. Safe in a signal handler. */
void lane_restore(const struct segment *seg, uint32_t lane, uint32_t node, uint32_t ndone, enum lane_state state);

/* What a watching process remembers of the lanes; zeroed: nothing. */
struct control_check {
    const struct segment *seg;
    uint32_t *count; /* nodes of the lane */
    uint32_t *ndone; /* of the lane, as seen last */
    uint32_t *node;  /* the same */
    bool begun;      /* the gate was seen open */
    uint64_t broken; /* when the common pages were first seen overwritten (clock_now_ns); 0: they were not */
};

int control_check_open(struct control_check *check, const struct segment *seg, struct error *err);
void control_check_close(struct control_check *check);

/* While executors run, from time to time: -1 with a FAIL that names the lane and, where it is known, the node, when
 * something was overwritten. What only the common pages show is reported half a second late, so that the executor
 * whose kernel did it can say so itself. Takes as long as there are lanes. */
int control_check_running(struct control_check *check, struct error *err);

/* When the run is to be stopped, or all executors have ended: the same at once. */
int control_check_stopped(struct control_check *check, struct error *err);

/* When all executors have ended well: also -1 when a node is not complete or its times are none. */
int control_check_complete(struct control_check *check, struct error *err);

#endif

#include "rank-worker/lanes/postmortem.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Signals that a crashing kernel does not raise, but the out-of-memory killer or a person sends. */
static bool from_outside(int sig)
{
    return sig == SIGKILL || sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT;
}

static void describe_end(int status, char *buf, size_t size)
{
    if (WIFSIGNALED(status)) {
        snprintf(buf, size, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        snprintf(buf, size, "ended its process with exit status %d", WEXITSTATUS(status));
    }
}

static void describe_place(const struct segment *seg, uint32_t lane, enum lane_state state, char *buf, size_t size)
{
    uint32_t node = atomic_load(&seg->lanes[lane].node);
    char label[256];

    if (node < seg->plan.nnode) {
        snprintf(buf, size, "%s (%s)", plan_node_label(&seg->plan, node, label, sizeof label), lane_state_name(state));
    } else {
        snprintf(buf, size, "%s, before its first node",
                 plan_lane_name(seg->plan.world_size, lane, label, sizeof label));
    }
}

/* What the executor stored; a kernel in its process may have written over it, so the texts are given an end. */
static void take_failure(const struct segment_lane *lane, struct error *err)
{
    *err = lane->error;
    err->what[sizeof err->what - 1] = '\0';
    err->where[sizeof err->where - 1] = '\0';
    err->hint[sizeof err->hint - 1] = '\0';
}

int postmortem(const struct segment *seg, uint32_t lane, int status, struct error *err)
{
    const struct segment_lane *l = &seg->lanes[lane];
    enum lane_state state = (enum lane_state)atomic_load_explicit(&l->state, memory_order_acquire);
    bool outside = WIFSIGNALED(status) && from_outside(WTERMSIG(status));
    char end[128], place[384], label[256], name[32];
    uint32_t node = atomic_load(&l->node);

    if (state == LANE_DONE) {
        return 0;
    }
    if (state == LANE_FAILED) {
        take_failure(l, err);
        if (!err->where[0] && node < seg->plan.nnode) {
            snprintf(err->where, sizeof err->where, "%s", plan_node_label(&seg->plan, node, label, sizeof label));
        }
        return -1;
    }
    describe_end(status, end, sizeof end);
    describe_place(seg, lane, state, place, sizeof place);
    plan_lane_name(seg->plan.world_size, lane, name, sizeof name);
    if (outside) {
        return error_set(err, place,
                         "look for the out-of-memory killer (dmesg), or for the process that sent the signal",
                         "the executor of %s %s", name, end);
    }
    if (state != LANE_RUNNING && state != LANE_SAVING) { /* what a kernel left behind may strike a little later */
        return error_set(err, place, "run with --log-level debug", "the executor of %s %s while it was %s", name, end,
                         lane_state_name(state));
    }
    return error_set_kind(err, ERROR_FAIL, place,
                          "look at the last lines it printed, and at the kernels of this program", "a kernel on %s %s",
                          name, end);
}

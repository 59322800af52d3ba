#include "rank-worker/lanes/postmortem.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "common/base/log.h"
#include "common/base/oom_kills.h"
#include "common/process/process.h"
#include "common/segment/control_check.h"
#include "common/segment/executor_end.h"

/* Signals that a crashing kernel does not raise, but the out-of-memory killer or a person sends. */
static bool from_outside(int sig)
{
    return sig == SIGKILL || sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT;
}

static void describe_place(const struct segment *seg, uint32_t lane, const struct lane_view *v, char *buf, size_t size)
{
    char label[320];

    if (v->node < seg->plan.nnode) {
        plan_node_place(&seg->plan, v->node, label, sizeof label);
        if (v->state == LANE_RUNNING) {
            snprintf(buf, size, "%s", label);
        } else {
            snprintf(buf, size, "%s (%s)", label, lane_state_name(v->state));
        }
    } else {
        snprintf(buf, size, "%s, before its first node",
                 plan_lane_name(seg->plan.world_size, lane, label, sizeof label));
    }
}

/* The lane was walked to its end, so the verdict does not depend on how the process ended; its user should know. */
static void remark_end(const struct segment *seg, uint32_t lane, uint32_t node, int status)
{
    char end[128], name[32], label[256] = "no dispatch";

    plan_lane_name(seg->plan.world_size, lane, name, sizeof name);
    if (node < seg->plan.nnode) {
        plan_node_label(&seg->plan, node, label, sizeof label);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXECUTOR_WAS_HELD) {
        log_msg(LOG_WARN, "%s: all its work was done, but %s kept the process from ending: it was ended (its last: %s)",
                name,
                plan_is_sub_lane(&seg->plan, lane) ? "a thread, a child process or an exit handler of a sub-worker"
                                                   : "an exit handler or a destructor of a kernel",
                label);
    } else if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
        process_describe_end(status, end, sizeof end);
        log_msg(LOG_WARN,
                "%s: all its work was done; then an exit handler or a destructor of a kernel %s (its last: %s)", name,
                end, label);
    }
}

int postmortem(const struct segment *seg, uint32_t lane, int status, struct error *err)
{
    const struct lane_view v = lane_view(seg, lane);
    bool outside = WIFSIGNALED(status) && from_outside(WTERMSIG(status));
    char end[128], place[384], label[256], name[32];

    if (v.state == LANE_DONE) {
        remark_end(seg, lane, v.node, status);
        return 0;
    }
    if (v.state == LANE_FAILED && lane_error(seg, lane, err)) {
        if (!err->where[0] && v.node < seg->plan.nnode) {
            snprintf(err->where, sizeof err->where, "%s", plan_node_label(&seg->plan, v.node, label, sizeof label));
        }
        return -1;
    }
    process_describe_end(status, end, sizeof end);
    describe_place(seg, lane, &v, place, sizeof place);
    plan_lane_name(seg->plan.world_size, lane, name, sizeof name);
    if (!v.sound || v.state == LANE_FAILED) {
        char then[160];

        snprintf(then, sizeof then, "; it %s", end);
        return lane_blame(seg, lane, v.sound ? v.node : PLAN_NONE, then, err);
    }
    if (outside) {
        return error_set(err, place,
                         WTERMSIG(status) == SIGKILL ? oom_kills_hint() : "look for the process that sent the signal",
                         "the executor of %s %s", name, end);
    }
    if (v.state != LANE_RUNNING && v.state != LANE_SAVING) { /* what a kernel left behind may strike a little later */
        return error_set(err, place, "run with --log-level debug", "the executor of %s %s while it was %s", name, end,
                         lane_state_name(v.state));
    }
    return error_set_kind(err, ERROR_FAIL, place,
                          "look at the last lines it printed, and at the kernels of this program", "a kernel on %s %s",
                          name, end);
}

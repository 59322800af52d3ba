#include "orchestrator/job/participant.h"

#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/base/log.h"
#include "orchestrator/messages/stop_signals.h"
#include "topology/placement.h"
#include "topology/topology.h"

uint32_t participant_executors(const struct plan *plan)
{
    uint32_t count = plan->world_size;

    for (uint32_t lane = plan_host_lane(plan); lane < plan_lane_count(plan); lane++) {
        count += plan_lane_is_used(plan, lane);
    }
    return count;
}

int participant_start_executors(struct participant *me, struct segment *seg, const int *device_ids, struct error *err)
{
    const struct plan *plan = &seg->plan;
    struct executor_lane *lanes = calloc(plan_lane_count(plan), sizeof *lanes);
    uint32_t first, count, n = 0;
    int busy = me->job.size < (int)plan->world_size ? me->job.size : (int)plan->world_size;
    int cores, rc;

    if (!lanes) {
        return error_nomem(err, "executors", plan_lane_count(plan) * sizeof *lanes);
    }
    placement_block(plan->world_size, (uint32_t)me->job.size, (uint32_t)me->job.rank, &first, &count);
    cores = placement_cores_per_card(topology_jobs(busy), count ? (int)count : 1);
    for (uint32_t i = 0; i < count; i++) {
        lanes[n++] = (struct executor_lane){.lane = first + i,
                                            .ncores = cores,
                                            .device_id = device_ids ? device_ids[first + i] : 0,
                                            .dfx_dir = me->sender ? gather_dir(me->sender) : NULL};
    }
    for (uint32_t lane = plan_host_lane(plan); me->job.rank == 0 && lane < plan_lane_count(plan); lane++) {
        if (plan_lane_is_used(plan, lane)) {
            lanes[n++] = (struct executor_lane){.lane = lane, .ncores = 1};
        }
    }
    rc = executors_start(&me->executors, seg, lanes, n, err);
    free(lanes);
    return rc;
}

void participant_end_executors(struct participant *me)
{
    executors_free(me->executors);
    me->executors = NULL;
    me->supervision.executors = NULL;
}

void participant_signals(sigset_t *set)
{
    stop_signals(set);
    sigaddset(set, SIGCHLD);
}

int participant_open_signals(struct participant *me, struct error *err)
{
    sigset_t set;

    participant_signals(&set);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) {
        return error_errno(err, "signals", NULL, "cannot block signals");
    }
    me->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return me->signal_fd < 0 ? error_errno(err, "signals", NULL, "cannot make a signalfd") : 0;
}

void participant_close_signals(struct participant *me)
{
    sigset_t set;

    if (me->signal_fd > 0) {
        close(me->signal_fd);
    }
    me->signal_fd = -1;
    participant_signals(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void participant_report_strangers(const struct participant *me)
{
    const unsigned long long n = me->events ? events_dropped(me->events) : 0;

    if (n) {
        log_msg(LOG_WARN, "%llu message%s to process %d of the job came from another program; dropped", n,
                n == 1 ? "" : "s", me->job.rank);
    }
}

void participant_close(struct participant *me)
{
    participant_end_executors(me);
    gather_leave(me->sender);
    gather_close(me->receiver);
    events_close(me->events);
    peers_close(me->peers);
    if (me->signal_fd > 0) {
        close(me->signal_fd);
    }
    segment_unmap(&me->segment);
    me->sender = NULL;
    me->receiver = NULL;
    me->events = NULL;
    me->peers = NULL;
    me->signal_fd = -1;
}

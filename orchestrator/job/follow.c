#include "orchestrator/job/follow.h"

#include <poll.h>
#include <unistd.h>

#include "common/base/private_dir.h"
#include "orchestrator/job/assist.h"
#include "orchestrator/job/farewell.h"
#include "orchestrator/job/interrupt.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/job/notices.h"
#include "orchestrator/messages/order.h"
#include "orchestrator/messages/stop_signals.h"
#include "orchestrator/supervise/supervise_worker.h"
#include "topology/placement.h"

/* Before the first pass. All passes use what is opened here. */
static int join(const struct order *order, struct participant *me, struct error *err)
{
    uint32_t first, count;
    int rc;

    if (participant_open_signals(me, err) < 0 ||
        segment_open_peer(&me->segment, order->pid, order->segment_fd, err) < 0) {
        return -1;
    }
    placement_block(me->segment.plan.world_size, (uint32_t)me->job.size, (uint32_t)me->job.rank, &first, &count);
    rc = gather_must_send(&me->segment, order->token, first, count, err);
    me->must_send = rc > 0;
    return rc < 0 ? -1 : events_connect(&me->events, &order->events, (uint32_t)me->job.rank, err);
}

/* Where this pass's profiles go, and the executors that make them. */
static int begin_pass(struct participant *me, struct error *err)
{
    uint32_t first, count;

    placement_block(me->segment.plan.world_size, (uint32_t)me->job.size, (uint32_t)me->job.rank, &first, &count);
    if (me->must_send && gather_join(&me->sender, &me->segment, first, count, err) < 0) {
        return -1;
    }
    return participant_start_executors(me, &me->segment, NULL, err);
}

static struct supervision supervision_of(struct participant *me)
{
    return (struct supervision){.job = &me->job,
                                .seg = &me->segment,
                                .events = me->events,
                                .executors = me->executors,
                                .sender = me->sender,
                                .signal_fd = me->signal_fd};
}

/* The job is coming down: MPI_Finalize would wait for the dead. Process 0 keeps mpirun back for a moment, until it
 * hears that nothing of this process is left. */
static void leave_interrupted(struct participant *me)
{
    const struct event stopped = {.kind = EVENT_STOPPED, .rank = (uint32_t)me->job.rank};

    participant_end_executors(me);
    gather_leave(me->sender);
    me->sender = NULL;
    if (me->events) {
        events_send(me->events, &stopped, NULL);
    }
    participant_close(me);
    private_dir_remove_all();
    poll(NULL, 0, INTERRUPT_STAY_MS);
    _exit(EXIT_CODE_INFRA);
}

/* One pass, until process 0 says that it is over. */
static int work(const struct order *order, struct participant *me, struct error *err)
{
    struct supervision s;
    struct error fault;
    bool begun;
    int rc;

    if (!me->events && join(order, me, err) < 0) {
        return -1;
    }
    begun = begin_pass(me, &fault) == 0;
    s = supervision_of(me);
    s.failure = begun ? NULL : &fault; /* process 0 is to hear why, and stops the others */
    rc = supervise_worker(&s, err);
    if (rc == 0 && s.interrupted) {
        leave_interrupted(me);
    }
    participant_end_executors(me);
    return rc;
}

/* The profiles that this process still has. */
static int send_rest(struct participant *me, struct error *err)
{
    struct supervision s = supervision_of(me);
    int rc;

    if (!me->sender) {
        return 0;
    }
    rc = supervise_send(&s, err);
    if (rc == 0 && s.interrupted) {
        leave_interrupted(me);
    }
    gather_leave(me->sender);
    me->sender = NULL;
    return rc;
}

static int follow(struct participant *me, const struct order *order, struct error *err)
{
    switch (order->kind) {
    case ORDER_RUN:
        return work(order, me, err);
    case ORDER_GATHER:
        return send_rest(me, err);
    case ORDER_CLOCKS:
        return job_clocks_answer(&me->job, order, err);
    default:
        return assist_take(&me->job, order, err);
    }
}

int follow_process_0(struct participant *me)
{
    struct farewell nobody = {0};
    struct order order;
    struct error err;
    int rc;

    notices_keep();
    do {
        rc = mpi_job_share(&me->job, &order, sizeof order, &err);
        if (rc == 0 && order.kind != ORDER_LEAVE) {
            rc = follow(me, &order, &err);
        }
    } while (rc == 0 && order.kind != ORDER_LEAVE);
    if (rc < 0 && stop_signal_is_pending()) {
        leave_interrupted(me);
    }
    participant_report_strangers(me);
    participant_close(me);
    if (rc == 0) {
        rc = farewell_say(&me->job, &err);
    }
    if (rc < 0) {
        error_print(&err);
        mpi_job_abort(&me->job, EXIT_CODE_INFRA);
    }
    notices_end();
    farewell_end(&nobody, &me->job, 0);
    return 0;
}

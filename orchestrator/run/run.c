/* The `run` command from MPI_Init to the marker. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"
#include "common/log.h"
#include "orchestrator/report/run_record.h"
#include "orchestrator/report/timeline.h"
#include "orchestrator/run/assist.h"
#include "orchestrator/run/changes.h"
#include "orchestrator/run/job_clocks.h"
#include "orchestrator/run/events.h"
#include "orchestrator/run/interrupt.h"
#include "orchestrator/run/mpi_job.h"
#include "orchestrator/run/marker.h"
#include "orchestrator/run/order.h"
#include "orchestrator/run/outcome.h"
#include "orchestrator/run/prepare.h"
#include "orchestrator/run/supervise.h"
#include "orchestrator/run/timings.h"
#include "topology/placement.h"
#include "topology/topology.h"

/* One process's part while the plan runs. */
struct participant {
    struct mpi_job job;
    struct events *events;
    struct executors *executors;
    int signal_fd;
    struct job_clocks clocks; /* process 0 only */
};

/* Cards have one each; the other lanes, which process 0 runs, where there is something to do. */
static uint32_t executor_count(const struct plan *plan)
{
    return plan->world_size + plan_lane_is_used(plan, plan_host_lane(plan)) +
           plan_lane_is_used(plan, plan_sub_lane(plan));
}

static int start_executors(struct participant *me, struct segment *seg, const int *device_ids, struct error *err)
{
    const struct plan *plan = &seg->plan;
    struct executor_lane *lanes = calloc(plan_lane_count(plan), sizeof *lanes);
    uint32_t first, count, n = 0;
    int busy = me->job.size < (int)plan->world_size ? me->job.size : (int)plan->world_size;
    int cores, rc;

    if (!lanes)
        return error_nomem(err, "executors", plan_lane_count(plan) * sizeof *lanes);
    placement_block(plan->world_size, (uint32_t)me->job.size, (uint32_t)me->job.rank, &first, &count);
    cores = placement_cores_per_card(topology_jobs(busy), count ? (int)count : 1);
    for (uint32_t i = 0; i < count; i++)
        lanes[n++] = (struct executor_lane){.lane = first + i, .ncores = cores,
                                            .device_id = device_ids ? device_ids[first + i] : 0};
    for (uint32_t lane = plan_host_lane(plan); me->job.rank == 0 && lane < plan_lane_count(plan); lane++)
        if (plan_lane_is_used(plan, lane))
            lanes[n++] = (struct executor_lane){.lane = lane, .ncores = 1};
    rc = executors_start(&me->executors, seg, lanes, n, err);
    free(lanes);
    return rc;
}

static void supervised_signals(sigset_t *set)
{
    interrupt_signals(set);
    sigaddset(set, SIGCHLD);
}

/* From here on signals are read, not taken: the loop that waits knows what to tell. */
static int open_signals(struct participant *me, struct error *err)
{
    sigset_t set;

    supervised_signals(&set);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return error_errno(err, "signals", NULL, "cannot block signals");
    me->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return me->signal_fd < 0 ? error_errno(err, "signals", NULL, "cannot make a signalfd") : 0;
}

static void participant_close(struct participant *me)
{
    executors_free(me->executors);
    events_close(me->events);
    if (me->signal_fd > 0)
        close(me->signal_fd);
    me->executors = NULL;
    me->events = NULL;
    me->signal_fd = -1;
}

static int work(const struct order *order, struct participant *me, struct error *err)
{
    struct supervision s = {.job = &me->job};
    struct segment seg = {.fd = -1};
    int rc = -1;

    if (open_signals(me, err) < 0 || segment_open_peer(&seg, order->pid, order->segment_fd, err) < 0 ||
        events_connect(&me->events, order->endpoint, (uint32_t)me->job.rank, err) < 0 ||
        start_executors(me, &seg, NULL, err) < 0)
        goto out;
    s.seg = &seg;
    s.events = me->events;
    s.executors = me->executors;
    s.signal_fd = me->signal_fd;
    rc = supervise_worker(&s, err);
    if (rc == 0 && s.interrupted) {
        participant_close(me);
        _exit(EXIT_CODE_INFRA); /* the job is coming down: MPI_Finalize would wait for the dead */
    }
out:
    participant_close(me);
    segment_unmap(&seg);
    return rc;
}

/* Do what process 0 orders until it says that there is nothing more. */
static int follow_orders(struct participant *me, struct error *err)
{
    struct order order;
    int rc;

    for (;;) {
        if (mpi_job_share(&me->job, &order, sizeof order, err) < 0)
            return -1;
        if (order.kind == ORDER_LEAVE)
            return 0;
        if (order.kind == ORDER_RUN)
            rc = work(&order, me, err);
        else if (order.kind == ORDER_CLOCKS)
            rc = job_clocks_answer(&me->job, &order, err);
        else
            rc = assist_take(&me->job, &order, err);
        if (rc < 0)
            return -1;
    }
}

static int run_worker(struct participant *me)
{
    struct error err;

    if (follow_orders(me, &err) < 0) {
        error_print(&err);
        mpi_job_abort(&me->job, EXIT_CODE_INFRA);
    }
    mpi_job_end();
    return 0;
}

static int run_lanes(struct participant *me, const struct run_options *o, struct prepared *p, struct outcome *out,
                     struct error *err)
{
    struct supervision s = {.job = &me->job, .seg = &p->segment, .clocks = &me->clocks,
                            .timeout = o->timeout};
    struct order order = {.kind = ORDER_RUN, .pid = (int32_t)getpid(), .segment_fd = p->segment.fd};
    int rc;

    atomic_store(&p->segment.header->starting, executor_count(&p->recording.plan));
    if (open_signals(me, err) < 0 || (me->job.size > 1 && events_serve(&me->events, order.endpoint, err) < 0))
        return -1;
    if (mpi_job_share(&me->job, &order, sizeof order, err) < 0)
        return -1;
    if (start_executors(me, &p->segment, p->recording.build.device_ids, err) < 0) {
        out->abrupt = me->job.size > 1;
        return -1;
    }
    s.events = me->events;
    s.executors = me->executors;
    s.signal_fd = me->signal_fd;
    rc = supervise_root(&s, err);
    out->abrupt = s.interrupted;
    if (!s.interrupted)
        supervise_finish(&s);
    return rc;
}

/* Run the lanes, and bring their times to one clock, which is measured before and after. */
static int run_on_one_clock(struct participant *me, const struct run_options *o, struct prepared *p,
                            struct outcome *out, struct error *err)
{
    struct error fault;
    int rc;

    if (job_clocks_open(&me->clocks, &me->job, &p->recording.plan, err) < 0 ||
        job_clocks_measure(&me->clocks, &me->job, err) < 0)
        return -1;
    rc = run_lanes(me, o, p, out, err);
    if (!out->abrupt && job_clocks_measure(&me->clocks, &me->job, &fault) < 0)
        error_print(&fault);
    if (job_clocks_settle(&me->clocks, &p->segment, rc < 0 ? &fault : err) == 0) {
        out->clock_error_ns = run_clocks_error(&me->clocks.result);
        return rc;
    }
    if (rc < 0) /* the run's own failure is the one to report */
        error_print(&fault);
    return -1;
}

static void dismiss_others(const struct participant *me)
{
    struct order leave = {.kind = ORDER_LEAVE};
    struct error err;

    if (mpi_job_share(&me->job, &leave, sizeof leave, &err) < 0)
        error_print(&err);
}

/* Everything process 0 does, up to the verdict in `out`. */
static void replay(struct participant *me, const struct run_options *o, struct prepared *p, struct outcome *out)
{
    int rc;

    if (prepare(o, &me->job, &out->phases, p, &out->error) < 0) {
        out->verdict = RESULT_INFRA;
        dismiss_others(me);
        return;
    }
    if ((uint32_t)me->job.size > p->recording.build.ndevice)
        log_note("%d processes for %u cards: %u of them stay idle", me->job.size, p->recording.build.ndevice,
                 (uint32_t)me->job.size - p->recording.build.ndevice);
    phases_enter(&out->phases, PHASE_RUN);
    rc = run_on_one_clock(me, o, p, out, &out->error);
    if (!out->abrupt)
        dismiss_others(me);
    if (rc < 0) {
        out->verdict = out->error.kind == ERROR_FAIL ? RESULT_FAIL : RESULT_INFRA;
        return;
    }
    phases_enter(&out->phases, PHASE_VERIFY);
    outcome_verify(out, o, p);
}

static void tell_changes(const struct prepared *p)
{
    struct error err;

    if (changes_tell(p->recording.build.dir, &p->recording.programs, &p->compiled, &err) < 0)
        log_msg(LOG_WARN, "cannot compare with the last replay: %s", err.what);
}

/* After the verdict: nothing that goes wrong here changes what the run has found. */
static void leave_binaries(const struct run_options *o, const struct prepared *p)
{
    struct error err;

    if (fresh_install(&p->recording.build, &p->recording.programs, &p->compiled, &o->fresh, &err) == 0)
        return;
    log_msg(LOG_WARN, "the binaries of this replay were not put into the build: the next one builds them again");
    error_print(&err);
}

/* After the verdict too: what relates the cards' profiles, and the timelines of all of them. */
static void leave_timelines(const struct prepared *p, const struct run_clocks *clocks)
{
    struct error err;
    char *path = file_join(p->dfx.dir, "l3_run.json", &err);

    if (path && run_record_write(path, &p->segment, p->recording.build.device_ids, clocks, &err) == 0 &&
        (!p->dfx.swimlane || timeline_write_all(p->dfx.dir, &err) == 0))
        log_note("`l3replay report %s` tells what the profiles say", p->dfx.dir);
    else
        error_print(&err);
    free(path);
}

static int run_root(struct participant *me, const struct run_options *o)
{
    struct outcome out = {.init_end_ns = me->job.init_end_ns, .nproc = me->job.size};
    struct prepared p;
    int code;

    interrupt_watch(&out.phases);
    replay(me, o, &p, &out);
    phases_stop(&out.phases);
    if (!out.abrupt && p.sheet && !o->fresh.no_recompile) /* else older binaries may have run */
        tell_changes(&p);
    code = outcome_report(&out, o, &p);
    if (!out.abrupt && p.sheet)
        leave_binaries(o, &p);
    if (!out.abrupt && p.segment.header && dfx_any(&p.dfx) && timings_first_start_ns(&p.segment))
        leave_timelines(&p, &me->clocks.result);
    participant_close(me);
    prepare_free(&p);
    if (out.abrupt)
        mpi_job_abort(&me->job, code);
    mpi_job_end();
    job_clocks_free(&me->clocks);
    return code;
}

int run_replay(const struct run_options *o, int argc, char **argv)
{
    struct participant me = {.signal_fd = -1};
    struct error err;
    sigset_t set;
    int rc;

    interrupt_install();
    /* MPI's threads inherit the mask: a signal must not be delivered to one of them, where it is lost. */
    supervised_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    rc = mpi_job_start(&me.job, &argc, &argv, &err);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (rc < 0) {
        if (me.job.rank == 0) {
            error_print(&err);
            marker_print(RESULT_INFRA, NULL, 0);
        }
        mpi_job_end();
        return EXIT_CODE_INFRA;
    }
    return me.job.rank == 0 ? run_root(&me, o) : run_worker(&me);
}

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
#include "orchestrator/run/events.h"
#include "orchestrator/run/interrupt.h"
#include "orchestrator/run/load.h"
#include "orchestrator/run/mpi_job.h"
#include "orchestrator/run/marker.h"
#include "orchestrator/run/order.h"
#include "orchestrator/run/outcome.h"
#include "orchestrator/run/passes.h"
#include "orchestrator/run/prepare.h"
#include "orchestrator/run/supervise.h"
#include "orchestrator/run/timings.h"
#include "topology/placement.h"
#include "topology/topology.h"

/* One process's part while the plan runs. */
struct participant {
    struct mpi_job job;
    struct events *events;       /* one connection for all passes */
    struct executors *executors; /* of the pass under way */
    struct segment segment;      /* as other processes than 0 map it */
    int signal_fd;
    char token[GATHER_TOKEN];         /* of the job's profiles */
    struct gather_sender *sender;     /* of the pass under way; NULL: there is nothing to send */
    struct gather_receiver *receiver; /* process 0, when profiles are wanted: one for all passes */
    struct supervision supervision;   /* process 0: of the pass under way, or of the last */
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
                                            .device_id = device_ids ? device_ids[first + i] : 0,
                                            .dfx_dir = me->sender ? gather_dir(me->sender) : NULL};
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

/* Signals are taken again, those that waited at once: nobody waits for the plan. */
static void close_signals(struct participant *me)
{
    sigset_t set;

    close(me->signal_fd);
    me->signal_fd = -1;
    supervised_signals(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void end_executors(struct participant *me)
{
    executors_free(me->executors);
    gather_leave(me->sender);
    me->executors = NULL;
    me->supervision.executors = NULL;
    me->sender = NULL;
}

static void participant_close(struct participant *me)
{
    end_executors(me);
    gather_close(me->receiver);
    events_close(me->events);
    if (me->signal_fd > 0)
        close(me->signal_fd);
    segment_unmap(&me->segment);
}

/* Before the first pass. All passes use what is opened here. */
static int join(const struct order *order, struct participant *me, struct error *err)
{
    if (open_signals(me, err) < 0 || segment_open_peer(&me->segment, order->pid, order->segment_fd, err) < 0)
        return -1;
    memcpy(me->token, order->token, sizeof me->token);
    return events_connect(&me->events, order->endpoint, (uint32_t)me->job.rank, err);
}

/* Where this pass's profiles go, and the executors that make them. */
static int begin_pass(struct participant *me, struct error *err)
{
    uint32_t first, count;

    placement_block(me->segment.plan.world_size, (uint32_t)me->job.size, (uint32_t)me->job.rank, &first, &count);
    if (gather_join(&me->sender, &me->segment, me->token, first, count, err) < 0)
        return -1;
    return start_executors(me, &me->segment, NULL, err);
}

/* One pass, until process 0 says that it is over. */
static int work(const struct order *order, struct participant *me, struct error *err)
{
    struct supervision s = {.job = &me->job};
    int rc;

    if ((!me->events && join(order, me, err) < 0) || begin_pass(me, err) < 0)
        return -1;
    s.seg = &me->segment;
    s.events = me->events;
    s.executors = me->executors;
    s.sender = me->sender;
    s.signal_fd = me->signal_fd;
    rc = supervise_worker(&s, err);
    if (rc == 0 && s.interrupted) {
        participant_close(me);
        _exit(EXIT_CODE_INFRA); /* the job is coming down: MPI_Finalize would wait for the dead */
    }
    end_executors(me);
    return rc;
}

/* Do what process 0 orders until it says that there is nothing more. */
static int follow_orders(struct participant *me, struct error *err)
{
    struct order order;

    for (;;) {
        if (mpi_job_share(&me->job, &order, sizeof order, err) < 0)
            return -1;
        if (order.kind == ORDER_LEAVE)
            return 0;
        if ((order.kind == ORDER_RUN ? work(&order, me, err) : assist_take(&me->job, &order, err)) < 0)
            return -1;
    }
}

static int run_worker(struct participant *me)
{
    struct error err;
    int rc = follow_orders(me, &err);

    participant_close(me);
    if (rc < 0) {
        error_print(&err);
        mpi_job_abort(&me->job, EXIT_CODE_INFRA);
    }
    mpi_job_end();
    return 0;
}

/* What the others connect to. */
static int serve(struct participant *me, const struct run_options *o, const struct prepared *p, struct order *order,
                 struct error *err)
{
    if (me->job.size == 1 || me->events)
        return 0;
    if (events_serve(&me->events, order->endpoint, err) < 0)
        return -1;
    return dfx_any(&p->dfx) ? gather_open(&me->receiver, p->dfx.dir, me->job.size, o->dfx.stream, order->token, err)
                            : 0;
}

/* Process 0's one pass; the others are not told yet that it is over. */
static int run_lanes(struct participant *me, const struct run_options *o, struct prepared *p, struct outcome *out,
                     struct error *err)
{
    struct supervision *s = &me->supervision;
    struct order order = {.kind = ORDER_RUN, .pid = (int32_t)getpid(), .segment_fd = p->segment.fd};
    int rc;

    atomic_store(&p->segment.header->starting, executor_count(&p->recording.plan));
    if (open_signals(me, err) < 0 || serve(me, o, p, &order, err) < 0 ||
        mpi_job_share(&me->job, &order, sizeof order, err) < 0)
        return -1;
    if (start_executors(me, &p->segment, p->recording.build.device_ids, err) < 0) {
        out->abrupt = me->job.size > 1;
        return -1;
    }
    *s = (struct supervision){.job = &me->job, .seg = &p->segment, .timeout = o->timeout, .events = me->events,
                              .executors = me->executors, .receiver = me->receiver, .signal_fd = me->signal_fd};
    rc = supervise_root(s, err);
    out->abrupt = s->interrupted;
    return rc;
}

/* Take what profiles of the pass are still under way, and tell the others that it is over. */
static int end_pass(struct participant *me, struct outcome *out, struct error *err)
{
    if (supervise_gather(&me->supervision, err) < 0) {
        out->abrupt = true;
        return -1;
    }
    supervise_finish(&me->supervision);
    return 0;
}

/* What process 0 works on in a pass. */
struct root {
    struct participant *me;
    const struct run_options *options;
    struct prepared *prepared;
    struct outcome *out;
    int npass; /* still to be run */
};

static int run_pass(void *context, struct error *err)
{
    struct root *root = context;

    if (run_lanes(root->me, root->options, root->prepared, root->out, err) < 0)
        return -1;
    /* The last one ends after the verdict, which does not wait for profiles. */
    return --root->npass > 0 ? end_pass(root->me, root->out, err) : 0;
}

/* Between two passes: no executor lives, and a signal ends us as it does before the first pass. */
static int load_pass(void *context, struct error *err)
{
    struct root *root = context;
    int rc;

    end_executors(root->me);
    close_signals(root->me);
    phases_enter(&root->out->phases, PHASE_LOAD);
    rc = load_storages(&root->prepared->segment, root->prepared->recording.inputs, err);
    phases_enter(&root->out->phases, PHASE_RUN);
    return rc;
}

static int run_passes(struct participant *me, const struct run_options *o, struct prepared *p, struct outcome *out,
                      struct error *err)
{
    struct root root = {.me = me, .options = o, .prepared = p, .out = out};
    const struct pass_steps steps = {.load = load_pass, .run = run_pass, .context = &root};
    struct pass passes[PASSES_MAX];

    root.npass = passes_split(&p->dfx, build_platform_is_sim(&p->recording.build), passes);
    return passes_run(&p->segment, passes, root.npass, &steps, err);
}

/* Everything process 0 does, up to the verdict in `out`. */
static void replay(struct participant *me, const struct run_options *o, struct prepared *p, struct outcome *out)
{
    if (prepare(o, &me->job, &out->phases, p, &out->error) < 0) {
        out->verdict = RESULT_INFRA;
        return;
    }
    if ((uint32_t)me->job.size > p->recording.build.ndevice)
        log_note("%d processes for %u cards: %u of them stay idle", me->job.size, p->recording.build.ndevice,
                 (uint32_t)me->job.size - p->recording.build.ndevice);
    phases_enter(&out->phases, PHASE_RUN);
    if (run_passes(me, o, p, out, &out->error) < 0) {
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
static void leave_timelines(const struct prepared *p)
{
    struct error err;
    char *path = file_join(p->dfx.dir, "l3_run.json", &err);

    if (path && dfx_remove_unfinished(&p->dfx, &err) == 0 &&
        run_record_write(path, &p->segment, p->recording.build.device_ids, &err) == 0 &&
        (!p->dfx.swimlane || timeline_write_all(p->dfx.dir, &err) == 0))
        log_note("`l3replay report %s` tells what the profiles say", p->dfx.dir);
    else
        error_print(&err);
    free(path);
}

static void tell_gathered(const struct gather_receiver *r, double seconds)
{
    const struct inbox_totals totals = inbox_totals(gather_inbox(r));
    const struct inbox_loss *losses;
    uint32_t nloss = inbox_losses(gather_inbox(r), &losses);

    if (gather_senders(r))
        log_msg(LOG_TIMING, "gathered %llu profile files (%.1f MB) from %u process%s, the last %.0f ms after the run",
                (unsigned long long)totals.nfile, (double)totals.nbytes / 1e6, gather_senders(r),
                gather_senders(r) == 1 ? "" : "es", seconds * 1e3);
    if (totals.nloss)
        log_msg(LOG_ERROR, "%llu profile files are lost:", (unsigned long long)totals.nloss);
    for (uint32_t i = 0; i < nloss; i++)
        log_msg(LOG_ERROR, "  %s: %s", losses[i].path, losses[i].why);
}

/* After the verdict: the last pass ends. */
static void gather_rest(struct participant *me, struct outcome *out)
{
    uint64_t begun = clock_now_ns();
    struct error err;

    if (!me->supervision.executors || out->abrupt)
        return;
    if (end_pass(me, out, &err) < 0)
        error_print(&err);
    if (me->receiver)
        tell_gathered(me->receiver, (double)(clock_now_ns() - begun) / 1e9);
}

/* When the verdict is out: a process that cannot take the order any more must not keep it back. */
static void let_go(const struct participant *me)
{
    struct order leave = {.kind = ORDER_LEAVE};
    struct error err;

    if (mpi_job_share(&me->job, &leave, sizeof leave, &err) < 0)
        error_print(&err);
}

static int run_root(struct participant *me, const struct run_options *o)
{
    struct outcome out = {.init_end_ns = me->job.init_end_ns, .nproc = me->job.size};
    struct prepared p;
    bool profiled;
    int code;

    interrupt_watch(&out.phases);
    replay(me, o, &p, &out);
    phases_stop(&out.phases);
    if (!out.abrupt && p.sheet && !o->fresh.no_recompile) /* else older binaries may have run */
        tell_changes(&p);
    code = outcome_report(&out, o, &p);
    if (!out.abrupt && p.sheet)
        leave_binaries(o, &p);
    profiled = !out.abrupt && p.segment.header && dfx_any(&p.dfx) && timings_first_start_ns(&p.segment);
    gather_rest(me, &out);
    if (profiled)
        leave_timelines(&p);
    participant_close(me);
    prepare_free(&p);
    if (out.abrupt)
        mpi_job_abort(&me->job, code);
    let_go(me);
    mpi_job_end();
    return code;
}

int run_replay(const struct run_options *o, int argc, char **argv)
{
    struct participant me = {.segment = {.fd = -1}, .signal_fd = -1};
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

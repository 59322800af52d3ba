#include "orchestrator/job/lead.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "orchestrator/job/passes.h"
#include "orchestrator/messages/order.h"
#include "orchestrator/prepare/prepare_load.h"
#include "orchestrator/supervise/supervise_root.h"

/* mpirun itself waits for a second. */
enum { MOMENT_MS = 500, TICK_MS = 20 };

/* What process 0 works on in a pass. */
struct lead {
    struct participant *me;
    const struct run_options *options;
    struct prepared *prepared;
    struct outcome *out;
    int npass; /* still to be run; not counted when the replay is repeated */
};

/* What the others connect to. */
static int serve(const struct lead *l, struct order *order, struct error *err)
{
    struct participant *me = l->me;
    const struct dfx *dfx = &l->prepared->dfx;

    if (me->job.size == 1 || me->events) {
        return 0;
    }
    if (events_serve(&me->events, (uint32_t)me->job.size, &order->events, err) < 0) {
        return -1;
    }
    if (!dfx_any(dfx)) {
        return 0;
    }
    return gather_open(&me->receiver, dfx->dir, me->job.size, l->options->dfx.stream, order->token, err);
}

static int run_lanes(const struct lead *l, struct error *err)
{
    struct participant *me = l->me;
    struct prepared *p = l->prepared;
    struct order order = {.kind = ORDER_RUN, .pid = (int32_t)getpid(), .segment_fd = p->segment.parts[SEGMENT_PLAN].fd};
    int rc;

    p->segment.header->free_threads = l->options->free_threads;
    l->out->paced = l->options->pace == PACE_DOMAIN ||
                    (l->options->pace == PACE_AUTO && build_platform_is_sim(&p->recording.build));
    p->segment.header->paced = l->out->paced;
    atomic_store(&p->segment.common->starting, participant_executors(&p->recording.plan));
    if (participant_open_signals(me, err) < 0 || serve(l, &order, err) < 0 ||
        mpi_job_share(&me->job, &order, sizeof order, err) < 0) {
        return -1;
    }
    if (participant_start_executors(me, &p->segment, p->recording.build.device_ids, err) < 0) {
        l->out->abrupt = me->job.size > 1;
        return -1;
    }
    me->supervision = (struct supervision){.job = &me->job,
                                           .seg = &p->segment,
                                           .clocks = &me->clocks,
                                           .timeout = l->options->timeout,
                                           .events = me->events,
                                           .peers = me->peers,
                                           .executors = me->executors,
                                           .receiver = me->receiver,
                                           .signal_fd = me->signal_fd};
    rc = supervise_root(&me->supervision, err);
    for (uint32_t lane = 0; lane < p->segment.header->nlane; lane++) {
        l->out->nopened += atomic_load(&lane_status(&p->segment, lane)->nopened);
    }
    l->out->abrupt = me->supervision.interrupted || me->supervision.unsure;
    if (!l->out->abrupt) {
        supervise_finish(&me->supervision);
    }
    return rc;
}

/* Have the others send the rest of their profiles of the last pass, and take it. */
static int gather_rest(struct participant *me, struct outcome *out, struct error *err)
{
    struct order order = {.kind = ORDER_GATHER};

    if (!me->receiver || gather_is_complete(me->receiver)) {
        return 0;
    }
    if (mpi_job_share(&me->job, &order, sizeof order, err) == 0 && supervise_gather(&me->supervision, err) == 0) {
        return 0;
    }
    out->abrupt = true;
    return -1;
}

static int run_pass(void *context, struct error *err)
{
    struct lead *l = context;

    if (run_lanes(l, err) < 0) {
        return -1;
    }
    /* Profiles of the last one come after the verdict. */
    return --l->npass > 0 ? gather_rest(l->me, l->out, err) : 0;
}

/* One of several runs, and what it gave. Signals are taken meanwhile, as between two passes. */
static int run_repeated(void *context, struct error *err)
{
    struct lead *l = context;
    struct outcome *out = l->out;

    if (run_lanes(l, err) < 0) {
        return -1;
    }
    participant_close_signals(l->me);
    phases_enter(&out->phases, PHASE_VERIFY);
    if (repeat_take(out->repeat, &l->prepared->segment, err) < 0) {
        return -1;
    }
    if (repeat_is_first_failure(out->repeat)) {
        outcome_compare(out, l->prepared);
    }
    phases_enter(&out->phases, PHASE_RUN);
    return 0;
}

/* Between two passes: no executor lives, and a signal ends us as it does before the first pass. */
static int load_pass(void *context, struct error *err)
{
    struct lead *l = context;
    int rc;

    participant_end_executors(l->me);
    participant_close_signals(l->me);
    phases_enter(&l->out->phases, PHASE_LOAD);
    rc = prepare_load(l->prepared, err);
    phases_enter(&l->out->phases, PHASE_RUN);
    return rc;
}

/* One of several passes of two builds, and what it adds to what is known of them. */
static int run_pairs(void *context, struct error *err)
{
    struct lead *l = context;
    struct segment *seg = &l->prepared->segment;

    if (run_lanes(l, err) < 0) {
        return -1;
    }
    participant_close_signals(l->me);
    return job_clocks_settle(&l->me->clocks, seg, err) < 0 ||
                   pairs_take(&l->out->measures.pairs, seg, &l->prepared->rounds, err) < 0
               ? -1
               : 0;
}

static bool pairs_are_enough(const void *context)
{
    const struct lead *l = context;
    const struct bench_options *o = &l->options->bench;
    const struct pairs *p = l->out->measures.pairs;

    return p->count + p->dropped >= o->limit || pairs_are_precise(p, o->precision);
}

/* What runs first in an executor is a little slower ever after: in every second pass that is the other build. The first round is
 * of the warm-up. */
static void skip_first_round(struct segment *seg, const struct rounds *rounds)
{
    seg->header->skip_first = rounds->firsts[0];
    seg->header->skip_end = rounds->firsts[0] + rounds->parts[rounds->part[0]].nnode;
}

static int run_passes(struct lead *l, struct error *err)
{
    const struct pass_steps steps = {.load = load_pass, .run = run_pass, .context = l};
    const struct pass_steps repeated = {.load = load_pass, .run = run_repeated, .context = l};
    const struct pass_steps in_turns = {.load = load_pass, .run = run_pairs, .context = l};
    struct pass passes[PASSES_MAX];

    if (l->prepared->other) {
        skip_first_round(&l->prepared->segment, &l->prepared->rounds);
        return passes_until(&l->prepared->segment, pairs_are_enough, &in_turns, err);
    }
    if (l->options->repeat > 1) {
        if (repeat_open(&l->out->repeat, &l->prepared->recording.plan, l->prepared->verify,
                        (uint32_t)l->options->repeat, err) < 0) {
            return -1;
        }
        return passes_repeat(&l->prepared->segment, l->options->repeat, &repeated, err);
    }
    l->npass = passes_split(&l->prepared->dfx, build_platform_is_sim(&l->prepared->recording.build), passes);
    return passes_run(&l->prepared->segment, passes, l->npass, &steps, err);
}

int lead_run(struct participant *me, const struct run_options *o, struct prepared *p, struct outcome *out,
             struct error *err)
{
    struct lead l = {.me = me, .options = o, .prepared = p, .out = out};
    struct error fault;
    int rc;

    if (job_clocks_open(&me->clocks, &me->job, &p->recording.plan, err) < 0 ||
        job_clocks_measure(&me->clocks, &me->job, err) < 0) {
        return -1;
    }
    rc = run_passes(&l, err);
    participant_report_strangers(me);
    if (out->nopened) {
        log_note("%llu dispatch%s did not wait for the other cards of the domain any longer: nothing went on for 20 ms "
                 "(--pace domain)",
                 (unsigned long long)out->nopened, out->nopened == 1 ? "" : "es");
    }
    if (!out->abrupt) {
        participant_close_signals(me); /* a signal ends what follows as it ends what went before */
    }
    if (!out->abrupt && job_clocks_measure(&me->clocks, &me->job, &fault) < 0) {
        error_print(&fault);
    }
    if (job_clocks_settle(&me->clocks, &p->segment, rc < 0 ? &fault : err) == 0) {
        out->clock_error_ns = run_clocks_error(&me->clocks.result);
        return rc;
    }
    if (rc < 0) { /* the run's own failure is the one to report */
        error_print(&fault);
    }
    return -1;
}

static void report_gathered(const struct gather_receiver *r, double seconds)
{
    const struct inbox_totals totals = inbox_totals(gather_inbox(r));
    const struct inbox_loss *losses;
    uint32_t nloss = inbox_losses(gather_inbox(r), &losses);

    if (gather_senders(r)) {
        log_msg(LOG_TIMING, "gathered %llu profile files (%.1f MB) from %u process%s, %.0f ms of it after the verdict",
                (unsigned long long)totals.nfile, (double)totals.nbytes / 1e6, gather_senders(r),
                gather_senders(r) == 1 ? "" : "es", seconds * 1e3);
    }
    if (totals.nloss) {
        log_msg(LOG_ERROR, "%llu profile file%s lost on the way:", (unsigned long long)totals.nloss,
                totals.nloss == 1 ? " was" : "s were");
    }
    for (uint32_t i = 0; i < nloss; i++) {
        log_msg(LOG_ERROR, "  %s: %s", losses[i].path, losses[i].why);
    }
    if (totals.nloss > nloss) {
        log_msg(LOG_ERROR, "  and %llu more", (unsigned long long)(totals.nloss - nloss));
    }
}

void lead_gather(struct participant *me, struct outcome *out)
{
    uint64_t begun = clock_now_ns();
    struct error err;

    if (!me->receiver || out->abrupt) {
        return;
    }
    if (participant_open_signals(me, &err) < 0) {
        error_print(&err);
        return;
    }
    me->supervision.signal_fd = me->signal_fd;
    if (gather_rest(me, out, &err) < 0) {
        error_print(&err);
    }
    participant_close_signals(me);
    phases_add(&out->phases, "gather", begun, clock_now_ns());
    report_gathered(me->receiver, (double)(clock_now_ns() - begun) / 1e9);
}

void lead_await_others(struct participant *me)
{
    const uint64_t until_ns = clock_now_ns() + MOMENT_MS * UINT64_C(1000000);
    struct event event;
    uint32_t nstopped = 0;

    if (!me->receiver) {
        return;
    }
    while (nstopped < gather_senders(me->receiver) && clock_now_ns() < until_ns) {
        struct pollfd fd = {.fd = events_fd(me->events), .events = POLLIN};

        while (events_next(me->events, &event)) {
            nstopped += event.kind == EVENT_STOPPED;
        }
        if (nstopped < gather_senders(me->receiver) && poll(&fd, 1, TICK_MS) < 0 && errno != EINTR) {
            return;
        }
    }
}

int lead_dismiss(const struct participant *me, struct farewell *farewell)
{
    struct order leave = {.kind = ORDER_LEAVE};
    struct error err;

    if (mpi_job_share(&me->job, &leave, sizeof leave, &err) == 0 && farewell_await(farewell, &me->job, &err) == 0) {
        return 0;
    }
    log_msg(LOG_WARN, "%s%s%s", err.what, *err.hint ? "; " : "", err.hint); /* the verdict is out, and stays */
    return -1;
}

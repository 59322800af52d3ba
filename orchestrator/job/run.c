#include "orchestrator/job/run.h"

#include <signal.h>

#include "common/base/log.h"
#include "common/base/oom_kills.h"
#include "common/process/descendants.h"
#include "orchestrator/job/assist.h"
#include "orchestrator/job/follow.h"
#include "orchestrator/job/interrupt.h"
#include "orchestrator/job/lead.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/job/notices.h"
#include "orchestrator/job/relate.h"
#include "orchestrator/job/start_watch.h"
#include "orchestrator/job/timings.h"
#include "orchestrator/prepare/changes.h"
#include "orchestrator/prepare/other_build.h"
#include "topology/topology.h"

struct sharing {
    const struct mpi_job *job;
    const struct fresh_options *fresh;
};

static int share_with_job(void *context, const struct build *build, const struct program_table *programs,
                          const bool *needed, struct error *err)
{
    const struct sharing *sharing = context;

    return assist_offer(sharing->job, build->platform, programs, needed, sharing->fresh, err);
}

static void find_changes(const struct run_options *o, const struct prepared *p, struct changes *changes,
                         struct outcome *out)
{
    struct error err;

    if (changes_find(changes, o, p, &err) < 0) {
        log_msg(LOG_WARN, "cannot compare with the last replay: %s", err.what);
    } else {
        out->changes = changes;
    }
}

/* Everything process 0 does, up to the verdict in `out`. */
static void replay(struct participant *me, const struct run_options *o, struct prepared *p, struct changes *changes,
                   struct outcome *out)
{
    struct sharing sharing = {.job = &me->job, .fresh = &o->fresh};
    const struct prepare_job job = {
        .jobs = topology_share(me->job.node_size, me->job.rank), .share = share_with_job, .context = &sharing};
    struct error err;

    if (prepare(o, &job, &out->phases, p, &out->error) < 0) {
        out->verdict = RESULT_INFRA;
        return;
    }
    interrupt_outputs(verify_outputs(&p->recording.plan));
    phases_enter(&out->phases, PHASE_CHANGES);
    if (!p->rounds.total) { /* the plan is not that of a replay */
        find_changes(o, p, changes, out);
    }
    if ((uint32_t)me->job.size > p->recording.build.ndevice) {
        log_note("%d processes for %u cards: %u of them stay idle", me->job.size, p->recording.build.ndevice,
                 (uint32_t)me->job.size - p->recording.build.ndevice);
    }
    if (p->recording.build.ndevice > out->ncore) {
        log_note("%u cards on %u core%s: they take turns, so wall times have time in them without a core",
                 p->recording.build.ndevice, out->ncore, out->ncore == 1 ? "" : "s");
    }
    for (size_t i = 0; i < o->unused.n; i++) {
        log_note("%s", o->unused.v[i]);
    }
    for (size_t i = 0; p->device == DEVICE_CPU && i < o->device.cpu_unused.n; i++) {
        log_note("%s", o->device.cpu_unused.v[i]);
    }
    phases_enter(&out->phases, PHASE_RUN);
    if (lead_run(me, o, p, out, &err) < 0) {
        outcome_fail(out, &err, me->supervision.interrupted);
        return;
    }
    phases_enter(&out->phases, PHASE_VERIFY);
    outcome_verify(out, o, p);
    outcome_measure(out, o, p);
}

/* After the verdict: nothing that goes wrong here changes what the run has found. */
static void leave_binaries_of(const struct run_options *o, struct compile_session *session, const struct recording *r,
                              const struct compiled *compiled)
{
    struct error err;

    compile_trim(session, compiled);
    if (fresh_install(session, &r->build, &r->programs, compiled, &o->fresh, &err) == 0) {
        return;
    }
    log_msg(LOG_WARN, "the binaries of this replay were not put into the build: the next one builds them again");
    error_print(&err);
}

static void leave_binaries(const struct run_options *o, const struct prepared *p)
{
    leave_binaries_of(o, p->session, &p->recording, &p->compiled);
    if (p->other) {
        leave_binaries_of(o, p->other->session, &p->other->recording, &p->other->compiled);
    }
}

static int run_root(struct participant *me, const struct run_options *o)
{
    struct outcome out = {.begun_ns = o->begun_ns,
                          .init_end_ns = me->job.init_end_ns,
                          .nproc = me->job.size,
                          .ncore = (uint32_t)topology_together(me->job.node_size)};
    struct changes changes = {0};
    struct farewell farewell = {0};
    struct prepared p;
    bool profiled, dismissed;
    int code;

    notices_keep();
    interrupt_watch(&out.phases);
    replay(me, o, &p, &changes, &out);
    phases_stop(&out.phases);
    if (!out.abrupt) {
        changes_report(&changes);
    }
    code = outcome_report(&out, o, &p);
    if (!out.abrupt && p.sheet) {
        leave_binaries(o, &p);
    }
    profiled = !out.abrupt && p.segment.header && dfx_any(&p.dfx) && timings_first_start_ns(&p.segment);
    lead_gather(me, &out);
    if (profiled) {
        relate_profiles(me, &out, &p);
    }
    if (out.abrupt) {
        lead_await_others(me);
    }
    dismissed = !out.abrupt && lead_dismiss(me, &farewell) == 0; /* and what the others noted is known */
    outcome_close(&out, o, &p);
    changes_free(&changes);
    participant_close(me);
    prepare_free(&p);
    if (!dismissed) {
        mpi_job_abort(&me->job, code);
    }
    farewell_end(&farewell, &me->job, code);
    job_clocks_free(&me->clocks);
    notices_end();
    return code;
}

/* MPI's threads inherit the mask: a signal must not be delivered to one of them, where it is lost. */
static int start_mpi(struct participant *me, const struct run_options *o, int *argc, char ***argv, struct error *err)
{
    sigset_t set;
    int rc;

    if (o->alone) {
        mpi_job_start_alone(&me->job);
        return 0;
    }
    participant_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    rc = start_watch_begin(o->first, o->start_timeout, err);
    if (rc == 0) {
        rc = mpi_job_start(&me->job, argc, argv, err);
        rc = rc < 0 ? -1 : peers_open(&me->peers, &me->job, err); /* waits for the others, too */
        start_watch_end();
    }
    process_spare_children(); /* a daemon of MPI's, where there is one */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    return rc;
}

int run_replay(const struct run_options *o, int argc, char **argv)
{
    struct participant me = {.signal_fd = -1};
    struct error err;

    oom_kills_begin();
    if (start_mpi(&me, o, &argc, &argv, &err) < 0) {
        if (o->first) {
            error_print(&err);
            marker_print(RESULT_INFRA, NULL, 0, 0, 0);
        }
        mpi_job_end();
        return EXIT_CODE_INFRA;
    }
    return me.job.rank == 0 ? run_root(&me, o) : follow_process_0(&me);
}

#include "orchestrator/job/run.h"

#include <signal.h>

#include "common/base/log.h"
#include "orchestrator/job/assist.h"
#include "orchestrator/job/follow.h"
#include "orchestrator/job/interrupt.h"
#include "orchestrator/job/lead.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/job/relate.h"
#include "orchestrator/job/timings.h"
#include "orchestrator/prepare/changes.h"
#include "topology/topology.h"

static int share_with_job(void *job, const struct build *build, const struct program_table *programs,
                          const bool *needed, struct error *err)
{
    return assist_offer(job, build->platform, programs, needed, err);
}

/* Everything process 0 does, up to the verdict in `out`. */
static void replay(struct participant *me, const struct run_options *o, struct prepared *p, struct outcome *out)
{
    const struct prepare_job job = {
        .jobs = topology_share(me->job.node_size, me->job.rank), .share = share_with_job, .context = &me->job};
    struct error err;

    if (prepare(o, &job, &out->phases, p, &out->error) < 0) {
        out->verdict = RESULT_INFRA;
        return;
    }
    if ((uint32_t)me->job.size > p->recording.build.ndevice) {
        log_note("%d processes for %u cards: %u of them stay idle", me->job.size, p->recording.build.ndevice,
                 (uint32_t)me->job.size - p->recording.build.ndevice);
    }
    phases_enter(&out->phases, PHASE_RUN);
    if (lead_run(me, o, p, out, &err) < 0) {
        outcome_fail(out, &err, me->supervision.interrupted);
        return;
    }
    phases_enter(&out->phases, PHASE_VERIFY);
    outcome_verify(out, o, p);
}

static void report_changes(const struct prepared *p)
{
    struct error err;

    if (changes_tell(p->recording.build.dir, &p->recording.programs, &p->compiled, &err) < 0) {
        log_msg(LOG_WARN, "cannot compare with the last replay: %s", err.what);
    }
}

/* After the verdict: nothing that goes wrong here changes what the run has found. */
static void leave_binaries(const struct run_options *o, const struct prepared *p)
{
    struct error err;

    compile_trim(&p->compiled);
    if (fresh_install(&p->recording.build, &p->recording.programs, &p->compiled, &o->fresh, &err) == 0) {
        return;
    }
    log_msg(LOG_WARN, "the binaries of this replay were not put into the build: the next one builds them again");
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
    if (!out.abrupt && p.sheet && !o->fresh.no_recompile) { /* else older binaries may have run */
        report_changes(&p);
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
    participant_close(me);
    prepare_free(&p);
    if (out.abrupt) {
        mpi_job_abort(&me->job, code);
    }
    lead_dismiss(me);
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
    participant_signals(&set);
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
    return me.job.rank == 0 ? run_root(&me, o) : follow_process_0(&me);
}

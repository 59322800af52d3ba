#include "orchestrator/job/outcome.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "orchestrator/job/interrupt.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/job/timings.h"
#include "orchestrator/job/versions.h"
#include "orchestrator/messages/stop_signals.h"

static void set_failure(struct outcome *out, const struct error *err)
{
    /* The first failure is the verdict's; the rest are in the log. */
    if (out->verdict != RESULT_PASS) {
        error_print(err);
        return;
    }
    out->verdict = err->kind == ERROR_FAIL ? RESULT_FAIL : RESULT_INFRA;
    out->error = *err;
}

void outcome_fail(struct outcome *out, const struct error *err, bool interrupted)
{
    if (interrupted && out->verdict != RESULT_PASS) {
        error_print(&out->error);
        out->verdict = RESULT_PASS;
    }
    set_failure(out, err);
}

static void compare(struct outcome *out, const struct prepared *p, uint32_t storage, const void *data)
{
    const struct plan *plan = &p->recording.plan;
    const struct plan_storage *s = &plan->storages[storage];
    struct comparison numbers = {0};
    const char *file = NULL;
    struct error err;

    if (verify_storage_full(p->verify, plan, storage, data, &numbers, &file, &err) < 0) {
        if (out->repeat) {
            repeat_name_run(out->repeat, &err);
        }
        set_failure(out, &err);
    }
    if (file) {
        out->comparisons[out->ncomparison++] = (struct result_comparison){.parameter = plan_text(plan, s->name),
                                                                          .file = file,
                                                                          .dtype = dtype_name(s->dtype),
                                                                          .ndim = s->ndim,
                                                                          .shape = plan->dims + s->dims,
                                                                          .numbers = numbers};
    }
}

void outcome_compare(struct outcome *out, const struct prepared *p)
{
    struct error err;

    out->comparisons = calloc(verify_count(p->verify) + 1u, sizeof *out->comparisons);
    if (!out->comparisons) {
        error_nomem(&err, "comparison", verify_count(p->verify) * sizeof *out->comparisons);
        set_failure(out, &err);
        return;
    }
    for (uint32_t i = 0; i < p->recording.plan.nstorage; i++) {
        if (p->recording.plan.storages[i].kind == PLAN_PARAM) {
            compare(out, p, i, segment_storage(&p->segment, i));
        }
    }
}

void outcome_verify(struct outcome *out, const struct run_options *o, const struct prepared *p)
{
    struct error err;

    for (uint32_t i = 0; o->save_outputs && i < p->recording.plan.nstorage; i++) {
        const struct plan_storage *s = &p->recording.plan.storages[i];

        if (s->kind == PLAN_PARAM && s->direction != PLAN_IN &&
            save_output(o->save_outputs, &p->recording.plan, i, segment_storage(&p->segment, i), &err) < 0) {
            set_failure(out, &err);
        }
    }
    if (!out->comparisons) {
        outcome_compare(out, p);
    }
    if (verify_count(p->verify) == 0 && out->verdict == RESULT_PASS) {
        log_note("nothing to compare with (no --expect, no data/out): PASS means that every dispatch ran");
    }
}

static void print_summary(const struct outcome *out, const struct prepared *p)
{
    const struct phases *ph = &out->phases;

    if (!p->segment.header) {
        return;
    }
    log_msg(LOG_TIMING,
            "%u dispatch%s on %u card%s in %.3f ms (record %.0f ms, plan %.0f ms, compile %.0f ms: %u "
            "built, %u reused; load %.0f ms, run %.0f ms)",
            timings_dispatches(&p->segment), timings_dispatches(&p->segment) == 1 ? "" : "es",
            p->recording.plan.world_size, p->recording.plan.world_size == 1 ? "" : "s",
            (double)timings_span_ns(&p->segment) / 1e6, (double)ph->spent_ns[PHASE_RECORD] / 1e6,
            (double)ph->spent_ns[PHASE_PLAN] / 1e6, (double)ph->spent_ns[PHASE_COMPILE] / 1e6, p->compiled.nbuilt,
            p->compiled.nreused, (double)ph->spent_ns[PHASE_LOAD] / 1e6, (double)ph->spent_ns[PHASE_RUN] / 1e6);
}

static int write_result(const struct outcome *out, const struct run_options *o, const struct prepared *p,
                        const char *marker, struct error *err)
{
    struct result_phase phases[PHASE_COUNT + 1];
    struct timings timings = {0};
    struct versions versions;
    const struct build *build = &p->recording.build;
    struct result r = {.verdict = out->verdict,
                       .marker = marker,
                       .error = out->verdict == RESULT_PASS ? NULL : &out->error,
                       .build = build->dir ? build->dir : o->build,
                       .plan = o->plan_file,
                       .platform = build->platform,
                       .device = "cpu",
                       .world_size = build->ndevice,
                       .ndevice_id = build->ndevice,
                       .device_ids = build->device_ids,
                       .seed = o->seed,
                       .tolerance = o->tolerance,
                       .rounds = out->repeat ? out->repeat->nrun : 1,
                       .repeat = out->repeat,
                       .clock_error_ns = out->clock_error_ns,
                       .nphase = PHASE_COUNT,
                       .phases = phases,
                       .nnote = build->nnote,
                       .notes = (const char *const *)build->notes};
    int rc = -1;

    for (int i = 0; i < PHASE_COUNT; i++) {
        phases[i] = (struct result_phase){phase_name((enum phase)i), (double)out->phases.spent_ns[i] / 1e9};
    }
    if (p->segment.header && timings_first_start_ns(&p->segment)) {
        phases[r.nphase++] = (struct result_phase){
            "mpi init to first dispatch", (double)(timings_first_start_ns(&p->segment) - out->init_end_ns) / 1e9};
    }
    versions_collect(&versions, &p->compiled);
    r.comparisons = out->comparisons;
    r.ncomparison = out->ncomparison;
    r.versions = versions.items;
    r.nversion = versions.count;
    if (p->segment.header && timings_collect(&timings, &p->segment, build->device_ids, out->nproc, err) < 0) {
        goto out;
    }
    r.cards = timings.cards;
    r.ncard = timings.ncard;
    r.dispatches = timings.dispatches;
    r.ndispatch = timings.ndispatch;
    for (size_t i = 0; out->repeat && i < timings.ndispatch; i++) {
        timings.dispatches[i].round = repeat_current(out->repeat);
    }
    rc = result_write(o->result_file, &r, err);
out:
    timings_free(&timings);
    return rc;
}

/* There is one marker, also when a signal comes while it is printed. */
static int print_marker(const struct outcome *out, const struct prepared *p)
{
    int code = marker_exit_code(out->verdict);
    sigset_t set, before;

    stop_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    if (marker_print(out->verdict, p->recording.build.device_ids, p->recording.build.ndevice) < 0) {
        log_msg(LOG_ERROR, "stdout did not take the result: %s", strerror(errno));
        code = EXIT_CODE_INFRA; /* a verdict that nobody saw is none */
    }
    interrupt_settle(code);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return code;
}

int outcome_report(struct outcome *out, const struct run_options *o, const struct prepared *p)
{
    const bool settled = out->verdict == RESULT_INFRA;
    char marker[64];
    struct error err;
    int code = 0;

    marker_text(out->verdict, p->recording.build.device_ids, p->recording.build.ndevice, marker, sizeof marker);
    if (out->verdict != RESULT_PASS) {
        error_print(&out->error);
    }
    if (out->verdict != RESULT_PASS && out->error.kind == ERROR_USAGE) {
        return EXIT_CODE_USAGE; /* nothing was tried: no verdict */
    }
    if (out->verdict == RESULT_PASS) {
        print_summary(out, p);
    }
    if (out->repeat) {
        repeat_print(stdout, out->repeat);
    }
    if (settled) { /* perhaps by an interrupt: mpirun leaves a second, which a file on a busy disk may take */
        code = print_marker(out, p);
    }
    if (o->result_file && !p->no_result && write_result(out, o, p, marker, &err) < 0) {
        error_print(&err);
        out->verdict = RESULT_INFRA; /* outputs that were asked for and are lost */
    }
    free(out->comparisons);
    out->comparisons = NULL;
    repeat_free(out->repeat);
    out->repeat = NULL;
    return settled ? code : print_marker(out, p);
}

#include "orchestrator/job/outcome.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/log.h"
#include "orchestrator/job/checked.h"
#include "orchestrator/job/interrupt.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/job/notices.h"
#include "orchestrator/job/timings.h"
#include "orchestrator/job/versions.h"
#include "orchestrator/messages/stop_signals.h"
#include "orchestrator/prepare/snapshot.h"

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

/* What an output is known to be wrong in counts for more than what could not be found out of another one. */
static void set_mismatch(struct outcome *out, const struct error *err)
{
    if (out->verdict == RESULT_INFRA && err->kind == ERROR_FAIL) {
        error_print(&out->error);
        out->verdict = RESULT_PASS;
    }
    set_failure(out, err);
}

static void compare(struct outcome *out, const struct prepared *p, uint32_t storage, const void *data)
{
    const struct plan *plan = &p->recording.plan;
    const struct plan_storage *s = &plan->storages[storage];
    struct verified found;
    struct error err;

    if (verify_storage_full(p->verify, plan, storage, data, &found, &err) < 0) {
        if (out->repeat) {
            repeat_name_run(out->repeat, &err);
        }
        set_mismatch(out, &err);
    }
    if (found.file) {
        out->comparisons[out->ncomparison++] = (struct result_comparison){.parameter = plan_text(plan, s->name),
                                                                          .file = found.file,
                                                                          .dtype = dtype_name(s->dtype),
                                                                          .ndim = s->ndim,
                                                                          .shape = plan->dims + s->dims,
                                                                          .found = found,
                                                                          .rule = *verify_rule(p->verify, storage)};
    }
}

struct by_user {
    struct outcome *out;
    const struct prepared *p;
};

static void take_found(void *context, uint32_t storage, const char *label, bool matches, const struct error *fault)
{
    const struct by_user *by = context;
    struct outcome *out = by->out;
    const struct plan *plan = &by->p->recording.plan;
    const struct plan_storage *s = &plan->storages[storage];
    struct error err;

    out->comparisons[out->ncomparison++] = (struct result_comparison){.parameter = plan_text(plan, s->name),
                                                                      .file = verify_file(by->p->verify, storage),
                                                                      .comparator = label,
                                                                      .matches = matches,
                                                                      .dtype = dtype_name(s->dtype)};
    if (!matches && fault) {
        err = *fault;
        if (out->repeat) {
            repeat_name_run(out->repeat, &err);
        }
        set_mismatch(out, &err);
    }
}

static void compare_by_user(struct outcome *out, const struct prepared *p)
{
    struct by_user by = {.out = out, .p = p};
    struct error err;

    if (user_checks_run(&p->checks, &p->segment, p->verify, p->tolerance, p->scalars, p->nscalar, take_found, &by,
                        &err) < 0) {
        set_mismatch(out, &err);
    }
}

void outcome_compare(struct outcome *out, const struct prepared *p)
{
    const size_t room = 2 * (size_t)p->recording.plan.nstorage + 1; /* debug/run.py judges all outputs once more */
    struct error err;

    out->comparisons = calloc(room, sizeof *out->comparisons);
    if (!out->comparisons) {
        error_nomem(&err, "comparison", room * sizeof *out->comparisons);
        set_failure(out, &err);
        return;
    }
    for (uint32_t i = 0; i < p->recording.plan.nstorage; i++) {
        if (p->recording.plan.storages[i].kind == PLAN_PARAM) {
            compare(out, p, i, segment_storage(&p->segment, i));
        }
    }
    compare_by_user(out, p);
}

/* Why the first output that is not compared is not. */
static const char *first_reason(const struct prepared *p)
{
    const char *why = NULL;

    for (uint32_t i = 0; i < p->recording.plan.nstorage && !why; i++) {
        why = verify_why_not(p->verify, i);
    }
    return why ? why : "the program has no outputs";
}

static void save(struct outcome *out, const struct run_options *o, const struct prepared *p)
{
    struct error err;

    for (uint32_t i = 0; i < p->recording.plan.nstorage; i++) {
        const struct plan_storage *s = &p->recording.plan.storages[i];

        if (s->kind == PLAN_PARAM && s->direction != PLAN_IN &&
            save_output(o->save_outputs, o->save_format, &p->recording.plan, i, segment_storage(&p->segment, i), &err) <
                0) {
            set_failure(out, &err);
        }
    }
}

static void save_data(struct outcome *out, const struct run_options *o, const struct prepared *p)
{
    struct error err;

    if (snapshot_save_outputs(o, &p->recording.build, &p->segment, &err) < 0) {
        set_failure(out, &err);
    }
}

void outcome_verify(struct outcome *out, const struct run_options *o, const struct prepared *p)
{
    if (!out->comparisons) {
        outcome_compare(out, p);
    }
    if (o->save_data && out->verdict == RESULT_PASS) { /* a later run takes them for right */
        save_data(out, o, p);
    }
    if (o->save_outputs) { /* after the comparison: a failure to save does not hide that an output is wrong */
        save(out, o, p);
    }
    if (out->ncomparison == 0 && out->verdict == RESULT_PASS) {
        log_note("nothing to compare with (%s): PASS means that every dispatch ran", first_reason(p));
    }
}

void outcome_measure(struct outcome *out, const struct run_options *o, const struct prepared *p)
{
    struct error err;

    if (p->rounds.total && measures_take(&out->measures, o, p, &err) < 0) {
        set_failure(out, &err);
    }
}

static void print_summary(const struct outcome *out, const struct prepared *p)
{
    const struct phases *ph = &out->phases;

    uint32_t ndispatch, ncard = p->recording.plan.world_size;

    if (!p->segment.header) {
        return;
    }
    ndispatch = timings_dispatches(&p->segment);
    log_msg(LOG_TIMING,
            "%u dispatch%s on %u card%s in %.3f ms (record %.0f ms%s, plan %.0f ms, compile %.0f ms: %u "
            "built, %u reused; load %.0f ms, run %.0f ms)",
            ndispatch, ndispatch == 1 ? "" : "es", ncard, ncard == 1 ? "" : "s",
            (double)timings_span_ns(&p->segment) / 1e6, (double)ph->spent_ns[PHASE_RECORD] / 1e6,
            p->recording.kept ? " (kept)" : "", (double)ph->spent_ns[PHASE_PLAN] / 1e6,
            (double)ph->spent_ns[PHASE_COMPILE] / 1e6, p->compiled.nbuilt, p->compiled.nreused,
            (double)ph->spent_ns[PHASE_LOAD] / 1e6, (double)ph->spent_ns[PHASE_RUN] / 1e6);
}

/* The stages of process 0 so far; returns how many there are. */
static size_t list_stages(const struct outcome *out, struct result_stage stages[RUN_STAGES_MAX + 1])
{
    const struct phases *p = &out->phases;

    if (!p->nstage || !out->begun_ns) {
        return 0;
    }
    stages[0] = (struct result_stage){"start", 0, (double)(p->stages[0].start_ns - (int64_t)out->begun_ns) / 1e6};
    for (uint32_t i = 0; i < p->nstage; i++) {
        const struct run_stage *s = &p->stages[i];

        stages[i + 1] = (struct result_stage){s->name, (double)(s->start_ns - (int64_t)out->begun_ns) / 1e6,
                                              (double)(s->end_ns - (int64_t)out->begun_ns) / 1e6};
    }
    return p->nstage + 1;
}

static int write_result(const struct outcome *out, const struct run_options *o, const struct prepared *p,
                        const char *marker, struct error *err)
{
    struct result_phase phases[PHASE_COUNT + 1];
    struct result_stage stages[RUN_STAGES_MAX + 1];
    struct timings timings = {0};
    struct versions versions;
    const struct build *build = &p->recording.build;
    struct result r = {.verdict = out->verdict,
                       .marker = marker,
                       .error = out->verdict == RESULT_PASS ? NULL : &out->error,
                       .build = build->dir ? build->dir : o->build,
                       .plan = o->plan_file,
                       .recording = !p->recording.files.count ? NULL
                                    : p->recording.kept       ? "kept"
                                                              : "made",
                       .platform = build->platform,
                       .device = device_kind_name(p->device),
                       .world_size = build->ndevice,
                       .ndevice_id = build->ndevice,
                       .device_ids = build->device_ids,
                       .seed = o->seed,
                       .tolerance = p->tolerance,
                       .rounds = out->repeat       ? out->repeat->nrun
                                 : p->rounds.total ? p->rounds.total
                                                   : 1,
                       .repeat = out->repeat,
                       .measured = out->measures.measured,
                       .pairs = out->measures.pairs,
                       .other_build = o->bench.other_build,
                       .precision = o->bench.precision,
                       .clock_error_ns = out->clock_error_ns,
                       .paced = out->paced,
                       .nopened = out->nopened,
                       .changes = out->changes,
                       .nphase = PHASE_COUNT,
                       .phases = phases,
                       .ncomparison = out->ncomparison,
                       .comparisons = out->comparisons};
    struct result_unchecked *unchecked = checked_missing(p, out->comparisons, out->ncomparison, &r.nunchecked, err);
    const struct checked checked = checked_count(p, out->comparisons, out->ncomparison);
    int rc = -1;

    if (!unchecked) {
        return -1;
    }
    r.stages = stages;
    r.nstage = list_stages(out, stages);
    r.unchecked = unchecked;
    r.compared = checked.compared;
    r.outputs = checked.outputs;
    r.nnote = notices_list(LOG_KIND_NOTE, &r.notes);
    r.nwarning = notices_list(LOG_KIND_WARNING, &r.warnings);
    for (int i = 0; i < PHASE_COUNT; i++) {
        phases[i] = (struct result_phase){phase_name((enum phase)i), (double)out->phases.spent_ns[i] / 1e9};
    }
    if (p->segment.header && timings_first_start_ns(&p->segment)) {
        phases[r.nphase++] = (struct result_phase){
            "mpi init to first dispatch", (double)(timings_first_start_ns(&p->segment) - out->init_end_ns) / 1e9};
    }
    versions_collect(&versions, &p->compiled);
    r.versions = versions.items;
    r.nversion = versions.count;
    if (p->segment.header && timings_collect(&timings, &p->segment, build->device_ids, out->nproc, err) < 0) {
        goto out;
    }
    r.cards = timings.cards;
    r.ncard = timings.ncard;
    r.dispatches = timings.dispatches;
    r.ndispatch = p->rounds.total ? 0 : timings.ndispatch; /* of rounds there are samples */
    for (size_t i = 0; out->repeat && i < timings.ndispatch; i++) {
        timings.dispatches[i].round = repeat_current(out->repeat);
    }
    rc = result_write(o->result_file, &r, err);
out:
    free(unchecked);
    timings_free(&timings);
    return rc;
}

/* There is one marker, also when a signal comes while it is printed. */
static int print_marker(const struct outcome *out, const struct prepared *p)
{
    const struct checked checked = checked_count(p, out->comparisons, out->ncomparison);
    int code = marker_exit_code(out->verdict);
    sigset_t set, before;

    stop_signals(&set);
    sigprocmask(SIG_BLOCK, &set, &before);
    if (marker_print(out->verdict, p->recording.build.device_ids, p->recording.build.ndevice, checked.compared,
                     checked.outputs) < 0) {
        log_msg(LOG_ERROR, "stdout did not take the result: %s", strerror(errno));
        if (out->verdict == RESULT_PASS) {
            code = EXIT_CODE_INFRA; /* a PASS that nobody saw is none */
        }
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
    measures_print(&out->measures, o, p);
    if (settled) { /* perhaps by an interrupt: mpirun leaves a second, which a file on a busy disk may take */
        code = print_marker(out, p);
    }
    out->result_written = o->result_file && !p->no_result && write_result(out, o, p, marker, &err) == 0;
    out->nnotice = notices_count();
    if (o->result_file && !p->no_result && !out->result_written) {
        error_print(&err);
        if (out->verdict == RESULT_PASS) {
            out->verdict = RESULT_INFRA; /* outputs that were asked for and are lost */
        }
    }
    if (!settled) {
        code = print_marker(out, p);
    }
    return code;
}

void outcome_close(struct outcome *out, const struct run_options *o, const struct prepared *p)
{
    char marker[64];
    struct error err;

    if (out->result_written && notices_count() > out->nnotice && file_is_regular(o->result_file)) {
        marker_text(out->verdict, p->recording.build.device_ids, p->recording.build.ndevice, marker, sizeof marker);
        if (write_result(out, o, p, marker, &err) < 0) {
            log_msg(LOG_WARN, "the result file lacks what came after the verdict: %s", err.what);
        }
    }
    free(out->comparisons);
    out->comparisons = NULL;
    out->ncomparison = 0;
    repeat_free(out->repeat);
    out->repeat = NULL;
    measures_free(&out->measures);
}

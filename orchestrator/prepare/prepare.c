#include "orchestrator/prepare/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/plan/sheet.h"
#include "orchestrator/device/cpu_check.h"
#include "orchestrator/open/override.h"
#include "orchestrator/plan/edges.h"
#include "orchestrator/prepare/other_build.h"
#include "orchestrator/prepare/prepare_load.h"
#include "orchestrator/prepare/prepare_references.h"
#include "orchestrator/prepare/snapshot.h"
#include "rank-worker/compile/store_trim.h"

/* Makes the file beside its place that a write begins with, and removes it: some file systems refuse what permissions
 * allow. What is no regular file is written into, and so not tried. */
static int try_write(const char *path, struct error *err)
{
    struct file_writer w;

    if (file_check_writable(path, err) < 0) {
        return -1;
    }
    if (access(path, F_OK) == 0 && !file_is_regular(path)) {
        return 0;
    }
    if (file_write_begin(&w, path, err) < 0) {
        return -1;
    }
    file_write_abort(&w);
    return 0;
}

static int make_outputs_dir(const char *dir, enum tensor_format format, const struct build *build, struct error *err)
{
    if (file_check_makeable(dir, err) < 0 || file_make_dirs(dir, err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < build->nparam; i++) {
        const struct build_param *param = &build->params[i];
        char *path;
        int rc;

        if (param->direction == PLAN_IN || param->scalar) {
            continue;
        }
        if (asprintf(&path, "%s/%s.%s", dir, param->name, tensor_format_suffix(format)) < 0) {
            return error_nomem(err, dir, strlen(dir) + strlen(param->name) + 16);
        }
        rc = try_write(path, err);
        free(path);
        if (rc < 0) {
            return -1;
        }
    }
    return 0;
}

/* What cannot be written is found before the first kernel and not after the last one. */
static int check_places(const struct run_options *o, struct prepared *p, struct error *err)
{
    int rc = o->save_outputs ? make_outputs_dir(o->save_outputs, o->save_format, &p->recording.build, err) : 0;

    p->no_result = o->result_file && try_write(o->result_file, rc < 0 ? NULL : err) < 0;
    if (rc == 0 && !p->no_result && o->bench.csv_file) {
        rc = try_write(o->bench.csv_file, err);
    }
    return p->no_result ? -1 : rc;
}

static int check_plan(struct prepared *p, const struct run_options *o, struct error *err)
{
    if (inputs_check(p->recording.inputs, &p->recording.plan, err) < 0) {
        return -1;
    }
    if (p->recording.plan.world_size != p->recording.build.ndevice) {
        return error_set_kind(
            err, ERROR_USAGE, o->plan_file, "give as many --device-ids as the plan has cards, or record it again",
            "the plan is for %u cards, the replay has %u", p->recording.plan.world_size, p->recording.build.ndevice);
    }
    if (bindings_open(&p->bindings, &p->recording.build.sub_workers, &p->recording.plan, o->subs, o->nsub, err) < 0) {
        return -1;
    }
    return p->device == DEVICE_CPU ? cpu_check_plan(&p->recording.plan, &p->recording.programs, err) : 0;
}

/* Programs of the plan that are this build's. */
static uint32_t own_programs(const struct prepared *p)
{
    return p->other ? p->other->nprogram : p->recording.plan.nprogram;
}

/* Which programs of the table the plan uses. */
static bool *wanted_programs(const struct prepared *p, struct error *err)
{
    bool *wanted = calloc(p->recording.programs.count + 1, sizeof *wanted);

    if (!wanted) {
        error_nomem(err, "programs", p->recording.programs.count);
        return NULL;
    }
    for (uint32_t i = 0; i < own_programs(p); i++) {
        const char *name = plan_text(&p->recording.plan, p->recording.plan.programs[i]);
        long at = program_find(&p->recording.programs, name);

        if (at < 0) {
            error_set(err, name, "compile the build again, or record the plan again",
                      "the plan dispatches a program that next_levels/ does not hold");
            free(wanted);
            return NULL;
        }
        wanted[at] = true;
    }
    return wanted;
}

static int write_sheet(struct prepared *p, struct error *err)
{
    struct sheet_writer *w = sheet_writer_new(err);

    if (!w) {
        return -1;
    }
    for (uint32_t i = 0; i < own_programs(p); i++) {
        long at = program_find(&p->recording.programs, plan_text(&p->recording.plan, p->recording.plan.programs[i]));
        const struct compiled_program *c = &p->compiled.items[at];

        if (sheet_write(w, &p->recording.programs.items[at], c->orchestration, c->kernels, err) < 0) {
            sheet_writer_free(w);
            return -1;
        }
    }
    if ((p->other && other_build_write_sheet(p->other, w, err) < 0) ||
        bindings_write(&p->bindings, &p->recording.plan, w, err) < 0) {
        sheet_writer_free(w);
        return -1;
    }
    p->sheet = sheet_writer_text(w, err);
    return p->sheet ? 0 : -1;
}

/* The cpu device refuses what it cannot run; another one brings its own commands, which only this process knows. */
static int choose_compilers(const struct run_options *o, struct prepared *p, const bool *wanted,
                            struct fresh_options *fresh, struct error *err)
{
    const struct recording *r = &p->recording;

    if (p->device == DEVICE_CPU) {
        return cpu_check_programs(&r->programs, wanted, err);
    }
    if (device_prepare_simpler(&o->device, &r->build, &r->programs, wanted, &p->runtime, &p->setup, err) < 0) {
        return -1;
    }
    fresh->stack = &p->runtime.commands;
    fresh->share = NULL;
    return 0;
}

static int compile(const struct run_options *o, const struct prepare_job *job, struct phases *phases,
                   struct prepared *p, struct error *err)
{
    struct recording *r = &p->recording;
    struct fresh_options fresh = o->fresh;
    bool *wanted = wanted_programs(p, err);
    int rc;

    if (!wanted) {
        return -1;
    }
    fresh.share = job->share;
    fresh.context = job->context;
    phases_enter(phases, PHASE_SPLICE);
    rc = choose_compilers(o, p, wanted, &fresh, err) < 0 ? -1 : fresh_sources(r->build.dir, &fresh, err);
    phases_enter(phases, PHASE_COMPILE);
    if (rc == 0 &&
        (fresh_session_open(&fresh, &p->session, err) < 0 ||
         fresh_binaries(p->session, &r->build, &r->programs, wanted, job->jobs, &fresh, &p->compiled, err) < 0 ||
         (p->other && other_build_compile(p->other, job, err) < 0) || write_sheet(p, err) < 0)) {
        rc = -1;
    }
    free(wanted);
    return rc;
}

static int save_inputs(const struct run_options *o, const struct prepared *p, struct error *err)
{
    return snapshot_save_inputs(o, &p->recording.build, &p->segment, p->scalars, p->nscalar, err);
}

static int add_rounds(const struct run_options *o, struct prepared *p, struct error *err)
{
    struct rounds_part parts[ROUNDS_PARTS];
    const bool two = o->bench.other_build != NULL;

    if (!o->bench.rounds.count) {
        return 0;
    }
    if (two && p->device != DEVICE_CPU) {
        return error_set_kind(err, ERROR_USAGE, "ab", "measure each with `l3replay bench`",
                              "ab runs two builds side by side on the cpu device only");
    }
    if (two && other_build_open(&p->other, o, &p->recording.build, &p->recording.plan, parts, err) < 0) {
        return -1;
    }
    return rounds_unroll(&p->recording.plan, &o->bench.rounds, two ? parts : NULL, ROUNDS_PARTS, &p->rounds, err);
}

int prepare(const struct run_options *o, const struct prepare_job *job, struct phases *phases, struct prepared *p,
            struct error *err)
{
    uint64_t limit;
    bool wait;

    memset(p, 0, sizeof *p);
    p->dfx_lock = -1;
    phases_enter(phases, PHASE_OPEN);
    if (store_limit(&limit, err) < 0 || user_checks_look(o->compares, o->ncompare, err) < 0 ||
        recording_open(&p->recording, o, err) < 0 || check_places(o, p, err) < 0 ||
        snapshot_check(o, &p->recording.build, p->recording.inputs, err) < 0 ||
        prepare_references_choose(o, p, err) < 0 ||
        device_choose(&o->device, &p->recording.build, &p->device, err) < 0 ||
        build_check_dtypes(&p->recording.build, device_kind_name(p->device), err) < 0) {
        return -1;
    }
    phases_enter(phases, PHASE_RECORD);
    if (recording_record(&p->recording, o, err) < 0 || check_plan(p, o, err) < 0) {
        return -1;
    }
    phases_enter(phases, PHASE_PLAN);
    wait = prepare_references_wait(p);
    if (edges_compile(&p->recording.plan, o->deps, err) < 0 || add_rounds(o, p, err) < 0 ||
        (!wait && prepare_references_open(o, p, err) < 0)) {
        return -1;
    }
    if (compile(o, job, phases, p, err) < 0) {
        return -1;
    }
    phases_enter(phases, PHASE_LOAD);
    if (dfx_open(&p->dfx, &p->dfx_lock, &o->dfx, &p->recording.build, &p->recording.plan, &p->recording.programs, err) <
        0) {
        return -1;
    }
    if (segment_create(&p->segment, &p->recording.plan, p->sheet, p->recording.build.platform, err) < 0) {
        return -1;
    }
    p->segment.header->device = p->setup;
    if (prepare_load(p, err) < 0) {
        return -1;
    }
    if (!wait && save_inputs(o, p, err) < 0) {
        return -1;
    }
    if (o->repeat <= 1 && !p->other && build_platform_is_sim(&p->recording.build)) { /* else there are more passes */
        inputs_release(p->recording.inputs);
    }
    if (!wait) {
        return 0;
    }
    phases_enter(phases, PHASE_GOLDEN);
    return prepare_references_compute(o, p, err) < 0 ? -1 : save_inputs(o, p, err);
}

void prepare_free(struct prepared *p)
{
    if (p->dfx_lock >= 0) {
        close(p->dfx_lock);
    }
    segment_unmap(&p->segment);
    free(p->sheet);
    bindings_free(&p->bindings);
    compiled_free(&p->compiled);
    compile_session_close(p->session);
    runtime_info_free(&p->runtime);
    user_checks_free(&p->checks);
    rounds_free(&p->rounds);
    other_build_free(p->other);
    free(p->scalars);
    verify_free(p->verify);
    references_free(&p->references);
    recording_free(&p->recording);
    memset(p, 0, sizeof *p);
}

#include "orchestrator/prepare/other_build.h"

#include <stdlib.h>
#include <string.h>

#include "orchestrator/data/compare_parallel.h"
#include "orchestrator/device/cpu_check.h"
#include "orchestrator/open/override.h"
#include "orchestrator/prepare/fresh.h"
#include "rank-worker/compile/compile.h"

/* The caller checked that the plan names programs that there are (cpu_check_plan()). */
static const struct program *program_of(const struct other_build *b, uint32_t index, long *at)
{
    const struct plan *plan = &b->recording.plan;

    *at = program_find(&b->recording.programs, plan_text(plan, plan->programs[index]));
    return *at < 0 ? NULL : &b->recording.programs.items[*at];
}

static int record(struct other_build *b, const struct build *first, struct error *err)
{
    struct recording *r = &b->recording;

    if (recording_open(r, &b->options, err) < 0 || build_check_dtypes(&r->build, "cpu", err) < 0) {
        return -1;
    }
    if (strcmp(r->build.platform, first->platform) != 0) {
        return error_set_kind(err, ERROR_USAGE, "ab", "give both one --platform",
                              "the first build is for %.40s and the second one for %.40s", first->platform,
                              r->build.platform);
    }
    return recording_record(r, &b->options, err) < 0 || cpu_check_plan(&r->plan, &r->programs, err) < 0 ? -1 : 0;
}

int other_build_open(struct other_build **out, const struct run_options *o, const struct build *first,
                     struct plan *plan, struct rounds_part parts[ROUNDS_PARTS], struct error *err)
{
    struct other_build *b = calloc(1, sizeof *b);

    *out = b;
    if (!b) {
        return error_nomem(err, "ab", sizeof *b);
    }
    b->options = *o;
    b->options.build = o->bench.other_build;
    b->options.shapes_only = true; /* values come from the first build */
    b->nprogram = plan->nprogram;
    return record(b, first, err) < 0 || edges_compile(&b->recording.plan, o->deps, err) < 0 ||
                   plan_twins(plan, &b->recording.plan, &b->twins, &b->ntwin, err) < 0 ||
                   plan_join(plan, &b->recording.plan, parts, err) < 0
               ? -1
               : 0;
}

void other_build_free(struct other_build *b)
{
    if (!b) {
        return;
    }
    compiled_free(&b->compiled);
    compile_session_close(b->session);
    recording_free(&b->recording);
    free(b->twins);
    free(b);
}

int other_build_compile(struct other_build *b, const struct prepare_job *job, struct error *err)
{
    struct fresh_options fresh = b->options.fresh;
    const struct recording *r = &b->recording;
    bool *wanted = calloc(r->programs.count + UINT64_C(1), sizeof *wanted);
    long at;
    int rc;

    if (!wanted) {
        return error_nomem(err, "programs", r->programs.count);
    }
    for (uint32_t i = 0; i < r->plan.nprogram; i++) {
        if (program_of(b, i, &at)) {
            wanted[at] = true;
        }
    }
    fresh.share = job->share;
    fresh.context = job->context;
    rc = cpu_check_programs(&r->programs, wanted, err) < 0 || fresh_sources(r->build.dir, &fresh, err) < 0 ||
                 fresh_session_open(&fresh, &b->session, err) < 0 ||
                 fresh_binaries(b->session, &r->build, &r->programs, wanted, job->jobs, &fresh, &b->compiled, err) < 0
             ? -1
             : 0;
    free(wanted);
    return rc;
}

int other_build_write_sheet(const struct other_build *b, struct sheet_writer *w, struct error *err)
{
    for (uint32_t i = 0; i < b->recording.plan.nprogram; i++) {
        const struct compiled_program *c;
        const struct program *program;
        long at;

        program = program_of(b, i, &at);
        if (!program) {
            return error_set(err, plan_text(&b->recording.plan, b->recording.plan.programs[i]),
                             "compile the build again",
                             "the plan dispatches a program that next_levels/ does not hold");
        }
        c = &b->compiled.items[at];
        if (sheet_write(w, program, c->orchestration, c->kernels, err) < 0) {
            return -1;
        }
    }
    return 0;
}

void other_build_load(const struct other_build *b, const struct segment *seg)
{
    for (uint32_t i = 0; i < b->ntwin; i++) {
        memcpy(segment_storage(seg, b->twins[i].second), segment_storage(seg, b->twins[i].first),
               seg->plan.storages[b->twins[i].first].nbytes);
    }
}

int other_build_compare(const struct other_build *b, const struct segment *seg, struct tolerance tolerance, bool *same,
                        struct error *err)
{
    *same = true;
    for (uint32_t i = 0; i < b->ntwin; i++) {
        const struct plan_storage *s = &seg->plan.storages[b->twins[i].first];
        const void *expected = segment_storage(seg, b->twins[i].first),
                   *actual = segment_storage(seg, b->twins[i].second);
        struct comparison numbers;

        if (s->direction == PLAN_IN || memcmp(expected, actual, s->nbytes) == 0) {
            continue;
        }
        *same = false;
        compare_elements((enum dtype)s->dtype, actual, expected, s->nbytes / dtype_size(s->dtype), tolerance, false,
                         &numbers);
        if (numbers.mismatched) {
            return error_set_kind(err, ERROR_FAIL, plan_text(&seg->plan, s->name),
                                  "replay each with `l3replay run`; --rtol and --atol say what is close",
                                  "%llu of %llu elements differ between the builds, by up to %g",
                                  (unsigned long long)numbers.mismatched, (unsigned long long)numbers.count,
                                  numbers.max_abs_error);
        }
    }
    return 0;
}

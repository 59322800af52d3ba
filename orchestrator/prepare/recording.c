#include "orchestrator/prepare/recording.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/args.h"
#include "common/base/log.h"
#include "common/plan/sub_lanes.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/open/build.h"
#include "orchestrator/open/build_target.h"
#include "orchestrator/open/override.h"
#include "orchestrator/open/signature_params.h"
#include "orchestrator/plan/saved.h"
#include "orchestrator/prepare/found_shapes.h"
#include "orchestrator/record/record.h"

static int choose_cards(const struct run_options *o, struct build *build, struct error *err)
{
    const char *ids = o->device_ids;

    if (build->kind == BUILD_L2 && o->device_id) {
        if (ids) {
            return error_set_kind(err, ERROR_USAGE, "--device-id", "leave one of them out",
                                  "--device-id and --device-ids are both given");
        }
        ids = o->device_id;
    } else if (o->device_id) {
        log_note("--device-id %s has no effect: the build has cards of its own, which --device-ids names",
                 o->device_id);
    }
    if (ids && build_set_device_ids(build, ids, err) < 0) {
        return -1;
    }
    if (build->kind == BUILD_L2 && build->ndevice != 1) {
        return error_set_kind(err, ERROR_USAGE, "--device-ids", "name one: --device-id N",
                              "%u devices are given, and a build for one chip (L2) runs on one", build->ndevice);
    }
    return 0;
}

static int open_build(const struct run_options *o, struct build *build, struct error *err)
{
    if (build_open(o->build, build, err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < build->nnote; i++) {
        log_note("%s", build->notes[i]);
    }
    if (build_set_target(build, o->platform, o->backend_type, o->execution_mode, err) < 0) {
        return -1;
    }
    return choose_cards(o, build, err);
}

/* What metadata would have said of the parameters. */
static int find_params(const struct run_options *o, struct build *build, struct error *err)
{
    struct program_table programs = {0};
    int rc = record_programs(build, &programs, err);

    if (rc == 0) {
        rc = signature_params(build, &programs.items[0], err);
    }
    program_table_free(&programs);
    return rc < 0 ? -1 : found_shapes(build, o, err);
}

/* Typed names become full ones; what the inputs' files say is added where nothing was typed. */
struct given {
    struct record_scalar *scalars;
    struct record_shape *shapes;
    const char **subs;
    size_t nscalar, nshape;
};

static void given_free(struct given *g)
{
    free(g->scalars);
    free(g->shapes);
    free(g->subs);
}

static int name_given(const struct run_options *o, const struct build *build, struct given *g, struct error *err)
{
    for (size_t i = 0; i < o->nscalar; i++) {
        const struct build_param *p = build_find_param(build, o->scalars[i].name, err);

        if (!p) {
            return -1;
        }
        if (!p->scalar) {
            return error_set_kind(err, ERROR_USAGE, "--scalar", "give it with --input NAME=FILE",
                                  "parameter %s is a tensor", p->name);
        }
        g->scalars[g->nscalar] = o->scalars[i];
        g->scalars[g->nscalar++].name = p->name;
    }
    for (size_t i = 0; i < o->nshape; i++) {
        const struct build_param *p = build_find_param(build, o->shapes[i].name, err);

        if (!p) {
            return -1;
        }
        if (fit_typed_shape(p, o->shapes[i].ndim, o->shapes[i].shape, err) < 0) {
            return -1;
        }
        g->shapes[g->nshape] = o->shapes[i];
        g->shapes[g->nshape++].name = p->name;
    }
    return 0;
}

static bool has_shape(const struct given *g, const char *name)
{
    for (size_t i = 0; i < g->nshape; i++) {
        if (strcmp(g->shapes[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_scalar(const struct given *g, const char *name)
{
    for (size_t i = 0; i < g->nscalar; i++) {
        if (strcmp(g->scalars[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int collect_given(const struct run_options *o, const struct build *build, const struct inputs *inputs,
                         struct given *g, struct error *err)
{
    g->scalars = calloc(o->nscalar + build->nparam + 1, sizeof *g->scalars);
    g->shapes = calloc(o->nshape + build->nparam + 1, sizeof *g->shapes);
    g->subs = calloc(o->nsub + 1, sizeof *g->subs);
    if (!g->scalars || !g->shapes || !g->subs) {
        return error_nomem(err, "options", (o->nshape + build->nparam) * sizeof *g->shapes);
    }
    for (size_t i = 0; i < o->nsub; i++) {
        g->subs[i] = o->subs[i].name;
    }
    if (name_given(o, build, g, err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < build->nparam; i++) {
        struct record_shape *shape = &g->shapes[g->nshape];
        const char *name = build->params[i].name, *text = inputs_scalar(inputs, name);

        if (text && !has_scalar(g, name)) {
            g->scalars[g->nscalar++] = (struct record_scalar){.name = name, .value = strtod(text, NULL), .text = text};
        }
        if (!build->params[i].scalar && !has_shape(g, name) && inputs_shape(inputs, name, &shape->ndim, shape->shape)) {
            shape->name = name;
            g->nshape++;
        }
    }
    return 0;
}

static int open_golden(struct recording *r, const struct run_options *o, struct error *err)
{
    const struct golden_options options = {.limit_s = o->golden_timeout,
                                           .seed = o->seed,
                                           .off = o->no_golden,
                                           .fresh = o->fresh_golden,
                                           .no_validate = o->no_validate,
                                           .shapes_only = o->shapes_only};
    struct args given = {0};
    int rc;

    for (size_t i = 0; i < o->ninput; i++) {
        args_add(&given, "%s", o->inputs[i].name);
    }
    for (size_t i = 0; i < o->nscalar; i++) {
        args_add(&given, "%s", o->scalars[i].name);
    }
    rc = args_done(&given, err) < 0 ? -1 : golden_open(&r->golden, &r->build, &given, &options, err);
    args_free(&given);
    return rc;
}

/* What was typed and is in the build, then what Python gave for the rest. */
static int open_inputs(struct recording *r, const struct run_options *o, struct error *err)
{
    const struct named_file *files;
    size_t count;

    if (inputs_open(&r->inputs, &r->build, o->inputs, o->ninput, o->seed, err) < 0) {
        return -1;
    }
    if (r->golden) {
        files = golden_inputs(r->golden, &count);
        if (inputs_add(r->inputs, &r->build, files, count, golden_label(r->golden), err) < 0) {
            return -1;
        }
        golden_release_inputs(r->golden);
    }
    return inputs_check_shapes(r->inputs, &r->build, o->strict_shapes, err);
}

int recording_open(struct recording *r, const struct run_options *o, struct error *err)
{
    if (open_build(o, &r->build, err) < 0 || (r->build.no_metadata && find_params(o, &r->build, err) < 0) ||
        open_golden(r, o, err) < 0) {
        return -1;
    }
    return open_inputs(r, o, err);
}

static int make_plan(struct recording *r, const struct run_options *o, struct error *err)
{
    struct given given = {0};
    struct record_request request = {.build = &r->build};
    int rc = -1;

    if (o->plan_file) {
        if (content_hash_file(o->plan_file, r->plan_hash, NULL) < 0) {
            r->plan_hash[0] = '\0'; /* loading it says what is wrong; and a pipe can be read once only */
        }
        return saved_plan_load(o->plan_file, r->build.dir, &r->programs, &r->plan, err);
    }
    if (collect_given(o, &r->build, r->inputs, &given, err) < 0) {
        goto out;
    }
    request.scalars = given.scalars;
    request.nscalar = given.nscalar;
    request.shapes = given.shapes;
    request.nshape = given.nshape;
    request.timeout = o->timeout;
    request.max_nodes = o->max_nodes;
    request.subs = given.subs;
    request.nsub = o->nsub;
    request.files = &r->files;
    request.fresh = o->fresh_recording;
    request.kept = &r->kept;
    rc = record_plan(&request, &r->programs, &r->plan, err);
out:
    given_free(&given);
    return rc;
}

/* As many lanes as the stack has processes for sub-workers. */
static int deal_subs(struct recording *r, const struct run_options *o, struct error *err)
{
    uint32_t lanes = o->num_sub_workers ? o->num_sub_workers : (uint32_t)r->build.num_sub_workers;

    lanes = lanes < r->build.sub_workers.count ? (uint32_t)r->build.sub_workers.count : lanes;
    return plan_deal_subs(&r->plan, lanes < r->plan.nsub ? r->plan.nsub : lanes, err);
}

int recording_record(struct recording *r, const struct run_options *o, struct error *err)
{
    return make_plan(r, o, err) < 0 || deal_subs(r, o, err) < 0 ? -1 : 0;
}

void recording_free(struct recording *r)
{
    inputs_free(r->inputs);
    golden_free(r->golden);
    record_files_free(&r->files);
    plan_free(&r->plan);
    program_table_free(&r->programs);
    build_free(&r->build);
    memset(r, 0, sizeof *r);
}

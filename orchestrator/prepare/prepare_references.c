#include "orchestrator/prepare/prepare_references.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/prepare/other_inputs.h"

/* Whether data/out is that of the inputs, with the reason why not in `unused`. */
static int find_other_inputs(const struct run_options *o, struct prepared *p, struct error *err)
{
    struct recording *r = &p->recording;
    char options[400];
    size_t given = 0;

    if (other_inputs(o, &r->build, r->inputs, options, sizeof options, err) < 0) {
        return -1;
    }
    if (r->golden) {
        golden_inputs(r->golden, &given);
        if (given && !options[0]) {
            snprintf(options, sizeof options, "%s gives them", golden_label(r->golden));
        }
    }
    if (options[0] && references_has_build(&r->build)) {
        snprintf(p->unused, sizeof p->unused, "references in data/out belong to other inputs: %s", options);
    }
    return 0;
}

int prepare_references_choose(const struct run_options *o, struct prepared *p, struct error *err)
{
    p->tolerance = o->tolerance;
    if (o->no_validate) {
        snprintf(p->unused, sizeof p->unused, "--no-validate");
        return 0;
    }
    if (!o->validate && find_other_inputs(o, p, err) < 0) {
        return -1;
    }
    return references_open(&p->references, p->unused[0] ? NULL : &p->recording.build, o->expects, o->nexpect, err);
}

/* --- golden.py -------------------------------------------------------------- */

/* By storage: outputs that no file is a reference of. */
static bool *find_lacking(const struct prepared *p, struct error *err)
{
    const struct plan *plan = &p->recording.plan;
    bool *lacking = calloc(plan->nstorage + 1u, sizeof *lacking);

    if (!lacking) {
        error_nomem(err, "golden.py", plan->nstorage);
        return NULL;
    }
    for (uint32_t i = 0; i < plan->nstorage; i++) {
        lacking[i] = plan->storages[i].kind == PLAN_PARAM && plan->storages[i].direction != PLAN_IN;
    }
    for (size_t i = 0; i < p->references.count; i++) {
        long storage = fit_storage(plan, p->references.items[i].name, NULL);

        if (storage >= 0) {
            lacking[storage] = false;
        }
    }
    return lacking;
}

bool prepare_references_wait(const struct prepared *p)
{
    bool *lacking, wait = false;

    if (!p->recording.golden || !golden_computes(p->recording.golden)) {
        return false;
    }
    lacking = find_lacking(p, NULL);
    for (uint32_t i = 0; lacking && i < p->recording.plan.nstorage; i++) {
        wait = wait || lacking[i];
    }
    free(lacking);
    return wait;
}

static const char *scalar_text(const struct run_options *o, const struct recording *r, const struct build_param *param)
{
    for (size_t i = 0; i < o->nscalar; i++) {
        if (build_find_param(&r->build, o->scalars[i].name, NULL) == param) {
            return o->scalars[i].text;
        }
    }
    return inputs_scalar(r->inputs, param->name);
}

static int take_scalars(const struct run_options *o, struct prepared *p, struct error *err)
{
    const struct recording *r = &p->recording;

    p->scalars = calloc(r->build.nparam + 1u, sizeof *p->scalars);
    if (!p->scalars) {
        return error_nomem(err, "golden.py", r->build.nparam * sizeof *p->scalars);
    }
    for (uint32_t i = 0; i < r->build.nparam; i++) {
        const struct build_param *param = &r->build.params[i];
        const char *text = param->scalar ? scalar_text(o, r, param) : NULL;

        if (text) {
            p->scalars[p->nscalar++] = (struct golden_scalar){.param = param->name, .text = text};
        }
    }
    return 0;
}

int prepare_references_compute(const struct run_options *o, struct prepared *p, struct error *err)
{
    struct golden *golden = p->recording.golden;
    bool *lacking = find_lacking(p, err);
    const struct named_file *files;
    int rc = lacking ? take_scalars(o, p, err) : -1;
    size_t nfile;

    if (rc == 0) {
        rc = golden_compute(golden, &p->segment, lacking, p->scalars, p->nscalar, err);
    }
    if (rc == 0) {
        files = golden_references(golden, &nfile);
        rc = references_add(&p->references, files, nfile, golden_label(golden), err);
    }
    free(lacking);
    return rc < 0 ? -1 : prepare_references_open(o, p, err);
}

/* --- binding ---------------------------------------------------------------- */

static void choose_tolerance(const struct run_options *o, struct prepared *p)
{
    struct tolerance own = p->tolerance;

    if (!o->no_golden) {
        golden_tolerance(p->recording.golden, &p->recording.build, &own.rtol, &own.atol);
    }
    if (!o->rtol_given) {
        p->tolerance.rtol = own.rtol;
    }
    if (!o->atol_given) {
        p->tolerance.atol = own.atol;
    }
}

static int check_validate(const struct run_options *o, const struct prepared *p, struct error *err)
{
    const bool calls = p->recording.golden && golden_calls_compare(p->recording.golden);

    if (!o->validate || verify_count(p->verify) || calls) {
        return 0;
    }
    return error_set(
        err, "--validate",
        "add a golden.py (generate_inputs, compute_golden) or data/out/NAME.npy to the build, or give --expect",
        "there is nothing to validate with: the build has %s, and no reference for an output",
        p->recording.golden ? "a golden.py that names no output" : "no golden.py");
}

static const void *output_data(const void *context, uint32_t storage)
{
    const struct prepared *p = context;

    return segment_storage(&p->segment, storage);
}

int prepare_references_open(const struct run_options *o, struct prepared *p, struct error *err)
{
    const struct plan *plan = &p->recording.plan;
    const char *unused = p->unused[0] ? p->unused : NULL;

    choose_tolerance(o, p);
    if (!p->scalars && take_scalars(o, p, err) < 0) {
        return -1;
    }
    if (verify_open(&p->verify, &p->references, &p->recording.build, plan, p->tolerance, unused, err) < 0 ||
        verify_set_rules(p->verify, plan, o->settings, o->nsetting, err) < 0 ||
        verify_set_topk(p->verify, plan, o->topks, o->ntopk, err) < 0 || check_validate(o, p, err) < 0 ||
        user_checks_open(&p->checks, o->compares, o->ncompare, plan, &p->recording.build, p->recording.golden,
                         o->golden_timeout, p->verify, err) < 0) {
        return -1;
    }
    verify_set_data(p->verify, output_data, p); /* asked for when the run is over */
    if (unused && !o->no_validate && verify_count(p->verify) < verify_outputs(plan)) {
        log_note("%s; --expect names others, --validate compares with these all the same", unused);
    }
    return o->require_check ? verify_require(p->verify, plan, err) : 0;
}

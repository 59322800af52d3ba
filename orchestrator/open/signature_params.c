#include "orchestrator/open/signature_params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(struct build *b, enum arg_direction direction, enum dtype type, struct error *err)
{
    static const enum plan_direction directions[] = {
        [ARG_SCALAR] = PLAN_IN, [ARG_IN] = PLAN_IN, [ARG_OUT] = PLAN_OUT, [ARG_INOUT] = PLAN_INOUT};
    const bool scalar = direction == ARG_SCALAR;
    struct build_param *all = realloc(b->params, (b->nparam + 1u) * sizeof *all), *p;

    if (!all) {
        return error_nomem(err, b->dir, (b->nparam + 1u) * sizeof *all);
    }
    b->params = all;
    p = &all[b->nparam];
    *p = (struct build_param){
        .scalar = scalar, .unknown = !scalar, .dtype = scalar ? type : DTYPE_COUNT, .direction = directions[direction]};
    p->dtype_text = strdup(scalar ? dtype_name(type) : "?");
    if (asprintf(&p->name, "arg%u", b->nparam) < 0) {
        p->name = NULL;
    }
    b->nparam++; /* build_free() also frees a half-made one */
    return p->name && p->dtype_text ? 0 : error_nomem(err, b->dir, 16);
}

int signature_add_scalar(struct build *b, enum dtype type, struct error *err)
{
    return add(b, ARG_SCALAR, type, err);
}

int signature_params(struct build *b, const struct program *program, struct error *err)
{
    const struct signature *s = &program->signature;

    if (!s->given) {
        return error_set(
            err, b->dir,
            "put back the compiled_meta.json that a compile for one chip writes, or replay the L3 build that "
            "this is a program of",
            "the parameters are not known: there is no compiled_meta.json, and ORCHESTRATION in "
            "kernel_config.py has no signature");
    }
    for (uint32_t i = 0; i < s->count; i++) {
        enum arg_direction direction = s->directions[i] <= ARG_INOUT ? s->directions[i] : ARG_IN;

        if (add(b, direction, DTYPE_INT64, err) < 0) {
            return -1;
        }
    }
    return 0;
}

#include "orchestrator/record/one_dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/log.h"
#include "common/plan/plan_build.h"
#include "common/plan/plan_rules.h"
#include "orchestrator/record/scalar_value.h"

struct making {
    const struct record_request *request;
    struct plan_builder *builder;
    struct plan_arg *args;
    struct plan_scalar *scalars;
    struct plan_node node;
};

static const struct record_shape *given_shape(const struct record_request *request, const char *name)
{
    for (size_t i = 0; i < request->nshape; i++) {
        if (strcmp(request->shapes[i].name, name) == 0) {
            return &request->shapes[i];
        }
    }
    return NULL;
}

static const char *given_scalar(const struct record_request *request, const char *name)
{
    for (size_t i = 0; i < request->nscalar; i++) {
        if (strcmp(request->scalars[i].name, name) == 0) {
            return request->scalars[i].text;
        }
    }
    return NULL;
}

static int note_taken(struct plan_builder *b, const char *what, const char *name, const char *option, struct error *err)
{
    char text[512];

    snprintf(text, sizeof text, "no %s of '%s': taken as 1; give another with %s", what, name, option);
    log_note("%s", text);
    return plan_add_note(b, text, err);
}

/* The shape that the replay takes, into `shape`: what was given, else the metadata's. */
static int take_shape(const struct making *m, const struct build_param *p, int64_t *shape, struct error *err)
{
    const struct record_shape *given = given_shape(m->request, p->name);
    bool dynamic = false;

    if (p->ndim == 0 || p->ndim > PLAN_DISPATCH_DIMS) {
        return error_set(err, m->request->build->dir, "compile the program again",
                         "parameter %s has %u dimensions; a dispatch takes tensors of 1 to %d", p->name, p->ndim,
                         PLAN_DISPATCH_DIMS);
    }
    for (uint32_t d = 0; d < p->ndim; d++) {
        dynamic = dynamic || (p->shape[d] < 0 && !given);
        shape[d] = given ? given->shape[d] : p->shape[d] < 0 ? 1 : p->shape[d];
        if (shape[d] == 0) {
            return error_set(err, m->request->build->dir, "give a tensor with elements",
                             "a dispatch takes no empty tensor, and parameter %s has no elements", p->name);
        }
    }
    return dynamic ? note_taken(m->builder, "shape was given for the dynamic dimension", p->name, "--shape", err) : 0;
}

static int add_tensor(struct making *m, const struct build_param *p, struct error *err)
{
    static const uint32_t tags[] = {
        [PLAN_IN] = PLAN_TAG_INPUT, [PLAN_OUT] = PLAN_TAG_OUTPUT_EXISTING, [PLAN_INOUT] = PLAN_TAG_INOUT};
    struct plan_storage proto = {.kind = PLAN_PARAM,
                                 .dtype = (uint8_t)p->dtype,
                                 .ndim = (uint8_t)p->ndim,
                                 .direction = (uint8_t)p->direction,
                                 .domain = PLAN_NONE,
                                 .card = PLAN_NONE};
    struct plan_arg *arg = &m->args[m->node.narg];
    int64_t shape[PLAN_MAX_DIMS], stride[PLAN_MAX_DIMS];
    uint32_t storage;

    if (take_shape(m, p, shape, err) < 0) {
        return -1;
    }
    if (plan_shape_bytes(p->ndim, shape, dtype_size(p->dtype), &proto.nbytes)) {
        return error_set(err, m->request->build->dir, "give a smaller --shape", "parameter %s is too large", p->name);
    }
    if (plan_add_storage(m->builder, &proto, p->name, shape, &storage, err) < 0) {
        return -1;
    }
    for (uint32_t d = p->ndim; d-- > 0;) { /* within bounds, as the size is */
        stride[d] = d + 1 < p->ndim ? stride[d + 1] * shape[d + 1] : 1;
    }
    arg->tag = tags[p->direction];
    m->node.narg++;
    return plan_add_view(m->builder, storage, p->dtype, 0, p->ndim, shape, stride, &arg->view, err);
}

static int add_scalar(struct making *m, const struct build_param *p, struct error *err)
{
    const char *text = given_scalar(m->request, p->name);
    struct plan_scalar *scalar = &m->scalars[m->node.nscalar++];

    *scalar = (struct plan_scalar){.kind = PLAN_VALUE, .domain = PLAN_NONE, .card = PLAN_NONE};
    if (!text && note_taken(m->builder, "value was given for the scalar", p->name, "--scalar", err) < 0) {
        return -1;
    }
    return scalar_value(p, text ? text : "1", &scalar->bits, err);
}

static int add_all(struct making *m, const char *program, struct error *err)
{
    const struct build *build = m->request->build;

    for (uint32_t i = 0; i < build->nparam; i++) {
        const struct build_param *p = &build->params[i];
        if (p->scalar ? add_scalar(m, p, err) : add_tensor(m, p, err)) {
            return -1;
        }
    }
    return plan_add_program(m->builder, program, &m->node.program, err) ||
                   plan_add_node(m->builder, &m->node, m->args, m->scalars, NULL, err)
               ? -1
               : 0;
}

int one_dispatch_plan(const struct record_request *request, const char *program, struct plan *plan, struct error *err)
{
    const uint32_t nparam = request->build->nparam;
    struct making m = {.request = request,
                       .builder = plan_builder_new(1, err),
                       .args = calloc(nparam + 1u, sizeof *m.args),
                       .scalars = calloc(nparam + 1u, sizeof *m.scalars),
                       .node = {.kind = PLAN_DISPATCH, .group = PLAN_NONE}};
    int rc = -1;

    if (m.builder && (!m.args || !m.scalars)) {
        error_nomem(err, "plan", (nparam + 1u) * sizeof *m.scalars);
    } else if (m.builder && add_all(&m, program, err) == 0) {
        plan_builder_finish(m.builder, plan);
        m.builder = NULL;
        rc = 0;
    }
    plan_builder_free(m.builder);
    free(m.args);
    free(m.scalars);
    return rc;
}

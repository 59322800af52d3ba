#include "orchestrator/prepare/other_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct list {
    char *text;
    size_t size;
};

static void add(struct list *l, const char *option, const char *what)
{
    size_t used = strlen(l->text);

    snprintf(l->text + used, l->size - used, "%s%s %s", used ? ", " : "", option, what);
}

static int add_inputs(struct list *l, const struct run_options *o, const struct build *build,
                      const struct inputs *inputs, struct error *err)
{
    for (size_t i = 0; i < o->ninput; i++) {
        const struct build_param *p = build_find_param(build, o->inputs[i].name, err);
        int own = p ? inputs_is_of_build(inputs, build, p->name, err) : -1;

        if (own < 0) {
            return -1;
        }
        if (!own) {
            add(l, "--input", p->name);
        }
    }
    return 0;
}

static bool has_scalar(const struct run_options *o, const struct build *build, const struct build_param *p)
{
    for (size_t i = 0; i < o->nscalar; i++) {
        if (build_find_param(build, o->scalars[i].name, NULL) == p) {
            return true;
        }
    }
    return false;
}

/* What nobody gave: references were made of something else than the numbers that are generated here. */
static void add_missing(struct list *l, const struct run_options *o, const struct build *build,
                        const struct inputs *inputs)
{
    for (uint32_t i = 0; i < build->nparam; i++) {
        const struct build_param *p = &build->params[i];

        if (p->direction != PLAN_OUT && !inputs_file(inputs, p->name) && !(p->scalar && has_scalar(o, build, p))) {
            add(l, p->name, "is not in data/in");
        }
    }
}

static double number_of(const char *text)
{
    return strcasecmp(text, "true") == 0 ? 1 : strtod(text, NULL);
}

static int add_scalars(struct list *l, const struct run_options *o, const struct build *build,
                       const struct inputs *inputs, struct error *err)
{
    for (size_t i = 0; i < o->nscalar; i++) {
        const struct build_param *p = build_find_param(build, o->scalars[i].name, err);
        const char *own = p ? inputs_scalar(inputs, p->name) : NULL;

        if (!p) {
            return -1;
        }
        if (!own || number_of(own) != number_of(o->scalars[i].text)) {
            add(l, "--scalar", p->name);
        }
    }
    return 0;
}

static bool same_shape(const struct record_shape *given, uint32_t ndim, const int64_t *shape)
{
    return given->ndim == ndim && memcmp(given->shape, shape, ndim * sizeof *shape) == 0;
}

static int add_shapes(struct list *l, const struct run_options *o, const struct build *build,
                      const struct inputs *inputs, struct error *err)
{
    for (size_t i = 0; i < o->nshape; i++) {
        const struct build_param *p = build_find_param(build, o->shapes[i].name, err);
        int64_t shape[PLAN_MAX_DIMS];
        uint32_t ndim;

        if (!p) {
            return -1;
        }
        if (p->direction != PLAN_OUT && !same_shape(&o->shapes[i], p->ndim, p->shape) &&
            !(inputs_shape(inputs, p->name, &ndim, shape) && same_shape(&o->shapes[i], ndim, shape))) {
            add(l, "--shape", p->name);
        }
    }
    return 0;
}

int other_inputs(const struct run_options *o, const struct build *build, const struct inputs *inputs, char *text,
                 size_t size, struct error *err)
{
    struct list l = {.text = text, .size = size};

    text[0] = '\0';
    if (add_inputs(&l, o, build, inputs, err) < 0) {
        return -1;
    }
    add_missing(&l, o, build, inputs);
    return add_scalars(&l, o, build, inputs, err) < 0 || add_shapes(&l, o, build, inputs, err) < 0 ? -1 : 0;
}

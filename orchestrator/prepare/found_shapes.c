#include "orchestrator/prepare/found_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/log.h"
#include "common/plan/plan_names.h"
#include "orchestrator/data/file_shape.h"
#include "orchestrator/data/fit.h"
#include "orchestrator/open/signature_params.h"

static const struct named_file *find_file(const struct named_file *files, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].name, name) == 0) {
            return &files[i];
        }
    }
    return NULL;
}

static int settle(struct build_param *p, enum dtype type, uint32_t ndim, const int64_t *shape, struct error *err)
{
    char *text = strdup(dtype_name(type));

    if (!text) {
        return error_nomem(err, p->name, 16);
    }
    free(p->dtype_text);
    p->dtype_text = text;
    p->dtype = type;
    p->ndim = ndim;
    memcpy(p->shape, shape, ndim * sizeof *shape);
    p->unknown = false;
    return 0;
}

static int take_file(struct build_param *p, const char *file, struct error *err)
{
    int64_t shape[PLAN_MAX_DIMS];
    enum dtype type;
    uint32_t ndim;

    return file_shape(file, p->name, &type, &ndim, shape, err) < 0 ? -1 : settle(p, type, ndim, shape, err);
}

static int take_of_build(const struct build *build, struct build_param *p, const char *dir, struct error *err)
{
    char *file;
    int rc = fit_find(build, dir, p->name, &file, err);

    if (rc == 0 && file) {
        rc = take_file(p, file, err);
    }
    free(file);
    return rc;
}

static int find_one(const struct build *build, struct build_param *p, const struct run_options *o, struct error *err)
{
    const struct named_file *file = find_file(o->inputs, o->ninput, p->name);

    file = file ? file : find_file(o->expects, o->nexpect, p->name);
    if (file) {
        return take_file(p, file->file, err);
    }
    for (size_t i = 0; i < o->nshape; i++) {
        if (strcmp(o->shapes[i].name, p->name) == 0) {
            log_note("%s is taken as fp32, since only its shape was given", p->name);
            return settle(p, DTYPE_FLOAT32, o->shapes[i].ndim, o->shapes[i].shape, err);
        }
    }
    if (p->direction != PLAN_OUT && take_of_build(build, p, "data/in", err) < 0) {
        return -1;
    }
    return p->unknown && p->direction != PLAN_IN ? take_of_build(build, p, "data/out", err) : 0;
}

/* --scalar of names that follow the last one. */
static int add_scalars(struct build *build, const struct run_options *o, struct error *err)
{
    for (size_t i = 0; i < o->nscalar; i++) {
        const char *text = o->scalars[i].text;
        char name[16];

        snprintf(name, sizeof name, "arg%u", build->nparam);
        if (strcmp(o->scalars[i].name, name) == 0) {
            enum dtype type = strpbrk(text, ".eEnN") && strncasecmp(text, "0x", 2) != 0 &&
                                      strcasecmp(text, "true") != 0 && strcasecmp(text, "false") != 0
                                  ? DTYPE_FLOAT32
                                  : DTYPE_INT64;
            if (signature_add_scalar(build, type, err) < 0) {
                return -1;
            }
            i = (size_t)-1; /* the next one may be anywhere */
        }
    }
    return 0;
}

int found_shapes(struct build *build, const struct run_options *o, struct error *err)
{
    char list[600] = "";
    size_t used;

    if (add_scalars(build, o, err) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < build->nparam; i++) {
        struct build_param *p = &build->params[i];

        if (p->unknown && find_one(build, p, o, err) < 0) {
            return -1;
        }
        used = strlen(list);
        if (p->unknown) {
            snprintf(list + used, sizeof list - used, "%s%s (%s)", used ? ", " : "", p->name,
                     plan_direction_names[p->direction]);
        }
    }
    if (!list[0]) {
        return 0;
    }
    return error_set(err, build->dir,
                     "give each a file (--input NAME=FILE.npy, --expect for an output) or a shape (--shape "
                     "NAME=4x128, fp32)",
                     "the build has no compiled_meta.json, and so no dtype and shape for: %s", list);
}

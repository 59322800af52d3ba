#include "orchestrator/data/references.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "orchestrator/data/fit.h"

/* `computed`: what messages call it, of golden.py; NULL: a file, whose path does. */
static int add(struct references *r, const char *name, const char *path, const char *computed, bool given,
               struct error *err)
{
    struct reference *item;

    if (array_room(&r->items, &r->capacity, r->count, sizeof *r->items)) {
        return error_nomem(err, path, (r->count + 1) * sizeof *r->items);
    }
    item = &r->items[r->count++];
    *item = (struct reference){
        .name = strdup(name), .path = strdup(computed ? computed : path), .given = given, .computed = computed != NULL};
    if (!item->name || !item->path) {
        return error_nomem(err, path, strlen(name) + strlen(path) + 2);
    }
    return tensor_pool_open(&r->files, path, name, fit_name_length(name), &item->file, &item->tensor, err);
}

/* Did --expect name the parameter, in full or by its plain name? */
static bool is_given(const struct references *r, const struct build *build, const struct build_param *param)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->items[i].given && build_find_param(build, r->items[i].name, NULL) == param) {
            return true;
        }
    }
    return false;
}

static int add_of_build(struct references *r, const struct build *build, struct error *err)
{
    for (uint32_t i = 0; i < build->nparam; i++) {
        const struct build_param *p = &build->params[i];
        char *path;
        int rc;

        if (p->scalar || p->direction == PLAN_IN || is_given(r, build, p)) {
            continue;
        }
        if (fit_find(build, "data/out", p->name, &path, err)) {
            return -1;
        }
        rc = path ? add(r, p->name, path, NULL, false, err) : 0;
        free(path);
        if (rc) {
            return -1;
        }
    }
    return 0;
}

int references_open(struct references *r, const struct build *build, const struct named_file *given, size_t ngiven,
                    struct error *err)
{
    for (size_t i = 0; i < ngiven; i++) {
        if (add(r, given[i].name, given[i].file, NULL, true, err)) {
            return -1;
        }
    }
    return build ? add_of_build(r, build, err) : 0;
}

int references_add(struct references *r, const struct named_file *files, size_t count, const char *label,
                   struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (add(r, files[i].name, files[i].file, label, false, err)) {
            return -1;
        }
    }
    return 0;
}

bool references_has_build(const struct build *build)
{
    bool found = false;

    for (uint32_t i = 0; i < build->nparam && !found; i++) {
        const struct build_param *p = &build->params[i];
        char *path = NULL;

        if (!p->scalar && p->direction != PLAN_IN) {
            found = fit_find(build, "data/out", p->name, &path, NULL) < 0 || path;
            free(path);
        }
    }
    return found;
}

void references_free(struct references *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->items[i].name);
        free(r->items[i].path);
    }
    free(r->items);
    tensor_pool_close(&r->files);
    *r = (struct references){0};
}

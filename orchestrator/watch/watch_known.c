#include "orchestrator/watch/watch_known.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/prepare/inventory.h"

/* Options whose value is, or holds behind a '=', a file that is read. */
static const char *const read_options[] = {"--input", "--expect", "--plan", "--sub-worker", "--compare"};
static const char *const written_options[] = {"--save-outputs", "--dfx-dir", "--result"};

/* The value of one of `names` at options[i], which may be in the next one; NULL: it is another option. */
static const char *value_of(const struct args *options, size_t i, const char *const *names, size_t count)
{
    const char *option = options->v[i];

    for (size_t k = 0; k < count; k++) {
        const size_t n = strlen(names[k]);

        if (strncmp(option, names[k], n) == 0 && option[n] == '=') {
            return option + n + 1;
        }
        if (strcmp(option, names[k]) == 0) {
            return i + 1 < options->n ? options->v[i + 1] : NULL;
        }
    }
    return NULL;
}

/* FILE of "NAME=FILE:KEY" and the like: the longest beginning that is there. */
static int add_value(struct watch_files *w, const char *value, struct error *err)
{
    const char *equals = strchr(value, '=');
    char *text = strdup(equals ? equals + 1 : value), *real = NULL, *colon;
    int rc = text ? 0 : error_nomem(err, value, strlen(value));

    while (rc == 0 && !(real = realpath(text, NULL)) && (colon = strrchr(text, ':'))) {
        *colon = '\0';
    }
    if (real) {
        rc = watch_files_add(w, real, err);
    }
    free(real);
    free(text);
    return rc;
}

int watch_known_options(struct watch_files *w, const struct args *options, struct error *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < options->n; i++) {
        const char *reads = value_of(options, i, read_options, sizeof read_options / sizeof *read_options);
        const char *writes = value_of(options, i, written_options, sizeof written_options / sizeof *written_options);
        char real[PATH_MAX];

        if (reads) {
            rc = add_value(w, reads, err);
        }
        if (rc == 0 && writes && realpath(writes, real)) {
            rc = watch_files_ignore(w, real, err);
        }
    }
    return rc;
}

/* The path of an item; NULL: it is no file, or its path is not known. To be freed. */
static char *item_path(const struct inventory_item *item, const char *build)
{
    const char *pto = getenv("PTO_ISA_ROOT");

    switch (item->group) {
    case INVENTORY_PTO_ISA:
        return pto ? text_format("%s/%s", pto, item->name) : NULL;
    case INVENTORY_HEADER:
    case INVENTORY_PYTHON:
    case INVENTORY_SUB_WORKER:
        return item->name[0] == '/' ? strdup(item->name) : text_format("%s/%s", build, item->name);
    default:
        return NULL;
    }
}

int watch_known_files(struct watch_files *w, const char *build, struct error *err)
{
    char *list = file_join(build, ".l3replay.last", err);
    struct inventory v = {0};
    int rc = list ? 0 : -1;

    if (list && inventory_read(list, &v, NULL) == 1) {
        for (size_t i = 0; rc == 0 && i < v.count; i++) {
            char *path = item_path(&v.items[i], build), real[PATH_MAX];

            if (path && realpath(path, real)) {
                rc = watch_files_add(w, real, err);
            }
            free(path);
        }
    }
    inventory_free(&v);
    free(list);
    return rc;
}

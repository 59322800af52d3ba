#include "rank-worker/cache/subbuilds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/args.h"
#include "common/base/array.h"
#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/log.h"

static const char *const hint_name = "name the build directory (build_output/...) that a compile made";

int subbuilds_resolve(const char *root, const char *path, char **real, struct error *err)
{
    char *found = realpath(path, NULL);
    size_t n = strlen(root);

    *real = NULL;
    if (!found) {
        return errno == ENOMEM ? error_nomem(err, path, strlen(path)) : 0;
    }
    if (strcmp(root, "/") != 0 && (strncmp(found, root, n) != 0 || (found[n] != '/' && found[n] != '\0'))) {
        free(found);
        return 0;
    }
    *real = found;
    return 0;
}

static int add(struct subbuilds *s, char *path, char *prefix, struct error *err)
{
    if (!path || !prefix || array_room(&s->items, &s->capacity, s->count, sizeof *s->items)) {
        free(path);
        free(prefix);
        return error_nomem(err, s->root, sizeof *s->items);
    }
    s->items[s->count++] = (struct subbuild){path, prefix};
    return 0;
}

static int add_named(struct subbuilds *s, const char *next_levels, const char *name, struct error *err)
{
    char *path = file_join(next_levels, name, err), *real = NULL;
    int rc = path ? 0 : -1;

    if (rc == 0 && file_is_directory(path)) {
        rc = subbuilds_resolve(s->root, path, &real, err);
        if (real) {
            rc = add(s, path, text_format("next_levels/%s/", name), err);
        } else if (rc == 0) {
            log_note("next_levels/%s is left alone: it is a link to a directory outside of the build", name);
        }
        if (real) {
            path = NULL; /* taken over, or freed */
        }
        free(real);
    }
    free(path);
    return rc;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct subbuild *)a)->prefix, ((const struct subbuild *)b)->prefix);
}

static int list_next_levels(struct subbuilds *s, const char *next_levels, struct error *err)
{
    struct args names = {0};
    int rc = 0;

    if (directory_list(next_levels, NULL, &names) < 0) {
        return error_errno(err, next_levels, file_errno_hint(errno), "cannot read the directory %s", next_levels);
    }
    for (size_t i = 0; i < names.n && rc == 0; i++) {
        rc = add_named(s, next_levels, names.v[i], err);
    }
    args_free(&names);
    if (s->count > 2) {
        qsort(s->items + 1, s->count - 1, sizeof *s->items, compare);
    }
    return rc;
}

static bool has_file(const char *dir, const char *name)
{
    char *path = file_join(dir, name, NULL);
    bool found = path && file_is_regular(path);

    free(path);
    return found;
}

/* Files are deleted and rewritten below it: be sure that it is what the user means. The parent of several L2 builds has
 * marks below next_levels/ only. */
static int check_is_build(const struct subbuilds *s, struct error *err)
{
    bool found = has_file(s->root, "orchestration/host_orch.py");

    for (size_t i = 0; i < s->count && !found; i++) {
        found = has_file(s->items[i].path, "kernel_config.py");
    }
    return found ? 0
                 : error_set(err, s->root, hint_name,
                             "this is not a build directory: it has neither orchestration/host_orch.py (several cards, "
                             "L3) nor kernel_config.py (one chip, L2)");
}

int subbuilds_list(const char *build, struct subbuilds *out, struct error *err)
{
    char *next_levels = NULL;
    int rc = -1;

    memset(out, 0, sizeof *out);
    out->root = realpath(build, NULL);
    if (!out->root) {
        return error_errno(err, build, hint_name, "cannot open the build directory %s", build);
    }
    if (!file_is_directory(out->root)) {
        error_set(err, build, hint_name, "%s is a file, not a build directory", build);
        goto out;
    }
    next_levels = file_join(out->root, "next_levels", err);
    if (!next_levels || add(out, strdup(out->root), strdup(""), err)) {
        goto out;
    }
    rc = file_is_directory(next_levels) ? list_next_levels(out, next_levels, err) : 0;
    rc = rc < 0 ? -1 : check_is_build(out, err);
out:
    free(next_levels);
    if (rc) {
        subbuilds_free(out);
    }
    return rc;
}

void subbuilds_free(struct subbuilds *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].path);
        free(s->items[i].prefix);
    }
    free(s->items);
    free(s->root);
    memset(s, 0, sizeof *s);
}

#include "orchestrator/open/program_dirs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/directory.h"
#include "common/base/file.h"

static bool is_shown(const char *name)
{
    return name[0] != '.';
}

/* Entries of directory `path` but dot files, sorted. */
static int list_directory(const char *path, struct args *out, struct error *err)
{
    if (directory_list(path, is_shown, out) < 0) {
        return error_errno(err, path, file_errno_hint(errno), "cannot read the directory %s", path);
    }
    return 0;
}

/* Does dir/name fulfil `test`? False also when there is no memory to ask. */
static bool holds(const char *dir, const char *name, bool (*test)(const char *path))
{
    char *path = file_join(dir, name, NULL);
    bool yes = path && test(path);

    free(path);
    return yes;
}

int program_dirs_has_file(const char *dir, const char *name, struct error *err)
{
    char *path = file_join(dir, name, err);
    int there = path ? file_is_there(path, err) : -1;

    if (there == 1 && !file_is_regular(path)) {
        there = 0;
    }
    free(path);
    return there;
}

static bool has_pto_files(const char *dir)
{
    struct args list = {0};
    bool found = false;

    if (list_directory(dir, &list, NULL) == 0) {
        for (size_t i = 0; i < list.n && !found; i++) {
            size_t n = strlen(list.v[i]);
            found = n > 4 && strcmp(list.v[i] + n - 4, ".pto") == 0;
        }
    }
    args_free(&list);
    return found;
}

bool program_dirs_is_compiled_only(const char *dir)
{
    struct args list = {0};
    char *kernels = file_join(dir, "kernels", NULL);
    bool found = kernels && has_pto_files(kernels);

    if (kernels && !found && list_directory(kernels, &list, NULL) == 0) {
        for (size_t i = 0; i < list.n && !found; i++) {
            found = holds(kernels, list.v[i], has_pto_files);
        }
    }
    args_free(&list);
    free(kernels);
    return found;
}

static int sort_entry(const char *next_levels, const char *name, struct program_dirs *out, struct error *err)
{
    char *dir = file_join(next_levels, name, err);
    int config = 0;

    if (!dir) {
        return -1;
    }
    if (file_is_directory(dir)) { /* else it is a stray file */
        config = program_dirs_has_file(dir, "kernel_config.py", err);
        if (config >= 0) {
            args_add(config                               ? &out->programs
                     : program_dirs_is_compiled_only(dir) ? &out->compiled_only
                                                          : &out->others,
                     "%s", name);
        }
    }
    free(dir);
    return config < 0 ? -1 : 0;
}

int program_dirs_read(const char *dir, struct program_dirs *out, struct error *err)
{
    struct args entries = {0};
    char *next_levels = file_join(dir, "next_levels", err);
    int rc = next_levels ? file_is_there(next_levels, err) : -1;

    memset(out, 0, sizeof *out);
    out->there = rc == 1 && file_is_directory(next_levels);
    if (rc >= 0) {
        rc = out->there ? list_directory(next_levels, &entries, err) : 0;
    }
    for (size_t i = 0; i < entries.n && rc == 0; i++) {
        rc = sort_entry(next_levels, entries.v[i], out, err);
    }
    if (rc == 0 &&
        (args_done(&out->programs, err) || args_done(&out->compiled_only, err) || args_done(&out->others, err))) {
        rc = -1;
    }
    args_free(&entries);
    free(next_levels);
    return rc;
}

void program_dirs_free(struct program_dirs *p)
{
    args_free(&p->programs);
    args_free(&p->compiled_only);
    args_free(&p->others);
}

#include "orchestrator/open/build.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/json.h"
#include "orchestrator/open/metadata.h"
#include "orchestrator/open/run_script.h"

static const char *const hint_again = "compile the program again, or name the build directory of a compile";
static const char *const hint_ptoas =
    "set PTOAS_ROOT to an installed ptoas (or put ptoas on PATH) and compile the program again";

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

/* 1: dir/name is a file to read, 0: there is none. -1: it is there, and out of reach. */
static int has_file(const char *dir, const char *name, struct error *err)
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

/* Written by a compiler that had no ptoas: kernels as .pto, directly or one level down, and no kernel_config.py. */
static bool is_compile_only(const char *dir)
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

/* --- programs ----------------------------------------------------------- */

static int fail_compile_only(const struct args *lacking, const char *dir, struct error *err)
{
    char list[512] = "";

    for (size_t i = 0; i < lacking->n; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%snext_levels/%s", i ? ", " : "", lacking->v[i]);
    }
    return error_set(
        err, dir, hint_ptoas,
        "this build was compiled without ptoas and cannot run: %zu of its programs %s no kernel_config.py, "
        "only .pto files (%s)",
        lacking->n, lacking->n == 1 ? "has" : "have", list);
}

static int sort_programs(struct build *b, const char *next_levels, const struct args *entries, struct args *lacking,
                         struct error *err)
{
    struct args programs = {0};
    int rc = 0;

    for (size_t i = 0; i < entries->n && rc == 0; i++) {
        const char *name = entries->v[i];
        char *dir = file_join(next_levels, name, err);
        int config = dir && file_is_directory(dir) ? has_file(dir, "kernel_config.py", err) : 0;
        if (!dir || config < 0) {
            rc = -1;
        } else if (!file_is_directory(dir)) {
            rc = 0; /* a stray file */
        } else if (config) {
            args_add(&programs, "%s", name);
        } else if (is_compile_only(dir)) {
            args_add(lacking, "%s", name);
        } else {
            rc = build_add_note(b, err, "next_levels/%s is ignored: it has no kernel_config.py", name);
        }
        free(dir);
    }
    b->program_names = programs.v;
    b->nprogram = (uint32_t)programs.n;
    if (rc == 0 && args_done(&programs, err) == 0) {
        return args_done(lacking, err);
    }
    return -1;
}

static int find_programs(struct build *b, struct error *err)
{
    struct args entries = {0}, lacking = {0};
    char *next_levels = file_join(b->dir, "next_levels", err);
    int rc = -1, there = next_levels ? file_is_there(next_levels, err) : -1;

    if (there < 0) {
        goto out;
    }
    if (!there || !file_is_directory(next_levels)) {
        rc = build_add_note(b, err, "there is no next_levels directory: this build has no programs");
        goto out;
    }
    if (list_directory(next_levels, &entries, err) || sort_programs(b, next_levels, &entries, &lacking, err)) {
        goto out;
    }
    if (lacking.n) {
        fail_compile_only(&lacking, b->dir, err);
        goto out;
    }
    rc = b->nprogram ? 0 : build_add_note(b, err, "next_levels holds no program (no kernel_config.py in it)");
out:
    args_free(&entries);
    args_free(&lacking);
    free(next_levels);
    return rc;
}

/* --- kind --------------------------------------------------------------- */

static const char left_over[] =
    "this directory holds both kernel_config.py and orchestration/host_orch.py: one is a left-over of another compile; "
    "it "
    "is read as a build for one chip (L2). Compile into an empty directory, or remove the left-over";

/* `*both`: it has the marks of either kind. */
static int find_kind(struct build *b, bool *both, struct error *err)
{
    int config = has_file(b->dir, "kernel_config.py", err);
    int host_orch = config < 0 ? -1 : has_file(b->dir, "orchestration/host_orch.py", err);

    if (host_orch < 0) {
        return -1;
    }
    *both = config && host_orch;
    if (*both && build_add_note(b, err, "%s", left_over)) {
        return -1;
    }
    b->kind = config ? BUILD_L2 : BUILD_L3;
    if (config || host_orch) {
        return 0;
    }
    if (is_compile_only(b->dir)) {
        return error_set(err, b->dir, hint_ptoas,
                         "this build was compiled without ptoas and cannot run: it has .pto kernels and no "
                         "kernel_config.py");
    }
    return error_set(err, b->dir, hint_again,
                     "this is not a build directory: it has neither orchestration/host_orch.py (several cards, L3) nor "
                     "kernel_config.py (one chip, L2)");
}

/* `both`: as find_kind() says. */
static int find_metadata(struct build *b, bool both, struct error *err)
{
    const char *name = b->kind == BUILD_L3 ? "distributed_meta.json" : "compiled_meta.json";
    const char *foreign = b->kind == BUILD_L3 ? "compiled_meta.json" : "distributed_meta.json";
    char *path = file_join(b->dir, name, err);
    int rc = -1, there;

    if (!path) {
        return -1;
    }
    there = file_is_there(path, err);
    if (there == 0) {
        error_set(err, path, hint_again,
                  "%s is missing: without it nobody knows the parameters. The build predates it, or its compile was "
                  "interrupted",
                  name);
    } else {
        rc = there < 0 ? -1 : metadata_read(path, b, err);
    }
    /* With the left-over of another compile in the way, that is what to correct. */
    if (rc < 0 && err && both) {
        snprintf(err->hint, sizeof err->hint, "%s", left_over);
    }
    free(path);
    if (rc == 0 && holds(b->dir, foreign, file_is_regular)) {
        rc = build_add_note(b, err, "%s is a left-over of another compile and is not read", foreign);
    }
    return rc;
}

static int resolve(const char *path, struct build *b, struct error *err)
{
    static const char *const hint = "name the build directory (build_output/...) that a compile made";
    char *text;
    bool valid;
    int code;

    b->dir = run_script_build(path);
    b->dir = b->dir ? b->dir : realpath(path, NULL);
    code = errno;
    if (!b->dir && code == ENOENT && (text = run_script_missing(path))) {
        error_set(err, path, "name that directory itself: the script is not needed, and builds may be without it",
                  "the build %s has no debug/run.py", text);
        free(text);
        return -1;
    }
    if (!b->dir) {
        errno = code;
        return error_errno(err, path, errno == EACCES ? file_errno_hint(errno) : hint,
                           "cannot open the build directory %s", path);
    }
    if (!file_is_directory(b->dir)) {
        return error_set(err, path, hint, "%s is a file, not a build directory", path);
    }
    if (faccessat(AT_FDCWD, b->dir, X_OK, AT_EACCESS) < 0) {
        return error_errno(err, path, file_errno_hint(errno), "cannot open the build directory %s", path);
    }
    /* The path goes into JSON and into Python sources, which have no other bytes. */
    text = json_utf8(b->dir);
    if (!text) {
        return error_nomem(err, path, strlen(b->dir) + 1);
    }
    valid = strcmp(text, b->dir) == 0;
    if (!valid) {
        error_set(err, text, "rename the directory, or replay a copy of the build elsewhere",
                  "the path of the build directory is not valid UTF-8 (? stands for each byte that is not): %s", text);
    }
    free(text);
    return valid ? 0 : -1;
}

int build_open(const char *path, struct build *out, struct error *err)
{
    bool both;

    memset(out, 0, sizeof *out);
    if (resolve(path, out, err) || find_kind(out, &both, err) || find_metadata(out, both, err) ||
        (out->kind == BUILD_L3 && (find_programs(out, err) || sub_workers_open(out->dir, &out->sub_workers, err)))) {
        build_free(out);
        return -1;
    }
    return 0;
}

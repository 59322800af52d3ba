#include "orchestrator/open/build.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/json.h"
#include "orchestrator/open/metadata.h"
#include "orchestrator/open/no_metadata.h"
#include "orchestrator/open/program_dirs.h"
#include "orchestrator/open/run_script.h"

static const char *const hint_again = "compile the program again, or name the build directory of a compile";
static const char *const hint_ptoas =
    "set PTOAS_ROOT to an installed ptoas (or put ptoas on PATH) and compile the program again";

/* "next_levels/a, next_levels/b" in `buf`. */
static const char *list_names(const struct args *names, char *buf, size_t size)
{
    buf[0] = '\0';
    for (size_t i = 0; i < names->n; i++) {
        size_t used = strlen(buf);
        snprintf(buf + used, size - used, "%snext_levels/%s", i ? ", " : "", names->v[i]);
    }
    return buf;
}

static int fail_compile_only(const struct args *lacking, const char *dir, struct error *err)
{
    char list[512];

    return error_set(
        err, dir, hint_ptoas,
        "this build was compiled without ptoas and cannot run: %zu of its programs %s no kernel_config.py, "
        "only .pto files (%s)",
        lacking->n, lacking->n == 1 ? "has" : "have", list_names(lacking, list, sizeof list));
}

static int take_programs(struct build *b, struct program_dirs *dirs, struct error *err)
{
    if (!dirs->there) {
        return build_add_note(b, err, "there is no next_levels directory: this build has no programs");
    }
    if (dirs->compiled_only.n) {
        return fail_compile_only(&dirs->compiled_only, b->dir, err);
    }
    for (size_t i = 0; i < dirs->others.n; i++) {
        if (build_add_note(b, err, "next_levels/%s is ignored: it has no kernel_config.py", dirs->others.v[i])) {
            return -1;
        }
    }
    b->program_names = dirs->programs.v;
    b->nprogram = (uint32_t)dirs->programs.n;
    dirs->programs = (struct args){0};
    return b->nprogram ? 0 : build_add_note(b, err, "next_levels holds no program (no kernel_config.py in it)");
}

static int find_programs(struct build *b, struct error *err)
{
    struct program_dirs dirs;
    int rc = program_dirs_read(b->dir, &dirs, err);

    rc = rc < 0 ? -1 : take_programs(b, &dirs, err);
    program_dirs_free(&dirs);
    return rc;
}

/* --- kind --------------------------------------------------------------- */

static const char left_over[] =
    "this directory holds both kernel_config.py and orchestration/host_orch.py: one is a left-over of another compile; "
    "it "
    "is read as a build for one chip (L2). Compile into an empty directory, or remove the left-over";

/* A compile of several orchestrations for one chip leaves a directory each, and nothing above that says what runs. */
static int fail_parent(const struct program_dirs *dirs, const char *dir, struct error *err)
{
    char list[900], hint[400];

    snprintf(hint, sizeof hint, "name one of them: %s/next_levels/%s", dir, dirs->programs.v[0]);
    return error_set(err, dir, hint,
                     "this is the parent of %zu build%s for one chip (L2), without an orchestration/host_orch.py that "
                     "runs them together; each can be replayed by itself: %s",
                     dirs->programs.n, dirs->programs.n == 1 ? "" : "s",
                     list_names(&dirs->programs, list, sizeof list));
}

/* It has the marks of neither kind. */
static int fail_kind(const char *dir, struct error *err)
{
    struct program_dirs dirs;
    int rc = program_dirs_read(dir, &dirs, err);

    if (rc == 0 && dirs.programs.n) {
        rc = fail_parent(&dirs, dir, err);
    } else if (rc == 0 && dirs.compiled_only.n) {
        rc = fail_compile_only(&dirs.compiled_only, dir, err);
    } else if (rc == 0 && program_dirs_is_compiled_only(dir)) {
        rc = error_set(err, dir, hint_ptoas,
                       "this build was compiled without ptoas and cannot run: it has .pto kernels and no "
                       "kernel_config.py");
    } else if (rc == 0) {
        rc = error_set(err, dir, hint_again,
                       "this is not a build directory: it has neither orchestration/host_orch.py (several cards, L3) "
                       "nor kernel_config.py (one chip, L2)");
    }
    program_dirs_free(&dirs);
    return rc;
}

/* `*both`: it has the marks of either kind. */
static int find_kind(struct build *b, bool *both, struct error *err)
{
    int config = program_dirs_has_file(b->dir, "kernel_config.py", err);
    int host_orch = config < 0 ? -1 : program_dirs_has_file(b->dir, "orchestration/host_orch.py", err);

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
    return fail_kind(b->dir, err);
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
    if (there == 0 && b->kind == BUILD_L2 && !both) {
        rc = no_metadata_fill(b, err);
    } else if (there == 0) {
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
    if (rc == 0 && program_dirs_has_file(b->dir, foreign, NULL) == 1) {
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

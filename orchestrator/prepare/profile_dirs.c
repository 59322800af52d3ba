#include "orchestrator/prepare/profile_dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/json_write.h"
#include "common/base/lock.h"
#include "common/base/log.h"
#include "common/base/perf.h"

enum { OPEN_DIRS = 16 };

/* What looks like a name that a run writes but is none belongs to somebody else. */
static bool is_numbered(const char *name, const char *prefix)
{
    uint32_t number;

    return dfx_name_number(name, prefix, &number);
}

static bool is_rank(const char *name)
{
    return is_numbered(name, "rank");
}

/* An old record of a run must not relate the profiles of a new one that was stopped before it wrote its own. */
static bool is_of_run(const char *name)
{
    return strcmp(name, "l3_run.json") == 0 || strcmp(name, "l3_timeline.json") == 0 || dfx_is_token_file(name);
}

static bool is_dispatch(const char *name)
{
    return is_numbered(name, "d") || is_numbered(name, "c");
}

/* Call `visit` for the path of each entry of `dir` that `filter` takes; a directory that is not there has none. */
static int each_entry(const char *dir, bool (*filter)(const char *name),
                      int (*visit)(const char *path, struct error *err), struct error *err)
{
    struct args names = {0};
    int rc = 0;

    if (directory_list(dir, filter, &names) < 0) {
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : error_errno(err, dir, file_errno_hint(errno), "cannot look for profiles of an earlier run");
    }
    for (size_t i = 0; i < names.n && rc == 0; i++) {
        char *path = file_join(dir, names.v[i], err);

        rc = path ? visit(path, err) : -1;
        free(path);
    }
    args_free(&names);
    return rc;
}

static int clear_dispatch(const char *path, struct error *err)
{
    if (directory_remove(path, NULL) == 0 || errno == ENOENT) {
        return 0;
    }
    return error_errno(err, path, file_errno_hint(errno), "cannot remove the profiles of an earlier run");
}

/* A link goes, and what it leads to stays: it is outside. */
static int clear_rank(const char *path, struct error *err)
{
    struct stat st;
    int rc;

    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
        return unlink(path) == 0
                   ? 0
                   : error_errno(err, path, file_errno_hint(errno), "cannot remove a link in place of profiles");
    }
    rc = each_entry(path, is_dispatch, clear_dispatch, err);

    rmdir(path); /* stays when there is something else in it */
    return rc;
}

static int remove_part(const char *path, const struct stat *st, int type, struct FTW *at)
{
    size_t length;

    (void)st;
    if (type == FTW_F && file_is_unfinished(path + at->base, &length)) {
        unlink(path);
    }
    return 0;
}

static int remove_parts(const char *path, struct error *err)
{
    if (nftw(path, remove_part, OPEN_DIRS, FTW_PHYS) == 0 || errno == ENOENT) {
        return 0;
    }
    return error_errno(err, path, file_errno_hint(errno), "cannot look for unfinished profiles");
}

int dfx_remove_unfinished(const struct dfx *dfx, struct error *err)
{
    return dfx->flat ? remove_parts(dfx->dir, err) : each_entry(dfx->dir, is_rank, remove_parts, err);
}

static int write_json(const char *dir, const char *name, struct json_writer *w, cJSON *root, struct error *err)
{
    char *path = file_join(dir, name, err);
    int rc;

    if (!path) {
        cJSON_Delete(root);
        return -1;
    }
    rc = json_save(w, root, path, JSON_UNSYNCED, err);
    free(path);
    return rc;
}

static int write_program(const char *dir, const struct program *p, struct error *err)
{
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w);

    json_put_text(&w, root, "program", p->name);
    return write_json(dir, "dispatch_program.json", &w, root, err);
}

/* func_ids begin at 0 in every program, so the names are those of this one alone. */
static int write_names(const char *dir, bool flat, const struct program *p, struct error *err)
{
    char name[300] = "name_map.json";
    struct json_writer w = {0};
    cJSON *root = json_new_object(&w), *names;

    json_put_number(&w, root, "level", 2);
    json_put_null(&w, root, "orchestrator_name");
    names = json_put_object(&w, root, "callable_id_to_name");
    for (size_t i = 0; i < p->nkernel; i++) {
        char id[16];

        snprintf(id, sizeof id, "%d", p->kernels[i].func_id);
        json_put_text(&w, names, id, p->kernels[i].name);
    }
    if (flat) { /* the stack's tools look for this name there */
        snprintf(name, sizeof name, "name_map_%s.json", p->name);
    }
    return write_json(dir, name, &w, root, err);
}

static int make_dispatch(const char *dir, bool flat, const struct program *program, struct error *err)
{
    errno = 0;
    if (file_make_dirs(dir, err) < 0) {
        return -1;
    }
    if (!program) { /* shown without names rather than with wrong ones */
        return 0;
    }
    return write_program(dir, program, err) < 0 ? -1 : write_names(dir, flat, program, err);
}

/* The verdict needs no profiles, and what is missing is named after the run. */
static bool is_only_full(void)
{
    return errno == ENOSPC || errno == EDQUOT;
}

static int make_dispatches(const struct dfx *dfx, const struct plan *plan, const struct program_table *programs,
                           struct error *err)
{
    uint32_t *others = calloc(plan->world_size + 1u, sizeof *others);
    char dir[DFX_PATH + 64];
    int rc = 0;

    if (!others) {
        return error_nomem(err, "profiles", plan->world_size * sizeof *others);
    }
    for (uint32_t i = 0; i < plan->nnode && rc == 0; i++) {
        const struct plan_node *n = &plan->nodes[i];
        long at;

        if (n->kind != PLAN_DISPATCH) {
            continue;
        }
        at = program_find(programs, plan_text(plan, plan->programs[n->program]));
        dfx_dispatch_dir(dfx->dir, dfx->flat, n->lane, n->k, n->k == PLAN_NONE ? others[n->lane]++ : 0, dir,
                         sizeof dir);
        rc = make_dispatch(dir, dfx->flat, at < 0 ? NULL : &programs->items[at], err);
        if (rc < 0 && is_only_full()) {
            log_msg(LOG_WARN, "profiles will be missing: %s", err->what);
            rc = 0;
            break; /* for the others there is no room either */
        }
    }
    free(others);
    return rc;
}

/* An absolute path, since executors need not run where the user does. */
static int set_dir(struct dfx *out, const struct dfx_options *o, const struct build *build, struct error *err)
{
    char real[PATH_MAX];
    int n;

    if (!o->dir) {
        n = snprintf(out->dir, sizeof out->dir, "%s/dfx_outputs", build->dir);
    } else {
        if (file_make_dirs(o->dir, err) < 0) {
            return -1;
        }
        if (!realpath(o->dir, real)) {
            return error_errno(err, o->dir, file_errno_hint(errno), "cannot use the directory of profiles");
        }
        n = snprintf(out->dir, sizeof out->dir, "%s", real);
    }
    if (n < 0 || (size_t)n >= sizeof out->dir) {
        return error_set(err, o->dir ? o->dir : build->dir, "give a shorter path as --dfx-dir",
                         "the path of the profiles is too long");
    }
    return 0;
}

/* Two runs in one directory would remove and report each other's files. Goes with its holder, however that ends. File
 * systems that cannot lock directories are used without. */
static int lock(const char *dir, int *fd, struct error *err)
{
    if (file_make_dirs(dir, err) < 0) {
        return -1;
    }
    *fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0) {
        return error_errno(err, dir, file_errno_hint(errno), "cannot use the directory of profiles");
    }
    if (lock_try(*fd, true) != 0) {
        return 0;
    }
    return error_set(err, dir, "wait for it to end, or give another --dfx-dir", "another run writes its profiles to %s",
                     dir);
}

static void report_gaps(const struct dfx *dfx)
{
    if (dfx->pmu && !perf_has_cycles()) {
        log_note("this host gives no processor counters: pmu_total_cycles is nanoseconds of processor time, the other "
                 "counters of pmu.csv are 0");
    }
    log_msg(LOG_TIMING, "profiles go to %s", dfx->dir);
}

int dfx_open(struct dfx *out, int *lock_fd, const struct dfx_options *o, const struct build *build,
             const struct plan *plan, const struct program_table *programs, struct error *err)
{
    memset(out, 0, sizeof *out);
    *lock_fd = -1;
    if (o->deprecated) {
        log_msg(LOG_WARN, "--enable-l2-swimlane is deprecated: say --swimlane or --swimlane-level N");
    }
    if (!dfx_any(&o->dfx)) {
        if (o->dir || o->stream) {
            log_note("%s has no effect: no profile is asked for (--swimlane and others)",
                     o->dir ? "--dfx-dir" : "--gather stream");
        }
        return 0;
    }
    *out = o->dfx;
    out->flat = build->kind == BUILD_L2;
    if (out->swimlane && build_platform_is_sim(build)) {
        out->dep_gen = true; /* one pass gives both; a timeline without its graph has neither names nor arrows */
    }
    if (set_dir(out, o, build, err) < 0 || lock(out->dir, lock_fd, err) < 0 ||
        each_entry(out->dir, is_rank, clear_rank, err) < 0 ||
        each_entry(out->dir, is_of_run, clear_dispatch, err) < 0 ||
        (out->flat && each_entry(out->dir, dfx_is_profile, clear_dispatch, err) < 0) ||
        make_dispatches(out, plan, programs, err) < 0) {
        return -1;
    }
    report_gaps(out);
    return 0;
}

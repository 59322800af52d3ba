#include "rank-worker/cache/invalidate.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/lock.h"
#include "common/base/log.h"
#include "rank-worker/cache/lock_files.h"
#include "rank-worker/cache/made_file.h"
#include "rank-worker/cache/stamp.h"
#include "rank-worker/cache/subbuilds.h"

/* Which files of a directory are binaries, and what else is written there with them. */
struct place {
    const char *name;
    const char *endings[2], *others[2];
    int depth; /* levels below `name`; 0: any */
};

static const struct place places[] = {
    {"cache", {".bin", NULL}, {"binary_context.json", ".l3replay.made"}, 1},
    {"kernels", {".so", ".o"}, {NULL}, 0},
    {"orchestration", {".so", ".o"}, {NULL}, 0},
};

enum { PLACES = sizeof places / sizeof *places };

enum finding { OTHER = 0, BINARY, UNFINISHED };

static bool ends_in(const char *name, size_t n, const char *ending)
{
    size_t e = ending ? strlen(ending) : 0;

    return e && n >= e && memcmp(name + n - e, ending, e) == 0;
}

static bool is_named_so(const struct place *place, const char *name, size_t n)
{
    return ends_in(name, n, place->endings[0]) || ends_in(name, n, place->endings[1]);
}

/* Unfinished files are ours, left by a process that was killed: who installs binaries holds the lock. */
static enum finding look_at(const struct place *place, const FTSENT *entry)
{
    const char *name = entry->fts_name;
    size_t n;

    if (entry->fts_info != FTS_F && entry->fts_info != FTS_SL && entry->fts_info != FTS_SLNONE &&
        entry->fts_info != FTS_DEFAULT) {
        return OTHER;
    }
    if (is_named_so(place, name, strlen(name))) {
        return BINARY;
    }
    if (entry->fts_info == FTS_F && file_is_unfinished(name, &n) &&
        (is_named_so(place, name, n) || ends_in(name, n, place->others[0]) || ends_in(name, n, place->others[1]))) {
        return UNFINISHED;
    }
    return OTHER;
}

static int remove_file(const char *path, enum finding what, uint32_t *removed, struct error *err)
{
    if (unlink(path) == 0) {
        *removed += what == BINARY;
    } else if (errno != ENOENT) {
        return error_errno(err, path, file_errno_hint(errno), "cannot delete %s", path);
    }
    return 0;
}

/* Count what there is to delete below `path`, or delete it and count the binaries. Symbolic links are deleted, not
 * followed. */
static int walk(const struct place *place, char *path, bool deleting, uint32_t *count, struct error *err)
{
    char *roots[] = {path, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    enum finding what;
    FTSENT *entry;
    int rc = 0;

    if (!tree) {
        return error_errno(err, path, file_errno_hint(errno), "cannot read the directory %s", path);
    }
    while (rc == 0 && (errno = 0, entry = fts_read(tree)) != NULL) {
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
            errno = entry->fts_errno;
            rc = error_errno(err, entry->fts_path, file_errno_hint(errno), "cannot read the directory %s",
                             entry->fts_path);
        } else if (entry->fts_info == FTS_D && place->depth && entry->fts_level >= place->depth) {
            fts_set(tree, entry, FTS_SKIP);
        } else if ((what = look_at(place, entry)) != OTHER) {
            if (deleting) {
                rc = remove_file(entry->fts_path, what, count, err);
            } else {
                ++*count;
            }
        }
    }
    if (rc == 0 && errno) {
        rc = error_errno(err, path, file_errno_hint(errno), "cannot read the directory %s", path);
    }
    fts_close(tree);
    return rc;
}

static int walk_all(const char *root, const char *dir, bool deleting, uint32_t *count, struct error *err)
{
    int rc = 0;

    for (int i = 0; i < PLACES && rc == 0; i++) {
        char *path = file_join(dir, places[i].name, err), *real;
        if (!path) {
            return -1;
        }
        rc = subbuilds_resolve(root, path, &real, err);
        if (real && file_is_directory(real)) {
            rc = walk(&places[i], real, deleting, count, err);
        } else if (rc == 0 && !real && deleting && file_is_directory(path)) {
            log_note("%s is left alone: it is a link to a directory outside of the build", path);
        }
        free(real);
        free(path);
    }
    return rc;
}

int invalidate_program(const char *root, const char *dir, uint32_t *removed, struct error *err)
{
    if (stamp_discard(dir, err) || made_file_discard(dir, err)) {
        return -1;
    }
    return walk_all(root, dir, true, removed, err);
}

/* 1: dir/name is there, 0: it is not; -1 out of memory. */
static int exists(const char *dir, const char *name, struct error *err)
{
    char *path = file_join(dir, name, err);
    struct stat st;
    int yes = path ? lstat(path, &st) == 0 : -1;

    free(path);
    return yes;
}

static bool is_link(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* 1: the binaries of the program are what the sources are now, so that there is nothing to throw away; 0; -1. */
static int is_current(const char *root, const char *dir, struct error *err)
{
    struct hashes *hashes = hashes_new();
    struct made_file made = {0};
    uint32_t found = 0;
    int rc = hashes ? made_file_read(dir, &made, err) : error_nomem(err, dir, 1);

    if (rc == 0) {
        rc = walk_all(root, dir, false, &found, err);
    }
    if (rc == 0) {
        rc = made_file_is_current(&made, dir, found, hashes);
    }
    made_file_free(&made);
    hashes_free(hashes);
    return rc;
}

/* A process that compiles here holds the lock's file open: without that file and without binaries nothing is to do,
 * and a build that cannot be written to is fine. */
static int invalidate_one(const struct subbuilds *all, const struct subbuild *one,
                          const struct invalidate_options *options, uint32_t *removed, struct error *err)
{
    char *cache = file_join(one->path, "cache", err), *path = file_join(one->path, LOCK_BINARIES_FILE, err);
    uint32_t found = 0;
    int rc = -1, fd = -1, locked, stamped;

    if (!cache || !path || walk_all(all->root, one->path, false, &found, err)) {
        goto out;
    }
    locked = exists(one->path, LOCK_BINARIES_FILE, err);
    stamped = locked < 0 ? -1 : exists(one->path, STAMP_FILE, err);
    if (stamped < 0) {
        goto out;
    }
    if (found == 0 && !locked && !stamped) {
        rc = 0;
        goto out;
    }
    /* A cache/ that is a link is left alone, its lock too: that could be anywhere. */
    if (!is_link(cache)) {
        fd = file_make_dirs(cache, err) ? -1 : lock_take(path, options->lock_timeout, err);
        if (fd < 0) {
            goto out;
        }
    }
    rc = options->keep_current ? is_current(all->root, one->path, err) : 0;
    if (rc == 0) {
        rc = invalidate_program(all->root, one->path, removed, err);
    } else if (rc > 0) {
        rc = 0;
    }
out:
    lock_release(fd);
    free(cache);
    free(path);
    return rc;
}

static void say(FILE *lines, uint32_t removed)
{
    if (!lines) {
        return;
    }
    if (removed) {
        fprintf(lines, "[cpp->.so] invalidated %u cached binary file(s); cpp will rebuild\n", removed);
    } else {
        fputs("[cpp->.so] no cached binaries to invalidate\n", lines);
    }
    fflush(lines);
}

int invalidate_build(const char *build, const struct invalidate_options *options, uint32_t *removed, struct error *err)
{
    struct subbuilds all;
    uint32_t count = 0;
    int rc = 0;

    if (removed) {
        *removed = 0;
    }
    if (options->off) {
        if (options->lines) {
            fputs("[cpp->.so] skipped forced invalidation; compatibility checks still apply (recompile=False)\n",
                  options->lines);
            fflush(options->lines);
        }
        return 0;
    }
    if (subbuilds_list(build, &all, err)) {
        return -1;
    }
    for (size_t i = 0; i < all.count && rc == 0; i++) {
        rc = invalidate_one(&all, &all.items[i], options, &count, err);
    }
    subbuilds_free(&all);
    if (removed) {
        *removed = count;
    }
    if (rc == 0) {
        say(options->lines, count);
    }
    return rc;
}

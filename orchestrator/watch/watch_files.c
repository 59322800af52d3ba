#include "orchestrator/watch/watch_files.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/args.h"
#include "common/base/array.h"
#include "common/base/log.h"

enum {
    MASK = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF |
           IN_ONLYDIR
};

static const char HINT[] = "raise fs.inotify.max_user_watches or max_user_instances (sysctl)";

struct place {
    int wd;
    char *path;
};

struct watch_files {
    int fd;
    char *build;
    struct place *places;
    size_t nplace, capacity;
    struct args named;   /* files outside of the build */
    struct args ignored; /* paths */
};

/* --- which files count -------------------------------------------------------- */

static bool is_below(const char *path, const char *dir)
{
    const size_t n = strlen(dir);

    return strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

static bool is_ignored(const struct watch_files *w, const char *path)
{
    for (size_t i = 0; i < w->ignored.n; i++) {
        if (is_below(path, w->ignored.v[i])) {
            return true;
        }
    }
    return false;
}

/* Directories that replays, compilers and editors write. */
static bool is_written_dir(const char *name)
{
    static const char *const names[] = {"cache", "dfx_outputs", "passes_dump", "ptoas_passes", "report", "__pycache__"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return name[0] == '.';
}

static bool is_source_name(const char *name)
{
    static const char *const suffixes[] = {".cpp", ".cc",  ".c",  ".hpp",  ".hh",  ".h",   ".hxx", ".inc",
                                           ".ipp", ".pto", ".py", ".json", ".npy", ".npz", ".pt",  ".safetensors"};
    const char *dot = strrchr(name, '.');

    if (!dot || dot == name || name[0] == '#' || name[0] == '.') {
        return false;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcmp(dot, suffixes[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_named(const struct watch_files *w, const char *path)
{
    for (size_t i = 0; i < w->named.n; i++) {
        if (strcmp(path, w->named.v[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A file that is being written counts when that is over; a link is whole at once. */
static bool is_whole(const char *path, uint32_t mask)
{
    struct stat st;

    return !(mask & IN_CREATE) || (lstat(path, &st) == 0 && (S_ISLNK(st.st_mode) || st.st_nlink > 1));
}

/* --- watching ------------------------------------------------------------------ */

static int watch_dir(struct watch_files *w, const char *path, struct error *err)
{
    const int wd = inotify_add_watch(w->fd, path, MASK);
    struct place *p;

    if (wd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES)) {
        return 0; /* it went away, or cannot be read: a replay says so */
    }
    if (wd < 0) {
        return error_errno(err, path, HINT, "cannot watch the directory");
    }
    for (size_t i = 0; i < w->nplace; i++) {
        if (w->places[i].wd == wd) {
            return 0;
        }
    }
    if (array_room(&w->places, &w->capacity, w->nplace, sizeof *w->places)) {
        return error_nomem(err, path, sizeof *w->places);
    }
    p = &w->places[w->nplace];
    *p = (struct place){.wd = wd, .path = strdup(path)};
    if (!p->path) {
        return error_nomem(err, path, strlen(path));
    }
    w->nplace++;
    return 0;
}

static int watch_tree(struct watch_files *w, const char *path, struct error *err)
{
    char *copy = strdup(path), *paths[] = {copy, NULL};
    FTS *fts = copy ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL) : NULL;
    int rc = fts ? 0 : error_errno(err, path, NULL, "cannot read the directory");
    FTSENT *e;

    while (rc == 0 && (e = fts_read(fts))) {
        if (e->fts_info != FTS_D) {
            continue;
        }
        if ((e->fts_level > 0 && is_written_dir(e->fts_name)) || is_ignored(w, e->fts_path)) {
            fts_set(fts, e, FTS_SKIP);
        } else {
            rc = watch_dir(w, e->fts_path, err);
        }
    }
    if (fts) {
        fts_close(fts);
    }
    free(copy);
    return rc;
}

int watch_files_open(struct watch_files **out, const char *build, struct error *err)
{
    struct watch_files *w = calloc(1, sizeof *w);

    *out = NULL;
    if (!w || !(w->build = strdup(build))) {
        free(w);
        return error_nomem(err, build, sizeof *w);
    }
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w->fd < 0) {
        error_errno(err, build, HINT, "cannot watch files");
    } else if (watch_tree(w, build, err) == 0) {
        *out = w;
        return 0;
    }
    watch_files_close(w);
    return -1;
}

void watch_files_close(struct watch_files *w)
{
    if (!w) {
        return;
    }
    for (size_t i = 0; i < w->nplace; i++) {
        free(w->places[i].path);
    }
    free(w->places);
    args_free(&w->named);
    args_free(&w->ignored);
    free(w->build);
    if (w->fd >= 0) {
        close(w->fd);
    }
    free(w);
}

int watch_files_fd(const struct watch_files *w)
{
    return w->fd;
}

int watch_files_add(struct watch_files *w, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    char *dir;
    int rc;

    if (path[0] != '/' || is_below(path, w->build) || is_named(w, path)) {
        return 0;
    }
    args_add(&w->named, "%s", path);
    dir = strndup(path, slash == path ? 1 : (size_t)(slash - path));
    rc = dir && !w->named.failed ? watch_dir(w, dir, err) : error_nomem(err, path, strlen(path));
    free(dir);
    return rc;
}

int watch_files_ignore(struct watch_files *w, const char *path, struct error *err)
{
    args_add(&w->ignored, "%s", path);
    return args_done(&w->ignored, err);
}

/* --- events --------------------------------------------------------------------- */

static const char *path_of(const struct watch_files *w, int wd)
{
    for (size_t i = 0; i < w->nplace; i++) {
        if (w->places[i].wd == wd) {
            return w->places[i].path;
        }
    }
    return NULL;
}

/* The kernel has dropped the watch: the directory went away. */
static void forget(struct watch_files *w, int wd)
{
    for (size_t i = 0; i < w->nplace; i++) {
        if (w->places[i].wd == wd) {
            free(w->places[i].path);
            w->places[i] = w->places[--w->nplace];
            return;
        }
    }
}

/* A directory that came or went may have taken files along. */
static bool take_dir(struct watch_files *w, const char *path, const char *name, uint32_t mask)
{
    struct error err;

    if (!is_below(path, w->build) || is_written_dir(name) || is_ignored(w, path)) {
        return false;
    }
    if ((mask & (IN_CREATE | IN_MOVED_TO)) && watch_tree(w, path, &err) < 0) {
        log_msg(LOG_WARN, "%s is not watched: %s", path, err.what);
    }
    return true;
}

static bool take_event(struct watch_files *w, const struct inotify_event *e)
{
    const char *dir = path_of(w, e->wd);
    char path[PATH_MAX];

    if (e->mask & IN_Q_OVERFLOW) {
        return true; /* something was missed */
    }
    if (e->mask & IN_IGNORED) {
        forget(w, e->wd);
        return false;
    }
    if (!dir || !e->len ||
        (size_t)snprintf(path, sizeof path, "%s/%s", strcmp(dir, "/") == 0 ? "" : dir, e->name) >= sizeof path) {
        return false;
    }
    if (e->mask & IN_ISDIR) {
        return take_dir(w, path, e->name, e->mask);
    }
    if (is_ignored(w, path) || !is_whole(path, e->mask)) {
        return false;
    }
    return is_below(path, w->build) ? is_source_name(e->name) : is_named(w, path);
}

bool watch_files_read(struct watch_files *w)
{
    _Alignas(struct inotify_event) char bytes[16384];
    bool concerns = false;
    ssize_t n;

    while ((n = read(w->fd, bytes, sizeof bytes)) > 0) {
        for (const char *at = bytes; at < bytes + n;) {
            const struct inotify_event *e = (const void *)at;

            concerns = take_event(w, e) || concerns;
            at += sizeof *e + e->len;
        }
    }
    return concerns;
}

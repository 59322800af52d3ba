#include "rank-worker/splice/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/args.h"
#include "common/base/array.h"
#include "common/base/file.h"
#include "common/base/log.h"
#include "rank-worker/splice/body.h"
#include "rank-worker/splice/signature.h"
#include "rank-worker/splice/target.h"

enum { SHOWN_MAX = 550 }; /* bytes of a parameter list in an error */

/* A file on its way to its place. */
struct pending {
    char *path;  /* where it really is */
    char *shown; /* from the build's root */
    char *old, *fresh;
    size_t old_size, fresh_size;
    bool same; /* nothing to write */
    struct file_writer writer;
};

struct work {
    const struct splice_unit *unit;
    struct pending *kernels;
    size_t count, capacity;
    struct pending cpp;
};

static void pending_free(struct pending *p)
{
    file_write_abort(&p->writer);
    free(p->path);
    free(p->shown);
    free(p->old);
    free(p->fresh);
}

/* --- what goes where ------------------------------------------------------ */

static int refuse_signature(const struct work *w, const struct pending *kernel, struct span name, const char *was,
                            const char *now, struct error *err)
{
    bool fits = strlen(was) <= SHOWN_MAX && strlen(now) <= SHOWN_MAX;

    if (!fits) {
        log_msg(LOG_ERROR, "%s: was void %.*s(%s)", kernel->shown, (int)name.size, name.at, was);
        log_msg(LOG_ERROR, "%s: now void %.*s(%s)", kernel->shown, (int)name.size, name.at, now);
    }
    return error_set(err, kernel->shown,
                     "compile the program again; or first change the function and its call in that file by hand to "
                     "what the new one takes. Nothing was changed",
                     "%s changes the parameters of %.*s, and the wrapper in %s passes the old ones: was (%.*s%s), now "
                     "(%.*s%s)",
                     w->unit->shown, (int)name.size, name.at, kernel->shown, SHOWN_MAX, was, fits ? "" : " ...",
                     SHOWN_MAX, now, fits ? "" : " ...");
}

static int check_signature(const struct work *w, const struct pending *kernel, struct span name, struct span old_body,
                           struct error *err)
{
    bool failed;
    char *was = signature_find(old_body, name, &failed, err), *now = NULL;
    int rc = failed ? -1 : 0;

    if (was) {
        now = signature_find((struct span){w->unit->body, w->unit->body_size}, name, &failed, err);
    } else if (rc == 0) {
        log_note("%s holds no function %.*s: whether its wrapper fits the new one is not known", kernel->shown,
                 (int)name.size, name.at);
    }
    if (was && failed) {
        rc = -1;
    } else if (was && now && !signature_equal(was, now)) {
        rc = refuse_signature(w, kernel, name, was, now, err);
    }
    free(was);
    free(now);
    return rc;
}

static int prepare_kernel(const struct work *w, struct pending *kernel, const char *below, struct span name,
                          struct error *err)
{
    struct target_parts parts;
    char *path = file_join(w->unit->program->path, below, err);

    kernel->shown = text_format("%s%s", w->unit->program->prefix, below);
    if (path && kernel->shown) {
        kernel->path = realpath(path, NULL); /* a link stays one */
        if (!kernel->path) {
            error_errno(err, path, file_errno_hint(errno), "cannot find %s", path);
        }
    } else if (path) {
        error_nomem(err, below, strlen(below) + 1);
    }
    free(path);
    if (kernel->path) {
        kernel->old = file_read(kernel->path, UNIT_FILE_MAX, &kernel->old_size, err);
    }
    if (!kernel->old || target_split((struct span){kernel->old, kernel->old_size}, kernel->shown, &parts, err) ||
        check_signature(w, kernel, name, parts.body, err) ||
        target_join(&parts, (struct span){w->unit->body, w->unit->body_size}, &kernel->fresh, &kernel->fresh_size,
                    err)) {
        return -1;
    }
    kernel->same = kernel->fresh_size == kernel->old_size && memcmp(kernel->fresh, kernel->old, kernel->old_size) == 0;
    return 0;
}

/* Whether `text` has a function of that name among those before `end`. */
static bool has_function(struct span text, size_t end, struct span name)
{
    struct span other;
    size_t at = 0;

    while (body_next_function(text, &at, &other) && at < end) {
        if (other.size == name.size && memcmp(other.at, name.at, name.size) == 0) {
            return true;
        }
    }
    return false;
}

static int prepare_kernels(struct work *w, struct error *err)
{
    struct span raw = {w->unit->raw, w->unit->raw_size}, name;

    for (size_t at = 0; body_next_function(raw, &at, &name);) {
        bool failed;
        char *below;
        int rc;
        if (has_function(raw, at, name)) {
            continue; /* declared before */
        }
        below = target_path(w->unit->program->path, name, &failed, err);
        if (failed) {
            return -1;
        }
        if (!below) {
            continue; /* a helper */
        }
        if (array_room(&w->kernels, &w->capacity, w->count, sizeof *w->kernels)) {
            rc = error_nomem(err, below, (w->count + 1) * sizeof *w->kernels);
        } else {
            rc = prepare_kernel(w, &w->kernels[w->count++], below, name, err);
        }
        free(below);
        if (rc) {
            return -1;
        }
    }
    if (w->count) {
        return 0;
    }
    return error_set(err, w->unit->shown, "correct the names of the functions in the .pto file; nothing was changed",
                     "of what ptoas wrote for %s no function has a kernel: no kernels/aic/<name>.cpp or "
                     "kernels/aiv/<name>.cpp is named like one",
                     w->unit->shown);
}

/* A kernel that this unit fed before and does not any more would keep its old code without a word. */
static int check_lost(struct work *w, struct error *err)
{
    struct span raw = {w->unit->raw, w->unit->raw_size}, old, name;
    int rc = 0;

    if (!w->cpp.old) {
        return 0;
    }
    old = (struct span){w->cpp.old, w->cpp.old_size};
    for (size_t at = 0; rc == 0 && body_next_function(old, &at, &name);) {
        bool failed;
        char *below;
        if (has_function(raw, raw.size, name)) {
            continue;
        }
        below = target_path(w->unit->program->path, name, &failed, err);
        if (failed) {
            return -1;
        }
        if (below) {
            rc = error_set(err, w->unit->shown, "give the function its name back, or compile the program again",
                           "%s no longer makes the function %.*s, so that %s%s would keep its old code; nothing was "
                           "changed",
                           w->unit->shown, (int)name.size, name.at, w->unit->program->prefix, below);
        }
        free(below);
    }
    return rc;
}

static int prepare_cpp(struct work *w, struct error *err)
{
    struct pending *cpp = &w->cpp;

    cpp->path = realpath(w->unit->cpp, NULL);
    if (cpp->path) {
        cpp->old = file_read(cpp->path, UNIT_FILE_MAX, &cpp->old_size, err);
        return cpp->old ? check_lost(w, err) : -1;
    }
    cpp->path = text_format("%s", w->unit->cpp);
    return cpp->path ? 0 : error_nomem(err, w->unit->cpp, strlen(w->unit->cpp) + 1);
}

/* --- writing -------------------------------------------------------------- */

/* Write the new content beside the file, down to the disk, with the old one's owner and mode; `time` (may be NULL)
 * is the time of change that it gets. */
static int seal(struct pending *p, const char *data, size_t size, const struct timespec *time, struct error *err)
{
    struct stat st;
    bool existed = stat(p->path, &st) == 0;
    int fd;

    if (file_write_begin(&p->writer, p->path, err)) {
        return -1;
    }
    fd = fileno(p->writer.stream);
    /* Only root can keep another owner; for others the file becomes theirs, as with any editor. */
    if (existed && (st.st_uid != geteuid() || st.st_gid != getegid()) && fchown(fd, st.st_uid, st.st_gid) < 0 &&
        errno != EPERM) {
        return error_errno(err, p->path, file_errno_hint(errno), "cannot give %s its owner", p->path);
    }
    if (existed && fchmod(fd, st.st_mode & 07777) < 0) {
        return error_errno(err, p->path, file_errno_hint(errno), "cannot give %s its mode", p->path);
    }
    errno = 0;
    if (fwrite(data, 1, size, p->writer.stream) != size || fflush(p->writer.stream) || fsync(fd)) {
        return error_errno(err, p->path, file_errno_hint(errno), "cannot write %s", p->path);
    }
    if (time && futimens(fd, (struct timespec[]){{.tv_nsec = UTIME_OMIT}, *time}) < 0) {
        return error_errno(err, p->path, file_errno_hint(errno), "cannot set the time of %s", p->path);
    }
    return 0;
}

/* The new name of `path` is on the disk. A file system that cannot report it is trusted. */
static void sync_directory(const char *path)
{
    char *dir = strdup(path), *slash = dir ? strrchr(dir, '/') : NULL;
    int fd = -1;

    if (slash) {
        *slash = '\0';
        fd = open(slash == dir ? "/" : dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(dir);
}

static int write_all(struct work *w, struct error *err)
{
    struct pending *cpp = &w->cpp;

    for (size_t i = 0; i < w->count; i++) {
        struct pending *k = &w->kernels[i];
        if (!k->same && seal(k, k->fresh, k->fresh_size, NULL, err)) {
            return -1;
        }
    }
    if (seal(cpp, w->unit->raw, w->unit->raw_size, &w->unit->edited, err)) {
        return -1;
    }
    for (size_t i = 0; i < w->count; i++) {
        if (!w->kernels[i].same && file_write_commit(&w->kernels[i].writer, err)) {
            return -1;
        }
    }
    for (size_t i = 0; i < w->count; i++) {
        if (!w->kernels[i].same) {
            sync_directory(w->kernels[i].path);
        }
    }
    return file_write_commit(&cpp->writer, err);
}

int apply_unit(const struct splice_unit *u, apply_report_fn *report, void *context, struct error *err)
{
    struct work w = {.unit = u};
    int rc = -1;

    if (prepare_kernels(&w, err) == 0 && prepare_cpp(&w, err) == 0) {
        rc = write_all(&w, err);
    }
    for (size_t i = 0; i < w.count; i++) {
        if (rc == 0) {
            report(context, w.kernels[i].shown, !w.kernels[i].same);
        }
        pending_free(&w.kernels[i]);
    }
    free(w.kernels);
    pending_free(&w.cpp);
    return rc;
}

/* Writing files whole: where a write goes, and the replacing. */
#include "common/base/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- where a write goes -------------------------------------------------- */

/* The path that the symlinks at the end of `path` lead to, also where nothing is there yet; to be freed. */
static char *follow_links(const char *path, struct error *err)
{
    char target[PATH_MAX], *at = strdup(path), *next;

    for (int links = 0; at && links < 40; links++) {
        ssize_t length = readlink(at, target, sizeof target - 1);
        const char *slash = strrchr(at, '/');
        if (length < 0) {
            return at;
        }
        target[length] = '\0';
        if (target[0] == '/' || !slash) {
            next = strdup(target);
        } else if (asprintf(&next, "%.*s%s", (int)(slash - at + 1), at, target) < 0) {
            next = NULL;
        }
        free(at);
        at = next;
    }
    if (!at) {
        error_nomem(err, path, strlen(path) + 1);
        return NULL;
    }
    free(at);
    errno = ELOOP;
    error_errno(err, path, file_errno_hint(errno), "cannot write %s", path);
    return NULL;
}

/* The standard stream that `st` is, or -1. It is written as it is open: /dev/stdout opened anew would start at the
 * beginning of a redirected file, and cannot be opened when it is a socket. */
static int standard_stream(const struct stat *st)
{
    struct stat own;

    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fstat(fd, &own) == 0 && own.st_dev == st->st_dev && own.st_ino == st->st_ino) {
            return fd;
        }
    }
    return -1;
}

/* `*target` becomes the file to replace, behind all symlinks, or NULL for what must be written straight into
 * because no file could stand in for it: a device, a FIFO, an output stream, a file without a name. */
static int find_target(const char *path, char **target, struct stat *st, struct error *err)
{
    *target = NULL;
    if (stat(path, st) == 0) {
        if (S_ISDIR(st->st_mode)) {
            return error_set(err, path, "name a file", "cannot write %s: it is a directory", path);
        }
        if (!S_ISREG(st->st_mode) || st->st_nlink == 0 || standard_stream(st) >= 0) {
            return 0;
        }
    } else if (errno != ENOENT || !*path) {
        return error_errno(err, path, file_errno_hint(errno), "cannot write %s",
                           *path ? path : "a file without a name");
    }
    *target = follow_links(path, err);
    return *target ? 0 : -1;
}

/* May this process make names in `dir`? `path` is what is to be written there. */
static int check_directory(const char *dir, const char *path, struct error *err)
{
    if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0) {
        if (file_is_directory(dir)) {
            return 0;
        }
        errno = ENOTDIR;
    }
    return error_errno(err, path,
                       errno == ENOENT ? "make that directory first, or check the path" : file_errno_hint(errno),
                       "cannot write %s, in the directory %s", path, dir);
}

/* Cut the last component off `path`, in place; what remains of a plain name is ".". */
static const char *parent(char *path)
{
    char *slash = strrchr(path, '/');

    while (slash && slash > path && slash[-1] == '/') {
        slash--;
    }
    if (!slash) {
        return ".";
    }
    slash[slash == path] = '\0';
    return path;
}

int file_check_writable(const char *path, struct error *err)
{
    struct stat st;
    char *target;
    int rc;

    if (find_target(path, &target, &st, err)) {
        return -1;
    }
    if (target) {
        rc = check_directory(parent(target), path, err);
        free(target);
        return rc;
    }
    if (standard_stream(&st) >= 0 || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0) {
        return 0;
    }
    return error_errno(err, path, file_errno_hint(errno), "cannot write %s", path);
}

int file_check_makeable(const char *path, struct error *err)
{
    char *copy = strdup(path);
    const char *at = copy;
    struct stat st;
    int rc;

    if (!copy) {
        return error_nomem(err, path, strlen(path) + 1);
    }
    while (lstat(at, &st) < 0 && errno == ENOENT && strcmp(at, ".") != 0) {
        at = parent(copy);
    }
    if (!*path) {
        rc = error_set(err, path, "name a directory", "the name of a directory is empty");
    } else if (lstat(at, &st) == 0 && !file_is_directory(at)) {
        rc = error_set(err, path, "remove or rename it", "%s is in the way: a directory is wanted there", at);
    } else {
        rc = check_directory(at, path, err);
    }
    free(copy);
    return rc;
}

/* --- writing ------------------------------------------------------------- */

/* The start of the number that ends at `end`, with a '.' before it; NULL when there is none. */
static const char *number_before(const char *name, const char *end)
{
    const char *at = end;

    while (at > name && isdigit((unsigned char)at[-1])) {
        at--;
    }
    return at < end && at > name && at[-1] == '.' ? at : NULL;
}

bool file_is_unfinished(const char *name, size_t *length)
{
    static const char ending[] = ".part";
    size_t n = strlen(name), tail = sizeof ending - 1;
    const char *at = n > tail && strcmp(name + n - tail, ending) == 0 ? number_before(name, name + n - tail) : NULL;

    at = at ? number_before(name, at - 1) : NULL;
    *length = at ? (size_t)(at - 1 - name) : 0;
    return *length > 0;
}

/* Open a name beside `target` that nobody else has; left-overs of killed processes are stepped over. */
static int open_beside(struct file_writer *w, struct error *err)
{
    static atomic_uint counter;
    int fd = -1;

    for (int tries = 0; tries < 1000; tries++) {
        free(w->beside);
        w->beside = NULL;
        if (asprintf(&w->beside, "%s.%ld.%u.part", w->target, (long)getpid(), atomic_fetch_add(&counter, 1)) < 0) {
            w->beside = NULL;
            return error_nomem(err, w->path, strlen(w->target));
        }
        fd = open(w->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) {
            break;
        }
    }
    return fd < 0 ? error_errno(err, w->path, file_errno_hint(errno), "cannot write %s", w->path) : fd;
}

static int open_straight(const struct file_writer *w, const struct stat *st, struct error *err)
{
    int stream = standard_stream(st), fd;

    if (stream >= 0) {
        fflush(stream == STDOUT_FILENO ? stdout : stderr); /* what was said before comes before */
        fd = fcntl(stream, F_DUPFD_CLOEXEC, 0);
    } else {
        do {
            fd = open(w->path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
        } while (fd < 0 && errno == EINTR); /* a FIFO waits for its reader */
    }
    return fd < 0 ? error_errno(err, w->path, file_errno_hint(errno), "cannot write %s", w->path) : fd;
}

static void forget(struct file_writer *w)
{
    free(w->path);
    free(w->target);
    free(w->beside);
    memset(w, 0, sizeof *w);
}

static int begin(struct file_writer *w, const char *path, bool replace, struct error *err)
{
    struct stat st;
    int fd = -1;

    memset(w, 0, sizeof *w);
    w->replace = replace;
    w->path = strdup(path);
    if (!w->path) {
        return error_nomem(err, path, strlen(path) + 1);
    }
    if (replace) {
        w->target = strdup(path);
        fd = w->target ? open_beside(w, err) : error_nomem(err, path, strlen(path) + 1);
    } else if (find_target(path, &w->target, &st, err) == 0) {
        fd = w->target ? open_beside(w, err) : open_straight(w, &st, err);
    }
    if (fd >= 0) {
        w->stream = fdopen(fd, "w");
        if (w->stream) {
            return 0;
        }
        error_errno(err, path, file_errno_hint(errno), "cannot write %s", path);
        close(fd);
        if (w->beside) {
            unlink(w->beside);
        }
    }
    forget(w);
    return -1;
}

int file_write_begin(struct file_writer *w, const char *path, struct error *err)
{
    return begin(w, path, false, err);
}

int file_replace_begin(struct file_writer *w, const char *path, struct error *err)
{
    return begin(w, path, true, err);
}

int file_clear_place(const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0) {
        return errno == ENOENT ? 0 : -1;
    }
    if (S_ISREG(st.st_mode)) {
        return 0;
    }
    return S_ISDIR(st.st_mode) ? rmdir(path) : unlink(path);
}

static int move_to_place(const struct file_writer *w)
{
    if (rename(w->beside, w->target) == 0) {
        return 0;
    }
    /* All else is replaced by the renaming. */
    return w->replace && errno == EISDIR && file_clear_place(w->target) == 0 ? rename(w->beside, w->target) : -1;
}

int file_write_commit(struct file_writer *w, struct error *err)
{
    FILE *f = w->stream;
    int saved = 0;

    if (fflush(f) || ferror(f) || (w->beside && !w->unsynced && fsync(fileno(f)))) {
        saved = errno ? errno : EIO;
    }
    if (fclose(f) && !saved) {
        saved = errno;
    }
    w->stream = NULL;
    if (!saved && w->beside && move_to_place(w)) {
        saved = errno;
    }
    if (saved) {
        if (w->beside) {
            unlink(w->beside);
        }
        errno = saved;
        error_errno(err, w->path, file_errno_hint(saved), "cannot write %s", w->path);
    }
    forget(w);
    return saved ? -1 : 0;
}

void file_write_abort(struct file_writer *w)
{
    if (w->stream) {
        fclose(w->stream);
        if (w->beside) {
            unlink(w->beside);
        }
    }
    forget(w);
}

static int write_whole(const char *path, const void *data, size_t size, bool replace, bool unsynced, struct error *err)
{
    struct file_writer w;

    if (begin(&w, path, replace, err)) {
        return -1;
    }
    w.unsynced = unsynced;
    errno = 0;
    /* A short write is found by ferror() in the commit. */
    fwrite(data, 1, size, w.stream);
    return file_write_commit(&w, err);
}

int file_write(const char *path, const void *data, size_t size, struct error *err)
{
    return write_whole(path, data, size, false, false, err);
}

int file_replace(const char *path, const void *data, size_t size, struct error *err)
{
    return write_whole(path, data, size, true, false, err);
}

int file_write_unsynced(const char *path, const void *data, size_t size, struct error *err)
{
    return write_whole(path, data, size, true, true, err);
}

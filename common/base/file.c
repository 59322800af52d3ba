#include "common/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *file_errno_hint(int errnum)
{
    switch (errnum) {
    case ENOENT:
    case ENOTDIR:
        return "check the path";
    case EACCES:
    case EPERM:
        return "give this user access to it and to the directories above it";
    case EROFS:
        return "write somewhere else: that file system is read-only";
    case EFBIG:
        return "raise the limit on the size of files (ulimit -f)";
    case ENOMEM:
        return "free memory on this host, or raise limits on it (ulimit -v, memory of the cgroup)";
    case ENOSPC:
    case EDQUOT:
        return "make room on that file system, or write somewhere else";
    case EMFILE:
    case ENFILE:
        return "raise the limit of open files (ulimit -n)";
    case EIO:
    case ESTALE:
        return "check the disk or the network file system";
    default:
        return NULL;
    }
}

static int read_all(int fd, char *buf, size_t size, const char *path, struct error *err)
{
    size_t got = 0;

    while (got < size) {
        ssize_t n = read(fd, buf + got, size - got);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return error_errno(err, path, file_errno_hint(errno), "cannot read %s", path);
        }
        if (n == 0) {
            return error_set(err, path, "try again when nothing writes to it", "%s became shorter while it was read",
                             path);
        }
        got += (size_t)n;
    }
    return 0;
}

size_t file_put(int fd, const void *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = write(fd, (const char *)bytes + done, size - done);
        if (n < 0 && errno == EAGAIN) {
            struct pollfd writable = {.fd = fd, .events = POLLOUT};
            poll(&writable, 1, -1);
        } else if (n < 0 && errno != EINTR) {
            break;
        } else if (n > 0) {
            done += (size_t)n;
        }
    }
    return done;
}

static int check_readable(const struct stat *st, const char *path, size_t max, struct error *err)
{
    if (!S_ISREG(st->st_mode)) {
        return error_set(err, path, NULL, "%s is %s, not a file", path,
                         S_ISDIR(st->st_mode) ? "a directory" : "a special file");
    }
    if ((unsigned long long)st->st_size > max) {
        return error_set(err, path, NULL, "%s has %lld bytes; at most %zu are read", path, (long long)st->st_size, max);
    }
    return 0;
}

char *file_read(const char *path, size_t max, size_t *size, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a fifo must not block us */
    struct stat st;
    char *buf = NULL;

    if (fd < 0) {
        error_errno(err, path, file_errno_hint(errno), "cannot open %s", path);
        return NULL;
    }
    if (fstat(fd, &st)) {
        error_errno(err, path, file_errno_hint(errno), "cannot examine %s", path);
    } else if (check_readable(&st, path, max, err) == 0) {
        buf = malloc((size_t)st.st_size + 1);
        if (!buf) {
            error_nomem(err, path, (unsigned long long)st.st_size + 1);
        }
    }
    if (buf && read_all(fd, buf, (size_t)st.st_size, path, err)) {
        free(buf);
        buf = NULL;
    }
    close(fd);
    if (!buf) {
        return NULL;
    }
    buf[st.st_size] = '\0';
    if (size) {
        *size = (size_t)st.st_size;
    }
    return buf;
}

bool file_is_regular(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool file_is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int make_one(const char *path, mode_t mode, struct error *err)
{
    int saved;

    if (mkdir(path, mode) == 0) {
        return 0;
    }
    saved = errno;
    if (saved == EEXIST && file_is_directory(path)) {
        return 0;
    }
    errno = saved;
    if (saved == EEXIST) {
        return error_set(err, path, "remove or rename it", "%s is in the way: a directory is wanted there", path);
    }
    return error_errno(err, path, file_errno_hint(errno), "cannot make the directory %s", path);
}

int file_make_dirs_mode(const char *path, mode_t mode, struct error *err)
{
    char *copy = strdup(path);
    int rc = 0;

    if (!copy) {
        return error_nomem(err, path, strlen(path) + 1);
    }
    for (char *slash = strchr(copy + (*copy == '/'), '/'); slash && rc == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        rc = make_one(copy, mode, err);
        *slash = '/';
    }
    if (rc == 0) {
        rc = make_one(copy, mode, err);
    }
    free(copy);
    return rc;
}

int file_make_dirs(const char *path, struct error *err)
{
    return file_make_dirs_mode(path, 0777, err);
}

int file_is_there(const char *path, struct error *err)
{
    static const char *const hint = "repair it, or remove it";
    struct stat st;
    int saved;

    if (stat(path, &st) == 0) {
        if (faccessat(AT_FDCWD, path, S_ISDIR(st.st_mode) ? X_OK : R_OK, AT_EACCESS) == 0) {
            return 1;
        }
        return error_errno(err, path, file_errno_hint(errno), "cannot open %s", path);
    }
    saved = errno;
    if (saved == ENOENT && lstat(path, &st) == 0) {
        return error_set(err, path, hint, "%s is a symlink to nothing", path);
    }
    if (saved == ENOENT) {
        return 0;
    }
    errno = saved;
    return error_errno(err, path, saved == EACCES ? file_errno_hint(saved) : hint, "cannot open %s", path);
}

char *file_join(const char *a, const char *b, struct error *err)
{
    char *joined;

    if (asprintf(&joined, "%s/%s", a, b) < 0) {
        error_nomem(err, a, strlen(a) + strlen(b) + 2);
        return NULL;
    }
    return joined;
}

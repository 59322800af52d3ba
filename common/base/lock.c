#include "common/base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/log.h"

/* A reader can lock as well: the file may belong to someone else. A symlink in its place could lead anywhere: it goes, and
 * so does an empty directory. */
static int open_lock(const char *path)
{
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
    int fd = open(path, flags, 0666), saved;

    if (fd < 0 && (errno == EISDIR || errno == ELOOP) && file_clear_place(path) == 0) {
        fd = open(path, flags, 0666);
    }
    saved = errno;
    if (fd < 0 && (saved == EACCES || saved == EPERM || saved == EROFS)) {
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        errno = saved;
    }
    return fd;
}

int lock_try(int fd, bool alone)
{
    while (flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK) {
            return 0;
        }
        if (errno != EINTR) {
            return -1;
        }
    }
    return 1;
}

/* flock() itself has no limit, so look now and then; 20 ms are nothing beside a compile. */
static int wait_for(int fd, const char *path, int timeout, struct error *err)
{
    uint64_t begun = clock_now_ns();
    bool reported = false;
    int rc;

    while ((rc = lock_try(fd, true)) == 0) {
        if (!reported) {
            log_note("another process holds %s; waiting for it", path);
        }
        reported = true;
        if (timeout > 0 && clock_now_ns() - begun >= (uint64_t)timeout * 1000000000u) {
            return error_set(err, path,
                             "wait for that process to end, or end it: `fuser -v` on the file shows which it is",
                             "another process held %s for more than %d s", path, timeout);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    if (rc < 0) {
        return error_errno(err, path, file_errno_hint(errno), "cannot lock %s", path);
    }
    return 0;
}

/* Somebody who deletes directories may have taken the file away while we waited: then it protects nothing. */
static bool is_still(int fd, const char *path)
{
    struct stat mine, there;

    return fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

int lock_take(const char *path, int timeout, struct error *err)
{
    for (;;) {
        int fd = open_lock(path);
        if (fd < 0) {
            return error_errno(err, path, file_errno_hint(errno), "cannot open the lock %s", path);
        }
        if (wait_for(fd, path, timeout, err)) {
            close(fd);
            return -1;
        }
        if (is_still(fd, path)) {
            return fd;
        }
        close(fd);
    }
}

void lock_release(int fd)
{
    if (fd < 0) {
        return;
    }
    flock(fd, LOCK_UN); /* a child that was forked meanwhile may have it open as well */
    close(fd);
}

#include "common/base/private_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/directory.h"
#include "common/base/file.h"
#include "common/base/lock.h"
#include "common/base/log.h"

/* ATTEMPTS: to remove a directory, since a look at a part of it may fail for a moment. */
enum { MOST_TRIES = 10, LOCK_LIMIT_S = 5, MOST_DIRS = 16, DEEPEST = 16, ENTRIES = 2048, ATTEMPTS = 2 };

static const char lock_name[] = "lock";

/* Paths of those that this process has; a fork has none. */
static char *_Atomic entered[MOST_DIRS];
static _Atomic pid_t owner;

static void enter(char *path)
{
    if (owner != getpid()) {
        for (int i = 0; i < MOST_DIRS; i++) {
            entered[i] = NULL;
        }
        owner = getpid();
    }
    for (int i = 0; i < MOST_DIRS; i++) {
        char *none = NULL;

        if (atomic_compare_exchange_strong(&entered[i], &none, path)) {
            return;
        }
    }
}

static void forget(const char *path)
{
    for (int i = 0; path && i < MOST_DIRS; i++) {
        if (entered[i] == path) {
            entered[i] = NULL;
        }
    }
}

/* Remove what is in the directory `fd`; true when something was. */
static bool empty_now(int fd, int depth);

static void remove_now(int parent, const char *name, int depth)
{
    int fd = depth < DEEPEST ? openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;

    if (fd < 0) {
        unlinkat(parent, name, 0);
        return;
    }
    while (empty_now(fd, depth + 1)) {
        lseek(fd, 0, SEEK_SET);
    }
    close(fd);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static bool empty_now(int fd, int depth)
{
    _Alignas(struct dirent64) char entries[ENTRIES];
    bool some = false;
    ssize_t n;

    while ((n = getdents64(fd, entries, sizeof entries)) > 0) {
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *e = (const void *)(entries + at);
            struct stat st;

            at += e->d_reclen;
            if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
                continue;
            }
            remove_now(fd, e->d_name, depth);
            /* what cannot be removed is not tried again */
            some = some || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0;
        }
    }
    return some;
}

void private_dir_remove_all(void)
{
    const int saved = errno;

    for (int i = 0; owner == getpid() && i < MOST_DIRS; i++) {
        const char *path = entered[i];

        if (path) {
            remove_now(AT_FDCWD, path, 0);
        }
    }
    errno = saved;
}

/* The directory and its lock go last, so that a process that finds a part knows whose it is. */
static bool try_remove(const char *path, const char *lock)
{
    static const struct directory_remove rest = {.spared = lock_name};

    return directory_remove(path, &rest) == 0 && (unlink(lock) == 0 || errno == ENOENT) && rmdir(path) == 0;
}

/* It may be that somebody removed it, and what is there now is not ours. A look may fail once, as above. */
static bool is_ours(const char *path)
{
    struct stat st;

    if (lstat(path, &st) < 0 && (errno == ENOENT || lstat(path, &st) < 0)) {
        return false;
    }
    return S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static void remove_tree(const char *path, const char *lock)
{
    if (!is_ours(path)) {
        return;
    }
    /* A directory that was removed may have been made again, without the lock, by those who write there. */
    for (int i = 0; i < ATTEMPTS; i++) {
        if (try_remove(path, lock)) {
            return;
        }
    }
    if (errno != ENOENT) {
        log_msg(LOG_WARN, "cannot remove %s: %s", path, strerror(errno));
    }
}

static void sweep_one(const char *base, const char *name)
{
    char *path = NULL, *lock = NULL;
    struct stat st;
    int fd = -1;

    path = file_join(base, name, NULL);
    if (path && lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid()) {
        lock = file_join(path, lock_name, NULL);
    }
    if (lock) {
        fd = open(lock, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }
    if (fd >= 0 && lock_try(fd, true) == 1) {
        remove_tree(path, lock);
    } else if (lock && fd < 0) {
        rmdir(path); /* its process was killed early or late; one that is only being made is made anew */
    }
    if (fd >= 0) {
        close(fd);
    }
    free(lock);
    free(path);
}

/* What cannot be listed is not swept: the next process may do it. */
static void sweep(const char *base, const char *prefix)
{
    struct args names = {0};

    directory_list(base, NULL, &names);
    for (size_t i = 0; i < names.n; i++) {
        if (strncmp(names.v[i], prefix, strlen(prefix)) == 0) {
            sweep_one(base, names.v[i]);
        }
    }
    args_free(&names);
}

/* 1: made; 0: a sweeper took it for a dead one. */
static int try_make(struct private_dir *d, const char *base, const char *prefix, struct error *err)
{
    if (asprintf(&d->path, "%s/%sXXXXXX", base, prefix) < 0) {
        d->path = NULL;
        return error_nomem(err, base, strlen(base) + strlen(prefix) + 8);
    }
    if (!mkdtemp(d->path)) {
        error_errno(err, base, "name another directory as $TMPDIR", "cannot make a directory in %s", base);
        free(d->path);
        d->path = NULL;
        return -1;
    }
    enter(d->path);
    d->lock = file_join(d->path, lock_name, err);
    if (!d->lock) {
        return -1;
    }
    d->lock_fd = lock_take(d->lock, LOCK_LIMIT_S, err);
    if (d->lock_fd < 0) {
        return file_is_directory(d->path) ? -1 : 0;
    }
    d->fd = open(d->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return d->fd < 0 ? error_errno(err, d->path, file_errno_hint(errno), "cannot open the directory") : 1;
}

int private_dir_make_temporary(struct private_dir *d, const char *prefix, struct error *err)
{
    const char *own = getenv("TMPDIR");

    return private_dir_make(d, own && *own ? own : "/tmp", prefix, err);
}

int private_dir_make(struct private_dir *d, const char *base, const char *prefix, struct error *err)
{
    int rc = 0;

    *d = (struct private_dir)PRIVATE_DIR_NONE;
    if (directory_check_ours(base, true, err) < 0) {
        return -1;
    }
    sweep(base, prefix);
    for (int tries = 0; tries < MOST_TRIES && rc == 0; tries++) {
        private_dir_remove(d);
        rc = try_make(d, base, prefix, err);
    }
    if (rc > 0) {
        return 0;
    }
    private_dir_remove(d);
    return -1;
}

void private_dir_remove(struct private_dir *d)
{
    if (d->path && d->lock) {
        remove_tree(d->path, d->lock);
    }
    forget(d->path);
    if (d->fd >= 0) {
        close(d->fd);
    }
    lock_release(d->lock_fd);
    free(d->lock);
    free(d->path);
    *d = (struct private_dir)PRIVATE_DIR_NONE;
}

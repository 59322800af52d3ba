#include "rank-worker/gather/outbox_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/log.h"

enum { OPEN_DIRS = 16 };

static const char prefix[] = "l3replay-outbox.";
static const char lock_name[] = "lock";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_tree(const char *path)
{
    if (nftw(path, remove_one, OPEN_DIRS, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT)
        log_msg(LOG_WARN, "cannot remove %s: %s", path, strerror(errno));
}

/* Directories without a lock are being made at this moment, or are none of ours. */
static void sweep_one(int base_fd, const char *base, const char *name)
{
    char *path = NULL;
    struct stat st;
    int fd;

    if (fstatat(base_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
        return;
    if (asprintf(&path, "%s/%s/%s", base, name, lock_name) < 0)
        return;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        *strrchr(path, '/') = '\0';
        remove_tree(path);
    }
    if (fd >= 0)
        close(fd);
    free(path);
}

static void sweep(const char *base)
{
    DIR *dir = opendir(base);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0)
            sweep_one(dirfd(dir), base, entry->d_name);
    if (dir)
        closedir(dir);
}

/* The lock gets its name when it is held: no sweeper can take it before. */
static int take_lock(struct outbox_dir *d, struct error *err)
{
    char *unnamed = file_join(d->path, "lock.new", err), *named = file_join(d->path, lock_name, err);
    int rc = -1;

    if (unnamed && named) {
        d->lock_fd = open(unnamed, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (d->lock_fd < 0 || flock(d->lock_fd, LOCK_EX | LOCK_NB) < 0 || rename(unnamed, named) < 0)
            error_errno(err, d->path, file_errno_mend(errno), "cannot lock the directory");
        else
            rc = 0;
    }
    free(unnamed);
    free(named);
    return rc;
}

int outbox_dir_make(struct outbox_dir *d, const char *base, struct error *err)
{
    d->fd = d->lock_fd = -1;
    sweep(base);
    if (asprintf(&d->path, "%s/%sXXXXXX", base, prefix) < 0) {
        d->path = NULL;
        return error_nomem(err, base, strlen(base) + sizeof prefix + 8);
    }
    if (!mkdtemp(d->path)) {
        error_errno(err, base, "name another directory as $TMPDIR", "cannot make a directory for profiles on their way");
        free(d->path);
        d->path = NULL;
        return -1;
    }
    d->fd = open(d->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (d->fd < 0)
        error_errno(err, d->path, file_errno_mend(errno), "cannot open the directory");
    else if (take_lock(d, err) == 0)
        return 0;
    outbox_dir_remove(d);
    return -1;
}

void outbox_dir_remove(struct outbox_dir *d)
{
    if (d->path)
        remove_tree(d->path);
    if (d->fd >= 0)
        close(d->fd);
    if (d->lock_fd >= 0)
        close(d->lock_fd);
    free(d->path);
    *d = (struct outbox_dir){.fd = -1, .lock_fd = -1};
}

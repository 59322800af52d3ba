#include "rank-worker/compile/store_room.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/args.h"
#include "common/base/file.h"
#include "rank-worker/compile/store_entry.h"

/* An object, what the compiler puts beside it, and the files of a run: 1 to 2 MB. */
enum { LEAST_BYTES = 4 << 20, LEAST_FILES = 64, TRIED_BYTES = 256 << 10 };

static int try_write(const char *tmp, const char *base, struct error *err)
{
    char *path = text_format("%s/room", tmp), *bytes = calloc(1, TRIED_BYTES);
    struct error cause;
    int rc = 0;

    if (!path || !bytes) {
        rc = error_nomem(err, base, TRIED_BYTES);
    } else if (file_write_unsynced(path, bytes, TRIED_BYTES, &cause) < 0) {
        rc = error_set(err, base, cause.hint, "cannot write in the object store %s (%s)", base, cause.what);
    }
    if (path) {
        unlink(path);
    }
    free(bytes);
    free(path);
    return rc;
}

int store_room_check(const char *tmp, const char *base, struct error *err)
{
    struct statvfs fs;

    if (statvfs(tmp, &fs) < 0) {
        return 0;
    }
    if (fs.f_flag & ST_NOEXEC) {
        return error_set(err, base, "set L3REPLAY_CACHE_DIR to a directory on a file system without the option noexec",
                         "nothing may be executed from %s: its file system is mounted with noexec", base);
    }
    if ((unsigned long long)fs.f_bavail * fs.f_frsize < LEAST_BYTES) {
        return error_set(err, base, store_hint(ENOSPC), "%s has room for %llu KB only", base,
                         (unsigned long long)fs.f_bavail * fs.f_frsize >> 10);
    }
    if (fs.f_files > 0 && fs.f_favail < LEAST_FILES) {
        return error_set(err, base, store_hint(ENOSPC), "%s has room for %llu files only (inodes)", base,
                         (unsigned long long)fs.f_favail);
    }
    return try_write(tmp, base, err);
}

#include "rank-worker/cache/transaction.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "common/base/lock.h"
#include "rank-worker/cache/invalidate.h"
#include "rank-worker/cache/lock_files.h"

/* A symlink could lead anywhere, and binaries are written and removed behind it. */
static int check_is_no_link(const char *cache, struct error *err)
{
    struct stat st;

    if (lstat(cache, &st) == 0 && S_ISLNK(st.st_mode)) {
        return error_set(err, cache, "put a directory in its place", "%s is a symlink: no binaries are written there",
                         cache);
    }
    return 0;
}

int cache_begin(struct cache_transaction *t, const char *root, const char *dir, const struct cache_identity *identity,
                bool forced, int lock_timeout, struct error *err)
{
    char *cache = file_join(dir, "cache", err), *path = file_join(dir, LOCK_BINARIES_FILE, err);
    int rc = -1;

    *t = (struct cache_transaction){.dir = strdup(dir), .identity = identity, .lock = -1};
    if (!t->dir) {
        error_nomem(err, dir, strlen(dir) + 1);
    } else if (cache && path && check_is_no_link(cache, err) == 0 && file_make_dirs(cache, err) == 0) {
        t->lock = lock_take(path, lock_timeout, err);
    }
    if (t->lock >= 0) {
        stamp_check(dir, identity, forced, &t->verdict);
        rc = t->verdict.reason == STAMP_CURRENT ? stamp_discard(dir, err)
                                                : invalidate_program(root, dir, &t->removed, err);
    }
    free(cache);
    free(path);
    if (rc) {
        cache_abort(t);
    }
    return rc;
}

int cache_commit(struct cache_transaction *t, struct error *err)
{
    int rc = stamp_write(t->dir, t->identity, err);

    cache_abort(t);
    return rc;
}

void cache_abort(struct cache_transaction *t)
{
    if (t->dir) {
        lock_release(t->lock);
    }
    free(t->dir);
    t->dir = NULL;
    t->lock = -1;
}

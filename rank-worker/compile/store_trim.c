#include "rank-worker/compile/store_trim.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/args.h"
#include "common/base/array.h"
#include "rank-worker/compile/store_entry.h"
#include "rank-worker/compile/store_use.h"

#define DEFAULT_LIMIT (UINT64_C(5) << 30)

struct entry {
    char *path;
    uint64_t nbytes;
    struct timespec used;
};

struct entries {
    struct entry *items;
    size_t count, capacity;
    struct store_size size;
};

int store_limit(uint64_t *nbytes, struct error *err)
{
    static const char units[] = "KMGT";
    const char *text = getenv("L3REPLAY_CACHE_MAX"), *unit;
    unsigned long long value;
    unsigned shift = 0;
    char *end;

    *nbytes = DEFAULT_LIMIT;
    if (!text || !*text) {
        return 0;
    }
    errno = 0;
    value = strtoull(text, &end, 10);
    if (*end && (unit = strchr(units, toupper((unsigned char)*end)))) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    end += toupper((unsigned char)*end) == 'B'; /* as `l3replay cache` prints sizes */
    if (*text < '0' || *text > '9' || errno || *end || value > UINT64_MAX >> shift) {
        return error_set(err, "L3REPLAY_CACHE_MAX",
                         "give whole bytes, KB, MB, GB or TB, as in L3REPLAY_CACHE_MAX=20GB; 0 is no limit",
                         "L3REPLAY_CACHE_MAX: '%.60s' is not a size", text);
    }
    *nbytes = (uint64_t)value << shift;
    return 0;
}

static void entries_free(struct entries *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->items[i].path);
    }
    free(all->items);
    *all = (struct entries){0};
}

static int add_entry(struct entries *all, const char *path, uint64_t nbytes, struct timespec used, struct error *err)
{
    if (array_room(&all->items, &all->capacity, all->count, sizeof *all->items)) {
        return error_nomem(err, "object store", (all->count + 1) * sizeof *all->items);
    }
    all->items[all->count] = (struct entry){strdup(path), nbytes, used};
    if (!all->items[all->count].path) {
        return error_nomem(err, "object store", strlen(path));
    }
    all->count++;
    all->size.nbytes += nbytes;
    return 0;
}

/* Whether the file is an entry, which is counted. The first lines of precompiled headers stay: they are small, and name
 * what an earlier run would have used. */
static bool count_entry(struct store_size *size, const char *root, const char *path)
{
    const char *kind = path + strlen(root) + 1, *dot = strrchr(kind, '.');

    if (strncmp(kind, "objects/", 8) == 0) {
        size->nobject++;
    } else if (strncmp(kind, "headers/", 8) == 0) {
        size->nlist++;
    } else if (strncmp(kind, "golden/", 7) == 0) {
        size->ngolden++;
    } else if (strncmp(kind, "recordings/", 11) == 0) {
        size->nrecording++;
    } else if (dot && strcmp(dot, ".pch") == 0) {
        size->nheader++;
    } else {
        return false;
    }
    return true;
}

/* An array of golden.py is as old as the text of its entry: its own time does not change when it is used. */
static struct timespec used_at(const char *path, const struct stat *st)
{
    static const char suffix[] = ".npy";
    const size_t length = strlen(path), end = sizeof suffix - 1;
    const char *slash = strrchr(path, '/'), *dot = slash ? strchr(slash, '.') : NULL;
    struct stat entry;
    char *text = NULL;
    struct timespec used = st->st_mtim;

    if (dot && length > end && strcmp(path + length - end, suffix) == 0) {
        text = text_format("%.*s.json", (int)(dot - path), path);
    }
    if (text && lstat(text, &entry) == 0) {
        used = entry.st_mtim;
    }
    free(text);
    return used;
}

/* Files that go away meanwhile are left out. */
static int list_entries(const struct store *s, struct entries *all, struct error *err)
{
    static const char *const kinds[] = {"objects", "headers", "pch", "golden", "recordings"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    char *paths[KINDS + 1] = {NULL};
    FTSENT *e;
    FTS *fts;
    int rc = 0;

    *all = (struct entries){0};
    for (size_t i = 0; i < KINDS; i++) {
        if (!(paths[i] = text_format("%s/%s", s->root, kinds[i]))) {
            rc = error_nomem(err, "object store", strlen(s->root));
        }
    }
    fts = rc == 0 ? fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL) : NULL;
    if (rc == 0 && !fts) {
        rc = error_errno(err, s->root, NULL, "cannot read the object store");
    }
    while (rc == 0 && (e = fts_read(fts))) {
        if (e->fts_info == FTS_F && count_entry(&all->size, s->root, e->fts_path)) {
            rc = add_entry(all, e->fts_path, (uint64_t)e->fts_statp->st_size, used_at(e->fts_path, e->fts_statp), err);
        }
    }
    if (fts) {
        fts_close(fts);
    }
    for (size_t i = 0; i < KINDS; i++) {
        free(paths[i]);
    }
    if (rc < 0) {
        entries_free(all);
    }
    return rc;
}

int store_measure(const struct store *s, struct store_size *size, struct error *err)
{
    struct entries all;
    int rc = list_entries(s, &all, err);

    if (rc == 0) {
        *size = all.size;
    }
    entries_free(&all);
    return rc;
}

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec) {
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    }
    if (x->used.tv_nsec != y->used.tv_nsec) {
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    }
    return strcmp(x->path, y->path);
}

static void uncount(struct store_size *size, const char *root, const struct entry *e)
{
    struct store_size one = {0};

    count_entry(&one, root, e->path);
    size->nbytes -= e->nbytes;
    size->nobject -= one.nobject;
    size->nheader -= one.nheader;
    size->nlist -= one.nlist;
    size->ngolden -= one.ngolden;
    size->nrecording -= one.nrecording;
}

/* An entry, and the file that seals it, if it has one. */
static int remove_entry(const char *path, struct error *err)
{
    char *seal = store_seal_path(path);

    if (seal) {
        unlink(seal);
    }
    free(seal);
    if (unlink(path) < 0 && errno != ENOENT) {
        return error_errno(err, path, "trim as the user that the store belongs to",
                           "cannot remove an entry of the object store");
    }
    return 0;
}

static int remove_oldest(const struct store *s, struct entries *all, const struct args *used, uint64_t limit,
                         struct store_trimmed *out, struct error *err)
{
    if (all->count) {
        qsort(all->items, all->count, sizeof *all->items, by_use);
    }
    for (size_t i = 0; i < all->count && all->size.nbytes > limit; i++) {
        const struct entry *e = &all->items[i];

        if (store_names_have(used, e->path + strlen(s->root) + 1)) {
            out->nused++;
            continue;
        }
        if (remove_entry(e->path, err) < 0) {
            return -1;
        }
        out->nentry++;
        out->nbytes += e->nbytes;
        uncount(&all->size, s->root, e);
    }
    out->left = all->size;
    return 0;
}

int store_trim(const struct store *s, uint64_t limit, struct store_trimmed *out, struct error *err)
{
    struct args used = {0};
    struct entries all = {0};
    bool unlocked;
    int lock = store_lock_all(s, true, &unlocked, err), rc = -1;

    *out = (struct store_trimmed){0};
    if (lock < 0) {
        return -1;
    }
    if (unlocked) {
        error_set(err, s->root, "delete the directory while no replay runs, or keep it elsewhere (L3REPLAY_CACHE_DIR)",
                  "the file system of the object store has no locks, so nobody knows what is in use");
    } else if (store_names_read(s, &used, err) == 0 && list_entries(s, &all, err) == 0) {
        rc = remove_oldest(s, &all, &used, limit, out, err);
    }
    entries_free(&all);
    args_free(&used);
    store_unlock(lock);
    return rc;
}

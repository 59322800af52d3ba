#include "rank-worker/compile/hashes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "common/base/file.h"

struct entry {
    char *path; /* NULL: free */
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec modified, changed;
    struct key key;
    unsigned generation; /* of the last look */
};

struct hashes {
    unsigned generation;
    size_t n, capacity; /* a power of two, at most half full */
    struct entry *entries;
};

struct hashes *hashes_new(void)
{
    struct hashes *h = calloc(1, sizeof *h);

    if (!h) {
        return NULL;
    }
    h->capacity = 2048;
    h->entries = calloc(h->capacity, sizeof *h->entries);
    if (!h->entries) {
        free(h);
        return NULL;
    }
    return h;
}

void hashes_free(struct hashes *h)
{
    if (!h) {
        return;
    }
    for (size_t i = 0; i < h->capacity; i++) {
        free(h->entries[i].path);
    }
    free(h->entries);
    free(h);
}

void hashes_refresh(struct hashes *h)
{
    h->generation++;
}

static struct entry *place(struct entry *entries, size_t capacity, const char *path)
{
    size_t i = (size_t)XXH3_64bits(path, strlen(path)) & (capacity - 1);

    while (entries[i].path && strcmp(entries[i].path, path) != 0) {
        i = (i + 1) & (capacity - 1);
    }
    return &entries[i];
}

static int grow(struct hashes *h)
{
    size_t capacity = h->capacity * 2;
    struct entry *entries = calloc(capacity, sizeof *entries);

    if (!entries) {
        return -1;
    }
    for (size_t i = 0; i < h->capacity; i++) {
        if (h->entries[i].path) {
            *place(entries, capacity, h->entries[i].path) = h->entries[i];
        }
    }
    free(h->entries);
    h->entries = entries;
    h->capacity = capacity;
    return 0;
}

static bool is_current(const struct entry *e, const struct stat *st)
{
    return e->dev == st->st_dev && e->ino == st->st_ino && e->size == st->st_size &&
           memcmp(&e->modified, &st->st_mtim, sizeof e->modified) == 0 &&
           memcmp(&e->changed, &st->st_ctim, sizeof e->changed) == 0;
}

static void take_later(struct timespec *newest, struct timespec t)
{
    if (t.tv_sec > newest->tv_sec || (t.tv_sec == newest->tv_sec && t.tv_nsec > newest->tv_nsec)) {
        *newest = t;
    }
}

/* Read the file and put its hash in its entry, which is made when it is new. */
static struct entry *read_into(struct hashes *h, struct entry *e, const char *path)
{
    XXH128_hash_t hash;
    size_t nbytes;
    char *text = file_read(path, STORE_SOURCE_MAX, &nbytes, NULL);

    if (!text) {
        return NULL;
    }
    hash = XXH3_128bits(text, nbytes);
    free(text);
    if (!e->path) {
        if (h->n * 2 >= h->capacity && grow(h) < 0) {
            return NULL;
        }
        e = place(h->entries, h->capacity, path);
        e->path = strdup(path);
        if (!e->path) {
            return NULL;
        }
        h->n++;
    }
    e->key = (struct key){.high = hash.high64, .low = hash.low64};
    return e;
}

int hashes_file(struct hashes *h, const char *path, struct key *key, struct timespec *newest)
{
    struct entry *e = place(h->entries, h->capacity, path);
    struct stat st;

    if (!e->path || e->generation != h->generation) {
        if (stat(path, &st) < 0) {
            return -1;
        }
        if (!e->path || !is_current(e, &st)) {
            e = read_into(h, e, path);
            if (!e) {
                return -1;
            }
            e->dev = st.st_dev;
            e->ino = st.st_ino;
            e->size = st.st_size;
            e->modified = st.st_mtim;
            e->changed = st.st_ctim;
        }
        e->generation = h->generation;
    }
    *key = e->key;
    if (newest) {
        take_later(newest, e->modified);
        take_later(newest, e->changed);
    }
    return 0;
}

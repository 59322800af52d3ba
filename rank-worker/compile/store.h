/*
 * store - the directory in which compiled objects are kept, by content.
 *
 * Layout under <store>/v1 (docs/formats.md, "The object store"):
 *   objects/<2 hex>/<32 hex>.so   a compiled object, named after everything that decided its bytes
 *   headers/<2 hex>/<32 hex>      which headers a source with these flags read last time
 *   pch/<2 hex>/<32 hex>.pch      a precompiled header
 *   golden/<2 hex>/<32 hex>.json, .<n>.npy   what golden.py computed
 *   recordings/<2 hex>/<32 hex>   what host_orch.py submitted
 *   tools/<2 hex>/<32 hex>        what was found out about a compiler
 *   wanted/<32 hex>               precompiled headers that a compile did without (headers_later.h)
 *   locks/<3 hex>                 flock'd while an object of that name is being made
 *   locks/store                   flock'd while entries are put on a list of users/, or removed
 *   users/<pid>-<random>          what a living process has looked up or made, one a line; flock'd by it
 *   counts                        look-ups, and how many found an object
 *   tmp/<host>-<pid>-<random>/    what is being written; left by a killed process until the next one tidies up
 *
 * A file appears under its name only when it is whole, by rename, and is never written again (store_entry.h: what is
 * found there may be something else all the same), so that any
 * number of processes may use one store at once and any of them may be killed at any time. Entries are removed
 * by store_trim() alone, which leaves what a living process uses. The whole directory may be deleted while no replay
 * runs.
 */
#ifndef L3R_RANK_WORKER_COMPILE_STORE_H
#define L3R_RANK_WORKER_COMPILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

/* Bytes of a source or header that are still taken for one. */
enum { STORE_SOURCE_MAX = 64 << 20 };

/* 128 bits of content hash. */
struct key {
    uint64_t high, low;
};

static inline bool key_equal(struct key a, struct key b)
{
    return a.high == b.high && a.low == b.low;
}

/* Hashing piece by piece; strings are taken with their length, so that pieces do not run into each other. */
struct hasher;
struct hasher *hasher_new(void); /* NULL: no memory */
void hasher_bytes(struct hasher *h, const void *data, size_t nbytes);
void hasher_text(struct hasher *h, const char *text);
void hasher_key(struct hasher *h, struct key key);
struct key hasher_end(struct hasher *h); /* frees it */

struct store {
    char *root;      /* <store>/v1 */
    char *tmp;       /* directory of this process below tmp/; also TMPDIR of the compilers */
    bool is_private; /* a directory of our own under $TMPDIR, removed at exit */
};

/* Open the store: $L3REPLAY_CACHE_DIR, else $XDG_CACHE_HOME/l3replay, else ~/.cache/l3replay, made when
 * missing. When it cannot be written, has hardly any room, may not be executed from, or another user owns it or can write
 * there (directory_check_ours()), one line says so and a private directory under $TMPDIR serves this process alone. */
int store_open(struct store *s, struct error *err);

/* <store>/v1 of the store that store_open() tries first, malloc'd; NULL: there is none. Makes nothing. */
char *store_default_root(void);

/* Remove this process's tmp/ directory and free. */
void store_close(struct store *s);

/* Path of an entry: kind is "objects", "headers", "pch", "golden", "recordings" or "tools",
 * suffix ".so" or the like. malloc'd; NULL:
 * no memory. */
char *store_path(const struct store *s, const char *kind, struct key key, const char *suffix);

/* Move a finished file to its place, read-only for those who may read `from`, instead of what was there. Nobody waits for
 * the disk: a host that goes down may leave a sealed file cut, which counts as not there. What has no seal is `synced`. */
int store_publish(const char *from, const char *to, bool synced, struct error *err);

/* Write `text` to a file of the store in the same way. */
int store_write(const struct store *s, const char *to, const char *text, size_t nbytes, struct error *err);

/* The same with a seal behind it (store_entry.h); store_kept_text() reads it. */
int store_keep_text(const struct store *s, const char *to, const char *text, size_t nbytes, struct error *err);

/* Take the lock under which `key` is made, without waiting: a descriptor, STORE_LOCK_BUSY when another (of this
 * process or another one) holds it, -1 on error. Keys share locks: busy may mean that something else is being
 * made. */
enum { STORE_LOCK_BUSY = -2 };
int store_lock(const struct store *s, struct key key, struct error *err);
void store_unlock(int fd);

#endif

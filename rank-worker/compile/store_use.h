/*
 * store_use - which entries of the store running processes still need.
 *
 * Each process keeps a list of what it has looked up or made, in a file below users/ that it holds locked for as long
 * as it lives; the kernel releases the lock however it ends. Trimming (store_trim.h) removes nothing that is on the
 * list of a living process, and reads the lists while it holds the lock of the store, which every entry is listed
 * under: so an entry that was listed before it was looked for stays until the process ends.
 */
#ifndef L3R_RANK_WORKER_COMPILE_STORE_USE_H
#define L3R_RANK_WORKER_COMPILE_STORE_USE_H

#include "common/base/args.h"
#include "rank-worker/compile/store.h"

/* Put the entry at `path` (of store_path()) on this process's list, whether it is there or not, and mark it as used
 * now. -1 with `err` when that cannot be done within 10 s. Not for several threads at once. */
int store_use(const struct store *s, const char *path, struct error *err);

/* The same, and the time of the entry stays: whoever has it open may watch that nobody writes to it. */
int store_hold(const struct store *s, const char *path, struct error *err);

/* Look-ups so far, in all processes. */
struct store_counts {
    uint64_t lookups, hits;
};

/* Add to them. What cannot be counted is not: nothing depends on it. */
void store_count(const struct store *s, struct store_counts more);
struct store_counts store_counts_read(const struct store *s);
void store_counts_clear(const struct store *s);

/* Take the lock of the store, shared or for oneself, within 10 s: a descriptor for store_unlock(), -1 with `err`. With
 * `*unlocked` set the file system has no locks. */
int store_lock_all(const struct store *s, bool alone, bool *unlocked, struct error *err);

/* The names of entries ("objects/ab/....so") on the lists of living processes, sorted, to be freed with
 * args_free(). The lists of others are removed. The lock must be held alone. */
int store_names_read(const struct store *s, struct args *names, struct error *err);
bool store_names_have(const struct args *names, const char *name);

#endif

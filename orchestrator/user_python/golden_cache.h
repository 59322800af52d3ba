/*
 * golden_cache - arrays that golden.py or debug/run.py computed, kept in the object store for the next replay.
 *
 * An entry (docs/formats.md, "Results of golden.py") has a text that says what decided it, and a .npy file for each array.
 * It is found by a key of what is known before Python runs, and counts only while the files that the code read or imported
 * are what they were. Where the store cannot be used nothing is kept.
 */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_CACHE_H
#define L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_CACHE_H

#include <stdbool.h>
#include <time.h>

#include "common/base/args.h"
#include "common/base/json.h"
#include "rank-worker/compile/store.h"

struct golden_cache {
    struct store store;
    bool usable;
    uint64_t limit;        /* bytes that one entry may take; 0: any */
    struct timespec begun; /* what changed since then may not be what the code read */
};

/* What an entry holds. */
struct golden_entry {
    cJSON *about;       /* what its writer said of it: an object */
    struct args files;  /* that decided it */
    struct args arrays; /* paths of the .npy files, in the writer's order */
};

void golden_entry_free(struct golden_entry *e); /* a zeroed one is fine */

/* -1 with `err` only for a limit ($L3REPLAY_CACHE_MAX) that is no size, or without memory. */
int golden_cache_open(struct golden_cache *c, struct error *err);
void golden_cache_close(struct golden_cache *c); /* a zeroed one is fine */

/* Whether there is an entry of `narray` arrays, whole and still true; then `out` is filled. What is damaged is none. */
bool golden_cache_find(struct golden_cache *c, struct key key, size_t narray, struct golden_entry *out);

/* Keep the arrays in `fds` (whole .npy files). `about` as text of a JSON object. A failure is logged: the replay needs
 * nothing of it. */
void golden_cache_keep(struct golden_cache *c, struct key key, const char *about, const struct args *files,
                       const int *fds, size_t narray);

#endif

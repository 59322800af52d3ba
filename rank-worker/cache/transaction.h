/*
 * transaction - putting one program's binaries and their stamp into the build, as one step that other tools see whole or
 * not.
 *
 * Between begin and commit the caller holds the lock of the stack and
 * there is no stamp: a process that ends in between leaves binaries that every tool deletes.
 */
#ifndef L3R_RANK_WORKER_CACHE_TRANSACTION_H
#define L3R_RANK_WORKER_CACHE_TRANSACTION_H

#include <stdint.h>

#include "rank-worker/cache/stamp.h"

struct cache_transaction {
    char *dir;
    const struct cache_identity *identity; /* the caller's */
    int lock;
    struct stamp_verdict verdict; /* reason STAMP_CURRENT: what is in cache/ may be used */
    uint32_t removed;             /* binaries deleted because the stamp was not current */
};

/* Lock program directory `dir` of the build `root` (resolved), compare its stamp, delete the stamp, and the binaries
 * too unless it was current. `identity` must outlive the transaction. */
int cache_begin(struct cache_transaction *t, const char *root, const char *dir, const struct cache_identity *identity,
                bool forced, int lock_timeout, struct error *err);

/* Every binary is there: write the stamp and unlock. Ends the transaction also when it fails. */
int cache_commit(struct cache_transaction *t, struct error *err);

/* Unlock without a stamp. Does nothing after a commit or a failed begin. */
void cache_abort(struct cache_transaction *t);

#endif

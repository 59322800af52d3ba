/*
 * stamp - cache/binary_context.json: what the binaries of a program were built for.
 *
 * Binaries may be used only where the stamp equals today's identity in full. The stamp is deleted before
 * compiling starts and written after the last binary, so that an interrupted compile leaves none. All of it happens
 * under LOCK_BINARIES_FILE. Format: docs/formats.md, "The stamp of binaries".
 */
#ifndef L3R_RANK_WORKER_CACHE_STAMP_H
#define L3R_RANK_WORKER_CACHE_STAMP_H

#include <stdbool.h>

#include "common/base/error.h"
#include "rank-worker/compile/identity.h"

#define STAMP_FILE "cache/binary_context.json"

enum stamp_reason {
    STAMP_CURRENT = 0, /* the binaries may be used */
    STAMP_FORCED,
    STAMP_REVISION_UNKNOWN,
    STAMP_NONE,
    STAMP_DAMAGED,
    STAMP_DIFFERS,
};

struct stamp_verdict {
    enum stamp_reason reason;
    char text
        [256]; /* for people: "forced", "no stamp", "platform a2a3 -> a2a3sim", "the stamp is damaged: (why)", ... */
};

/* Compare the stamp of program directory `dir` with `identity`; `forced`: rebuild whatever it says. Whatever cannot
 * be read is not current. */
void stamp_check(const char *dir, const struct cache_identity *identity, bool forced, struct stamp_verdict *out);

/* Delete it; one that is not there is fine. */
int stamp_discard(const char *dir, struct error *err);

/* Write it, whole or not at all; cache/ must exist. Writes nothing when a revision is not known. */
int stamp_write(const char *dir, const struct cache_identity *identity, struct error *err);

#endif

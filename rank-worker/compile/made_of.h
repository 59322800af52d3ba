/*
 * made_of - what an object was made of: the content of its source and of every header that the compiler read.
 *
 * Contents are those of the bytes that were compiled: they are hashed when a compile or a look-up in the store reads
 * them, and never later.
 */
#ifndef L3R_RANK_WORKER_COMPILE_MADE_OF_H
#define L3R_RANK_WORKER_COMPILE_MADE_OF_H

#include <stdbool.h>

#include "common/base/args.h"
#include "rank-worker/compile/store.h"

struct made_of {
    bool known; /* false: nothing is known about it, the rest is empty */
    struct key source;
    struct args headers;  /* "./..." is below the directory of the source, any other path is absolute; sorted */
    struct key *contents; /* one a header */
};

/* Path of header `i` for a source in directory `dir`; malloc'd, NULL: no memory. */
char *made_of_path(const struct made_of *m, size_t i, const char *dir);

/* A copy for the caller to free. -1 without memory; made_of_free() is fine then too. */
int made_of_copy(const struct made_of *from, struct made_of *to);

/* Both are known, and name the same contents. */
bool made_of_equal(const struct made_of *a, const struct made_of *b);

void made_of_free(struct made_of *m); /* a zeroed struct is fine */

#endif

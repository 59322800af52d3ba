/*
 * subbuilds - the directories of a build that hold programs.
 *
 * An L2 build is one such directory; an L3 build has its root (which may hold left-overs) and every directory
 * of next_levels/, and so has the parent of several L2 builds. Splice and invalidation treat them all alike. Format: docs/formats.md, "Build directory".
 */
#ifndef L3R_RANK_WORKER_CACHE_SUBBUILDS_H
#define L3R_RANK_WORKER_CACHE_SUBBUILDS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

struct subbuild {
    char *path;   /* absolute */
    char *prefix; /* what to put before a path in it to name it from the root: "" or "next_levels/<name>/" */
};

struct subbuilds {
    char *root;             /* absolute, symbolic links resolved */
    struct subbuild *items; /* the root, then the others by name */
    size_t count, capacity;
};

/* List those of `build`. What lies outside the build (a symbolic link out of it) is left out with a note. A directory
 * that is no build is an error. */
int subbuilds_list(const char *build, struct subbuilds *out, struct error *err);
void subbuilds_free(struct subbuilds *s);

/* Where the existing `path` really is, when that is inside `root` (resolved): in `*real`, to be freed. NULL there when it
 * does not exist or is outside. -1 when memory is short. */
int subbuilds_resolve(const char *root, const char *path, char **real, struct error *err);

#endif

/*
 * directory - what is in a directory, and the removal of one with all that is in it.
 *
 * Failures leave errno, and the caller says what it wanted the directory for.
 * And whether other users can change it.
 */
#ifndef L3R_COMMON_BASE_DIRECTORY_H
#define L3R_COMMON_BASE_DIRECTORY_H

#include <stdbool.h>

#include "common/base/args.h"
#include "common/base/error.h"

/* Add to `names` those in the directory `path` that `wanted` accepts (NULL: all), but "." and "..", in the order of
 * their bytes. -1 with errno, and then nothing is added, and nothing is to be freed that was not before. */
int directory_list(const char *path, bool (*wanted)(const char *name), struct args *names);

struct directory_remove {
    const char *spared; /* a name directly below `path` that stays, and `path` with it; NULL: none */
    bool go_on;         /* what cannot be removed does not end the removal */
    bool one_device;    /* other file systems below `path` are left alone */
};

/* Remove `path` and all below it. Symbolic links are removed, not followed. `how` may be NULL: nothing is spared, and
 * the first failure is the end. -1 with errno of the first failure, ENOENT where `path` is not there. */
int directory_remove(const char *path, const struct directory_remove *how);

/* Can only this user and root change what is in the directory `path`? 0, or -1 with `err` filled: another user owns it,
 * or may write there (a group that is this user's alone does not count). With `sticky` a directory in which everybody may make names, but nobody removes those of others
 * (/tmp), is fine too. $L3REPLAY_CACHE_SHARED=1 says that the other users are trusted: then every directory is. */
int directory_check_ours(const char *path, bool sticky, struct error *err);

/* Make a directory and those above it, as the umask says but so that directory_check_ours() takes it. */
int directory_make_ours(const char *path, struct error *err);

#endif

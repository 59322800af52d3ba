/*
 * private_dir - a directory that only this user can enter, for as long as this process lives.
 *
 * It is made below a directory that many may use ($TMPDIR), with a name that nobody can guess, and it holds a lock. What
 * killed processes of this user left under the same prefix is removed before a new one is made.
 */
#ifndef L3R_COMMON_BASE_PRIVATE_DIR_H
#define L3R_COMMON_BASE_PRIVATE_DIR_H

#include "common/base/error.h"

struct private_dir {
    char *path, *lock; /* NULL: there is none */
    int fd;            /* open on it */
    int lock_fd;       /* locked as long as this process lives */
};

#define PRIVATE_DIR_NONE {.fd = -1, .lock_fd = -1}

/* Make "<base>/<prefix>XXXXXX", mode 0700; `prefix` ends in what separates it from the random part. Sweeps `base` of
 * dead ones before. Fails where another user could exchange what is in `base` (directory_check_ours()). */
int private_dir_make(struct private_dir *d, const char *base, const char *prefix, struct error *err);

/* The same in $TMPDIR, or in /tmp when that is not set. */
int private_dir_make_temporary(struct private_dir *d, const char *prefix, struct error *err);

/* Remove it with everything in it. Nothing for one that is not there. */
void private_dir_remove(struct private_dir *d);

/* Remove all that this process has, for a process that ends at once. Uses only what is safe in a signal handler. */
void private_dir_remove_all(void);

#endif

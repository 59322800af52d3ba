/*
 * outbox_dir - the directory of an outbox: made, locked, removed; and those that killed processes left, removed.
 */
#ifndef L3R_ORCHESTRATOR_GATHER_OUTBOX_DIR_H
#define L3R_ORCHESTRATOR_GATHER_OUTBOX_DIR_H

#include "common/base/error.h"

struct outbox_dir {
    char *path, *lock;
    int fd;      /* open on it */
    int lock_fd; /* locked as long as this process lives */
};

/* Make one below `base`, and sweep `base` of this user's dead ones before. */
int outbox_dir_make(struct outbox_dir *d, const char *base, struct error *err);

/* Remove it with everything in it. */
void outbox_dir_remove(struct outbox_dir *d);

#endif

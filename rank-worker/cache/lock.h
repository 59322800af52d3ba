/*
 * lock - locks in a build directory that processes of any tool may hold.
 *
 * Each is an flock on a file that is made when it is missing and never removed: removing it would let two
 * processes lock different files. A lock goes with the process that holds it, however that ends. Which
 * files: docs/formats.md, "Locks of a build".
 */
#ifndef L3R_RANK_WORKER_CACHE_LOCK_H
#define L3R_RANK_WORKER_CACHE_LOCK_H

#include "common/base/error.h"

#define LOCK_BUILD_FILE ".l3replay.lock"                /* in the build's root; held over a splice */
#define LOCK_BINARIES_FILE "cache/.binary_context.lock" /* in a program's directory; the stack's */

/* Take the lock on `path` alone; its directory must exist. While another process holds it this waits, and says
 * once that it does; after `timeout` seconds (0: no limit) that is an error. Returns a descriptor (close-on-exec)
 * for lock_release(), or -1. */
int lock_take(const char *path, int timeout, struct error *err);
void lock_release(int fd);

#endif

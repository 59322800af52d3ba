/*
 * lock - locks that processes of any tool may hold.
 *
 * Each is an flock on a file or directory; where a file is only there for its lock, it is made when it is missing and
 * never removed: removing it would let two processes lock different files. A lock goes with the process that holds it,
 * however that ends.
 */
#ifndef L3R_COMMON_BASE_LOCK_H
#define L3R_COMMON_BASE_LOCK_H

#include <stdbool.h>

#include "common/base/error.h"

/* Lock what `fd` has open, `alone` or together with others that are not alone. Does not wait. 1: locked, until `fd` is
 * closed or lock_release() is called; 0: another process holds it; -1 with errno: it cannot be locked, which some file
 * systems do not allow. */
int lock_try(int fd, bool alone);

/* Take the lock on the file `path` alone; its directory must exist. While another process holds it this waits, and says
 * once that it does; after `timeout` seconds (0: no limit) that is an error. Returns a descriptor (close-on-exec)
 * for lock_release(), or -1. */
int lock_take(const char *path, int timeout, struct error *err);

/* Unlock and close; nothing for -1. */
void lock_release(int fd);

#endif

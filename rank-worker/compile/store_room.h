/*
 * store_room - whether a directory can serve as an object store: objects are executed from it, and need room.
 */
#ifndef L3R_RANK_WORKER_COMPILE_STORE_ROOM_H
#define L3R_RANK_WORKER_COMPILE_STORE_ROOM_H

#include "common/base/error.h"

/* Look at `tmp`, the directory of this process in the store `base`. -1 with `err` filled: nothing can be executed there,
 * or there is hardly room for a single object. A little is written and removed: quotas show only then. */
int store_room_check(const char *tmp, const char *base, struct error *err);

#endif

/*
 * spawn - start a child with pipes to its stdin and from its stdout.
 *
 * The child leads a process group of its own or stays in that of its parent (whose end by its own parent then takes
 * the child's children along), dies when the thread that started
 * it does (PR_SET_PDEATHSIG; its own children then live on), starts with no
 * signal blocked, none handled and SIGPIPE not ignored, and shares stderr and
 * every other descriptor that is not close-on-exec.
 */
#ifndef L3R_COMMON_BASE_SPAWN_H
#define L3R_COMMON_BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/error.h"

struct spawned {
    pid_t pid;
    int to;   /* its stdin; non-blocking, close-on-exec */
    int from; /* its stdout; non-blocking, close-on-exec */
    bool own_group;
};

/* Start argv[0], looked up on PATH. Returns 0; -1 with `err` filled when there is no such program or no process. */
int spawn_start(struct spawned *s, const char *const *argv, bool own_group, struct error *err);

/* Whether the child is there no more; it stays to be reaped. */
bool spawn_has_ended(const struct spawned *s);

/* Close the pipes; kill the child and its own process group first when `kill_it`. Reaps it and returns its wait status,
 * -1 when unknown. */
int spawn_finish(struct spawned *s, int kill_it);

#endif

/*
 * sub_worker_files - the host callbacks that a build brings or asks for.
 *
 * sub_workers/<name>.py defines one; sub_workers/__required__.json lists those
 * that have no body and must be bound for a run. Source: docs/formats.md,
 * "Sub-workers".
 */
#ifndef L3R_ORCHESTRATOR_OPEN_SUB_WORKER_FILES_H
#define L3R_ORCHESTRATOR_OPEN_SUB_WORKER_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

struct sub_worker {
    char *name;
    char *file;    /* of the build; NULL: there is none */
    bool required; /* whatever its file holds only says that it must be bound */
};

struct sub_workers {
    size_t count, capacity;
    struct sub_worker *items; /* sorted by name */
};

/* List those of the build directory `dir`; a build without the directory has none. `out` needs no
 * initialisation; on failure nothing is left in it. */
int sub_workers_open(const char *dir, struct sub_workers *out, struct error *err);
void sub_workers_free(struct sub_workers *s); /* a zeroed struct is fine */

/* NULL when there is none of this name. */
const struct sub_worker *sub_workers_find(const struct sub_workers *s, const char *name);

#endif

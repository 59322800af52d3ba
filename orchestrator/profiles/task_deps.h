/*
 * task_deps - deps.json: the graph of the tasks of one dispatch.
 *
 * Format: docs/formats.md, "Profiles of a dispatch". It holds what the swimlane records lack: which function a task
 * runs, and which task waits for which.
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_TASK_DEPS_H
#define L3R_ORCHESTRATOR_PROFILES_TASK_DEPS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/error.h"

struct deps_task {
    uint64_t id;
    int64_t kernel_ids[3]; /* aic, aiv0, aiv1; -1: none */
    uint64_t nblock;       /* each runs those kernels; 1 when the file does not say */
};

struct deps_edge {
    uint64_t pred, succ; /* task ids */
    char source[12];     /* "tensormap", "creator", "explicit" */
};

struct task_deps {
    struct deps_task *tasks; /* by id */
    size_t ntask, task_capacity;
    struct deps_edge *edges; /* as in the file, each pair once */
    size_t nedge, edge_capacity;
};

/* As swimlane_read(): faults of a readable file become notes. The caller frees `d` in every case. */
int task_deps_read(const char *path, struct task_deps *d, struct notes *notes, struct error *err);
void task_deps_free(struct task_deps *d); /* a zeroed struct is fine */

/* The entry of task `id`; NULL: none. */
const struct deps_task *task_deps_find(const struct task_deps *d, uint64_t id);

/* Kernel calls that the tasks make: blocks times kernels, added up. At most UINT64_MAX. */
uint64_t task_deps_calls(const struct task_deps *d);

/* The function that task `id` ran on a core of `core_type` (enum of swimlane.h); -1: not known. A task on both kinds of
 * cores has one each; of two vector functions the first is meant, since the records do not show which of the two a core
 * ran. */
int64_t task_deps_function(const struct task_deps *d, uint64_t id, int core_type);

#endif

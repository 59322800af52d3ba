/*
 * dfx_read - a directory of profiles: rank<r>/d<k>/ with the files of one dispatch each, or the files of one dispatch.
 *
 * Formats: docs/formats.md, "Profiles of a dispatch" and "l3_run.json". The directory may have been written by l3replay
 * or by the Python replay. Any file may be missing, cut short or of another version: that is said in the notes of the
 * dispatch (what is missing, by dfx_missing.h), and everything else is still read. Dispatches are loaded one at a time,
 * since the records of a long run do not fit in memory together.
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_DFX_READ_H
#define L3R_ORCHESTRATOR_PROFILES_DFX_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/error.h"
#include "common/segment/dfx.h"
#include "orchestrator/profiles/swimlane.h"
#include "orchestrator/profiles/task_deps.h"

/* Dispatches of compiler-made collectives have no k: the i-th of a card is d<k> with k = DFX_OTHER + i, and its
 * directory is c<i>. */
#define DFX_OTHER UINT32_C(0x80000000)

/* For the last two of DFX_DISPATCH: 'd', k or 'c', i. */
#define DFX_SLOT(k) ((k) & DFX_OTHER ? 'c' : 'd'), ((k) & ~DFX_OTHER)

struct dfx_entry {
    uint32_t rank, k;
    char *path;
};

struct dfx_list {
    char *dir;                 /* the directory that holds rank<r>/ */
    struct dfx_entry *entries; /* by rank, then k */
    size_t count, capacity;
    struct notes notes; /* directories that could not be read */
};

/* Name of a function id. */
struct dfx_name {
    int64_t id;
    char *name;
};

struct dfx_dispatch {
    uint32_t rank, k;
    char *program; /* NULL: not known */
    struct dfx_name *names;
    size_t nname, name_capacity;
    bool has_records, has_deps, has_names, has_pmu;
    bool no_graph; /* deps.json was read whole, and has no tasks */
    struct swimlane records;
    struct task_deps deps;
    struct notes notes; /* what is wrong; after dfx_missing_warn() also what is missing */
};

/* Find the dispatches below `dir`: in its own rank<r>/, else the one whose files lie in `dir` itself (an L2 build's: d0 of
 * rank 0), and where there are none in its dfx_outputs/. A directory rank<r> or d<k> that cannot be read becomes a note. -1 when there is no dispatch to read. */
int dfx_list_read(const char *dir, struct dfx_list *list, struct error *err);
void dfx_list_free(struct dfx_list *list);

/* Is there a directory for dispatch `k` of card `rank`? */
bool dfx_list_has(const struct dfx_list *list, uint32_t rank, uint32_t k);

/* Read one, with names that are safe to print (clean_name.h); -1 only when memory runs out. The caller frees
 * `d` in every case. */
int dfx_load(const struct dfx_entry *entry, struct dfx_dispatch *d, struct error *err);
void dfx_free(struct dfx_dispatch *d); /* a zeroed struct is fine */

/* Function of a task's row; -1: not known. */
int64_t dfx_function(const struct dfx_dispatch *d, const struct swim_task *task);

/* Name of a task's kernel in `buf`: its name, "func_<id>" when the program's names are not known, "task" when its
 * function is not known either. Never guessed. */
const char *dfx_kernel_name(const struct dfx_dispatch *d, const struct swim_task *task, char *buf, size_t size);

#endif

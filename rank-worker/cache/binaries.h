/*
 * binaries - the objects of a program in the places where the stack keeps them.
 *
 * cache/ holds a .bin a kernel and one for the orchestration; beside each source lies the same object as .so.
 * Names: docs/formats.md, "Binaries in a build". The caller holds the program's lock (transaction.h).
 */
#ifndef L3R_RANK_WORKER_CACHE_BINARIES_H
#define L3R_RANK_WORKER_CACHE_BINARIES_H

#include <time.h>

#include "common/base/error.h"
#include "common/plan/program_table.h"
#include "rank-worker/compile/compile.h"

/* Copy `objects` of `program` to their places; each file appears whole, and bears the time `read_at`, or an earlier one
 * when sources or headers that it does not contain are older. What they were made of is noted (made_file.h). Kernels whose
 * source lies outside of the build get none: their name would have to identify their content. */
int binaries_install(const struct program *program, const struct compiled_program *objects, const char *platform,
                     struct timespec read_at, struct error *err);

/* The binaries in cache/, when every one of them is there, and what they were made of where that is known: to be freed by
 * compiled_program_free(). 1 found, 0 not (then `out` is empty), -1 out of memory. */
int binaries_find(const struct program *program, const char *platform, struct compiled_program *out, struct error *err);

/* Whether the binaries in cache/ have the content of `objects` and are known to be made of the same: 1, 0; -1 out of
 * memory. */
int binaries_hold(const struct program *program, const struct compiled_program *objects, const char *platform,
                  struct error *err);

#endif

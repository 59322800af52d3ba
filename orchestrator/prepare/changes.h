/*
 * changes - which sources differ, by content, from those of the last replay of a build.
 *
 * So that "I edited, and nothing changed" is answered: a run reports what it ran that the one before did not. The
 * last replay's hashes lie in `.l3replay.last` of the build (docs/formats.md, "Last replay"); a build
 * that cannot be written to has none.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_CHANGES_H
#define L3R_ORCHESTRATOR_PREPARE_CHANGES_H

#include "common/base/error.h"
#include "common/plan/program_table.h"
#include "rank-worker/compile/compile.h"

/* Compare the sources of the programs that `compiled` has objects of with the last replay of `build_dir`, log what
 * differs, and remember them for the next. */
int changes_tell(const char *build_dir, const struct program_table *programs, const struct compiled *compiled,
                 struct error *err);

#endif

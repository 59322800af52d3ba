/*
 * dump_read - args_dump/args_dump.json of a dispatch: whether the bytes that it lists are there.
 *
 * Format: docs/formats.md, "args_dump". Nothing of the arguments themselves is read.
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_DUMP_READ_H
#define L3R_ORCHESTRATOR_PROFILES_DUMP_READ_H

#include "common/base/array.h"
#include "common/base/error.h"

/* `dir` is the dispatch's. What is wrong becomes a note; a dispatch without a dump has none. -1 only when memory runs
 * out. */
int dump_check(const char *dir, struct notes *notes, struct error *err);

#endif

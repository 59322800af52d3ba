/*
 * failures - the sources that did not compile, reported once all others are through: each once and whole, in the order
 * of the programs.
 */
#ifndef L3R_RANK_WORKER_COMPILE_FAILURES_H
#define L3R_RANK_WORKER_COMPILE_FAILURES_H

#include "rank-worker/compile/units.h"

/* Log the command and the compiler's messages of each failed one of n sources, unless `quiet`, and fill `err` with the
 * first of them and how many there are. 0 when none failed, else -1. */
int failures_report(const struct unit *sources, size_t n, const struct unit_env *env,
                    const struct program_table *programs, bool quiet, struct error *err);

#endif

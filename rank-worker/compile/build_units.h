/*
 * build_units - compiling the units that the store does not have, several at once.
 */
#ifndef L3R_RANK_WORKER_COMPILE_BUILD_UNITS_H
#define L3R_RANK_WORKER_COMPILE_BUILD_UNITS_H

#include "rank-worker/compile/units.h"

/* Sources found in the store at the start, and objects made since then, by this process or another one that compiles
 * along. */
struct build_counts {
    uint32_t built, reused;
};

/* Bring all units to UNIT_DONE or UNIT_FAILED; the return value is -1 only when
 * building itself went wrong (a full disk, no more processes). Precompiled headers are not counted. What failed is
 * reported by failures.h. */
int build_units(struct unit *units, size_t n, const struct unit_env *env, int jobs, bool quiet,
                struct build_counts *counts, struct error *err);

#endif

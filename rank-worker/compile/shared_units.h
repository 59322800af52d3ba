/*
 * shared_units - the objects that every orchestration of a runtime is linked with: compiled once, and kept in the store.
 */
#ifndef L3R_RANK_WORKER_COMPILE_SHARED_UNITS_H
#define L3R_RANK_WORKER_COMPILE_SHARED_UNITS_H

#include "rank-worker/compile/units.h"

/* Have the object of each source of env->stack->shared in env->shared, found in the store or compiled with up to `jobs` at
 * once. A source that does not compile is INFRA with the compiler's words. */
int shared_units_build(struct unit_env *env, int jobs, bool quiet, struct error *err);

#endif

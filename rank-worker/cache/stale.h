/*
 * stale - whether binaries that run as they lie in the build are made of what sources and headers are now.
 *
 * Decided by content where it is known what a binary was made of (made_file.h), so that a source that was put back with an
 * older time is noticed, and one that was touched is not. Where it is not known, times have to do.
 */
#ifndef L3R_RANK_WORKER_CACHE_STALE_H
#define L3R_RANK_WORKER_CACHE_STALE_H

#include "common/base/error.h"
#include "common/plan/program_table.h"
#include "rank-worker/compile/compile.h"

/* Log a warning for each source and each header that is not what the binaries of `p` were made of, and one when that is
 * not known of some of them. -1 without memory. */
int stale_warn(const struct program *p, const struct compiled_program *binaries, struct error *err);

#endif

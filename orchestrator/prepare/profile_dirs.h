/*
 * profile_dirs - the directories of a run's profiles, and the two files in each that say what ran there.
 *
 * The profiles themselves are written by the devices. Formats: docs/formats.md, "Profiles".
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_PROFILE_DIRS_H
#define L3R_ORCHESTRATOR_PREPARE_PROFILE_DIRS_H

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/plan/program_table.h"
#include "common/segment/dfx.h"
#include "orchestrator/open/build_info.h"

struct dfx_options {
    struct dfx dfx;  /* as typed; `dir` is not set */
    const char *dir; /* --dfx-dir; NULL: <build>/dfx_outputs */
    bool stream;     /* --gather stream */
    bool deprecated; /* an old spelling was used */
};

/* What the run captures, in `out` with its directory; all zero when nothing is asked for. Fails when another run has
 * the directory, which is this run's until `*lock_fd` is closed (-1: nothing is captured). Removes what an earlier run
 * left in it (rank<r>/d<k> and rank<r>/c<i>, nothing else), and makes the directory of every dispatch with
 * dispatch_program.json and name_map.json. Says once what these profiles do not hold. */
int dfx_open(struct dfx *out, int *lock_fd, const struct dfx_options *options, const struct build *build,
             const struct plan *plan, const struct program_table *programs, struct error *err);

/* Remove what executors that were killed had not written to its end. For when none of the job writes any more. */
int dfx_remove_unfinished(const struct dfx *dfx, struct error *err);

#endif

/*
 * changes - what of all that decides what a replay does differs, by content, from the last replay of a build.
 *
 * So that "I edited, and nothing changed" is answered: a run reports what it ran that the one before did not. What the
 * last one ran lies in `.l3replay.last` of the build (inventory.h); a build that cannot be written to has none. Found and
 * kept before the first kernel runs, so that a run that is killed is the last one as well; reported beside the verdict.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_CHANGES_H
#define L3R_ORCHESTRATOR_PREPARE_CHANGES_H

#include "orchestrator/prepare/inventory_take.h"

struct changes {
    bool compared;       /* there was a replay to compare with */
    bool old_binaries;   /* --no-recompile: what ran may not be what the sources are */
    struct args changed; /* one text each, "kernel p/add.cpp, through its header tile.h" */
    struct args unknown; /* what could not be compared, and why */
};

/* Compare the replay that is about to run with the last one, and remember it for the next. */
int changes_find(struct changes *out, const struct run_options *options, const struct prepared *p, struct error *err);
void changes_free(struct changes *c); /* a zeroed struct is fine */

/* The part that compares: `before` and `now` are sorted. `programs` and `compiled` are what `now` was taken from. */
int changes_compare(struct changes *out, const struct inventory *before, const struct inventory *now,
                    const struct build *build, const struct program_table *programs, const struct compiled *compiled,
                    struct error *err);

/* Log it. Nothing when there was no replay to compare with. */
void changes_report(const struct changes *c);

#endif

/*
 * passes - how often the plan runs, and with which profiles each time.
 *
 * Recording the task graph (dep-gen) disturbs the times that the swimlane shows. On hardware they are therefore taken
 * apart: the whole plan runs once for the graph and once for everything else. Each pass is a run of its own, over the
 * same bytes at the start, so that both compute the same, and into the same directories of dispatches. What the
 * segment holds at the end is that of the last pass. Reasons: docs/decisions.md, "Two passes".
 *
 * A replay that is repeated (--repeat) is passes too, all alike and without profiles; there they are called runs. Two builds that are compared (`l3replay ab`) run in passes
 * until enough is known.
 */
#ifndef L3R_ORCHESTRATOR_JOB_PASSES_H
#define L3R_ORCHESTRATOR_JOB_PASSES_H

#include <stdbool.h>

#include "common/segment/dfx.h"
#include "common/segment/segment.h"

enum { PASSES_MAX = 2, PASS_NAME_MAX = 40 };

struct pass {
    const char *name; /* "graph pass", "timing pass"; "only pass"; constant */
    struct dfx dfx;   /* what it captures */
};

/* Split what is `wanted` into passes, in the order in which they run; returns how many. There are two when a swimlane
 * is wanted on a platform that is no `simulator`. */
int passes_split(const struct dfx *wanted, bool simulator, struct pass passes[PASSES_MAX]);

/* The caller's part of a pass. Both return 0, or -1 with `err` filled. */
struct pass_steps {
    int (*load)(void *context, struct error *err); /* a rewound segment: fill its storages */
    int (*run)(void *context, struct error *err);  /* a loaded one: run the plan, with executors of this pass alone */
    void *context;
};

/* Run `count` passes over `seg`, which is created and loaded; between them it is rewound and loaded again. The first
 * failure ends it; when there are several passes, `where` of `err` begins with the name of the one that failed. */
int passes_run(struct segment *seg, const struct pass *passes, int count, const struct pass_steps *steps,
               struct error *err);

/* The same for `count` runs that capture nothing, with hashes of what each node writes (segment.h). `where` of `err`
 * begins with "run 3 of 20". */
int passes_repeat(struct segment *seg, int count, const struct pass_steps *steps, struct error *err);

/* Passes that capture nothing, until `enough(steps->context)` after an even number of them. The nodes that the header says are to be
 * skipped are skipped in every second one alone. `where` of `err` begins with
 * "pass 3". */
int passes_until(struct segment *seg, bool (*enough)(const void *context), const struct pass_steps *steps,
                 struct error *err);

#endif

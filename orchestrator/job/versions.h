/*
 * versions - what took part in a result: this program, MPI, the compilers of the programs.
 */
#ifndef L3R_ORCHESTRATOR_JOB_VERSIONS_H
#define L3R_ORCHESTRATOR_JOB_VERSIONS_H

#include "orchestrator/job/result.h"
#include "rank-worker/compile/compile.h"

enum { VERSIONS_MAX = 4, VERSIONS_TEXT = 256 };

struct versions {
    size_t count;
    struct result_version items[VERSIONS_MAX]; /* texts are constant, or point into `text` or what was compiled */
    char text[VERSIONS_TEXT];
};

/* Fill `v`, which must not outlive `compiled`; names are those of docs/formats.md, "Result file". A compiler that did
 * not take part is left out. */
void versions_collect(struct versions *v, const struct compiled *compiled);

#endif

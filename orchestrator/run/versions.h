/*
 * versions - what took part in a result: this program, MPI, and who knows what else matters later.
 */
#ifndef L3R_ORCHESTRATOR_RUN_VERSIONS_H
#define L3R_ORCHESTRATOR_RUN_VERSIONS_H

#include "orchestrator/report/result.h"

enum { VERSIONS_MAX = 4, VERSIONS_TEXT = 256 };

struct versions {
    size_t count;
    struct result_version items[VERSIONS_MAX]; /* texts point into `text` or are constant */
    char text[VERSIONS_TEXT];
};

void versions_collect(struct versions *v);

#endif

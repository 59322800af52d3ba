/*
 * batch_options - what a batch was asked for. All borrowed.
 */
#ifndef L3R_ORCHESTRATOR_BATCH_BATCH_OPTIONS_H
#define L3R_ORCHESTRATOR_BATCH_BATCH_OPTIONS_H

#include <stdbool.h>

#include "common/base/args.h"

struct batch_options {
    const char *program;         /* path of l3replay */
    const struct args *options;  /* of `run`, for every entry */
    double entry_timeout;        /* seconds for one entry, after which it is stopped; 0: no limit */
    const char *journal;         /* path; NULL: none */
    bool resume;                 /* go on behind what the journal has */
    const char *summary, *junit; /* paths; NULL: not wanted */
};

#endif

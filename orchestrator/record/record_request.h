/*
 * record_request - what is to be recorded, and what is given for it.
 */
#ifndef L3R_ORCHESTRATOR_RECORD_RECORD_REQUEST_H
#define L3R_ORCHESTRATOR_RECORD_RECORD_REQUEST_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "orchestrator/open/build_info.h"

/* A value given on the command line. */
struct record_scalar {
    const char *name; /* full parameter name */
    double value;     /* integers up to 2^53 are exact */
    const char *text; /* as typed: what the helper gets, so that 64-bit integers stay exact */
};
struct record_shape {
    const char *name;
    uint32_t ndim;
    int64_t shape[PLAN_MAX_DIMS];
};

/* Files of the build that were executed as Python, and hashes of what they held then. */
struct record_file {
    char *name; /* below the build */
    char *hash; /* hexadecimal; "": not known */
};
struct record_files {
    size_t count, capacity;
    struct record_file *items;
};
void record_files_free(struct record_files *f); /* a zeroed struct is fine */

/* 20 million nodes are some 10 GB of a plan. */
enum { RECORD_MAX_NODES = 20000000 };

struct record_request {
    const struct build *build; /* world size is build->ndevice */
    const struct record_scalar *scalars;
    size_t nscalar;
    const struct record_shape *shapes; /* --shape, and shapes of given inputs */
    size_t nshape;
    const char *const *subs; /* sub-workers that host_orch.py may call beside those of the build */
    size_t nsub;
    struct record_files *files; /* gets those that were loaded; NULL: not wanted */
    bool fresh;                 /* host_orch.py is run also where a recording of it is kept */
    bool *kept;                 /* set: it was not run, for one was; NULL: not wanted */
    uint32_t max_nodes;         /* more are not recorded; 0: RECORD_MAX_NODES */
    double timeout;             /* seconds in which the recorder must have said something; 0: the default (helper.h) */
};

#endif

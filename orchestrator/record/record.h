/*
 * record - run host_orch.py once against stand-ins and get the plan.
 *
 * Starts the Python helper (recorder/), sends it one request, and reads its
 * stream of records: the evaluated kernel_config.py of every program, then the
 * plan (docs/formats.md, "Plan stream"). The helper needs Python 3.8 and
 * nothing else. $L3REPLAY_PYTHON names the interpreter, else python3 on PATH.
 */
#ifndef L3R_ORCHESTRATOR_RECORD_RECORD_H
#define L3R_ORCHESTRATOR_RECORD_RECORD_H

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/plan/program_table.h"
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
    uint32_t max_nodes;         /* more are not recorded; 0: RECORD_MAX_NODES */
    double timeout;             /* seconds in which the recorder must have said something; 0: the default (helper.h) */
};

/* Evaluate the kernel_config.py files only. */
int record_programs(const struct build *build, struct program_table *programs, struct error *err);

/* Evaluate them and record the plan (edges not yet compiled). `programs` may be NULL.
 * What was taken for dynamic dimensions and scalars not given is in the log, as notes. */
int record_plan(const struct record_request *request, struct program_table *programs, struct plan *plan,
                struct error *err);

#endif

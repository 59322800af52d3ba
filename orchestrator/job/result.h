/*
 * result - the outcome of one replay as a JSON document (--result FILE.json).
 *
 * Format: docs/formats.md, "Result file". All pointers are the caller's and are
 * only read; a NULL string or an empty array leaves its key out, so that an early
 * failure writes what is known.
 */
#ifndef L3R_ORCHESTRATOR_JOB_RESULT_H
#define L3R_ORCHESTRATOR_JOB_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/segment/clock_map.h"
#include "orchestrator/bench/measured.h"
#include "orchestrator/bench/pairs.h"
#include "orchestrator/data/verify.h"
#include "orchestrator/prepare/changes.h"
#include "orchestrator/repeat/repeat.h"

#define RESULT_NONE UINT32_MAX

enum result_verdict { RESULT_PASS = 0, RESULT_FAIL, RESULT_INFRA };

/* Times are nanoseconds after the start of the first dispatch of the same round. */
struct result_dispatch {
    uint32_t node; /* of the plan */
    uint32_t card;
    uint32_t k;    /* RESULT_NONE when the dispatch has none */
    uint32_t line; /* of host_orch.py; 0: unknown */
    uint32_t round;
    const char *program;
    uint64_t start_ns, end_ns;
    uint64_t wall_ns, orch_ns, device_ns; /* durations, as the device measured them */
    uint32_t ntasks;
    uint32_t turns_lost; /* by lanes of mixed tasks (rank-worker/device.h) */
};

struct result_card {
    uint32_t card;
    int device_id;
    const char *host; /* NULL: not known */
    uint32_t process; /* MPI rank; RESULT_NONE: not known */
    uint32_t ndispatch;
    uint64_t start_ns, end_ns; /* first start, last end */
    uint64_t busy_ns;          /* sum of its dispatches */
};

struct result_phase {
    const char *name; /* "open", "record", "compile plan", "compile", "run", "verify", ... */
    double seconds;
};

/* Where the time went, one after the other; from the start of process 0, or of the front that started it. */
struct result_stage {
    const char *name; /* a phase, which may come several times; "start": until the first phase begins */
    double begin_ms, end_ms;
};

struct result_version {
    const char *name, *text; /* "l3replay", "mpi", "kernel_compiler", ... */
};

struct result_comparison {
    const char *parameter, *file;
    const char
        *comparator; /* a function of the user's, which found `matches` and no numbers; NULL: there are numbers */
    bool matches;
    const char *dtype;
    uint32_t ndim;
    const int64_t *shape;
    struct verified found;
    struct compare_rule rule;
};

/* An output that was not compared, and the reason. */
struct result_unchecked {
    const char *parameter, *why;
};

struct result {
    enum result_verdict verdict;
    const char *marker;        /* the line on stdout */
    const struct error *error; /* NULL: none */

    const char *build, *plan; /* directory; file of --plan */
    const char *recording;    /* "made", "kept" (of an earlier replay); NULL: there is none */
    const char *platform, *device;
    uint32_t world_size;
    uint32_t ndevice_id;
    const int *device_ids;
    uint64_t seed;
    struct tolerance tolerance;
    uint32_t rounds;
    const struct repeat *repeat; /* of several rounds; NULL: there was one */
    const struct pairs *pairs;   /* of `l3replay ab`, with the next two; else NULL */
    const char *other_build;
    double precision;
    const struct measured *measured; /* of `l3replay bench`; else NULL */
    bool paced;                      /* --pace domain */
    uint64_t nopened;                /* dispatches that no longer waited for other members of their domain */
    uint64_t clock_error_ns; /* of times of different cards (run_clocks.h); 0: one clock, CLOCK_NO_BOUND: not aligned */

    uint32_t compared, outputs; /* of so many outputs; as the line before the marker */
    size_t nphase, nstage, ncard, ndispatch, ncomparison, nunchecked, nversion, nnote, nwarning;
    const struct result_phase *phases;
    const struct result_stage *stages;
    const struct result_card *cards;
    const struct result_dispatch *dispatches;
    const struct result_comparison *comparisons;
    const struct result_version *versions;
    const struct result_unchecked *unchecked;
    const struct changes *changes; /* NULL: not looked for */
    const char *const *notes, *const *warnings;
};

const char *result_verdict_name(enum result_verdict verdict); /* "PASS", "FAIL", "INFRA" */

/* Write the document, whole or not at all. */
int result_write(const char *path, const struct result *result, struct error *err);

#endif

/*
 * options - what the user asked `l3replay run` for, as parsed from the command line.
 * All strings are borrowed from argv.
 */
#ifndef L3R_ORCHESTRATOR_PREPARE_OPTIONS_H
#define L3R_ORCHESTRATOR_PREPARE_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "orchestrator/bench/rounds.h"
#include "orchestrator/data/inputs.h"
#include "orchestrator/data/verify.h"
#include "orchestrator/device/device_choice.h"
#include "orchestrator/plan/edges.h"
#include "orchestrator/prepare/fresh.h"
#include "orchestrator/prepare/profile_dirs.h"
#include "orchestrator/record/record.h"

/* --pace */
enum pace_mode { PACE_AUTO = 0, PACE_DOMAIN, PACE_FREE };

enum { GOLDEN_TIMEOUT_S = 3600 };

/* `l3replay bench` and `l3replay ab` */
struct bench_options {
    struct rounds_options rounds; /* count 0: another command; of ab: pairs of a pass */
    const char *other_build;      /* ab; else NULL */
    uint32_t limit;               /* ab: pairs at most */
    double precision;             /* ab: 0.01 is 1 % */
    bool raw, pypto_lines;
    const char *csv_file, *baseline_file; /* NULL: not asked for */
};

struct run_options {
    const char *build;
    const char *platform, *device_ids;         /* NULL: as recorded */
    const char *backend_type, *execution_mode; /* the same; another way to name a platform */
    struct device_options device;
    const char *plan_file, *result_file, *save_outputs; /* NULL: not asked for */
    struct named_file *inputs, *expects;
    size_t ninput, nexpect;
    struct named_file *subs; /* --sub-worker: `file` may end in ":FUNCTION" */
    size_t nsub;
    uint32_t num_sub_workers;      /* --num-sub-workers; 0: the build's */
    struct record_scalar *scalars; /* names as typed */
    size_t nscalar;
    struct record_shape *shapes;
    size_t nshape;
    uint32_t max_nodes; /* 0: RECORD_MAX_NODES */
    struct tolerance tolerance;
    bool rtol_given, atol_given;      /* else those of golden.py count */
    struct compare_setting *settings; /* of outputs by name, and what else is compared by */
    size_t nsetting;
    struct named_file *compares; /* --compare: `file` is FILE.py:FUNC */
    size_t ncompare;
    struct named_file *topks; /* VALUES=INDICES[:asc] */
    size_t ntopk;
    bool no_golden, fresh_golden;
    double golden_timeout; /* seconds for each function of golden.py and debug/run.py; 0: no limit */
    bool shapes_only;      /* nothing runs: golden.py is run only for shapes and scalars */
    uint64_t seed;
    int repeat; /* how often the plan runs; 0 and 1: once */
    struct bench_options bench;
    double timeout;       /* seconds without progress; 0: no limit */
    double start_timeout; /* seconds that MPI may take to start; 0: no limit */
    bool first;           /* of the job, as the environment says: prints the marker while MPI has not started */
    bool alone;           /* a job of this process, without MPI */
    uint64_t begun_ns;    /* clock_now_ns() when the command began */
    enum deps_mode deps;
    bool free_threads; /* --threads free */
    enum pace_mode pace;
    enum tensor_format save_format; /* of --save-outputs */
    const char *save_data;          /* NULL: not asked for; "": data/ of the build */
    bool fresh_recording;           /* host_orch.py is run also where a recording of it is kept */
    bool strict_shapes;
    bool validate, no_validate, require_check;
    const char *device_id; /* --device-id: the card of an L2 build; NULL: not given */
    int nproc;             /* -n; 0: as many as fit */
    struct args unused;    /* "--runtime", ...: accepted, and without effect here */
    struct fresh_options fresh;
    struct dfx_options dfx;
};

/* Free the lists; a zeroed struct is fine. */
void run_options_free(struct run_options *o);

#endif

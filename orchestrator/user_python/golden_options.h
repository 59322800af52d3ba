/* golden_options - what of golden.py and debug/run.py may be run, and how. */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_OPTIONS_H
#define L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct golden_options {
    double limit_s; /* for each request; 0: no limit */
    uint64_t seed;
    bool off;         /* --no-golden: neither file is run */
    bool fresh;       /* what was kept is not looked for */
    bool no_validate; /* compute_golden() is not run */
    bool shapes_only; /* run only where a shape or a scalar is wanted for recording */
};

#endif

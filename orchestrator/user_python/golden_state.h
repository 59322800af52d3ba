/* golden_state - what the sources of golden.h share. */
#ifndef L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_STATE_H
#define L3R_ORCHESTRATOR_USER_PYTHON_GOLDEN_STATE_H

#include "orchestrator/open/build_info.h"
#include "orchestrator/user_python/golden_cache.h"
#include "orchestrator/user_python/golden_options.h"
#include "orchestrator/user_python/golden_set.h"
#include "orchestrator/user_python/session.h"

struct golden {
    const struct build *build;
    struct golden_options options;
    const char *label, *function; /* "golden.py", "generate_inputs" */
    char *path;
    bool is_golden, calls_compare;
    struct user_session *python; /* NULL: not needed yet, or no longer */
    bool loaded, generated;
    struct golden_cache cache;
    struct key content; /* of the file, and what else decides all that it computes */

    /* What the file says. */
    bool has_outputs; /* __outputs__ is there */
    struct args outputs;
    double rtol, atol; /* negative: none */
    struct args files;

    bool *needed; /* by parameter: it gives the input */
    char **names; /* by parameter: what the file calls it; NULL: not known */
    struct golden_set inputs, references;
};

#endif

#include "orchestrator/options/python_options.h"

#include <stdlib.h>

#include "orchestrator/options/option_number.h"

enum { OPT_PYTHON = 0x900, OPT_NO_GOLDEN, OPT_FRESH, OPT_LIMIT };

static const struct argp_option options[] = {
    {"python", OPT_PYTHON, "PYTHON", 0,
     "the interpreter for golden.py, debug/run.py, comparators and sub-workers (default: that of $VIRTUAL_ENV, else "
     "python3, else /usr/bin/python3 where that lacks torch)",
     0},
    {"no-golden", OPT_NO_GOLDEN, NULL, 0, "run neither golden.py nor debug/run.py", 0},
    {"fresh-golden", OPT_FRESH, NULL, 0, "run golden.py also where its results are kept from an earlier replay", 0},
    {"golden-timeout", OPT_LIMIT, "SECONDS", 0,
     "give up on a function of golden.py or debug/run.py that runs longer (default 3600; 0: never)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        o->golden_timeout = GOLDEN_TIMEOUT_S;
        return 0;
    case OPT_PYTHON:
        /* Every process of a job parses the options, and executors inherit it. */
        if (!*arg || setenv("L3REPLAY_SUBWORKER_PYTHON", arg, 1) < 0) {
            argp_error(state, "--python wants an interpreter");
        }
        return 0;
    case OPT_NO_GOLDEN:
        o->no_golden = true;
        return 0;
    case OPT_FRESH:
        o->fresh_golden = true;
        return 0;
    case OPT_LIMIT:
        o->golden_timeout = option_real(state, "golden-timeout", arg, 0);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp python_argp = {.options = options, .parser = parse};

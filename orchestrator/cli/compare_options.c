#include "orchestrator/cli/compare_options.h"

#include "orchestrator/cli/option_number.h"
#include "orchestrator/cli/recording_options.h"

enum {
    OPT_EXPECT = 0x800,
    OPT_VALIDATE,
    OPT_NO_VALIDATE,
    OPT_REQUIRE_CHECK,
    OPT_RTOL,
    OPT_ATOL,
    OPT_SAVE,
    OPT_SAVE_FORMAT,
    OPT_SAVE_DATA,
    OPT_COMPARE
};

static const struct argp_option options[] = {
    {"expect", OPT_EXPECT, "NAME=FILE", 0,
     "what a parameter must hold after the run (default: data/out/NAME.npy or .pt, else what golden.py computes)", 0},
    {"validate", OPT_VALIDATE, NULL, 0,
     "compare with data/out also where inputs are not those of data/in; INFRA where there is nothing to compare with",
     0},
    {"no-validate", OPT_NO_VALIDATE, NULL, 0, "compare with no reference; compute_golden of golden.py is not run", 0},
    {"require-check", OPT_REQUIRE_CHECK, NULL, 0, "INFRA, before anything runs, unless every output has a reference",
     0},
    {"rtol", OPT_RTOL, "X", 0, "relative tolerance (default: RTOL of golden.py, else 1e-5)", 0},
    {"atol", OPT_ATOL, "X", 0, "absolute tolerance (default: ATOL of golden.py, else 1e-5)", 0},
    {"compare", OPT_COMPARE, "NAME=FILE.py:FUNC", 0,
     "output NAME is compared by function FUNC of FILE.py (arguments: docs/formats.md)", 0},
    {"save-outputs", OPT_SAVE, "DIR", 0, "write every output parameter as DIR/NAME.npy", 0},
    {"save-format", OPT_SAVE_FORMAT, "FORMAT", 0, "of --save-outputs: npy (default), pt or safetensors", 0},
    {"save-data", OPT_SAVE_DATA, "DIR", OPTION_ARG_OPTIONAL,
     "save inputs as DIR/in/NAME.pt and, after a PASS, outputs as DIR/out/NAME.pt (default: data of the build)", 0},
    {0},
};

static void check_together(struct argp_state *state, const struct run_options *o)
{
    if (o->no_validate && (o->validate || o->require_check || o->nexpect || o->ncompare)) {
        argp_error(state, "--no-validate compares nothing; leave %s out",
                   o->validate        ? "--validate"
                   : o->require_check ? "--require-check"
                   : o->nexpect       ? "--expect"
                                      : "--compare");
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case ARGP_KEY_END:
        check_together(state, o);
        return 0;
    case OPT_EXPECT:
        option_named_file(state, "expect", "NAME=FILE", arg, &o->expects, &o->nexpect);
        return 0;
    case OPT_VALIDATE:
        o->validate = true;
        return 0;
    case OPT_NO_VALIDATE:
        o->no_validate = true;
        return 0;
    case OPT_REQUIRE_CHECK:
        o->require_check = true;
        return 0;
    case OPT_RTOL:
        o->tolerance.rtol = option_real(state, "rtol", arg, 0);
        o->rtol_given = true;
        return 0;
    case OPT_ATOL:
        o->tolerance.atol = option_real(state, "atol", arg, 0);
        o->atol_given = true;
        return 0;
    case OPT_COMPARE:
        option_named_file(state, "compare", "NAME=FILE.py:FUNC", arg, &o->compares, &o->ncompare);
        return 0;
    case OPT_SAVE:
        o->save_outputs = arg;
        return 0;
    case OPT_SAVE_DATA:
        o->save_data = arg ? arg : "";
        return 0;
    case OPT_SAVE_FORMAT:
        if (tensor_format_parse(arg, &o->save_format) < 0) {
            argp_error(state, "--save-format is npy, pt or safetensors, not '%s'", arg);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp compare_argp = {.options = options, .parser = parse};

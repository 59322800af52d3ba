#include "orchestrator/options/compare_options.h"

#include <string.h>

#include "orchestrator/options/option_number.h"
#include "orchestrator/options/recording_options.h"

enum {
    OPT_EXPECT = 0x800,
    OPT_VALIDATE,
    OPT_NO_VALIDATE,
    OPT_REQUIRE_CHECK,
    OPT_RTOL,
    OPT_ATOL,
    OPT_RATIO,
    OPT_ROWS,
    OPT_AXIS,
    OPT_TAIL,
    OPT_RELDIFF,
    OPT_RELDIFF_MOST,
    OPT_TOPK,
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
    {"rtol", OPT_RTOL, "[NAME=]X", 0,
     "relative tolerance, of all outputs or of one (default: RTOL of golden.py, else 1e-5)", 0},
    {"atol", OPT_ATOL, "[NAME=]X", 0, "absolute tolerance, in the same way", 0},
    {"max-error-ratio", OPT_RATIO, "[NAME=]R", 0,
     "so large a share of the elements may be off (0 to 1); NaN and infinities fail then", 0},
    {"valid-rows", OPT_ROWS, "[NAME=]N", 0, "only the first N rows are compared", 0},
    {"valid-axis", OPT_AXIS, "[NAME=]A", 0, "which dimension these rows are of (default 0)", 0},
    {"zero-tail", OPT_TAIL, "NAME", OPTION_ARG_OPTIONAL, "behind the valid rows everything must be zero", 0},
    {"reldiff", OPT_RELDIFF, "[NAME=]X", 0,
     "compare by relative difference in place of rtol and atol: a share of 0.05 of the elements, or --max-error-ratio, "
     "may "
     "be off by more",
     0},
    {"max-reldiff", OPT_RELDIFF_MOST, "[NAME=]X", 0, "with --reldiff: and none by so much", 0},
    {"topk", OPT_TOPK, "VALUES=INDICES[:asc]", 0,
     "output INDICES may differ where the values in output VALUES are in (descending) order all the same: a tie", 0},
    {"compare", OPT_COMPARE, "NAME=FILE.py:FUNC", 0,
     "output NAME is compared by function FUNC of FILE.py (arguments: docs/formats.md)", 0},
    {"save-outputs", OPT_SAVE, "DIR", 0, "write every output parameter as DIR/NAME.npy", 0},
    {"save-format", OPT_SAVE_FORMAT, "FORMAT", 0, "of --save-outputs: npy (default), pt or safetensors", 0},
    {"save-data", OPT_SAVE_DATA, "DIR", OPTION_ARG_OPTIONAL,
     "save inputs as DIR/in/NAME.pt and, after a PASS, outputs as DIR/out/NAME.pt (default: data of the build)", 0},
    {0},
};

static struct compare_setting *new_setting(struct argp_state *state, struct run_options *o)
{
    o->settings = option_grow(state, o->settings, o->nsetting, sizeof *o->settings);
    return &o->settings[o->nsetting++];
}

/* "X" or "NAME=X". */
static void add_setting(struct argp_state *state, struct run_options *o, enum compare_what what, const char *option,
                        char *arg)
{
    struct compare_setting s = {.what = what};
    char *name = NULL, *value = arg;

    if (strchr(arg, '=')) {
        option_split(state, option, "NAME=NUMBER", arg, &name, &value);
    }
    s.name = name;
    s.value = option_real(state, option, value, 0);
    if (s.value > 1e15) {
        argp_error(state, "--%s: %s is too large", option, value);
    }
    *new_setting(state, o) = s;
}

/* That for all may also come from golden.py. */
static void take_tolerance(struct argp_state *state, struct run_options *o, int key, char *arg)
{
    const char *option = key == OPT_RTOL ? "rtol" : "atol";
    double *all = key == OPT_RTOL ? &o->tolerance.rtol : &o->tolerance.atol;
    bool *given = key == OPT_RTOL ? &o->rtol_given : &o->atol_given;

    if (strchr(arg, '=')) {
        add_setting(state, o, key == OPT_RTOL ? COMPARE_RTOL : COMPARE_ATOL, option, arg);
        return;
    }
    *all = option_real(state, option, arg, 0);
    *given = true;
}

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
    case OPT_ATOL:
        take_tolerance(state, o, key, arg);
        return 0;
    case OPT_RATIO:
        add_setting(state, o, COMPARE_RATIO, "max-error-ratio", arg);
        if (o->settings[o->nsetting - 1].value > 1) {
            argp_error(state, "--max-error-ratio is a share, from 0 to 1");
        }
        return 0;
    case OPT_ROWS:
    case OPT_AXIS:
        add_setting(state, o, key == OPT_ROWS ? COMPARE_ROWS : COMPARE_AXIS,
                    key == OPT_ROWS ? "valid-rows" : "valid-axis", arg);
        if (o->settings[o->nsetting - 1].value != (double)(int64_t)o->settings[o->nsetting - 1].value) {
            argp_error(state, "--%s wants a whole number", key == OPT_ROWS ? "valid-rows" : "valid-axis");
        }
        return 0;
    case OPT_TAIL:
        *new_setting(state, o) = (struct compare_setting){.what = COMPARE_TAIL, .name = arg, .value = 1};
        return 0;
    case OPT_RELDIFF:
        add_setting(state, o, COMPARE_RELDIFF, "reldiff", arg);
        return 0;
    case OPT_RELDIFF_MOST:
        add_setting(state, o, COMPARE_RELDIFF_MOST, "max-reldiff", arg);
        return 0;
    case OPT_TOPK:
        option_named_file(state, "topk", "VALUES=INDICES", arg, &o->topks, &o->ntopk);
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

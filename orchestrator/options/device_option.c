#include "orchestrator/options/device_option.h"

#include <string.h>

enum { OPT_DEVICE = 0xa00, OPT_ROOT };

static const struct argp_option options[] = {
    {"device", OPT_DEVICE, "auto|cpu|simpler", 0,
     "what runs the cards: cpu, the device of l3replay itself, or simpler, an installed runtime of the stack; auto "
     "(the "
     "default) is cpu for simulator platforms",
     0},
    {"simpler-root", OPT_ROOT, "DIR", 0,
     "the simpler runtime: a checkout that was built (else $SIMPLER_ROOT, else the installed Python package)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct device_options *o = state->input;

    switch (key) {
    case OPT_DEVICE:
        if (strcmp(arg, "auto") != 0 && strcmp(arg, "cpu") != 0 && strcmp(arg, "simpler") != 0) {
            argp_error(state, "--device is auto, cpu or simpler, not '%s'", arg);
        }
        o->name = arg;
        return 0;
    case OPT_ROOT:
        o->simpler_root = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp device_argp = {.options = options, .parser = parse};

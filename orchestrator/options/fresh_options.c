#include "orchestrator/options/fresh_options.h"

#include "orchestrator/options/option_number.h"

enum { OPT_NO_REBUILD = 0x500, OPT_NO_RECOMPILE, OPT_PTOAS_TIMEOUT, OPT_NO_CCACHE, OPT_COMPILE_TIMEOUT };

static const struct argp_option options[] = {
    {"no-rebuild-from-pto", OPT_NO_REBUILD, NULL, 0, "leave edits of .pto files alone", 3},
    {"no-recompile", OPT_NO_RECOMPILE, NULL, 0, "run the binaries of the build where they are current", 3},
    {"ptoas-timeout", OPT_PTOAS_TIMEOUT, "SECONDS", 0, "give up on a ptoas that runs longer (60 unless given)", 3},
    {"compile-timeout", OPT_COMPILE_TIMEOUT, "SECONDS", 0, "give up on a compiler that runs longer (600 unless given)",
     3},
    {"no-ccache", OPT_NO_CCACHE, NULL, 0, "do not compile through ccache, where it is installed", 3},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct fresh_options *o = state->input;

    switch (key) {
    case OPT_NO_REBUILD:
        o->no_rebuild_from_pto = true;
        return 0;
    case OPT_NO_RECOMPILE:
        o->no_recompile = true;
        return 0;
    case OPT_NO_CCACHE:
        o->no_ccache = true;
        return 0;
    case OPT_PTOAS_TIMEOUT:
        o->ptoas_timeout = option_number(state, "--ptoas-timeout", arg, 1, OPTION_SECONDS_MAX);
        return 0;
    case OPT_COMPILE_TIMEOUT:
        o->compile_timeout = option_number(state, "--compile-timeout", arg, 1, OPTION_SECONDS_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp fresh_argp = {.options = options, .parser = parse};

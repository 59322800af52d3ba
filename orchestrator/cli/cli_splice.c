/* `l3replay splice BUILD`: carries edits of .pto files into the kernels' sources, which a compile then reads. */
#include <argp.h>
#include <stdio.h>

#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/options/option_number.h"
#include "rank-worker/splice/splice.h"

enum { OPT_PTOAS_TIMEOUT = 0x400, OPT_LOCK_TIMEOUT, OPT_NO_REBUILD };

struct splice_command {
    const char *build;
    struct splice_options options;
};

static const struct argp_option option_table[] = {
    {"jobs", 'j', "N", 0, "ptoas processes at once (one a core unless given)", 0},
    {"ptoas-timeout", OPT_PTOAS_TIMEOUT, "SECONDS", 0, "Give up on a ptoas that runs longer (60 unless given)", 0},
    {"lock-timeout", OPT_LOCK_TIMEOUT, "SECONDS", 0,
     "Give up when another splice of this build takes longer (waits for ever unless given)", 0},
    {"no-rebuild-from-pto", OPT_NO_REBUILD, NULL, 0, "Do nothing, and say so", 0},
    {0},
};

static const char doc[] =
    "Carry edits of .pto files into the kernels' sources: for every ptoas/<unit>.pto in directory BUILD and its "
    "next_levels/ that is newer than <unit>.cpp, run ptoas and put what it writes between the marks of the kernels "
    "that it feeds. The rest of a kernel's source stays as it is.\v"
    "Examples:\n"
    "  l3replay splice build_output/my_program\n"
    "  PTOAS_ROOT=/opt/ptoas l3replay splice -j 4 build_output/my_program\n"
    "\n"
    "ptoas is looked for in $PTOAS_ROOT (ptoas, ptoas.sh, bin/ptoas) and only there when that is set, else on $PATH. "
    "Nothing happens without one, nor with PYPTO_REBUILD_FROM_PTO=0.\n"
    "\n"
    "Exit status: 0 done, or nothing to do; 2 wrong usage; 3 something could not be carried over (the message says "
    "what; the files that it concerns are as they were).";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct splice_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->build;
        return 0;
    case 'j':
        c->options.jobs = option_number(state, "--jobs", arg, 1, OPTION_JOBS_MAX);
        return 0;
    case OPT_PTOAS_TIMEOUT:
        c->options.ptoas_timeout = option_number(state, "--ptoas-timeout", arg, 1, OPTION_SECONDS_MAX);
        return 0;
    case OPT_LOCK_TIMEOUT:
        c->options.lock_timeout = option_number(state, "--lock-timeout", arg, 1, OPTION_SECONDS_MAX);
        return 0;
    case OPT_NO_REBUILD:
        c->options.off = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&build_argp, 0, NULL, 0}, {0}};
const struct argp splice_command = {.options = option_table, .parser = parse_option, .doc = doc, .children = children};

int cli_splice(int argc, char **argv)
{
    struct splice_command c = {.options.lines = stdout};
    struct error err;

    command_parse(&splice_command, argc, argv, &c);
    return command_end(splice_build(c.build, &c.options, NULL, &err), &err);
}

/* `l3replay invalidate BUILD`: deletes the binaries in a build, so that the stack's tools compile again. */
#include <argp.h>
#include <stdio.h>

#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/options/option_number.h"
#include "rank-worker/cache/invalidate.h"

enum { OPT_LOCK_TIMEOUT = 0x400 };

struct invalidate_command {
    const char *build;
    struct invalidate_options options;
};

static const struct argp_option option_table[] = {
    {"lock-timeout", OPT_LOCK_TIMEOUT, "SECONDS", 0,
     "Give up when a process that compiles there takes longer (waits for ever unless given)", 0},
    {0},
};

static const char doc[] =
    "Delete the binaries in directory BUILD and its next_levels/, so that everything is compiled again: the .bin files "
    "and the stamp of cache/, and every .so and .o under kernels/ and orchestration/; also what killed processes "
    "left of writing these. Sources are never touched.\v"
    "Examples:\n"
    "  l3replay invalidate build_output/my_program\n"
    "  l3replay invalidate --lock-timeout 10 build_output/my_program\n"
    "\n"
    "Exit status: 0 done, also when there were none; 2 wrong usage; 3 something could not be deleted (the message says "
    "what).";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct invalidate_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->build;
        return 0;
    case OPT_LOCK_TIMEOUT:
        c->options.lock_timeout = option_number(state, "--lock-timeout", arg, 1, OPTION_SECONDS_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&build_argp, 0, NULL, 0}, {0}};
const struct argp invalidate_command = {
    .options = option_table, .parser = parse_option, .doc = doc, .children = children};

int cli_invalidate(int argc, char **argv)
{
    struct invalidate_command c = {.options.lines = stdout};
    struct error err;

    command_parse(&invalidate_command, argc, argv, &c);
    return command_end(invalidate_build(c.build, &c.options, NULL, &err), &err);
}

/* `l3replay invalidate BUILD`: deletes the binaries in a build, so that the stack's tools compile again. */
#include <argp.h>
#include <stdio.h>

#include "common/log.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/option_number.h"
#include "orchestrator/run/marker.h"
#include "rank-worker/cache/invalidate.h"

enum { OPT_LOCK_TIMEOUT = 0x400, OPT_LOG_LEVEL };

struct invalidate_command {
    const char *build;
    struct invalidate_options options;
};

static const struct argp_option option_table[] = {
    {"lock-timeout", OPT_LOCK_TIMEOUT, "SECONDS", 0,
     "Give up when a process that compiles there takes longer (waits for ever unless given)", 0},
    {"log-level", OPT_LOG_LEVEL, "LEVEL", 0, "debug, info, timing, warn, error or null", 0},
    {0},
};

static const char doc[] =
    "Delete the binaries in directory BUILD and its next_levels/, so that everything is compiled again: the .bin files "
    "and the stamp of cache/, and every .so and .o under kernels/ and orchestration/. Sources are never touched.\v"
    "Examples:\n"
    "  l3replay invalidate build_output/my_program\n"
    "  l3replay invalidate --lock-timeout 10 build_output/my_program\n"
    "\n"
    "Exit status: 0 done, also when there were none; 2 wrong usage; 3 something could not be deleted (the message says "
    "what).";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct invalidate_command *c = state->input;
    enum log_level level;

    switch (key) {
    case OPT_LOCK_TIMEOUT:
        c->options.lock_timeout = option_number(state, "--lock-timeout", arg, OPTION_SECONDS_MAX);
        return 0;
    case OPT_LOG_LEVEL:
        if (log_level_parse(arg, &level))
            argp_error(state, "\"%s\" is not a log level: debug, info, timing, warn, error and null are", arg);
        else
            log_set_level(level);
        return 0;
    case ARGP_KEY_ARG:
        if (c->build)
            argp_error(state, "one build directory at a time: \"%s\" is too much", arg);
        c->build = arg;
        return 0;
    case ARGP_KEY_END:
        if (!c->build)
            argp_error(state, "name a build directory");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cli_invalidate(int argc, char **argv)
{
    static const struct argp argp = {option_table, parse_option, "BUILD", doc, NULL, NULL, NULL};
    static char name[] = "l3replay invalidate";
    struct invalidate_command c = {.options.lines = stdout};
    struct error err;

    argp_err_exit_status = EXIT_CODE_USAGE;
    argv[0] = name; /* argp names the program by it */
    if (argp_parse(&argp, argc, argv, 0, NULL, &c))
        return EXIT_CODE_USAGE;
    if (invalidate_build(c.build, &c.options, NULL, &err) == 0)
        return EXIT_CODE_PASS;
    error_print(&err);
    return EXIT_CODE_INFRA;
}

/* `l3replay inspect BUILD [--json]`: what a build directory holds. Starts nothing but the recorder's Python. */
#include <argp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "orchestrator/cli/cli_inspect.h"
#include "orchestrator/open/build.h"
#include "orchestrator/record/record.h"
#include "orchestrator/report/inspect.h"

enum { EXIT_USAGE = 2, EXIT_INFRA = 3, OPTION_LOG_LEVEL = 256 };

struct options {
    const char *build;
    bool json;
};

static const struct argp_option option_table[] = {
    {"json", 'j', NULL, 0, "Print one JSON document instead of text", 0},
    {"log-level", OPTION_LOG_LEVEL, "LEVEL", 0, "debug, info, timing, warn, error or null", 0},
    {0},
};

static const char doc[] =
    "Show what a build directory holds: kind, platform, parameters, cards, programs with their kernels, sub-workers, "
    "and what is odd about it.\v"
    "Examples:\n"
    "  l3replay inspect build_output/my_program\n"
    "  l3replay inspect --json build_output/my_program | jq .params\n"
    "\n"
    "Exit status: 0 it was shown, 2 wrong usage, 3 it is not a usable build directory (the message says why).";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;
    enum log_level level;

    switch (key) {
    case 'j':
        options->json = true;
        return 0;
    case OPTION_LOG_LEVEL:
        if (log_level_parse(arg, &level))
            argp_error(state, "\"%s\" is not a log level: debug, info, timing, warn, error and null are", arg);
        else
            log_set_level(level);
        return 0;
    case ARGP_KEY_ARG:
        if (options->build)
            argp_error(state, "one build directory at a time: \"%s\" is too much", arg);
        options->build = arg;
        return 0;
    case ARGP_KEY_END:
        if (!options->build)
            argp_error(state, "name a build directory");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int inspect(const struct options *options, struct error *err)
{
    struct program_table programs = {0};
    struct build build;
    int rc = -1;

    if (build_open(options->build, &build, err))
        return -1;
    if (build.kind == BUILD_L2 || record_programs(&build, &programs, err) == 0)
        rc = options->json ? inspect_print_json(stdout, &build, &programs, err)
                           : inspect_print_text(stdout, &build, &programs, err);
    program_table_free(&programs);
    build_free(&build);
    return rc;
}

int cli_inspect(int argc, char **argv)
{
    static const struct argp argp = {option_table, parse_option, "BUILD", doc, NULL, NULL, NULL};
    static char name[] = "l3replay inspect";
    struct options options = {0};
    struct error err;
    char *own = argv[0];
    error_t failed;

    argp_err_exit_status = EXIT_USAGE;
    argv[0] = name; /* argp names the program by it */
    failed = argp_parse(&argp, argc, argv, 0, NULL, &options);
    argv[0] = own;
    if (failed)
        return EXIT_USAGE;
    if (inspect(&options, &err) == 0)
        return EXIT_SUCCESS;
    error_print(&err);
    return err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_INFRA;
}

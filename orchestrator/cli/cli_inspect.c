/* `l3replay inspect BUILD [--json]`: what a build directory holds. Starts nothing but the recorder's Python. */
#include <argp.h>
#include <stdbool.h>

#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/device/inspect_device.h"
#include "orchestrator/open/build.h"
#include "orchestrator/open/inspect.h"
#include "orchestrator/open/signature_params.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/record/record.h"

struct options {
    const char *build, *simpler_root;
    bool json, device;
};

enum { OPT_DEVICE = 0x200, OPT_ROOT };

static const struct argp_option option_table[] = {
    {"json", 'j', NULL, 0, "Print one JSON document instead of text", 0},
    {"device", OPT_DEVICE, NULL, 0,
     "Show the devices of this host, and which of them can run BUILD, where one is given", 0},
    {"simpler-root", OPT_ROOT, "DIR", 0, "the simpler runtime to show (else $SIMPLER_ROOT, else the Python package)",
     0},
    {0},
};

static const char doc[] =
    "Show what a build directory holds: kind, platform, parameters, cards, programs with their kernels, sub-workers, "
    "and what is odd about it.\v"
    "Examples:\n"
    "  l3replay inspect build_output/my_program\n"
    "  l3replay inspect --json build_output/my_program | jq .params\n"
    "  l3replay inspect --device build_output/my_program\n"
    "\n"
    "Exit status: 0 it was shown, 2 wrong usage, 3 it is not a usable build directory (the message says why).";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->build;
        return 0;
    case OPT_DEVICE:
        options->device = true;
        return 0;
    case OPT_ROOT:
        options->simpler_root = arg;
        return 0;
    case ARGP_KEY_END:
        if (!options->build && !options->device) {
            argp_error(state, "which build? give its directory");
        }
        return 0;
    case 'j':
        options->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int inspect(const struct options *options, struct error *err)
{
    struct program_table programs = {0};
    struct build build;
    int rc;

    if (!options->build) {
        return inspect_device(options->simpler_root, NULL, NULL, err);
    }
    if (build_open(options->build, &build, err)) {
        return -1;
    }
    rc = record_programs(&build, &programs, err);
    if (rc == 0 && build.no_metadata) {
        rc = signature_params(&build, &programs.items[0], err);
    }
    if (rc == 0 && options->device) {
        rc = inspect_device(options->simpler_root, &build, &programs, err);
    } else if (rc == 0) {
        rc = options->json ? inspect_print_json(stdout, &build, &programs, err)
                           : inspect_print_text(stdout, &build, &programs, err);
    }
    program_table_free(&programs);
    build_free(&build);
    return rc;
}

static const struct argp_child children[] = {{&build_or_none_argp, 0, NULL, 0}, {0}};
const struct argp inspect_command = {.options = option_table, .parser = parse_option, .doc = doc, .children = children};

int cli_inspect(int argc, char **argv)
{
    struct options options = {0};
    struct error err;

    command_parse(&inspect_command, argc, argv, &options);
    return command_end(inspect(&options, &err), &err);
}

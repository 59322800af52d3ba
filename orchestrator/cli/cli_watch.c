/* `l3replay watch BUILD`: replayed each time that something was edited. */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch/front.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/watch/watch.h"

enum { OPT_JSON = 0xe00 };

struct watch_command {
    const char *build;
    struct watch_options options;
};

static const struct argp_option option_table[] = {
    {"json", OPT_JSON, NULL, 0, "print each replay as one line of JSON", 0},
    {0},
};

static const char doc[] =
    "Replay BUILD now, and again each time that a file which decides a replay was edited: a line each, with the "
    "verdict, "
    "its time, and what has changed. Enter replays again, q leaves.\v"
    "Other options are those of `l3replay run`; behind -- too. A broken kernel or a compile error is printed, and the "
    "next edit is waited for.\n\n"
    "Examples:\n"
    "  l3replay watch build_output/my_build\n"
    "  l3replay watch build_output/my_build --rtol 1e-3 --timeout 20\n"
    "  l3replay watch build_output/my_build --json | jq --unbuffered .result\n\n"
    "Exit status: 0 left by q or a signal; 2 wrong usage; 3 the build cannot be watched.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct watch_command *c = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->build;
        return 0;
    case OPT_JSON:
        c->options.json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&build_argp, 0, NULL, 0}, {0}};
const struct argp watch_command = {.options = option_table, .parser = parse, .doc = doc, .children = children};

/* Options of `run` that make no sense here; NULL: there is none. */
static const char *refused(const struct args *options)
{
    static const struct {
        const char *option, *why;
    } table[] = {{"--result", "--result is of one replay; --json prints what became of each"},
                 {"--save-data", "--save-data writes what is watched; say it to `l3replay run`"}};

    for (size_t i = 0; i < options->n; i++) {
        for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
            if (strncmp(options->v[i], table[k].option, strlen(table[k].option)) == 0) {
                return table[k].why;
            }
        }
    }
    return NULL;
}

int cli_watch(int argc, char **argv)
{
    struct args options = {0};
    struct watch_command c = {.options.options = &options};
    const int own = command_split_options(&watch_command, &run_command, argc, argv, &options);
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *why = refused(&options);
    struct error err;
    int code = -1;

    if (why) {
        fprintf(stderr, "l3replay watch: %s\n", why);
        args_free(&options);
        return EXIT_CODE_USAGE;
    }
    command_parse(&watch_command, own, argv, &c);
    if (n < 0) {
        error_errno(&err, "/proc/self/exe", "mount /proc", "cannot find this program");
    } else if (args_done(&options, &err) == 0 && launch_mark_alone(&err) == 0) {
        program[n] = '\0';
        c.options.program = program;
        c.options.build = c.build;
        code = watch_run(&c.options, &err);
    }
    args_free(&options);
    return code < 0 ? command_end(-1, &err) : code;
}

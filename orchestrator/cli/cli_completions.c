/* `l3replay completions bash|zsh|man`: what the options' tables say, for shells and man. */
#include <errno.h>
#include <string.h>

#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/completions/completions.h"

static const char doc[] = "Print completions for bash or zsh, or the manual page, to stdout.\v"
                          "Examples:\n"
                          "  source <(l3replay completions bash)\n"
                          "  l3replay completions zsh > ~/.zfunc/_l3replay\n"
                          "  l3replay completions man | man -l -\n\n"
                          "An installed l3replay has brought all three along.";

static const struct {
    const char *name;
    void (*put)(FILE *out, const struct command_text *list);
} kinds[] = {{"bash", completions_bash}, {"zsh", completions_zsh}, {"man", completions_man}};

enum { KINDS = sizeof kinds / sizeof *kinds, COMMANDS_MAX = 32 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    size_t *kind = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (*kind != KINDS) {
            argp_error(state, "one at a time; '%s' is one too many", arg);
        }
        for (*kind = 0; *kind < KINDS && strcmp(arg, kinds[*kind].name) != 0;) {
            ++*kind;
        }
        if (*kind == KINDS) {
            argp_error(state, "it is bash, zsh or man, not '%s'", arg);
        }
        return 0;
    case ARGP_KEY_END:
        if (*kind == KINDS) {
            argp_error(state, "say which: bash, zsh or man");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp completions_command = {.parser = parse, .args_doc = "bash|zsh|man", .doc = doc};

int cli_completions(int argc, char **argv)
{
    size_t kind = KINDS;
    struct command_text texts[COMMANDS_MAX + 1] = {0};
    struct error err;

    for (size_t i = 0; i < COMMANDS_MAX && commands[i].name; i++) {
        texts[i] = (struct command_text){commands[i].name, commands[i].argp, commands[i].help};
    }
    command_parse(&completions_command, argc, argv, &kind);
    kinds[kind].put(stdout, texts);
    return command_end(fflush(stdout) || ferror(stdout) ? error_errno(&err, "stdout", NULL, "cannot write") : 0, &err);
}

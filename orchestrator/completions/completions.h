/*
 * completions - texts made of the tables of options: what bash and zsh complete, and the manual page.
 */
#ifndef L3R_ORCHESTRATOR_COMPLETIONS_COMPLETIONS_H
#define L3R_ORCHESTRATOR_COMPLETIONS_COMPLETIONS_H

#include <argp.h>
#include <stdio.h>

/* A command; lists end with a NULL name. */
struct command_text {
    const char *name;
    const struct argp *argp;
    const char *help; /* one line */
};

/* A file for bash_completion.d, one for zsh's fpath (_l3replay), and l3replay.1. Write errors are the stream's. */
void completions_bash(FILE *out, const struct command_text *list);
void completions_zsh(FILE *out, const struct command_text *list);
void completions_man(FILE *out, const struct command_text *list);

#endif

/*
 * cli_replay - what commands that replay a build in a job have in common (cli_run.c).
 */
#ifndef L3R_ORCHESTRATOR_CLI_CLI_REPLAY_H
#define L3R_ORCHESTRATOR_CLI_CLI_REPLAY_H

#include <argp.h>

#include "orchestrator/prepare/options.h"

/* The options of `run`, for other commands; its input is a struct run_options. */
extern const struct argp replay_options;

struct run_options cli_replay_defaults(void);

/* Parse with `argp`, whose input is `o`, and replay, in a job of its own unless this process is of one. Frees the lists of
 * `o`; returns the exit code. */
int cli_replay(const struct argp *argp, struct run_options *o, int argc, char **argv);

#endif

/*
 * command - how every command begins and ends: its command line is read, an error becomes an exit code.
 */
#ifndef L3R_ORCHESTRATOR_CLI_COMMAND_H
#define L3R_ORCHESTRATOR_CLI_COMMAND_H

#include <argp.h>

#include "common/base/args.h"
#include "common/base/error.h"

/* Read argv, of which argv[0] is the command's name, into `input` (argp's), after setting the log level of
 * $PYPTO_RUNTIME_LOG. Options are known by their full names only. In texts the program is called "l3replay <name>". A
 * wrong command line, or a level that is none, ends the process with EXIT_CODE_USAGE, --help with 0. */
void command_parse(const struct argp *argp, int argc, char **argv, void *input);

/* How many arguments the option `arg` is with its own: 0 when `argp` has no such option, 2 when it takes the next one. */
int command_option_length(const struct argp *argp, const char *arg);

/* Take out of argv, for a command that starts `run`, the options of `other` that `own` does not have, and all that stands behind
 * "--": they are added to `options`. Returns how many arguments are left. */
int command_split_options(const struct argp *own, const struct argp *other, int argc, char **argv,
                          struct args *options);

/* The exit code of a command whose work returned `rc`: 0, else what `err` says, after printing it. */
int command_end(int rc, const struct error *err);

#endif

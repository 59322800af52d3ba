/*
 * cli_inspect - the command `l3replay inspect`.
 */
#ifndef L3R_ORCHESTRATOR_CLI_CLI_INSPECT_H
#define L3R_ORCHESTRATOR_CLI_CLI_INSPECT_H

/* argv[0] is the command's name. Returns the exit status: 0, 2 (usage), 3 (INFRA). May exit on --help. */
int cli_inspect(int argc, char **argv);

#endif

/*
 * cli - the commands of l3replay, one function each. Each gets argv with the
 * command's name at argv[0] and returns the exit code (docs/manual.md).
 */
#ifndef L3R_ORCHESTRATOR_CLI_CLI_H
#define L3R_ORCHESTRATOR_CLI_CLI_H

int cli_run(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_compile(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_topology(int argc, char **argv);
int cli_splice(int argc, char **argv);
int cli_invalidate(int argc, char **argv);
int cli_cache(int argc, char **argv);

#endif

/*
 * cli - the commands of l3replay, one function each. Each gets argv with the
 * command's name at argv[0] and returns the exit code (docs/manual.md).
 */
#ifndef L3R_ORCHESTRATOR_CLI_CLI_H
#define L3R_ORCHESTRATOR_CLI_CLI_H

#include <argp.h>

int cli_run(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_ab(int argc, char **argv);
int cli_watch(int argc, char **argv);
int cli_batch(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_compile(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_topology(int argc, char **argv);
int cli_splice(int argc, char **argv);
int cli_invalidate(int argc, char **argv);
int cli_cache(int argc, char **argv);
int cli_debug_runner(int argc, char **argv);
int cli_validate_ir(int argc, char **argv);
int cli_completions(int argc, char **argv);

/* Their options and texts. */
extern const struct argp run_command;
extern const struct argp bench_command;
extern const struct argp ab_command;
extern const struct argp watch_command;
extern const struct argp batch_command;
extern const struct argp plan_command;
extern const struct argp compile_command;
extern const struct argp inspect_command;
extern const struct argp report_command;
extern const struct argp topology_command;
extern const struct argp splice_command;
extern const struct argp invalidate_command;
extern const struct argp cache_command;
extern const struct argp debug_runner_command;
extern const struct argp validate_ir_command;
extern const struct argp completions_command;

/* The commands, in the order of the help; ends with a NULL name. */
struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const struct argp *argp;
    const char *help;
};
extern const struct command commands[];

#endif

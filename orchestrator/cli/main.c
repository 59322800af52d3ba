/* l3replay: looks up the command. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/process/descendants.h"
#include "common/process/inherited.h"
#include "launch/front.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/job/interrupt.h"
#include "orchestrator/job/marker.h"

const struct command commands[] = {
    {"run", cli_run, &run_command, "replay an L3 build: PASS, FAIL or INFRA"},
    {"bench", cli_bench, &bench_command, "measure a build: many rounds in one job, with statistics"},
    {"ab", cli_ab, &ab_command, "compare two builds: rounds in turns in one job, faster, slower or no difference"},
    {"watch", cli_watch, &watch_command, "replay a build each time that something was edited"},
    {"batch", cli_batch, &batch_command, "replay the builds of a list, each with its own verdict"},
    {"inspect", cli_inspect, &inspect_command, "show what a build is: kind, platform, parameters, programs, kernels"},
    {"plan", cli_plan, &plan_command, "show what a replay would do: nodes, edges and why each edge exists"},
    {"compile", cli_compile, &compile_command, "bring the binaries of a build up to date"},
    {"report", cli_report, &report_command,
     "show what the profiles of a run say: waiting, skew, critical path, kernels"},
    {"topology", cli_topology, &topology_command, "show this host as placement sees it"},
    {"splice", cli_splice, &splice_command, "carry edits of .pto files into the kernels' sources"},
    {"invalidate", cli_invalidate, &invalidate_command,
     "delete the binaries in a build, so that everything is compiled again"},
    {"cache", cli_cache, &cache_command, "show the store of compiled objects, or remove what is in it"},
    {"debug-runner", cli_debug_runner, &debug_runner_command,
     "write a debug/run.py that replays the build with l3replay"},
    {"validate-ir", cli_validate_ir, &validate_ir_command,
     "let an installed compiler check the program after each of its passes"},
    {"completions", cli_completions, &completions_command, "print completions for bash or zsh, or the manual page"},
    {0},
};

static void usage(FILE *f)
{
    fputs("Usage: l3replay COMMAND [OPTION...]\n"
          "Replay multi-card builds of the PyPTO stack with MPI.\n\nCommands:\n",
          f);
    for (size_t i = 0; commands[i].name; i++) {
        fprintf(f, "  %-12s  %s\n", commands[i].name, commands[i].help);
    }
    fputs("\nExamples:\n"
          "  mpirun -np 4 l3replay run build_output/my_build\n"
          "  l3replay run build_output/my_build            (one process, without MPI)\n"
          "  l3replay plan build_output/my_build --format dot | dot -Tsvg > plan.svg\n"
          "\n`l3replay COMMAND --help` shows the options of a command.\n",
          f);
}

/* Help is for a person: of the processes of a job, the first one prints it. */
static bool is_help_again(int argc, char **argv)
{
    static const char *const words[] = {"--help", "-?", "--usage", "--version"};

    if (launch_rank() == 0 || argc < 2) {
        return false;
    }
    for (int i = 1; i < argc; i++) {
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
            if (strcmp(argv[i], words[w]) == 0) {
                return true;
            }
        }
    }
    return strcmp(argv[1], "help") == 0;
}

/* Commands that end with a marker, whatever ends them. */
static bool is_replay(const char *command)
{
    return strcmp(command, "run") == 0 || strcmp(command, "bench") == 0 || strcmp(command, "ab") == 0;
}

int main(int argc, char **argv)
{
    if (process_reset_self() < 0) {
        return EXIT_CODE_INFRA;
    }
    process_adopt();
    if (argc > 1 && is_replay(argv[1])) {
        interrupt_install(launch_rank() == 0);
    }
    if (argc < 2) {
        usage(stderr);
        return EXIT_CODE_USAGE;
    }
    if (is_help_again(argc, argv)) {
        return EXIT_CODE_PASS;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return EXIT_CODE_PASS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("l3replay " L3R_VERSION);
        return EXIT_CODE_PASS;
    }
    for (size_t i = 0; commands[i].name; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "l3replay: there is no command '%s'; `l3replay --help` lists them\n", argv[1]);
    return EXIT_CODE_USAGE;
}

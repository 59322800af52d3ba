/* `l3replay run BUILD`: parses the command line, and starts mpirun when nobody did. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/base/result_marker.h"
#include "launch/front.h"
#include "launch/mpi_dirs.h"
#include "orchestrator/cli/background.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/cli_replay.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/job/run.h"
#include "orchestrator/open/override.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/options/compare_options.h"
#include "orchestrator/options/device_option.h"
#include "orchestrator/options/dfx_options.h"
#include "orchestrator/options/fresh_options.h"
#include "orchestrator/options/option_number.h"
#include "orchestrator/options/python_options.h"
#include "orchestrator/options/recording_options.h"
#include "orchestrator/options/stack_options.h"
#include "orchestrator/repeat/repeat.h"

enum {
    OPT_SEED = 0x200,
    OPT_TIMEOUT,
    OPT_START_TIMEOUT,
    OPT_PLAN,
    OPT_RESULT,
    OPT_REPEAT,
    OPT_THREADS,
    OPT_DEVICE_ID,
    OPT_PACE,
    PROCESSES_MAX = 65536
};

static const char doc[] = "Replay the build in directory BUILD: record its host_orch.py (L3) or take its one program "
                          "(L2), compile, run every "
                          "dispatch on its card, compare the outputs.\v"
                          "Examples:\n"
                          "  mpirun -np 4 l3replay run build_output/my_build\n"
                          "  l3replay run build_output/my_build --device-ids 0-7 --seed 3\n"
                          "  l3replay run build_output/my_chip_build --device-id 2\n"
                          "  l3replay run my_build --input x=x.npy --expect out=refs.npz:out --rtol 1e-3\n"
                          "  l3replay run my_build --repeat 20 --result bits.json\n"
                          "  l3replay plan my_build --format json > p.json && l3replay run my_build --plan p.json\n\n"
                          "The last lines on stdout are all device ids, how many outputs were compared (" RESULT_CHECKED
                          "2/3 outputs), and " RESULT_MARKER "PASS device=N, =FAIL or =INFRA.\n"
                          "Exit status: 0 PASS, 1 FAIL, 2 wrong usage, 3 INFRA.";

static const struct argp_option options[] = {
    {NULL, 'n', "P", 0, "have mpirun start P processes (default: one process, without MPI)", 0},
    {"device-id", OPT_DEVICE_ID, "N", 0,
     "the card of a build for one chip (L2; default 0); without effect on an L3 build, which has --device-ids", 0},
    {"plan", OPT_PLAN, "FILE", 0, "replay a saved plan instead of recording host_orch.py (no Python)", 0},
    {"seed", OPT_SEED, "N", 0, "seed of generated inputs (default 0)", 0},

    {NULL, 0, NULL, 0, "How it runs:", 3},
    {"timeout", OPT_TIMEOUT, "SECONDS", 0, "stop a run in which no dispatch ends for so long (default 600; 0: never)",
     3},
    {"start-timeout", OPT_START_TIMEOUT, "SECONDS", 0,
     "give up when MPI does not start for so long (default 120; 0: never)", 3},
    {"threads", OPT_THREADS, "turns|free", 0,
     "lanes of a mixed task: one of a cluster at a time (default), or all side by side, as the system schedules them",
     3},
    {"pace", OPT_PACE, "domain|free", 0,
     "domain (default on simulator platforms): a dispatch of a comm domain waits until the other members have done as "
     "many there; free: cards wait for data only",
     3},
    {"repeat", OPT_REPEAT, "N", 0,
     "run it N times (1 to 1000) over the same inputs; say how many runs gave the same bits, and which output and "
     "dispatch differed first",
     3},
    {"result", OPT_RESULT, "FILE.json", 0, "verdict, times per card and dispatch, versions", 3},
    {0},
};

static uint64_t parse_seed(struct argp_state *state, const char *text)
{
    char *end;
    unsigned long long seed;

    errno = 0;
    seed = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-') {
        argp_error(state, "--seed wants a whole number, not '%s'", text);
    }
    return seed;
}

static void init_children(struct argp_state *state, struct run_options *o)
{
    state->child_inputs[0] = &o->build;
    state->child_inputs[1] = o;
    state->child_inputs[2] = &o->fresh;
    state->child_inputs[3] = &o->dfx;
    state->child_inputs[4] = o;
    state->child_inputs[5] = o;
    state->child_inputs[6] = o;
    state->child_inputs[7] = &o->device;
}

static void check_together(struct argp_state *state, const struct run_options *o)
{
    char profiles[DFX_OPTION_NAMES_SIZE];

    if (o->repeat > 1 && dfx_any(&o->dfx.dfx)) {
        argp_error(state, "--repeat takes no profiles: they have room for one run, and change its timing; leave %s out",
                   dfx_option_names(&o->dfx.dfx, profiles, sizeof profiles));
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        init_children(state, o);
        return 0;
    case ARGP_KEY_END:
        check_together(state, o);
        return 0;
    case OPT_REPEAT:
        o->repeat = option_number(state, "--repeat", arg, 1, REPEAT_MAX);
        return 0;
    case 'n':
        o->nproc = option_number(state, "-n", arg, 1, PROCESSES_MAX);
        return 0;
    case OPT_SEED:
        o->seed = parse_seed(state, arg);
        return 0;
    case OPT_TIMEOUT:
        o->timeout = option_real(state, "timeout", arg, 0);
        return 0;
    case OPT_START_TIMEOUT:
        o->start_timeout = option_real(state, "start-timeout", arg, 0);
        return 0;
    case OPT_THREADS:
        o->free_threads = strcmp(arg, "free") == 0;
        if (!o->free_threads && strcmp(arg, "turns") != 0) {
            argp_error(state, "--threads is turns or free, not '%s'", arg);
        }
        return 0;
    case OPT_DEVICE_ID:
        option_number(state, "--device-id", arg, 0, INT_MAX);
        o->device_id = arg;
        return 0;
    case OPT_PACE:
        o->pace = strcmp(arg, "free") == 0 ? PACE_FREE : PACE_DOMAIN;
        if (o->pace == PACE_DOMAIN && strcmp(arg, "domain") != 0) {
            argp_error(state, "--pace is domain or free, not '%s'", arg);
        }
        return 0;
    case OPT_PLAN:
        o->plan_file = arg;
        return 0;
    case OPT_RESULT:
        o->result_file = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void free_arguments(char **copy)
{
    for (char **at = copy; at && *at; at++) {
        free(*at);
    }
    free(copy);
}

/* Parsing cuts and reorders its arguments, and the job is started with them as they were typed. */
static char **copy_arguments(int argc, char **argv)
{
    char **copy = calloc((size_t)argc + 1, sizeof *copy);

    for (int i = 0; copy && i < argc; i++) {
        copy[i] = strdup(argv[i]);
        if (!copy[i]) {
            free_arguments(copy);
            return NULL;
        }
    }
    return copy;
}

/* In a job every process parses; the first one says what is wrong, the others leave without a word. */
static void parse_arguments(const struct argp *argp, int argc, char **argv, struct run_options *o)
{
    int kept = -1, null = -1;

    if (launch_rank() > 0) {
        kept = dup(STDERR_FILENO);
        null = open("/dev/null", O_WRONLY);
        if (kept >= 0 && null >= 0) {
            dup2(null, STDERR_FILENO);
        }
    }
    command_parse(argp, argc, argv, o);
    if (kept >= 0 && null >= 0) {
        dup2(kept, STDERR_FILENO);
    }
    if (kept >= 0) {
        close(kept);
    }
    if (null >= 0) {
        close(null);
    }
}

static const struct argp_child children[] = {{&build_argp, 0, NULL, 0},
                                             {&recording_argp, 0, "What is recorded:", 1},
                                             {&fresh_argp, 0, "What is built:", 2},
                                             {&dfx_argp, 0, "Profiles (docs/manual.md):", 5},
                                             {&compare_argp, 0, "What is compared:", 4},
                                             {&python_argp, 0, "Python of the build:", 6},
                                             {&stack_argp, 0, "As the stack's own tools say it:", 7},
                                             {&device_argp, 0, NULL, 0},
                                             {0}};
const struct argp replay_options = {.options = options, .parser = parse, .children = children};
const struct argp run_command = {.options = options, .parser = parse, .doc = doc, .children = children};

struct run_options cli_replay_defaults(void)
{
    return (struct run_options){
        .tolerance = TOLERANCE_DEFAULT, .timeout = 600, .start_timeout = 120, .first = launch_rank() == 0};
}

int cli_replay(const struct argp *argp, struct run_options *o, int argc, char **argv)
{
    char **copy = copy_arguments(argc, argv);
    int code;

    if (!copy) {
        fputs("l3replay: out of memory\n", stderr);
        return EXIT_CODE_INFRA;
    }
    mpi_dirs_report_start();
    parse_arguments(argp, argc, copy, o);
    o->alone = launch_is_alone(&o->begun_ns) && o->nproc <= 1;
    /* One process needs no MPI, which takes most of the time of a short replay: executors are processes of their own. */
    if (o->alone || launch_under_mpi()) {
        code = run_replay(o, argc, argv);
    } else {
        code = launch_self(o->nproc > 1 ? o->nproc : 0, o->start_timeout, argc, argv);
    }
    if (o->first && !o->alone) {
        background_make_headers();
    }
    run_options_free(o);
    free_arguments(copy);
    return code;
}

int cli_run(int argc, char **argv)
{
    struct run_options o = cli_replay_defaults();

    return cli_replay(&run_command, &o, argc, argv);
}

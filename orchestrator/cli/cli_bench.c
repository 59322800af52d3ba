/* `l3replay bench BUILD`: many rounds in one job, and what their times say. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/cli_replay.h"
#include "orchestrator/options/dfx_options.h"
#include "orchestrator/options/option_number.h"

enum {
    OPT_ROUNDS = 0xa00,
    OPT_WARMUP,
    OPT_KEEP_STATE,
    OPT_KEEP_WINDOWS,
    OPT_RAW,
    OPT_CSV,
    OPT_LINES,
    OPT_BASELINE,
    ROUNDS_DEFAULT = 100,
    WARMUP_DEFAULT = 5,
    NOT_GIVEN = -1
};

static const char doc[] =
    "Measure the build in directory BUILD: load everything once, run the program in many rounds in the same executors, "
    "and "
    "print times by round, rank and dispatch with a 95 % interval of each median. All cards begin a round together; "
    "outputs "
    "are compared after the last one.\v"
    "Examples:\n"
    "  l3replay bench build_output/my_build\n"
    "  l3replay bench my_build --rounds 300 --warmup 10 --result before.json\n"
    "  l3replay bench my_build --baseline before.json\n"
    "  mpirun -np 2 l3replay bench my_build --csv rounds.csv --pypto-lines\n\n"
    "Times of the cpu device rank variants of host code and orchestration; they say nothing of an accelerator.\n"
    "The marker and the exit status are those of `l3replay run`.";

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "How it is measured:", 9},
    {"rounds", OPT_ROUNDS, "N", 0, "measured rounds (100, or $PYPTO_BENCH_ROUNDS)", 9},
    {"warmup", OPT_WARMUP, "N", 0, "rounds before them that do not count (5, or $PYPTO_BENCH_WARMUP)", 9},
    {"keep-state", OPT_KEEP_STATE, NULL, 0,
     "in-outs and intermediates stay as a round leaves them; outputs are then not compared", 9},
    {"keep-windows", OPT_KEEP_WINDOWS, NULL, 0, "windows are not zeroed between rounds", 9},
    {"raw", OPT_RAW, NULL, 0, "print all metrics of ranks and dispatches, and all samples ($PYPTO_BENCH_RAW=1)", 9},
    {"csv", OPT_CSV, "FILE", 0, "a line for each dispatch of each round", 9},
    {"pypto-lines", OPT_LINES, NULL, 0, "print the [RUN] lines of the model repository's runner as well", 9},
    {"baseline", OPT_BASELINE, "OLD.json", 0, "compare with a file of an earlier bench --result", 9},
    {0},
};

struct bench_arguments {
    struct run_options run; /* first: what cli_replay() passes on */
    int rounds, warmup;
};

/* A variable of the environment is read like the option. */
static int number_or(struct argp_state *state, int given, const char *variable, int least, int most, int otherwise)
{
    const char *value = getenv(variable);

    return given != NOT_GIVEN ? given
           : value && *value  ? option_number(state, variable, value, least, most)
                              : otherwise;
}

static void finish(struct argp_state *state, struct bench_arguments *a)
{
    struct bench_options *b = &a->run.bench;
    const char *raw = getenv("PYPTO_BENCH_RAW");
    char profiles[DFX_OPTION_NAMES_SIZE];

    b->rounds.count = (uint32_t)number_or(state, a->rounds, "PYPTO_BENCH_ROUNDS", 1, ROUNDS_MAX, ROUNDS_DEFAULT);
    b->rounds.warmup =
        (uint32_t)number_or(state, a->warmup, "PYPTO_BENCH_WARMUP", 0, ROUNDS_WARMUP_MAX, WARMUP_DEFAULT);
    b->raw = b->raw || (raw && strcmp(raw, "1") == 0);
    if (b->rounds.keep_state) {
        a->run.no_validate = true;
    }
    if (b->baseline_file && access(b->baseline_file, R_OK) < 0) {
        argp_error(state, "cannot read %s: %s", b->baseline_file, strerror(errno));
    }
    if (a->run.repeat > 1) {
        argp_error(state, "bench takes --rounds instead of --repeat");
    }
    if (dfx_any(&a->run.dfx.dfx)) {
        argp_error(state, "bench takes no profiles: they change the times; leave %s out",
                   dfx_option_names(&a->run.dfx.dfx, profiles, sizeof profiles));
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct bench_arguments *a = state->input;
    struct bench_options *b = &a->run.bench;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->run;
        return 0;
    case ARGP_KEY_END:
        finish(state, a);
        return 0;
    case OPT_ROUNDS:
        a->rounds = option_number(state, "--rounds", arg, 1, ROUNDS_MAX);
        return 0;
    case OPT_WARMUP:
        a->warmup = option_number(state, "--warmup", arg, 0, ROUNDS_WARMUP_MAX);
        return 0;
    case OPT_KEEP_STATE:
        b->rounds.keep_state = true;
        return 0;
    case OPT_KEEP_WINDOWS:
        b->rounds.keep_windows = true;
        return 0;
    case OPT_RAW:
        b->raw = true;
        return 0;
    case OPT_CSV:
        b->csv_file = arg;
        return 0;
    case OPT_LINES:
        b->pypto_lines = true;
        return 0;
    case OPT_BASELINE:
        b->baseline_file = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&replay_options, 0, NULL, 0}, {0}};
const struct argp bench_command = {.options = options, .parser = parse, .doc = doc, .children = children};

int cli_bench(int argc, char **argv)
{
    struct bench_arguments a = {.run = cli_replay_defaults(), .rounds = NOT_GIVEN, .warmup = NOT_GIVEN};

    a.run.bench.rounds.count = ROUNDS_DEFAULT; /* before options are checked: it is a bench */
    return cli_replay(&bench_command, &a.run, argc, argv);
}

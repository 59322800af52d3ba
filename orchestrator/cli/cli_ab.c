/* `l3replay ab A B`: two builds in one job, in turns. */
#include <argp.h>
#include <string.h>

#include "orchestrator/bench/pairs.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/cli_replay.h"
#include "orchestrator/options/dfx_options.h"
#include "orchestrator/options/option_number.h"

enum {
    OPT_ROUNDS = 0xa00,
    OPT_WARMUP,
    OPT_KEEP_STATE,
    OPT_KEEP_WINDOWS,
    OPT_PRECISION,
    LIMIT_DEFAULT = 1000,
    WARMUP_DEFAULT = 3
};

static const char doc[] = "Compare the builds in directories A and B: run both in one job, in the same executors, on "
                          "the same cards and inputs, a "
                          "round of each in turns in random order, until it is known by how much B is faster or slower "
                          "than A. Outputs of B are "
                          "compared with those of A, and those of A with its references.\v"
                          "Examples:\n"
                          "  cp -r my_build before; edit my_build; l3replay ab before my_build\n"
                          "  l3replay ab before after --rounds 2000 --precision 0.5 --result ab.json\n\n"
                          "FAIL is for wrong or differing outputs; faster and slower are both PASS.";

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "How it is measured:", 9},
    {"rounds", OPT_ROUNDS, "N", 0, "pairs of rounds at most (default 1000)", 9},
    {"warmup", OPT_WARMUP, "N", 0, "pairs in the beginning of each pass that do not count (default 3)", 9},
    {"precision", OPT_PRECISION, "PERCENT", 0, "stop when the interval of the difference is narrower (default 1)", 9},
    {"keep-state", OPT_KEEP_STATE, NULL, 0,
     "in-outs and intermediates stay as a round leaves them; outputs have then no references", 9},
    {"keep-windows", OPT_KEEP_WINDOWS, NULL, 0, "windows are not zeroed between rounds", 9},
    {0},
};

static void finish(struct argp_state *state, struct run_options *o)
{
    char profiles[DFX_OPTION_NAMES_SIZE];

    if (!o->bench.other_build) {
        argp_error(state, "which builds? give two directories");
    }
    if (o->plan_file) {
        argp_error(state, "ab records both builds, and takes no --plan");
    }
    if (o->repeat > 1) {
        argp_error(state, "ab takes --rounds instead of --repeat");
    }
    if (dfx_any(&o->dfx.dfx)) {
        argp_error(state, "ab takes no profiles: they change the times; leave %s out",
                   dfx_option_names(&o->dfx.dfx, profiles, sizeof profiles));
    }
    o->bench.rounds.count = (o->bench.limit + 1) / 2 < PAIRS_OF_PASS ? (o->bench.limit + 1) / 2
                                                                     : PAIRS_OF_PASS; /* an even number of passes */
    o->bench.rounds.seed = o->seed;
    if (o->bench.rounds.keep_state) {
        o->no_validate = true;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = o;
        return 0;
    case ARGP_KEY_ARG:
        if (!o->build || o->bench.other_build) {
            return ARGP_ERR_UNKNOWN; /* the first is the build, the third one too many */
        }
        o->bench.other_build = arg;
        return 0;
    case ARGP_KEY_END:
        finish(state, o);
        return 0;
    case OPT_ROUNDS:
        o->bench.limit = (uint32_t)option_number(state, "--rounds", arg, 1, PAIRS_MAX);
        return 0;
    case OPT_WARMUP:
        o->bench.rounds.warmup = (uint32_t)option_number(state, "--warmup", arg, 1, ROUNDS_WARMUP_MAX);
        return 0;
    case OPT_PRECISION:
        o->bench.precision = option_real(state, "precision", arg, 0) / 100;
        return 0;
    case OPT_KEEP_STATE:
        o->bench.rounds.keep_state = true;
        return 0;
    case OPT_KEEP_WINDOWS:
        o->bench.rounds.keep_windows = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&replay_options, 0, NULL, 0}, {0}};
const struct argp ab_command = {
    .options = options, .parser = parse, .args_doc = "A B", .doc = doc, .children = children};

int cli_ab(int argc, char **argv)
{
    struct run_options o = cli_replay_defaults();

    o.bench = (struct bench_options){
        .rounds = {.count = PAIRS_OF_PASS, .warmup = WARMUP_DEFAULT}, .limit = LIMIT_DEFAULT, .precision = 0.01};
    return cli_replay(&ab_command, &o, argc, argv);
}

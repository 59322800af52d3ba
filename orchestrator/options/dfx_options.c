#include "orchestrator/options/dfx_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/options/option_number.h"
#include "orchestrator/prepare/profile_dirs.h"

enum {
    OPT_SWIMLANE = 0x600,
    OPT_SWIMLANE_LEVEL,
    OPT_CHIP_SWIMLANE,
    OPT_CHIP_LEVEL,
    OPT_L2_SWIMLANE,
    OPT_PMU,
    OPT_ENABLE_PMU,
    OPT_DEP_GEN,
    OPT_SCOPE_STATS,
    OPT_DUMP_ARGS,
    OPT_DFX_DIR,
    OPT_GATHER,
    LEVEL_NONE = -1,
    PMU_PIPES = 2 /* what counting without an event type counts */
};

/* How a switch was given before; `option` is NULL when it was not. */
struct spelling {
    const char *option;
    int level;
    bool bare; /* without a level */
};

struct spellings {
    struct spelling swimlane, pmu;
};

static const struct argp_option options[] = {
    {"swimlane", OPT_SWIMLANE, NULL, 0, "when each task ran, and the scheduler: --swimlane-level 4", 4},
    {"swimlane-level", OPT_SWIMLANE_LEVEL, "N", 0,
     "0 off, 1 tasks, 2 their dispatch and finish too, 3 the scheduler too, 4 the orchestration too", 4},
    {"pmu", OPT_PMU, "N", OPTION_ARG_OPTIONAL,
     "counters of each task: 1 arithmetic, 2 pipes (the default), 4 memory, 5 to 8 others", 4},
    {"dep-gen", OPT_DEP_GEN, NULL, 0, "which task waits for which", 4},
    {"scope-stats", OPT_SCOPE_STATS, NULL, 0, "what each scope uses of the device", 4},
    {"dump-args", OPT_DUMP_ARGS, "N", OPTION_ARG_OPTIONAL,
     "arguments of tasks: 1 marked ones (the default), 2 all, 3 all, but the bytes of marked ones only", 4},
    {"dfx-dir", OPT_DFX_DIR, "DIR", 0, "where profiles go (default: BUILD/dfx_outputs)", 4},
    {"gather", OPT_GATHER, "auto|stream", 0,
     "auto: processes that see that directory write into it, others send (default); stream: all send", 4},
    {"enable-chip-swimlane", OPT_CHIP_SWIMLANE, "N", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, NULL, 4},
    {"enable-l2-swimlane", OPT_L2_SWIMLANE, "N", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, NULL, 4},
    {"enable-pmu", OPT_ENABLE_PMU, "N", OPTION_ARG_OPTIONAL | OPTION_HIDDEN, NULL, 4},
    {"chip-swimlane-level", OPT_CHIP_LEVEL, "N", OPTION_HIDDEN, NULL, 4},
    {"enable-dep-gen", OPT_DEP_GEN, NULL, OPTION_HIDDEN, NULL, 4},
    {"enable-scope-stats", OPT_SCOPE_STATS, NULL, OPTION_HIDDEN, NULL, 4},
    {0},
};

static int is_number(const char *text)
{
    while (isdigit((unsigned char)*text)) {
        text++;
    }
    return *text == '\0';
}

/* An optional level: joined by '=', or the next argument when that is nothing but digits. A build's name is left
 * alone. */
static int optional_level(struct argp_state *state, const char *option, const char *arg, int max, int bare)
{
    const char *next = state->next < state->argc ? state->argv[state->next] : NULL;

    if (!arg && next && *next && is_number(next)) {
        arg = next;
        state->next++;
    }
    return arg ? option_number(state, option, arg, 0, max) : bare;
}

/* The same switch given by another spelling with another level is an error; by the same one, the last counts. A spelling
 * without a level agrees with all but 0. */
static void set_level(struct argp_state *state, int32_t *value, struct spelling *before, struct spelling now)
{
    const bool other = before->option && strcmp(before->option, now.option) != 0;

    if (other && (before->bare || now.bare ? !before->level != !now.level : before->level != now.level)) {
        argp_error(state, "%s and %s ask for different levels: they are spellings of one switch, give one",
                   before->option, now.option);
    }
    if (!other || before->bare) {
        *before = now;
        *value = now.level;
    }
}

static void chip_level(struct argp_state *state, int32_t *value, struct spelling *before, const char *option,
                       const char *arg)
{
    const int level = optional_level(state, option, arg, DFX_SWIMLANE_MAX, LEVEL_NONE);
    const bool bare = level == LEVEL_NONE;

    set_level(state, value, before,
              (struct spelling){.option = option, .level = bare ? DFX_SWIMLANE_MAX : level, .bare = bare});
}

const char *dfx_option_names(const struct dfx *dfx, char *buf, size_t size)
{
    const struct {
        bool wanted;
        const char *name;
    } kinds[] = {{dfx->swimlane, "--swimlane"},
                 {dfx->pmu, "--pmu"},
                 {dfx->dump_args, "--dump-args"},
                 {dfx->dep_gen, "--dep-gen"},
                 {dfx->scope_stats, "--scope-stats"}};

    buf[0] = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t used = strlen(buf);

        if (kinds[i].wanted) {
            snprintf(buf + used, size - used, "%s%s", used ? ", " : "", kinds[i].name);
        }
    }
    return buf;
}

static int check_event_type(struct argp_state *state, const char *name, int n)
{
    if (n && !dfx_pmu_is_known(n)) {
        argp_error(state, "%s is 0 (off), 1, 2, or 4 to 8, not %d", name, n);
    }
    return n;
}

static int event_type(struct argp_state *state, const char *option, const char *arg)
{
    return check_event_type(state, option, optional_level(state, option, arg, DFX_PMU_MAX, PMU_PIPES));
}

/* As in the stack, the variable overrides the event type, but does not turn counting on. */
static void override_event_type(struct argp_state *state, struct dfx_options *o)
{
    const char *value = getenv("SIMPLER_PMU_EVENT_TYPE");

    if (o->dfx.pmu && value && *value) {
        o->dfx.pmu = check_event_type(state, "SIMPLER_PMU_EVENT_TYPE",
                                      option_number(state, "SIMPLER_PMU_EVENT_TYPE", value, 0, DFX_PMU_MAX));
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct dfx_options *o = state->input;
    struct spellings *before = state->hook;

    switch (key) {
    case ARGP_KEY_INIT:
        state->hook = calloc(1, sizeof *before);
        return state->hook ? 0 : ENOMEM;
    case ARGP_KEY_END:
        override_event_type(state, o);
        return 0;
    case ARGP_KEY_FINI:
        free(before);
        return 0;
    case OPT_SWIMLANE:
        set_level(state, &o->dfx.swimlane, &before->swimlane,
                  (struct spelling){.option = "--swimlane", .level = DFX_SWIMLANE_MAX, .bare = true});
        return 0;
    case OPT_SWIMLANE_LEVEL:
        set_level(state, &o->dfx.swimlane, &before->swimlane,
                  (struct spelling){.option = "--swimlane-level",
                                    .level = option_number(state, "--swimlane-level", arg, 0, DFX_SWIMLANE_MAX)});
        return 0;
    case OPT_CHIP_LEVEL:
        set_level(state, &o->dfx.swimlane, &before->swimlane,
                  (struct spelling){.option = "--chip-swimlane-level",
                                    .level = option_number(state, "--chip-swimlane-level", arg, 0, DFX_SWIMLANE_MAX)});
        return 0;
    case OPT_CHIP_SWIMLANE:
        chip_level(state, &o->dfx.swimlane, &before->swimlane, "--enable-chip-swimlane", arg);
        return 0;
    case OPT_L2_SWIMLANE:
        o->deprecated = true;
        chip_level(state, &o->dfx.swimlane, &before->swimlane, "--enable-l2-swimlane", arg);
        return 0;
    case OPT_PMU:
        set_level(state, &o->dfx.pmu, &before->pmu,
                  (struct spelling){.option = "--pmu", .level = event_type(state, "--pmu", arg)});
        return 0;
    case OPT_ENABLE_PMU:
        set_level(state, &o->dfx.pmu, &before->pmu,
                  (struct spelling){.option = "--enable-pmu", .level = event_type(state, "--enable-pmu", arg)});
        return 0;
    case OPT_DEP_GEN:
        o->dfx.dep_gen = true;
        return 0;
    case OPT_SCOPE_STATS:
        o->dfx.scope_stats = true;
        return 0;
    case OPT_DUMP_ARGS:
        o->dfx.dump_args = optional_level(state, "--dump-args", arg, DFX_DUMP_ARGS_MAX, 1);
        return 0;
    case OPT_GATHER:
        if (strcmp(arg, "auto") != 0 && strcmp(arg, "stream") != 0) {
            argp_error(state, "--gather is auto or stream, not '%s'", arg);
        }
        o->stream = strcmp(arg, "stream") == 0;
        return 0;
    case OPT_DFX_DIR:
        if (!*arg) {
            argp_error(state, "--dfx-dir wants a directory");
        }
        o->dir = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp dfx_argp = {.options = options, .parser = parse};

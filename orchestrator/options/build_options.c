#include "orchestrator/options/build_options.h"

#include "common/base/log.h"

enum { OPT_LOG_LEVEL = 0x700 };

static const struct argp_option options[] = {
    {"log-level", OPT_LOG_LEVEL, "debug|info|timing|warn|error|null", 0, "least level that is printed (default timing)",
     2},
    {0},
};

static void set_log_level(struct argp_state *state, const char *arg)
{
    enum log_level level;

    if (log_level_parse(arg, &level) < 0) {
        argp_error(state, "--log-level is debug, info, timing, warn, error or null, not '%s'", arg);
    }
    log_set_level(level);
}

/* `what` is the argument's name in --help; `missing`: what to say without one, NULL where it may be left out. */
static error_t parse(int key, char *arg, struct argp_state *state, const char *what, const char *missing)
{
    const char **directory = state->input;

    switch (key) {
    case OPT_LOG_LEVEL:
        set_log_level(state, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (*directory) {
            argp_error(state, "one %s at a time; '%s' is one too many", what, arg);
        }
        *directory = arg;
        return 0;
    case ARGP_KEY_END:
        if (!*directory && missing) {
            argp_error(state, "%s", missing);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_build(int key, char *arg, struct argp_state *state)
{
    return parse(key, arg, state, "BUILD", "which build? give its directory");
}

static error_t parse_build_or_none(int key, char *arg, struct argp_state *state)
{
    return parse(key, arg, state, "BUILD", NULL);
}

static error_t parse_profiles(int key, char *arg, struct argp_state *state)
{
    return parse(key, arg, state, "DIR", "which profiles? give the directory dfx_outputs, or the build that holds it");
}

const struct argp build_argp = {.options = options, .parser = parse_build, .args_doc = "BUILD"};
const struct argp build_or_none_argp = {.options = options, .parser = parse_build_or_none, .args_doc = "BUILD"};
const struct argp profiles_argp = {.options = options, .parser = parse_profiles, .args_doc = "DIR"};

#include "orchestrator/options/recording_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "orchestrator/options/option_number.h"

enum {
    OPT_PLATFORM = 0x100,
    OPT_DEVICE_IDS,
    OPT_INPUT,
    OPT_SCALAR,
    OPT_SHAPE,
    OPT_STRICT_SHAPES,
    OPT_DEPS,
    OPT_SUB_WORKER,
    OPT_MAX_NODES,
    OPT_NUM_SUB_WORKERS,
    OPT_FRESH_RECORDING
};

static const struct argp_option options[] = {
    {"platform", OPT_PLATFORM, "a2a3|a2a3sim|a5|a5sim", 0, "what it is replayed for (default: the build's)", 1},
    {"device-ids", OPT_DEVICE_IDS, "IDS", 0, "cards to use, as 0,1 or 0-3; their number is the world size", 1},
    {"input", OPT_INPUT, "NAME=FILE", 0,
     "contents of a parameter (default: data/in/NAME.npy or .pt, else of golden.py, else generated)", 1},
    {"scalar", OPT_SCALAR, "NAME=VALUE", 0, "value of a scalar parameter", 1},
    {"shape", OPT_SHAPE, "NAME=4x128", 0, "shape of a parameter with dynamic dimensions", 1},
    {"strict-shapes", OPT_STRICT_SHAPES, NULL, 0,
     "refuse an input whose sizes are not those of the metadata, which is else a warning", 1},
    {"sub-worker", OPT_SUB_WORKER, "NAME=FILE.py", 0,
     "the sub-worker NAME is function NAME of FILE.py, or FUNCTION of FILE.py:FUNCTION", 1},
    {"num-sub-workers", OPT_NUM_SUB_WORKERS, "N", 0,
     "Python processes for sub-workers, at least one for each (1 to 64; default: the build's)", 1},
    {"fresh-recording", OPT_FRESH_RECORDING, NULL, 0,
     "run host_orch.py also where a recording of it is kept from an earlier replay", 1},
    {"deps", OPT_DEPS, "exact|full|upstream", 0, "order of dispatches (default exact)", 1},
    {"max-nodes", OPT_MAX_NODES, "N", 0, "stop recording at more dispatches, copies and calls (default 20000000)", 1},
    {0},
};

void option_split(struct argp_state *state, const char *option, const char *form, char *text, char **name, char **value)
{
    char *equals = strchr(text, '=');

    if (!equals || equals == text || !equals[1]) {
        argp_error(state, "--%s wants %s, not '%s'", option, form, text);
    }
    *equals = '\0';
    *name = text;
    *value = equals + 1;
}

void *option_grow(struct argp_state *state, void *array, size_t count, size_t size)
{
    size_t capacity = count; /* not kept: options are few */

    if (array_room(&array, &capacity, count, size)) {
        argp_failure(state, 3, ENOMEM, "options");
    }
    return array;
}

void option_named_file(struct argp_state *state, const char *option, const char *form, char *text,
                       struct named_file **files, size_t *count)
{
    char *name, *file;

    option_split(state, option, form, text, &name, &file);
    *files = option_grow(state, *files, *count, sizeof **files);
    (*files)[(*count)++] = (struct named_file){.name = name, .file = file};
}

static void add_scalar(struct argp_state *state, struct run_options *o, char *text)
{
    char *name, *value, *end;
    double number;

    option_split(state, "scalar", "NAME=VALUE", text, &name, &value);
    number = strtod(value, &end);
    if (*end && strcasecmp(value, "true") != 0 && strcasecmp(value, "false") != 0) {
        argp_error(state, "--scalar %s: '%s' is not a number", name, value);
    }
    o->scalars = option_grow(state, o->scalars, o->nscalar, sizeof *o->scalars);
    o->scalars[o->nscalar++] = (struct record_scalar){.name = name, .value = number, .text = value};
}

static void add_shape(struct argp_state *state, struct run_options *o, char *text)
{
    struct record_shape *shape;
    char *name, *typed, *at;

    option_split(state, "shape", "NAME=4x128", text, &name, &typed);
    at = typed;
    o->shapes = option_grow(state, o->shapes, o->nshape, sizeof *o->shapes);
    shape = &o->shapes[o->nshape++];
    shape->name = name;
    for (;;) {
        char *end;
        long long size;

        errno = 0;
        size = strtoll(at, &end, 10);
        if (errno || end == at || size < 1 || shape->ndim == PLAN_MAX_DIMS || (*end && *end != 'x')) {
            argp_error(state, "--shape %s wants sizes like 4x128, not '%s'", name, typed);
        }
        shape->shape[shape->ndim++] = size;
        if (!*end) {
            return;
        }
        at = end + 1;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;

    switch (key) {
    case OPT_PLATFORM:
        o->platform = arg;
        return 0;
    case OPT_DEVICE_IDS:
        o->device_ids = arg;
        return 0;
    case OPT_INPUT:
        option_named_file(state, "input", "NAME=FILE", arg, &o->inputs, &o->ninput);
        return 0;
    case OPT_SCALAR:
        add_scalar(state, o, arg);
        return 0;
    case OPT_SHAPE:
        add_shape(state, o, arg);
        return 0;
    case OPT_STRICT_SHAPES:
        o->strict_shapes = true;
        return 0;
    case OPT_SUB_WORKER:
        option_named_file(state, "sub-worker", "NAME=FILE.py", arg, &o->subs, &o->nsub);
        return 0;
    case OPT_MAX_NODES:
        o->max_nodes = (uint32_t)option_number(state, "--max-nodes", arg, 1, INT_MAX);
        return 0;
    case OPT_FRESH_RECORDING:
        o->fresh_recording = true;
        return 0;
    case OPT_NUM_SUB_WORKERS:
        o->num_sub_workers = (uint32_t)option_number(state, "--num-sub-workers", arg, 1, PLAN_SUB_LANES);
        return 0;
    case OPT_DEPS:
        if (deps_mode_parse(arg, &o->deps) < 0) {
            argp_error(state, "--deps is exact, full or upstream, not '%s'", arg);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp recording_argp = {.options = options, .parser = parse};

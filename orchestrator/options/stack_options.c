#include "orchestrator/options/stack_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrator/options/option_number.h"

enum {
    OPT_BACKEND = 0x900,
    OPT_MODE,
    OPT_RUNTIME,
    OPT_AICPU,
    OPT_SYNC,
    OPT_RING_WINDOW,
    OPT_RING_HEAP,
    OPT_RING_POOL,
    RINGS = 4
};

static const struct argp_option options[] = {
    {"backend-type", OPT_BACKEND, "Ascend910B|Ascend950", 0, "with --execution-mode, another way to name a platform",
     7},
    {"execution-mode", OPT_MODE, "sim|onboard", 0, "a simulator or hardware; what is not said is the build's", 7},
    {"runtime", OPT_RUNTIME, "NAME", 0, "accepted, without effect: kernel_config.py names the runtime of a program", 7},
    {"aicpu-thread-num", OPT_AICPU, "N", 0, "of the simpler device; without effect on the cpu device", 7},
    {"ring-task-window", OPT_RING_WINDOW, "N[,N,N,N]", 0, "the same: tasks in flight, for all rings or each", 7},
    {"ring-heap", OPT_RING_HEAP, "N[,N,N,N]", 0, "the same: bytes of the heap", 7},
    {"ring-dep-pool", OPT_RING_POOL, "N[,N,N,N]", 0, "the same: entries of the pool of dependencies", 7},
    {"log-sync-pypto", OPT_SYNC, NULL, 0, "accepted, without effect: there is one logger here", 7},
    {0},
};

/* What a size of a ring must be; 0 in a list leaves that ring as it is. */
static const struct ring {
    int key;
    const char *option, *variable;
    long long least, most;
    bool power; /* of two */
} rings[] = {
    {OPT_RING_WINDOW, "--ring-task-window", "PTO2_RING_TASK_WINDOW", 4, 1LL << 62, true},
    {OPT_RING_HEAP, "--ring-heap", "PTO2_RING_HEAP", 1024, 1LL << 62, true},
    {OPT_RING_POOL, "--ring-dep-pool", "PTO2_RING_DEP_POOL", 4, INT_MAX, false},
};

static void add_note(struct argp_state *state, struct args *notes, const char *name, const char *why)
{
    args_add(notes, "%s has no effect %s", name, why);
    if (notes->failed) {
        argp_failure(state, 3, ENOMEM, "options");
    }
}

static void add_unused(struct argp_state *state, struct run_options *o, const char *name, const char *why)
{
    add_note(state, &o->unused, name, why);
}

static bool is_size(const struct ring *r, long long value, bool listed)
{
    return (listed && value == 0) ||
           (value >= r->least && value <= r->most && (!r->power || (value & (value - 1)) == 0));
}

/* One size, or four with commas between them: `sizes` gets one for each ring. */
static void check_ring(struct argp_state *state, const struct ring *r, const char *name, const char *text,
                       uint64_t sizes[RINGS])
{
    const bool listed = strchr(text, ',') != NULL;
    const char *at = text;
    char *end;
    int n = 0;

    for (bool more = true; more; n++, at = end + 1) {
        long long value;

        errno = 0;
        value = strtoll(at, &end, 10);
        if (errno || end == at || (*end && *end != ',') || !is_size(r, value, listed) || n == RINGS) {
            argp_error(state, "%s wants a %s of at least %lld, or four with commas between them, not '%s'", name,
                       r->power ? "power of two" : "number", r->least, text);
        }
        sizes[n] = (uint64_t)value;
        more = *end == ',';
    }
    for (int i = 1; !listed && i < RINGS; i++) {
        sizes[i] = sizes[0];
    }
    if (listed && n != RINGS) {
        argp_error(state, "%s wants one size or one for each of the four rings, not %d", name, n);
    }
}

static void take_ring(struct argp_state *state, struct run_options *o, int key, const char *text)
{
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        if (rings[i].key == key) {
            uint64_t *const sizes[] = {o->device.task_window, o->device.heap, o->device.dep_pool};

            check_ring(state, &rings[i], rings[i].option, text, sizes[i]);
            add_note(state, &o->device.cpu_unused, rings[i].option, "on the cpu device, whose rings grow");
        }
    }
}

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static bool is_on(const char *value)
{
    return value && strcmp(value, "0") != 0 && strcasecmp(value, "false") != 0;
}

static void take_environment(struct argp_state *state, struct run_options *o)
{
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        const char *value = set_variable(rings[i].variable);

        if (value) { /* the runtime reads it as well */
            uint64_t sizes[RINGS];

            check_ring(state, &rings[i], rings[i].variable, value, sizes);
            add_note(state, &o->device.cpu_unused, rings[i].variable, "on the cpu device, whose rings grow");
        }
    }
    if (is_on(set_variable("PYPTO_RUNTIME_LOG_SYNC"))) {
        add_unused(state, o, "PYPTO_RUNTIME_LOG_SYNC", "here: there is one logger");
    }
    if (is_on(set_variable("PYPTO_BENCH")) && !o->bench.rounds.count) {
        add_unused(state, o, "PYPTO_BENCH", "on `run`, which measures one run: `l3replay bench` measures many");
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const runtimes[] = {"tensormap_and_ringbuffer", "host_build_graph"};
    struct run_options *o = state->input;

    switch (key) {
    case ARGP_KEY_END:
        take_environment(state, o);
        return 0;
    case OPT_BACKEND:
        o->backend_type = arg;
        return 0;
    case OPT_MODE:
        o->execution_mode = arg;
        return 0;
    case OPT_RUNTIME:
        if (strcmp(arg, runtimes[0]) != 0 && strcmp(arg, runtimes[1]) != 0) {
            argp_error(state, "--runtime is %s or %s, not '%s'", runtimes[0], runtimes[1], arg);
        }
        add_unused(state, o, "--runtime", "here: kernel_config.py names the runtime of a program");
        return 0;
    case OPT_AICPU:
        o->device.aicpu_thread_num = option_number(state, "--aicpu-thread-num", arg, 0, INT_MAX);
        if (o->device.aicpu_thread_num == 1) {
            argp_error(state, "--aicpu-thread-num is 0 (the runtime's default) or at least 2, not 1");
        }
        add_note(state, &o->device.cpu_unused, "--aicpu-thread-num", "on the cpu device");
        return 0;
    case OPT_SYNC:
        add_unused(state, o, "--log-sync-pypto", "here: there is one logger");
        return 0;
    case OPT_RING_WINDOW:
    case OPT_RING_HEAP:
    case OPT_RING_POOL:
        take_ring(state, o, key, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp stack_argp = {.options = options, .parser = parse};

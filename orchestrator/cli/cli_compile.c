/* `l3replay compile BUILD`: brings the binaries of a build up to date, and runs nothing. */
#include <argp.h>
#include <stdio.h>

#include "common/base/log.h"
#include "launch/front.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/device/cpu_check.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/open/build.h"
#include "orchestrator/open/override.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/options/device_option.h"
#include "orchestrator/options/fresh_options.h"
#include "orchestrator/options/option_number.h"
#include "orchestrator/record/record.h"
#include "rank-worker/compile/store_trim.h"
#include "topology/topology.h"

enum { OPT_PLATFORM = 0x600 };

struct compile_command {
    const char *build, *platform;
    int jobs;
    struct fresh_options fresh;
    struct device_options device;
};

static const char doc[] =
    "Bring the binaries of every program in BUILD up to date: splice edits of .pto files, throw stale binaries away, "
    "compile, and put the objects where the stack keeps them.\v"
    "Examples:\n"
    "  l3replay compile build_output/my_build\n"
    "  l3replay compile my_build --platform a5sim -j 8\n\n"
    "Exit status: 0 done, 2 wrong usage, 3 something does not compile (the messages say what).";

static const struct argp_option options[] = {
    {"platform", OPT_PLATFORM, "NAME", 0, "a2a3sim or a5sim (default: the build's)", 0},
    {"jobs", 'j', "N", 0, "compilers at once (default: one a core)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct compile_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->build;
        state->child_inputs[1] = &c->fresh;
        state->child_inputs[2] = &c->device;
        return 0;
    case OPT_PLATFORM:
        c->platform = arg;
        return 0;
    case 'j':
        c->jobs = option_number(state, "--jobs", arg, 1, OPTION_JOBS_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* What the device can run, and its commands where it brings some. */
static int choose_device(const struct compile_command *c, const struct build *build,
                         const struct program_table *programs, struct runtime_info *runtime,
                         struct fresh_options *fresh, struct error *err)
{
    struct device_setup setup;
    enum device_kind kind;

    if (device_choose(&c->device, build, &kind, err) < 0) {
        return -1;
    }
    if (kind == DEVICE_CPU) {
        return cpu_check_programs(programs, NULL, err);
    }
    fresh->stack = &runtime->commands;
    return device_prepare_simpler(&c->device, build, programs, NULL, runtime, &setup, err);
}

static int compile_build(const struct compile_command *c, struct error *err)
{
    struct fresh_options fresh = c->fresh;
    struct runtime_info runtime = {0};
    struct program_table programs = {0};
    struct compile_session *session = NULL;
    struct compiled compiled = {0};
    struct build build = {0};
    uint64_t limit;
    int rc = -1;

    if (store_limit(&limit, err) < 0 || build_open(c->build, &build, err) < 0 ||
        (c->platform && build_set_platform(&build, c->platform, err) < 0) ||
        record_programs(&build, &programs, err) < 0 || choose_device(c, &build, &programs, &runtime, &fresh, err) < 0 ||
        fresh_sources(build.dir, &fresh, err) < 0 || fresh_session_open(&fresh, &session, err) < 0) {
        goto out;
    }
    rc = fresh_binaries(session, &build, &programs, NULL, c->jobs ? c->jobs : topology_cores(), &fresh, &compiled, err);
    compile_trim(session, &compiled);
    if (rc == 0) {
        rc = fresh_install(session, &build, &programs, &compiled, &fresh, err);
    }
    if (rc == 0) {
        log_msg(LOG_TIMING, "%zu programs are up to date: %u sources compiled, %u found in the store", programs.count,
                compiled.nbuilt, compiled.nreused);
    }
out:
    compiled_free(&compiled);
    compile_session_close(session);
    runtime_info_free(&runtime);
    program_table_free(&programs);
    build_free(&build);
    return rc;
}

static const struct argp_child children[] = {
    {&build_argp, 0, NULL, 0}, {&fresh_argp, 0, NULL, 1}, {&device_argp, 0, NULL, 0}, {0}};
const struct argp compile_command = {.options = options, .parser = parse, .doc = doc, .children = children};

int cli_compile(int argc, char **argv)
{
    struct compile_command c = {0};
    struct error err;

    if (launch_rank() > 0) {
        return EXIT_CODE_PASS; /* under mpirun one process is enough */
    }
    command_parse(&compile_command, argc, argv, &c);
    return command_end(compile_build(&c, &err), &err);
}

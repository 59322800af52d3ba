/* `l3replay plan BUILD`: records and shows the plan. No kernel runs, and MPI is not started. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/options/python_options.h"
#include "orchestrator/options/recording_options.h"
#include "orchestrator/plan/print.h"
#include "orchestrator/plan/saved.h"
#include "orchestrator/prepare/recording.h"

enum { OPT_FORMAT = 0x300 };

struct plan_command {
    struct run_options recording;
    const char *format;
};

static const char doc[] =
    "Record the host_orch.py of the build in directory BUILD, or take the one dispatch of a build for one chip (L2), "
    "and "
    "show the plan: nodes, lanes, edges and why each edge exists.\v"
    "Examples:\n"
    "  l3replay plan build_output/my_build\n"
    "  l3replay plan my_build --format json > p.json      (replay it: l3replay run my_build --plan p.json)\n"
    "  l3replay plan my_build --format dot | dot -Tsvg > plan.svg\n\n"
    "Exit status: 0, 2 wrong usage, 3 when the build cannot be recorded.";

static const struct argp_option options[] = {
    {"format", OPT_FORMAT, "FORMAT", 0, "text (default), json or dot", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct plan_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->recording.build;
        state->child_inputs[1] = &c->recording;
        state->child_inputs[2] = &c->recording;
        return 0;
    case OPT_FORMAT:
        if (strcmp(arg, "text") != 0 && strcmp(arg, "json") != 0 && strcmp(arg, "dot") != 0) {
            argp_error(state, "--format is text, json or dot, not '%s'", arg);
        }
        c->format = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print(const struct plan_command *c, const struct recording *r, struct error *err)
{
    int rc;

    if (strcmp(c->format, "json") == 0) {
        rc = saved_plan_write(&r->plan, &r->programs, r->build.dir, stdout, err);
    } else if (strcmp(c->format, "dot") == 0) {
        rc = plan_print_dot(&r->plan, stdout, err);
    } else {
        rc = plan_print_text(&r->plan, stdout, err);
    }
    if (rc == 0 && fflush(stdout) != 0) {
        rc = error_errno(err, "stdout", "free disk space, or look at who reads the output", "cannot write the plan");
    }
    return rc;
}

static const struct argp_child children[] = {{&build_argp, 0, NULL, 0},
                                             {&recording_argp, 0, "What is recorded:", 1},
                                             {&python_argp, 0, "Python of the build:", 2},
                                             {0}};
const struct argp plan_command = {.options = options, .parser = parse, .doc = doc, .children = children};

int cli_plan(int argc, char **argv)
{
    struct plan_command c = {.format = "text", .recording = {.shapes_only = true}};
    struct recording r = {0};
    struct error err;
    int rc;

    command_parse(&plan_command, argc, argv, &c);
    rc = recording_open(&r, &c.recording, &err);
    if (rc == 0) {
        rc = recording_record(&r, &c.recording, &err);
    }
    if (rc == 0) {
        rc = edges_compile(&r.plan, c.recording.deps, &err);
    }
    if (rc == 0) {
        rc = print(&c, &r, &err);
    }
    recording_free(&r);
    run_options_free(&c.recording);
    return command_end(rc, &err);
}

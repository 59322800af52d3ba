/* `l3replay validate-ir BUILD`: the programs after each pass of the compiler, checked by an installed compiler. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/json_write.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/open/build.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/options/option_number.h"
#include "orchestrator/user_python/ir_passes.h"

enum { OPT_PYTHON = 0xd00, OPT_RTOL, OPT_ATOL, OPT_TIMEOUT, OPT_JSON };

static const double TIMEOUT_S = 600;

struct validate_command {
    const char *build;
    struct ir_options options;
    bool json;
    struct json_writer w;
    cJSON *root, *list; /* with `json` */
    unsigned count[3];  /* by verdict */
    char first[2][256]; /* that differs, that was not checked */
};

static const struct argp_option option_table[] = {
    {"python", OPT_PYTHON, "PYTHON", 0,
     "the interpreter that has the compiler (default: that of $VIRTUAL_ENV, else python3)", 0},
    {"rtol", OPT_RTOL, "X", 0, "relative tolerance (default: RTOL of golden.py, else the compiler's own)", 0},
    {"atol", OPT_ATOL, "X", 0, "absolute tolerance (default: ATOL of golden.py, else the compiler's own)", 0},
    {"timeout", OPT_TIMEOUT, "SECONDS", 0, "give up on a pass that takes longer (default 600; 0: never)", 0},
    {"json", OPT_JSON, NULL, 0, "print one JSON document instead of text", 0},
    {0},
};

static const char doc[] =
    "Which pass of the compiler broke the program? Executes each program of BUILD/passes_dump in an installed compiler "
    "(pypto), compares its outputs with data/out or golden.py, and names the first that differs.\v"
    "Inputs and references are data/in and data/out of the build (`run --save-data` writes them), else golden.py.\n\n"
    "Examples:\n"
    "  l3replay validate-ir build_output/my_build\n"
    "  l3replay validate-ir build_output/my_build --python ~/pypto/venv/bin/python --rtol 1e-3 --json\n\n"
    "Exit status: 0 all passes match; 1 a pass differs; 2 wrong usage; 3 no compiler, nothing to compare, or a pass "
    "that "
    "could not be checked while none differs.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct validate_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->build;
        c->options = (struct ir_options){.rtol = -1, .atol = -1, .limit_s = TIMEOUT_S};
        return 0;
    case OPT_PYTHON:
        if (!*arg || setenv("L3REPLAY_SUBWORKER_PYTHON", arg, 1) < 0) {
            argp_error(state, "--python wants an interpreter");
        }
        return 0;
    case OPT_RTOL:
        c->options.rtol = option_real(state, "rtol", arg, 0);
        return 0;
    case OPT_ATOL:
        c->options.atol = option_real(state, "atol", arg, 0);
        return 0;
    case OPT_TIMEOUT:
        c->options.limit_s = option_real(state, "timeout", arg, 0);
        return 0;
    case OPT_JSON:
        c->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&build_argp, 0, NULL, 0}, {0}};
const struct argp validate_ir_command = {.options = option_table, .parser = parse, .doc = doc, .children = children};

static void found(void *context, const char *pass, enum ir_verdict verdict, const char *text)
{
    static const char *const names[] = {"match", "DIFFER", "not checked"};
    struct validate_command *c = context;
    cJSON *item;

    if (verdict != IR_MATCHES && !c->count[verdict]) {
        snprintf(c->first[verdict - 1], sizeof c->first[0], "%s", pass);
    }
    c->count[verdict]++;
    if (c->json) {
        item = json_append_object(&c->w, c->list);
        json_put_string(&c->w, item, "pass", pass);
        json_put_string(&c->w, item, "verdict", names[verdict]);
        json_put_string(&c->w, item, "text", text);
        return;
    }
    printf("%-12s %s%s%s\n", names[verdict], pass, *text ? ": " : "", text);
    fflush(stdout);
}

static void print_summary(struct validate_command *c, bool complete)
{
    const unsigned total = c->count[IR_MATCHES] + c->count[IR_DIFFERS] + c->count[IR_NOT_CHECKED];

    printf("%u passes%s: %u match, %u differ, %u could not be checked\n", total, complete ? "" : " until then",
           c->count[IR_MATCHES], c->count[IR_DIFFERS], c->count[IR_NOT_CHECKED]);
    if (c->count[IR_DIFFERS]) {
        printf("the first that differs: %s\n", c->first[IR_DIFFERS - 1]);
    }
}

static int print_json(struct validate_command *c, bool complete, struct error *err)
{
    json_put_bool(&c->w, c->root, "complete", complete);
    if (c->count[IR_DIFFERS]) {
        json_put_string(&c->w, c->root, "first_that_differs", c->first[IR_DIFFERS - 1]);
    } else {
        json_put_null(&c->w, c->root, "first_that_differs");
    }
    return json_print(&c->w, c->root, "validate-ir", stdout, err);
}

/* -1 with `err`: of kind FAIL when a pass differs. */
static int validate(struct validate_command *c, const struct build *build, struct error *err)
{
    struct args files = {0};
    struct error print_error;
    int rc = ir_passes_list(build, &files, err);

    if (rc == 0 && c->json) {
        c->root = json_new_object(&c->w);
        c->list = json_put_list(&c->w, c->root, "passes");
    }
    if (rc == 0) {
        rc = ir_passes_check(build, &files, &c->options, found, c, err);
        if (c->json) {
            rc = print_json(c, rc == 0, rc < 0 ? &print_error : err) < 0 ? -1 : rc;
        } else if (rc == 0 || c->count[IR_MATCHES] + c->count[IR_DIFFERS] + c->count[IR_NOT_CHECKED]) {
            print_summary(c, rc == 0);
        }
    }
    if (rc == 0 && c->count[IR_DIFFERS]) {
        rc = error_set_kind(err, ERROR_FAIL, c->first[IR_DIFFERS - 1], "compare it with the pass before it",
                            "%u of %zu passes do not give the expected outputs", c->count[IR_DIFFERS], files.n);
    } else if (rc == 0 && c->count[IR_NOT_CHECKED]) {
        rc = error_set(err, c->first[IR_NOT_CHECKED - 1], "see the compiler's words above",
                       "%u of %zu passes could not be checked", c->count[IR_NOT_CHECKED], files.n);
    }
    args_free(&files);
    return rc;
}

int cli_validate_ir(int argc, char **argv)
{
    struct validate_command c = {0};
    struct build build = {0};
    struct error err;
    int rc;

    command_parse(&validate_ir_command, argc, argv, &c);
    rc = build_open(c.build, &build, &err);
    if (rc == 0) {
        rc = validate(&c, &build, &err);
    }
    build_free(&build);
    if (rc < 0 && err.kind == ERROR_FAIL) {
        error_print(&err);
        return EXIT_CODE_FAIL;
    }
    return command_end(rc, &err);
}

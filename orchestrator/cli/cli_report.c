/* `l3replay report DIR`: what the profiles of a run say. Runs nothing. */
#include <argp.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/file.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/options/build_options.h"
#include "orchestrator/report/report_make.h"
#include "orchestrator/report/report_print.h"
#include "orchestrator/trace/timeline.h"

enum { OPTION_TIMELINE = 256 };

struct format {
    const char *name, *suffix;
    int (*print)(FILE *f, const struct report *r, struct error *err);
};

static const struct format formats[] = {
    {"text", ".txt", report_text}, {"json", ".json", report_json}, {"html", ".html", report_html}};

struct options {
    const char *dir, *output;
    const struct format *format;
    bool timeline;
};

static const struct argp_option option_table[] = {
    {"format", 'f', "FORMAT", 0, "text (default), json or html; else what -o FILE ends in: .txt, .json or .html", 0},
    {"output", 'o', "FILE", 0, "Write to FILE instead of stdout", 0},
    {"timeline", OPTION_TIMELINE, NULL, 0,
     "Also write the timelines: DIR/l3_timeline.json and merged_swimlane_d<k>.json beside the records", 0},
    {0},
};

static const char doc[] =
    "Show what the profiles of a run say: times of each rank and dispatch, waiting, skew, the critical path, the "
    "slowest kernels. DIR is a directory that holds rank<r>/, or a build with them in its dfx_outputs; what is "
    "missing in it is said.\v"
    "Examples:\n"
    "  l3replay report build_output/my_program/dfx_outputs\n"
    "  l3replay report build_output/my_program -o report.html\n"
    "  l3replay report build_output/my_program --format json | jq .critical_path\n"
    "  l3replay report build_output/my_program --timeline        (then open l3_timeline.json in ui.perfetto.dev)\n"
    "\n"
    "Exit status: 0 it was written, also when profiles are incomplete; 2 wrong usage; 3 there are no profiles (the "
    "message says why).";

static const struct format *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

/* By the ending of the file that is written; text when it has none. NULL: it is no format's. */
static const struct format *format_of(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL, *base = slash ? slash + 1 : file;
    const char *ending = base ? strrchr(base, '.') : NULL;

    if (!ending || ending == base || !ending[1]) {
        return &formats[0];
    }
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(ending, formats[i].suffix) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->dir;
        return 0;
    case 'f':
        options->format = find_format(arg);
        if (!options->format) {
            argp_error(state, "\"%s\" is not a format: text, json and html are", arg);
        }
        return 0;
    case 'o':
        if (!*arg) {
            argp_error(state, "-o names no file");
        }
        options->output = arg;
        return 0;
    case OPTION_TIMELINE:
        options->timeline = true;
        return 0;
    case ARGP_KEY_END:
        if (!options->format) {
            options->format = format_of(options->output);
        }
        if (!options->format) {
            argp_error(state, "\"%s\" ends in none of .txt, .json and .html: say --format text, json or html",
                       options->output);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print(const struct options *options, const struct report *r, struct error *err)
{
    struct file_writer w;

    if (!options->output) {
        return options->format->print(stdout, r, err);
    }
    if (file_write_begin(&w, options->output, err)) {
        return -1;
    }
    if (options->format->print(w.stream, r, err)) {
        file_write_abort(&w);
        return -1;
    }
    return file_write_commit(&w, err);
}

static int report(const struct options *options, struct error *err)
{
    struct dfx_list list;
    struct report r;
    int rc;

    if (dfx_list_read(options->dir, &list, err)) {
        return -1;
    }
    rc = report_make(&r, &list, err);
    if (rc == 0) {
        rc = print(options, &r, err);
    }
    if (rc == 0 && options->timeline) {
        rc = timeline_write_all(list.dir, err);
    }
    report_free(&r);
    dfx_list_free(&list);
    return rc;
}

static const struct argp_child children[] = {{&profiles_argp, 0, NULL, 0}, {0}};
const struct argp report_command = {.options = option_table, .parser = parse_option, .doc = doc, .children = children};

int cli_report(int argc, char **argv)
{
    struct options options = {0};
    struct error err;

    command_parse(&report_command, argc, argv, &options);
    return command_end(report(&options, &err), &err);
}

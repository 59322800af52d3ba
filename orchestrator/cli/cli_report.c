/* `l3replay report DIR`: what the profiles of a run say. Runs nothing. */
#include <argp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/log.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/report/report.h"
#include "orchestrator/report/timeline.h"

enum { EXIT_USAGE = 2, EXIT_INFRA = 3, OPTION_LOG_LEVEL = 256, OPTION_TIMELINE };

struct format {
    const char *name, *suffix;
    int (*print)(FILE *f, const struct report *r, struct error *err);
};

static const struct format formats[] = {{"text", ".txt", report_text}, {"json", ".json", report_json},
                                        {"html", ".html", report_html}};

struct options {
    const char *dir, *output;
    const struct format *format;
    bool timeline;
};

static const struct argp_option option_table[] = {
    {"format", 'f', "FORMAT", 0, "text (default), json or html; else what the name of -o FILE ends in", 0},
    {"output", 'o', "FILE", 0, "Write to FILE instead of stdout", 0},
    {"timeline", OPTION_TIMELINE, NULL, 0,
     "Also write the timelines: DIR/l3_timeline.json and merged_swimlane_d<k>.json beside the records", 0},
    {"log-level", OPTION_LOG_LEVEL, "LEVEL", 0, "debug, info, timing, warn, error or null", 0},
    {0},
};

static const char doc[] =
    "Show what the profiles of a run say: times of each rank and dispatch, waiting, skew, the critical path, the "
    "slowest kernels. DIR is a dfx_outputs directory, or the build that holds it; what is missing in it is said.\v"
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
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

/* By the ending of the file that is written; text when that tells nothing. */
static const struct format *format_of(const char *file)
{
    size_t n = file ? strlen(file) : 0;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t tail = strlen(formats[i].suffix);
        if (n > tail && strcmp(file + n - tail, formats[i].suffix) == 0)
            return &formats[i];
    }
    return &formats[0];
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *options = state->input;
    enum log_level level;

    switch (key) {
    case 'f':
        options->format = find_format(arg);
        if (!options->format)
            argp_error(state, "\"%s\" is not a format: text, json and html are", arg);
        return 0;
    case 'o':
        options->output = arg;
        return 0;
    case OPTION_TIMELINE:
        options->timeline = true;
        return 0;
    case OPTION_LOG_LEVEL:
        if (log_level_parse(arg, &level))
            argp_error(state, "\"%s\" is not a log level: debug, info, timing, warn, error and null are", arg);
        else
            log_set_level(level);
        return 0;
    case ARGP_KEY_ARG:
        if (options->dir)
            argp_error(state, "one directory at a time: \"%s\" is too much", arg);
        options->dir = arg;
        return 0;
    case ARGP_KEY_END:
        if (!options->dir)
            argp_error(state, "name a directory of profiles");
        if (!options->format)
            options->format = format_of(options->output);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int print(const struct options *options, const struct report *r, struct error *err)
{
    struct file_writer w;

    if (!options->output)
        return options->format->print(stdout, r, err);
    if (file_write_begin(&w, options->output, err))
        return -1;
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

    if (dfx_list_read(options->dir, &list, err))
        return -1;
    rc = report_make(&r, &list, err);
    if (rc == 0)
        rc = print(options, &r, err);
    if (rc == 0 && options->timeline)
        rc = timeline_write_all(list.dir, err);
    report_free(&r);
    dfx_list_free(&list);
    return rc;
}

int cli_report(int argc, char **argv)
{
    static const struct argp argp = {option_table, parse_option, "DIR", doc, NULL, NULL, NULL};
    static char name[] = "l3replay report";
    struct options options = {0};
    struct error err;
    char *own = argv[0];
    error_t failed;

    argp_err_exit_status = EXIT_USAGE;
    argv[0] = name; /* argp names the program by it */
    failed = argp_parse(&argp, argc, argv, 0, NULL, &options);
    argv[0] = own;
    if (failed)
        return EXIT_USAGE;
    if (report(&options, &err) == 0)
        return EXIT_SUCCESS;
    error_print(&err);
    return err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_INFRA;
}

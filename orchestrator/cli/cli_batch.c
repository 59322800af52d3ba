/* `l3replay batch MANIFEST`: builds replayed one after the other, each with its own marker. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/result_marker.h"
#include "launch/front.h"
#include "orchestrator/batch/batch.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/job/marker.h"
#include "orchestrator/options/option_number.h"

enum {
    OPT_MANIFEST = 0xb00,
    OPT_WORK_DIR,
    OPT_PLATFORM,
    OPT_DEVICE_ID,
    OPT_ENTRY_TIMEOUT,
    OPT_RESUME,
    OPT_JOURNAL,
    OPT_SUMMARY,
    OPT_JUNIT
};

struct batch_command {
    const char *manifest, *work_dir, *platform, *device_id, *journal;
    struct batch_options options;
};

static const struct argp_option option_table[] = {
    {"batch-manifest", OPT_MANIFEST, "FILE", 0, "the same as MANIFEST", 0},
    {"work-dir", OPT_WORK_DIR, "DIR", 0, "one build in place of a manifest; --platform and --device-id are its own", 0},
    {"platform", OPT_PLATFORM, "a2a3|a2a3sim|a5|a5sim", 0, "with --work-dir", 0},
    {"device-id", OPT_DEVICE_ID, "N", 0, "for entries that do not name a device", 0},
    {"entry-timeout", OPT_ENTRY_TIMEOUT, "SECONDS", 0, "stop an entry that takes longer: INFRA (default: no limit)", 0},
    {"resume", OPT_RESUME, NULL, 0, "go on behind the last entry that ended, as the journal says", 0},
    {"journal", OPT_JOURNAL, "FILE", 0, "which entries have ended (default: MANIFEST.journal); removed when all have",
     0},
    {"summary", OPT_SUMMARY, "FILE.json", 0, "verdict, time and cause of each entry", 0},
    {"junit", OPT_JUNIT, "FILE.xml", 0, "the same as JUnit XML", 0},
    {0},
};

static const char doc[] =
    "Replay the builds of MANIFEST, a JSON list of {\"work_dir\": DIR, \"platform\": NAME}, one after the other. Each "
    "has "
    "its own marker line on stdout, in their order; what is wrong with one does not end the others.\v"
    "Other options are those of `l3replay run`, for every entry; behind -- too.\n\n"
    "Examples:\n"
    "  l3replay batch nightly.json --junit results.xml\n"
    "  l3replay batch nightly.json --resume --no-recompile --timeout 60\n"
    "  l3replay batch --work-dir build_output/a --platform a2a3sim --device-id 0\n\n"
    "A marker is " RESULT_MARKER
    "PASS work_dir=DIR device=N, =FAIL work_dir=DIR or =INFRA work_dir=DIR; a manifest that "
    "cannot be read is one bare " RESULT_MARKER "INFRA.\n"
    "Exit status: 0 all PASS; 1 some FAIL; 2 wrong usage; 3 some INFRA, or not run.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct batch_command *c = state->input;

    switch (key) {
    case OPT_MANIFEST:
    case ARGP_KEY_ARG:
        if (c->manifest) {
            argp_error(state, "one manifest at a time; '%s' is one too many", arg);
        }
        c->manifest = arg;
        return 0;
    case OPT_WORK_DIR:
        c->work_dir = arg;
        return 0;
    case OPT_PLATFORM:
        c->platform = arg;
        return 0;
    case OPT_DEVICE_ID:
        option_number(state, "--device-id", arg, 0, INT_MAX);
        c->device_id = arg;
        return 0;
    case OPT_ENTRY_TIMEOUT:
        c->options.entry_timeout = option_real(state, "entry-timeout", arg, 0);
        return 0;
    case OPT_RESUME:
        c->options.resume = true;
        return 0;
    case OPT_JOURNAL:
        c->journal = arg;
        return 0;
    case OPT_SUMMARY:
        c->options.summary = arg;
        return 0;
    case OPT_JUNIT:
        c->options.junit = arg;
        return 0;
    case ARGP_KEY_END:
        if (!c->manifest == !c->work_dir) {
            argp_error(state, "%s",
                       c->manifest ? "give a manifest or --work-dir, not both"
                                   : "which builds? give a manifest, or one build with --work-dir");
        }
        if (c->platform && !c->work_dir) {
            argp_error(state, "--platform goes with --work-dir; entries of a manifest name theirs");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp batch_command = {.options = option_table, .parser = parse, .args_doc = "[MANIFEST]", .doc = doc};

static int read_entries(const struct batch_command *c, struct manifest *m, struct error *err)
{
    if (c->work_dir) {
        return manifest_of_one(m, c->work_dir, c->platform, c->device_id, err);
    }
    if (manifest_read(m, c->manifest, err) < 0) {
        return -1;
    }
    for (size_t i = 0; c->device_id && i < m->count; i++) {
        struct batch_entry *e = &m->entries[i];

        if (!e->device_id && !e->device_ids && !(e->device_id = strdup(c->device_id))) {
            return error_nomem(err, "batch", 1);
        }
    }
    return 0;
}

static int run(struct batch_command *c, struct error *err)
{
    struct manifest m = {0};
    char program[PATH_MAX], *journal = NULL;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    int code = -1;

    if (n < 0) {
        return error_errno(err, "/proc/self/exe", "mount /proc", "cannot find this program");
    }
    program[n] = '\0';
    if (read_entries(c, &m, err) < 0) {
        return -1;
    }
    c->options.program = program;
    journal = c->journal ? strdup(c->journal) : c->manifest ? text_format("%s.journal", c->manifest) : NULL;
    if ((c->journal || c->manifest) && !journal) {
        error_nomem(err, "batch", 1);
    } else {
        c->options.journal = journal;
        code = batch_run(&m, &c->options, err);
    }
    c->options.program = c->options.journal = NULL; /* of this function */
    free(journal);
    manifest_free(&m);
    return code;
}

int cli_batch(int argc, char **argv)
{
    struct args options = {0};
    struct batch_command c = {0};
    const int own = command_split_options(&batch_command, &run_command, argc, argv, &options);
    struct error err;
    int code;

    for (size_t i = 0; i < options.n; i++) {
        if (strncmp(options.v[i], "--result", strlen("--result")) == 0) {
            fputs("l3replay batch: --result is of one run; --summary has what became of all\n", stderr);
            args_free(&options);
            return EXIT_CODE_USAGE;
        }
    }
    c.options.options = &options;
    command_parse(&batch_command, own, argv, &c);
    code = args_done(&options, &err) < 0 || launch_mark_alone(&err) < 0 ? -1 : run(&c, &err);
    args_free(&options);
    if (code < 0) {
        error_print(&err);
        puts(RESULT_MARKER "INFRA");
        return EXIT_CODE_INFRA;
    }
    return code;
}

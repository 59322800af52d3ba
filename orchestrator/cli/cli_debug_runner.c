/* `l3replay debug-runner BUILD`: a debug/run.py that replays the build with this program. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/command.h"
#include "orchestrator/open/build.h"
#include "orchestrator/options/build_options.h"

enum { OPT_FORCE = 0xa00, SCRIPT_MAX = 1 << 20 };

struct runner_command {
    const char *build;
    bool force;
};

static const char script[] =
    "#!/usr/bin/env python3\n"
    "\"\"\"Replays the build that this file lies in, with l3replay: debug/run.py [options of `l3replay run`].\n"
    "\n"
    "Two functions may be added here, and l3replay runs them (docs/manual.md, \"golden.py and debug/run.py\"):\n"
    "_inline_inputs() returns the arguments in the order of the parameters, _user_compare(...) looks at the outputs "
    "and\n"
    "raises when one is wrong.\n"
    "\"\"\"\n"
    "\n"
    "import os\n"
    "import pathlib\n"
    "import sys\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    build = pathlib.Path(__file__).resolve().parent.parent\n"
    "    program = os.environ.get(\"L3REPLAY\", \"l3replay\")\n"
    "    os.execvp(program, [program, \"run\", str(build), *sys.argv[1:]])\n";

static const struct argp_option option_table[] = {
    {"force", OPT_FORCE, NULL, 0, "also where there is another debug/run.py, which is lost then", 0},
    {0},
};

static const char doc[] =
    "Write BUILD/debug/run.py, a script that replays the build with l3replay and may hold inputs and a comparison of "
    "your "
    "own.\vExamples:\n"
    "  l3replay debug-runner build_output/my_build\n"
    "  build_output/my_build/debug/run.py --swimlane\n\n"
    "Exit status: 0 it is there; 2 wrong usage; 3 it cannot be written, or another script is there.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct runner_command *c = state->input;

    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->build;
        return 0;
    case OPT_FORCE:
        c->force = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&build_argp, 0, NULL, 0}, {0}};
const struct argp debug_runner_command = {.options = option_table, .parser = parse, .doc = doc, .children = children};

/* 1 when the script is there as we write it, 0 when there is none, -1 when there is another one. */
static int look(const char *path, struct error *err)
{
    char *text;
    int rc;

    if (access(path, F_OK) < 0 && errno == ENOENT) {
        return 0;
    }
    text = file_read(path, SCRIPT_MAX, NULL, err);
    if (!text) {
        return -1;
    }
    rc = strcmp(text, script) == 0 ? 1
                                   : error_set(err, path, "move it away, or say --force",
                                               "there is a debug/run.py already, and it may have been edited");
    free(text);
    return rc;
}

static int write_runner(const struct runner_command *c, struct error *err)
{
    struct build build = {0};
    char *dir = NULL, *path = NULL;
    int rc = build_open(c->build, &build, err);

    if (rc == 0) {
        dir = file_join(build.dir, "debug", err);
        path = dir ? file_join(dir, "run.py", err) : NULL;
        rc = path ? 0 : -1;
    }
    if (rc == 0 && !c->force) {
        rc = look(path, err);
    }
    if (rc == 0 && (file_make_dirs(dir, err) < 0 || file_write(path, script, sizeof script - 1, err) < 0)) {
        rc = -1;
    }
    if (rc == 0 && chmod(path, 0755) < 0) {
        rc = error_errno(err, path, NULL, "cannot make it executable");
    }
    free(dir);
    free(path);
    build_free(&build);
    return rc < 0 ? -1 : 0;
}

int cli_debug_runner(int argc, char **argv)
{
    struct runner_command c = {0};
    struct error err;

    command_parse(&debug_runner_command, argc, argv, &c);
    return command_end(write_runner(&c, &err), &err);
}

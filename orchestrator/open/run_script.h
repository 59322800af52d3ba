/*
 * run_script - debug/run.py of a build, the re-runner that the compiler writes for people.
 *
 * Two of its functions are theirs to edit: _inline_inputs makes the inputs, _user_compare checks the outputs. Format:
 * docs/formats.md, "debug/run.py".
 */
#ifndef L3R_ORCHESTRATOR_OPEN_RUN_SCRIPT_H
#define L3R_ORCHESTRATOR_OPEN_RUN_SCRIPT_H

#include <stdbool.h>

#include "orchestrator/open/build_info.h"

struct run_script {
    bool inputs_edited, compare_edited;
};

/* Whether these functions are as the compiler writes them for the build's parameters; comments, doc strings and blanks do
 * not count. A build without the script, or a function that it lacks, is not edited. -1 with `err` when it cannot be read. */
int run_script_read(struct run_script *out, const struct build *build, struct error *err);

/* The build that `path`, of a file <build>/debug/run.py, belongs to, to be freed; NULL: `path` is none such. */
char *run_script_build(const char *path);

/* The directory that `path`, which is not there, would be the debug/run.py of, to be freed; NULL: there is none either. */
char *run_script_missing(const char *path);

#endif

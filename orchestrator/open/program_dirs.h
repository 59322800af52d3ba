/*
 * program_dirs - the directories below next_levels/, sorted by what they hold.
 *
 * Format: docs/formats.md, "Build directory".
 */
#ifndef L3R_ORCHESTRATOR_OPEN_PROGRAM_DIRS_H
#define L3R_ORCHESTRATOR_OPEN_PROGRAM_DIRS_H

#include <stdbool.h>

#include "common/base/args.h"
#include "common/base/error.h"

struct program_dirs {
    bool there;                /* is there a directory next_levels? */
    struct args programs;      /* names of those with a kernel_config.py, sorted as all three are */
    struct args compiled_only; /* written by a compiler without ptoas: .pto kernels and no kernel_config.py */
    struct args others;
};

/* List <dir>/next_levels. To be freed with program_dirs_free() in every case. */
int program_dirs_read(const char *dir, struct program_dirs *out, struct error *err);
void program_dirs_free(struct program_dirs *p);

/* Was `dir` itself written by a compiler without ptoas? It has kernels as .pto, directly or one level down; whether there
 * is a kernel_config.py is not looked at. */
bool program_dirs_is_compiled_only(const char *dir);

/* 1: <dir>/<name> is a file to read, 0: there is none. -1: it is there, and out of reach. */
int program_dirs_has_file(const char *dir, const char *name, struct error *err);

#endif

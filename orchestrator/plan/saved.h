/*
 * saved - a plan in a file, complete enough to replay without Python.
 *
 * `l3replay plan --format json` writes it and `l3replay run --plan` reads it:
 * one {"kernel_config": ...} record for every program of the build, and after
 * them the plan stream (docs/formats.md, "Saved plans"); a reader takes programs
 * anywhere. Paths in it are relative to the build, which is still
 * needed for the sources.
 */
#ifndef L3R_ORCHESTRATOR_PLAN_SAVED_H
#define L3R_ORCHESTRATOR_PLAN_SAVED_H

#include <stdio.h>

#include "common/plan/plan.h"
#include "common/plan/program_table.h"

/* The program records alone, of the programs that `wanted` marks (NULL: all). */
int saved_programs_write(const struct program_table *programs, const bool *wanted, const char *build_dir, FILE *f,
                         struct error *err);

/* Append what one such line says; paths come out absolute, below `build_dir`. */
int saved_program_read(struct program_table *programs, const char *line, size_t length, const char *build_dir,
                       struct error *err);

int saved_plan_write(const struct plan *plan, const struct program_table *programs, const char *build_dir, FILE *f,
                     struct error *err);

/* Program paths come out absolute, below `build_dir`. */
int saved_plan_load(const char *path, const char *build_dir, struct program_table *programs, struct plan *plan,
                    struct error *err);

#endif

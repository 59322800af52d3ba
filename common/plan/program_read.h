/*
 * program_read - the recorder's {"kernel_config":...} record as a struct program.
 */
#ifndef L3R_COMMON_PLAN_PROGRAM_READ_H
#define L3R_COMMON_PLAN_PROGRAM_READ_H

#include "common/plan/program_table.h"

/* Append the program that `line` (length bytes, NUL-terminated) describes to `table`. Errors name `origin` and
 * `hint`. Format: docs/formats.md, "Saved plans". */
int program_read(struct program_table *table, const char *line, size_t length, const char *origin, const char *hint,
                 struct error *err);

#endif

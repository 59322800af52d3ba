/*
 * program_read - the recorder's {"kernel_config":...} record as a struct program.
 */
#ifndef L3R_ORCHESTRATOR_RECORD_PROGRAM_READ_H
#define L3R_ORCHESTRATOR_RECORD_PROGRAM_READ_H

#include "common/program.h"

/* Append the program that `line` (length bytes, NUL-terminated) describes to `table`. */
int program_read(struct program_table *table, const char *line, size_t length, struct error *err);

#endif

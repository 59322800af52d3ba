/*
 * inspect - what a build directory holds, for people and for programs.
 *
 * The JSON form is documented: docs/formats.md, "Inspect document".
 */
#ifndef L3R_ORCHESTRATOR_OPEN_INSPECT_H
#define L3R_ORCHESTRATOR_OPEN_INSPECT_H

#include <stdio.h>

#include "common/plan/program_table.h"
#include "orchestrator/open/build_info.h"

/* `programs` may be empty. Both return -1 with `err` filled when `f` cannot be written or memory runs out. */
int inspect_print_text(FILE *f, const struct build *b, const struct program_table *programs, struct error *err);
int inspect_print_json(FILE *f, const struct build *b, const struct program_table *programs, struct error *err);

#endif

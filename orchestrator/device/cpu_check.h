/*
 * cpu_check - what the cpu device cannot run, refused by name.
 */
#ifndef L3R_ORCHESTRATOR_DEVICE_CPU_CHECK_H
#define L3R_ORCHESTRATOR_DEVICE_CPU_CHECK_H

#include <stdbool.h>

#include "common/base/error.h"
#include "common/plan/plan.h"
#include "common/plan/program_table.h"

/* Refuse by name, before anything is compiled, what the cpu device cannot do
 * (docs/formats.md, "Not on the cpu device"). */
int cpu_check_programs(const struct program_table *programs, const bool *wanted, struct error *err);

/* The same for what only a plan shows: dispatches of these programs that pass fp8 or fp4 tensors. Names the
 * dispatch and the type. */
int cpu_check_plan(const struct plan *plan, const struct program_table *programs, struct error *err);

#endif

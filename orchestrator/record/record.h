/*
 * record - run host_orch.py once against stand-ins and get the plan.
 *
 * Starts the Python helper (recorder/), sends it one request, and reads its
 * stream of records: the evaluated kernel_config.py of every program, then the
 * plan (docs/formats.md, "Plan stream"). The helper needs Python 3.8 and
 * nothing else. $L3REPLAY_PYTHON names the interpreter, else python3 on PATH.
 *
 * An L2 build has no host_orch.py: its kernel_config.py is evaluated, and the plan is that of one_dispatch.h.
 */
#ifndef L3R_ORCHESTRATOR_RECORD_RECORD_H
#define L3R_ORCHESTRATOR_RECORD_RECORD_H

#include "common/plan/program_table.h"
#include "orchestrator/record/record_request.h"

/* Evaluate the kernel_config.py files only. */
int record_programs(const struct build *build, struct program_table *programs, struct error *err);

/* Evaluate them and record the plan, or make that of an L2 build (edges not yet compiled). `programs` may be NULL.
 * What was taken for dynamic dimensions and scalars not given is in the log, as notes. Where nothing that decides them has
 * changed, the lines of an earlier recording are taken (kept_recording.h). */
int record_plan(const struct record_request *request, struct program_table *programs, struct plan *plan,
                struct error *err);

#endif

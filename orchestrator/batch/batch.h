/*
 * batch - the builds of a manifest replayed one after the other, each with a marker line of its own.
 *
 * Each entry is a process of its own, so that a crash or a hang costs that entry alone. What it prints on stdout is passed
 * on, with its marker line as the batch's form has it: PYPTO_EXEC_RESULT=PASS work_dir=<wd> device=<N>. Signals stop the
 * entry that runs, which ends as INFRA, and the batch after it.
 */
#ifndef L3R_ORCHESTRATOR_BATCH_BATCH_H
#define L3R_ORCHESTRATOR_BATCH_BATCH_H

#include "orchestrator/batch/batch_options.h"
#include "orchestrator/batch/manifest.h"

/* Replay all entries. Returns the exit code: 1 when one is FAIL, else 3 when one is INFRA, was not run, or a file that was
 * asked for cannot be written, else 0. -1 with `err`: the batch could not begin. */
int batch_run(const struct manifest *m, const struct batch_options *o, struct error *err);

#endif

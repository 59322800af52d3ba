/*
 * interrupt - Ctrl-C and its like while there is nothing to put in order.
 *
 * Before the plan runs, between two passes and after the last one, process 0 holds nothing that outlives it but what its
 * children may have started: the segment has no name, and files appear whole. So a signal then means: print INFRA, unless
 * the verdict is out, kill all descendants, and leave. While the plan runs the signals are read instead (supervision.c), to
 * say what was running.
 */
#ifndef L3R_ORCHESTRATOR_JOB_INTERRUPT_H
#define L3R_ORCHESTRATOR_JOB_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include "orchestrator/prepare/phases.h"

/* For how long another process than the first stays when a signal ends it: the first one to go has mpirun kill the others
 * with SIGKILL, and process 0 may not have printed yet. mpirun itself waits for a second. */
enum { INTERRUPT_STAY_MS = 600 };

/* Take them from now on: leave with exit code 3. `first`: this is the first process of the job (as the environment says,
 * since MPI has not started), which prints the INFRA marker. */
void interrupt_install(bool first);

/* From now on print the INFRA marker and what phase it was (process 0). `phases` must stay. */
void interrupt_watch(const struct phases *phases);

/* How many outputs there are, none of them compared, when the run is interrupted from now on. Called once. */
void interrupt_outputs(uint32_t outputs);

/* The verdict is out: from now on leave with `exit_code`, silently. */
void interrupt_settle(int exit_code);

#endif

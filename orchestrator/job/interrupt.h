/*
 * interrupt - Ctrl-C and its like while there is nothing to put in order.
 *
 * Before the plan runs, between two passes and after the last one, process 0 holds nothing that outlives it: children
 * die with it, the segment has no name, and files appear whole. So a signal then means: say INFRA, unless the verdict is
 * out, and leave at once. While the plan runs the signals are read instead (supervise.c), to tell what was running.
 */
#ifndef L3R_ORCHESTRATOR_JOB_INTERRUPT_H
#define L3R_ORCHESTRATOR_JOB_INTERRUPT_H

#include <stdint.h>

#include "orchestrator/prepare/phases.h"

/* Take them from now on: leave with exit code 3, silently. */
void interrupt_install(void);

/* From now on also print the INFRA marker and what phase it was (process 0). `phases` must stay. */
void interrupt_watch(const struct phases *phases);

/* How many outputs there are, none of them compared, when the run is interrupted from now on. Called once. */
void interrupt_outputs(uint32_t outputs);

/* The verdict is out: from now on leave with `exit_code`, silently. */
void interrupt_settle(int exit_code);

#endif

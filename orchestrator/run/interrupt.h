/*
 * interrupt - Ctrl-C and its like while there is nothing to put in order.
 *
 * Before the plan runs and between two passes, a process holds nothing that
 * outlives it: children die with it, the segment has no name, and files of the
 * store appear whole. So a signal then means: say INFRA and leave at once. While
 * the plan runs the signals are read instead (run.c), to tell what was running.
 */
#ifndef L3R_ORCHESTRATOR_RUN_INTERRUPT_H
#define L3R_ORCHESTRATOR_RUN_INTERRUPT_H

#include <signal.h>

#include "orchestrator/run/phases.h"

/* The signals that ask a run to end. */
void interrupt_signals(sigset_t *set);

/* Take them from now on: leave with exit code 3, silently. */
void interrupt_install(void);

/* From now on also print the INFRA marker and what phase it was (process 0). `phases` must stay. */
void interrupt_watch(const struct phases *phases);

#endif

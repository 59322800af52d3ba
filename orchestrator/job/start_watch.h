/*
 * start_watch - what happens while MPI starts: signals, a start without end, and an MPI that ends the process.
 *
 * MPI_Init reads no signals, has no limit, and on errors prints a text of its own and ends the process with _exit(). So a
 * thread of ours reads the signals meanwhile and watches the clock, and this module has an _exit() of its own. The first
 * process prints the INFRA marker in all these cases.
 */
#ifndef L3R_ORCHESTRATOR_JOB_START_WATCH_H
#define L3R_ORCHESTRATOR_JOB_START_WATCH_H

#include <stdbool.h>

#include "common/base/error.h"

/* Before MPI_Init, with stop signals (stop_signals.h) blocked. `first`: of the job, as the environment says. A start that
 * takes more than `limit` seconds ends this process with exit code 3; 0: no limit. */
int start_watch_begin(bool first, double limit, struct error *err);

/* MPI_Init is over. Signals that come now wait. */
void start_watch_end(void);

#endif

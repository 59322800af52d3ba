/*
 * progress - how far the run is, on stderr, when a person watches (stderr is a terminal).
 */
#ifndef L3R_ORCHESTRATOR_RUN_PROGRESS_H
#define L3R_ORCHESTRATOR_RUN_PROGRESS_H

#include <stdint.h>

/* Rewrite the progress line: `done` of `total` nodes. */
void progress_run(uint64_t done, uint64_t total);

/* Remove the line again, if one was written. */
void progress_end(void);

#endif

/*
 * progress - how far the run is, on stderr, when a person watches (stderr is a terminal).
 */
#ifndef L3R_ORCHESTRATOR_SUPERVISE_PROGRESS_H
#define L3R_ORCHESTRATOR_SUPERVISE_PROGRESS_H

#include <stdint.h>

enum { PROGRESS_NAME_MAX = 40 };

/* What runs, as progress_run() prints it from now on; "run" until it is called. Copied. */
void progress_name(const char *name);

/* Rewrite the progress line: `done` of `total` nodes. */
void progress_run(uint64_t done, uint64_t total);

/* The same while profiles are gathered: `nbytes` have arrived. */
void progress_gather(uint64_t nbytes);

/* Remove the line again, if one was written. */
void progress_end(void);

#endif

/*
 * notices - the notes and warnings of a run, kept for the result file whatever the log level.
 */
#ifndef L3R_ORCHESTRATOR_JOB_NOTICES_H
#define L3R_ORCHESTRATOR_JOB_NOTICES_H

#include <stddef.h>

#include "common/base/log.h"

/* Keep from now on what this process logs as a note or a warning, each text once and in order; calling it again forgets
 * what was kept. What there is no memory for is lost. */
void notices_keep(void);

/* Those of a kind so far; the array and its texts stay valid until the next one of the kind is kept. */
size_t notices_list(enum log_kind kind, const char *const **texts);

/* How many of both kinds. */
size_t notices_count(void);

/* No longer, and free. */
void notices_end(void);

#endif

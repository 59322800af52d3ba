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

/* What was kept, as text for another process, malloc'd: a line each, its first byte the kind. NULL, with `*nbytes` 0, when
 * there is none, or no memory. At most NOTICES_TEXT_MAX bytes: what is over is left out. */
enum { NOTICES_TEXT_MAX = 256 * 1024 };
char *notices_pack(size_t *nbytes);

/* Keep what another process has packed, as if it were of this one. What is no such line is left out. */
void notices_unpack(const char *text, size_t nbytes);

/* No longer, and free. */
void notices_end(void);

#endif

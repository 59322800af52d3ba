/* trace_count - looking for events in the traces that tests made. */
#ifndef L3R_TESTS_SUPPORT_TRACE_COUNT_H
#define L3R_TESTS_SUPPORT_TRACE_COUNT_H

#include "tests/support/temp_dir.h"

#include <cjson/cJSON.h>

/* A JSON file below `dir`, to be deleted. */
cJSON *read_json(const char *dir, const char *name);

/* The events of a phase with that name, at exactly those places; counts them. */
int count_events(const cJSON *doc, const char *ph, const char *name, int pid, int tid, double ts, double dur);

/* All events of a phase. */
int count_phase(const cJSON *doc, const char *ph);

#endif

/*
 * helper_error - the error record with which the recorder ends (helper.h), as an error of ours.
 */
#ifndef L3R_ORCHESTRATOR_RECORD_HELPER_ERROR_H
#define L3R_ORCHESTRATOR_RECORD_HELPER_ERROR_H

#include <stddef.h>

#include "common/base/error.h"

/* What errors about the recorder's output name, and their hint: the Python that it runs has the recorder's descriptors
 * too. */
#define HELPER_OUTPUT "the recorder's output"
#define HELPER_REPORT                                                                                                  \
    "see whether host_orch.py, or what it imports, writes to descriptors that it did not open; if not, report this "   \
    "as "                                                                                                              \
    "a fault of l3replay"

/* Fill `err` from the record in `line`; its traceback goes to the log. Returns -1. */
int helper_error(const char *line, size_t length, struct error *err);

#endif

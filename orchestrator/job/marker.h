/*
 * marker - the lines on stdout that harnesses look for (docs/formats.md, "Result markers").
 */
#ifndef L3R_ORCHESTRATOR_JOB_MARKER_H
#define L3R_ORCHESTRATOR_JOB_MARKER_H

#include <stdint.h>

#include "orchestrator/job/result.h"

/* Exit codes of the commands. */
enum exit_code { EXIT_CODE_PASS = 0, EXIT_CODE_FAIL = 1, EXIT_CODE_USAGE = 2, EXIT_CODE_INFRA = 3 };

/* Print all device ids when there are any, that `compared` of so many outputs were compared, and last the marker. -1 when
 * stdout does not take them. */
int marker_print(enum result_verdict verdict, const int *device_ids, uint32_t count, uint32_t compared,
                 uint32_t outputs);

/* The marker line alone, without newline, NUL-terminated. */
void marker_text(enum result_verdict verdict, const int *device_ids, uint32_t count, char *buf, size_t size);

enum exit_code marker_exit_code(enum result_verdict verdict);

#endif

/*
 * helper - the recorder process: start it, feed it one request, take its lines.
 *
 * The recorder (recorder/, Python) gets the request as JSON on stdin, up to
 * end of file, and prints one record a line on stdout. Records that are not
 * part of the plan stream (docs/formats.md, "Plan stream"):
 *
 *   {"kernel_config":"<name>",...}  an evaluated kernel_config.py (program_read.h)
 *   {"loaded":"<path below the build>","hash":"<hex>"}  a file that was executed, and a hash of what was
 *   {"unrepeatable":"<why>"}        another recording may come out another time, though no file of the build changes
 *   {"alive":1}                     a sign of life while nothing else is printed
 *   {"error":{...}}, {"done":1}     the last line, one of the two
 *
 * The interpreter is $L3REPLAY_PYTHON, else python3 on PATH; the recorder is
 * where common/base/install.h finds it. The child is always reaped and dies with the caller. When it prints nothing for
 * too long it is asked with SIGUSR1 for an error record that says which line runs (with SIGXCPU when it prints for
 * too long), then with SIGUSR2 for a traceback on stderr, and then killed. Whatever it has started is killed with it, in
 * whatever session. What the user's Python prints is passed on to stderr. A line of more than 64 MB is an error.
 */
#ifndef L3R_ORCHESTRATOR_RECORD_HELPER_H
#define L3R_ORCHESTRATOR_RECORD_HELPER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

/* Takes one line (NUL-terminated, without its newline, may be modified). Returns 0 to go on, 1 when it was the
 * last one, -1 with `err` filled to stop the helper. */
typedef int helper_line_fn(void *context, char *line, size_t length, struct error *err);

/* Make `*seconds` (0: not given) the time without output after which the recorder is stopped:
 * $L3REPLAY_RECORD_TIMEOUT, else 60, or less when less was given. */
int helper_timeout(double *seconds, struct error *err);

/* The interpreter that runs the recorder, to be freed. NULL only when out of memory. */
char *helper_python(struct error *err);

struct helper_limits {
    double timeout; /* seconds without output */
    double limit;   /* seconds in all */
};

/* Run the recorder on `request` in the interpreter `python`. Returns 0 when `on_line` returned 1; `*printed` says whether the
 * build's Python printed something. -1 with `err` filled when it returned -1, the helper could not be started, ended
 * early, was silent for too long, or took too long. */
int helper_run(const char *python, const char *request, const struct helper_limits *limits, helper_line_fn *on_line,
               void *context, bool *printed, struct error *err);

#endif

/*
 * python_child - a Python process that answers lines with lines.
 */
#ifndef L3R_RANK_WORKER_EXECUTOR_PYTHON_CHILD_H
#define L3R_RANK_WORKER_EXECUTOR_PYTHON_CHILD_H

#include <stddef.h>

#include "common/base/error.h"
#include "common/process/process.h"

enum { PYTHON_ANSWER_MAX = 32 * 1024 };

struct python_child {
    struct process *process; /* NULL: not running */
    size_t used;
    char answer[PYTHON_ANSWER_MAX];
};

/* Start `python` on the file `script`; it has `segment_fd` as descriptor 3. -1 when there is no such program or no
 * process. */
int python_child_start(struct python_child *c, const char *python, const char *script, int segment_fd,
                       struct error *err);

/* Send `line` and a newline, and wait for one line of answer, without its newline, in c->answer; a longer one is cut to
 * PYTHON_ANSWER_MAX - 1 bytes. Waits for `limit_s` seconds at most (0: for ever). Returns 1; 0 when the process ended
 * instead, or ends its output; -1 on an error, which names the limit when it is that. */
int python_child_ask(struct python_child *c, const char *line, double limit_s, struct error *err);

/* Close its input and wait for its end for `grace_ms`, then kill it. Returns its wait status, -1 when unknown. Does
 * nothing when it is not running. */
int python_child_end(struct python_child *c, int grace_ms);

#endif

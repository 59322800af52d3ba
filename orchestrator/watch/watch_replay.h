/*
 * watch_replay - one replay of a watched build, as a process: started, its output kept, its result read.
 */
#ifndef L3R_ORCHESTRATOR_WATCH_WATCH_REPLAY_H
#define L3R_ORCHESTRATOR_WATCH_WATCH_REPLAY_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/args.h"
#include "common/process/process.h"

/* What a replay has said of itself. */
struct watch_result {
    char verdict[8];       /* "PASS", "FAIL", "INFRA"; "": it was wrong usage, or gave no verdict */
    double seconds;        /* from its start to its end */
    double span_ms;        /* first start of a dispatch to the last end; negative: none ran */
    int compared, outputs; /* of so many outputs so many were compared; -1: not known */
    bool known;            /* it could say what has changed */
    struct args changed;   /* since the replay before; empty and `known`: nothing */
    char error[400];       /* what went wrong; "" */
    int exit_code;         /* -1: a signal ended it */
};

struct watch_replay {
    struct process *process; /* NULL: none runs */
    char *output, *errors;   /* what it printed: stdout, stderr; NUL-terminated */
    size_t noutput, nerrors, output_room, errors_room;
    int64_t begun_ms;
    bool was_stopped;
};

/* Output beyond this much is dropped. */
enum { WATCH_OUTPUT_MAX = 1 << 20 };

/* Start `argv`, whose result goes to `result_file`. */
int watch_replay_start(struct watch_replay *r, const struct args *argv, const char *result_file, struct error *err);

/* Descriptors for poll(), as many as PROCESS_POLLS; how long it may wait. */
void watch_replay_poll(const struct watch_replay *r, struct pollfd fds[PROCESS_POLLS]);
int watch_replay_patience(const struct watch_replay *r, int limit_ms);

/* Take what it prints. True once it has ended: then `out` is filled, and watch_result_free() is to be called. */
bool watch_replay_update(struct watch_replay *r, const char *result_file, struct watch_result *out);

/* Ask it to end; what does not is killed after 4 s, or at once when asked again. */
void watch_replay_stop(struct watch_replay *r);

void watch_replay_free(struct watch_replay *r); /* kills it; a zeroed one is fine */
void watch_result_free(struct watch_result *result);

#endif

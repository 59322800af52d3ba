/*
 * jobs - child processes run at once, their output captured.
 *
 * A pool runs up to `width` commands, each with a keeper (common/process/process.h): a compiler driver's own children,
 * also those in sessions of their own, end with it, and with the process that owns the pool. No shell takes part.
 *
 * A pool belongs to the thread that made it.
 */
#ifndef L3R_RANK_WORKER_COMPILE_JOBS_H
#define L3R_RANK_WORKER_COMPILE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum { JOB_OUTPUT_MAX = 64 * 1024 }; /* bytes of output kept; the rest is read and dropped */

struct job_pool;

struct job {
    char *const *argv; /* argv[0] is a path; stdin is /dev/null */
    char *const *envp; /* NULL: ours */
    void *tag;
    int limit_ms; /* it is killed when it runs longer; 0: no limit */
};

struct job_result {
    void *tag;      /* of the job */
    int code;       /* exit code; 128 + signal when a signal ended it */
    bool timed_out; /* it was killed for its limit */
    char *output;   /* stdout and stderr together, NUL-terminated, the caller's to free */
    bool cut;       /* more than JOB_OUTPUT_MAX bytes came */
};

/* NULL when memory is short. width >= 1. */
struct job_pool *job_pool_new(int width);

/* Kills what still runs, waits for it, frees. NULL is fine. */
void job_pool_free(struct job_pool *pool);

int job_pool_running(const struct job_pool *pool);
bool job_pool_full(const struct job_pool *pool);

/* Start a job; the pool must not be full. What `job` points to, but for the tag, need not outlive the call. -1 when it cannot
 * be executed; the error names argv[0]. */
int job_start(struct job_pool *pool, const struct job *job, struct error *err);

/* Wait up to timeout_ms (-1: for ever) for one command to end. Returns 1 with `result` filled, 0 when none
 * ended in time or none runs, -1 on error. */
int job_wait(struct job_pool *pool, int timeout_ms, struct job_result *result, struct error *err);

/* Run one command to its end: code and output as above. -1 when it cannot be started or takes longer than its limit. */
int job_run(const struct job *job, struct job_result *result, struct error *err);

#endif

/*
 * jobs - child processes run at once, their output captured.
 *
 * A pool runs up to `width` commands. Each has a keeper process above it that
 * owns a process group of its own: when the process that owns the pool dies, by
 * whatever signal, the kernel signals the keeper (PR_SET_PDEATHSIG) and the keeper
 * kills the group, so that a compiler driver's own children do not outlive it
 * either. No shell takes part.
 *
 * A pool belongs to the thread that made it (PR_SET_PDEATHSIG follows threads).
 */
#ifndef L3R_RANK_WORKER_COMPILE_JOBS_H
#define L3R_RANK_WORKER_COMPILE_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

enum { JOB_OUTPUT_MAX = 64 * 1024 }; /* bytes of output kept; the rest is read and dropped */
enum { JOB_NOT_STARTED = 127 };      /* exit code of a command that could not be executed */

struct job_pool;

struct job_result {
    void *tag;    /* as given to job_start */
    int code;     /* exit code; 128 + signal when a signal ended it */
    char *output; /* stdout and stderr together, NUL-terminated, the caller's to free */
    bool cut;     /* more than JOB_OUTPUT_MAX bytes came */
};

/* NULL when memory is short. width >= 1. */
struct job_pool *job_pool_new(int width);

/* Kills what still runs, waits for it, frees. NULL is fine. */
void job_pool_free(struct job_pool *pool);

int job_pool_running(const struct job_pool *pool);
bool job_pool_full(const struct job_pool *pool);

/* Start argv[0] (a path) with stdin from /dev/null and environment `envp` (NULL: ours). The pool must not
 * be full. argv and envp need not outlive the call. */
int job_start(struct job_pool *pool, char *const *argv, char *const *envp, void *tag, struct error *err);

/* Wait up to timeout_ms (-1: for ever) for one command to end. Returns 1 with `result` filled, 0 when none
 * ended in time or none runs, -1 on error. */
int job_wait(struct job_pool *pool, int timeout_ms, struct job_result *result, struct error *err);

/* Run one command to its end: code and output as above. -1 when it cannot be started or takes longer than
 * timeout_ms. */
int job_run(char *const *argv, char *const *envp, int timeout_ms, struct job_result *result, struct error *err);

#endif

#include "rank-worker/compile/jobs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "common/base/clock.h"
#include "common/process/process.h"

struct slot {
    struct process *process; /* NULL: the slot is free */
    struct job_result result;
    size_t used;
};

struct job_pool {
    int width, running;
    struct pollfd *polls; /* PROCESS_POLLS a slot */
    struct slot *slots;
};

struct job_pool *job_pool_new(int width)
{
    struct job_pool *pool = calloc(1, sizeof *pool);

    if (!pool) {
        return NULL;
    }
    pool->width = width;
    pool->slots = calloc((size_t)width, sizeof *pool->slots);
    pool->polls = calloc((size_t)width * PROCESS_POLLS, sizeof *pool->polls);
    if (!pool->slots || !pool->polls) {
        job_pool_free(pool);
        return NULL;
    }
    return pool;
}

void job_pool_free(struct job_pool *pool)
{
    if (!pool) {
        return;
    }
    for (int i = 0; pool->slots && i < pool->width; i++) {
        if (pool->slots[i].process) {
            process_kill(pool->slots[i].process); /* all, before the first is waited for */
        }
    }
    for (int i = 0; pool->slots && i < pool->width; i++) {
        if (pool->slots[i].process) {
            process_free(pool->slots[i].process);
            free(pool->slots[i].result.output);
        }
    }
    free(pool->slots);
    free(pool->polls);
    free(pool);
}

int job_pool_running(const struct job_pool *pool)
{
    return pool->running;
}

bool job_pool_full(const struct job_pool *pool)
{
    return pool->running == pool->width;
}

int job_start(struct job_pool *pool, const struct job *job, struct error *err)
{
    const struct process_options options = {.argv = (const char *const *)job->argv,
                                            .envp = job->envp,
                                            .streams = {PROCESS_NULL, PROCESS_PIPE, PROCESS_AS_STDOUT},
                                            .kept = true,
                                            .limit_ms = job->limit_ms};
    struct slot *slot = pool->slots;

    while (slot->process) {
        slot++;
    }
    slot->result = (struct job_result){.tag = job->tag, .output = malloc(JOB_OUTPUT_MAX + 1)};
    slot->used = 0;
    if (!slot->result.output) {
        return error_nomem(err, job->argv[0], JOB_OUTPUT_MAX + 1);
    }
    if (process_start(&slot->process, &options, err) < 0) {
        free(slot->result.output);
        return -1;
    }
    pool->running++;
    return 0;
}

/* Take what the pipe holds now. */
static void drain(struct slot *slot)
{
    char dropped[4096];
    size_t room = JOB_OUTPUT_MAX - slot->used;
    ssize_t n;

    n = room ? process_read(slot->process, PROCESS_STDOUT, slot->result.output + slot->used, room)
             : process_read(slot->process, PROCESS_STDOUT, dropped, sizeof dropped);
    if (n > 0 && room == 0) {
        slot->result.cut = true;
    } else if (n > 0) {
        slot->used += (size_t)n;
    }
}

static void finish(struct job_pool *pool, struct slot *slot, struct job_result *result)
{
    int status = process_status(slot->process);

    slot->result.output[slot->used] = '\0';
    *result = slot->result;
    result->timed_out = process_timed_out(slot->process);
    result->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    process_free(slot->process);
    slot->process = NULL;
    pool->running--;
}

/* What to poll for, and for how long at most. */
static int prepare_poll(struct job_pool *pool, int left)
{
    for (int i = 0; i < pool->width; i++) {
        struct pollfd *fds = &pool->polls[(size_t)i * PROCESS_POLLS];

        if (pool->slots[i].process) {
            process_poll(pool->slots[i].process, fds);
            left = process_patience(pool->slots[i].process, left);
            continue;
        }
        for (int k = 0; k < PROCESS_POLLS; k++) {
            fds[k] = (struct pollfd){.fd = -1};
        }
    }
    return left;
}

int job_wait(struct job_pool *pool, int timeout_ms, struct job_result *result, struct error *err)
{
    int64_t end = clock_now_ms() + timeout_ms;

    while (pool->running > 0) {
        int64_t left = timeout_ms < 0 ? -1 : end - clock_now_ms();
        bool late = timeout_ms >= 0 && left <= 0;

        if (poll(pool->polls, (nfds_t)pool->width * PROCESS_POLLS, prepare_poll(pool, late ? 0 : (int)left)) < 0 &&
            errno != EINTR) {
            return error_errno(err, NULL, NULL, "cannot wait for the compilers");
        }
        for (int i = 0; i < pool->width; i++) {
            struct slot *slot = &pool->slots[i];

            if (!slot->process) {
                continue;
            }
            drain(slot);
            if (process_update(slot->process) == PROCESS_ENDED) {
                finish(pool, slot, result);
                return 1;
            }
        }
        if (late) {
            return 0;
        }
    }
    return 0;
}

int job_run(const struct job *job, struct job_result *result, struct error *err)
{
    struct job_pool *pool = job_pool_new(1);
    int rc = -1;

    if (!pool) {
        return error_nomem(err, job->argv[0], 1);
    }
    if (job_start(pool, job, err) == 0) {
        rc = job_wait(pool, -1, result, err) < 0 ? -1 : 0;
        if (rc == 0 && result->timed_out) {
            free(result->output);
            result->output = NULL;
            rc = error_set(err, NULL, "check the program, or name another one", "%s did not end within %g s",
                           job->argv[0], job->limit_ms / 1000.0);
        }
    }
    job_pool_free(pool);
    return rc;
}

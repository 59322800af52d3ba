/*
 * swimlane - chip_swimlane_records.json: what one dispatch did on the cores of one chip.
 *
 * Read by swimlane_read.h. Times are raw counter cycles; swimlane_ns() makes nanoseconds
 * after the first one of the file. The two streams of tasks are joined on (core, reg_task_id).
 */
#ifndef L3R_ORCHESTRATOR_PROFILES_SWIMLANE_H
#define L3R_ORCHESTRATOR_PROFILES_SWIMLANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/error.h"

enum { SWIM_AIC = 0, SWIM_AIV = 1, SWIM_UNKNOWN = 2, SWIM_MAX_CORES = 65536 };

struct swim_task {
    uint32_t core;
    uint64_t token; /* the task's id: (ring << 32) | local */
    uint64_t reg;
    uint64_t start, end, setup; /* cycles; setup: receipt to start, 0 in old files */
    uint64_t dispatch, finish;  /* cycles; 0: the level does not record it */
    uint64_t cpu_ns;            /* its thread's processor time; where has_cpu */
};

/* A row of the dispatcher's stream, which belongs to the task of that core and register value. Times in cycles. */
struct swim_finish {
    uint64_t core, reg, dispatch, finish;
};

struct swim_phase {
    uint32_t thread;
    char kind[20];
    uint64_t start, end;                         /* cycles */
    int64_t loop_iter, ntask, pop_hit, pop_miss; /* -1: not given */
    int64_t ready[3];                            /* shared ready queue at the end: aic, aiv, mixed; -1: not given */
};

struct swim_submit {
    uint32_t thread;
    int64_t index;
    uint64_t task;
    uint64_t start, end; /* cycles */
};

struct swimlane {
    int64_t level;
    uint64_t clock_hz;
    uint64_t origin_ns; /* CLOCK_MONOTONIC of the host at cycle 0 (metadata.host_origin_ns); 0: not given */
    bool is_empty;      /* a whole file, of a dispatch without tasks */
    bool has_setup;     /* aicore_tasks has its sixth column */
    bool has_cpu;       /* of the cpu device: processor times are there */
    uint8_t *core_types;
    int64_t *core_threads;
    size_t ncore, nthread, core_capacity, thread_capacity;
    struct swim_task *tasks; /* by start */
    size_t ntask, task_capacity;
    struct swim_phase *phases;
    size_t nphase, phase_capacity;
    struct swim_submit *submits;
    size_t nsubmit, submit_capacity;
    uint64_t first, last; /* cycles: the earliest and the latest of all; 0 when there is nothing */
};

/* Give the tasks of `s` the times of their rows, sort them by start, and find the range of all times. Sorts `finishes`, of
 * which there are `n`. Returns how many tasks have no row (0 when there are no rows at all). */
size_t swimlane_join(struct swimlane *s, struct swim_finish *finishes, size_t n);

void swimlane_free(struct swimlane *s); /* what swimlane_read() filled; a zeroed struct is fine */

/* Nanoseconds from the first record to `cycles`; 0 for what lies before it. */
uint64_t swimlane_ns(const struct swimlane *s, uint64_t cycles);

/* Nanoseconds that `cycles` take. */
uint64_t swimlane_duration_ns(const struct swimlane *s, uint64_t cycles);

int swimlane_core_type(const struct swimlane *s, uint32_t core);

/* "t7", or "r1t7" of a ring other than 0. */
const char *swimlane_task_label(uint64_t token, char *buf, size_t size);

#endif

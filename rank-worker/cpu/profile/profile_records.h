/*
 * profile_records - what a dispatch did, recorded while it runs and written when it is over.
 *
 * `dev->profile` is NULL unless the dispatch under way is captured: that one test is all that the rest of the
 * device pays. Records lie in chunks that are kept for the next dispatch. Those of kernel calls and scheduler phases
 * are made under the device's lock, those of submits, dependencies and scopes by the main thread. Nothing but the
 * bytes of dumped arguments goes to the disk during the run; they go there at once, so they are nowhere in memory.
 *
 * Formats: docs/formats.md, "Profiles". One file a kind: profile_swimlane.c, profile_pmu.c, profile_deps.c,
 * profile_scopes.c, profile_args.c.
 */
#ifndef L3R_CPU_PROFILE_RECORDS_H
#define L3R_CPU_PROFILE_RECORDS_H

#include "common/base/file.h"
#include "rank-worker/cpu/profile/profile.h"

enum { PROFILE_COUNTERS = 8, PROFILE_THREADS = CPU_THREADS + 1 };

struct profile_arena {
    struct profile_chunk *first, *current;
};

/* One kernel call on one lane. */
struct profile_run {
    struct profile_run *next;
    uint64_t task;
    uint64_t dispatch_ns, receive_ns, start_ns, end_ns, finish_ns; /* 0: not reached or not asked for */
    uint64_t cpu_ns;                                               /* of the thread, from start to end */
    uint64_t total;                                                /* cycles, or nanoseconds of the thread's clock */
    uint64_t counters[PROFILE_COUNTERS]; /* by number of profile_pmu.c's sources of the event type */
    uint32_t reg;                        /* of this core, from 0 */
    int32_t func_id;
    int16_t core, thread;
};

enum profile_kind { PHASE_DISPATCH, PHASE_COMPLETE, PHASE_DUMMY_TASK, PHASE_PREDICATED_SKIP };

/* Something that a thread did as the scheduler. */
struct profile_phase {
    struct profile_phase *next;
    enum profile_kind kind;
    uint64_t start_ns, end_ns, task;
    uint32_t loop, ntask, hit, miss;
    int32_t shared_start[3], shared_end[3]; /* ready blocks: aic, aiv, mixed */
};

struct profile_submit {
    struct profile_submit *next;
    uint64_t index, task, start_ns, end_ns;
};

/* A tensor as dependencies see it. */
struct profile_slice {
    uint64_t addr, size, offset;
    int32_t version;
    uint8_t dtype, ndims;
    uint32_t shapes[L3R_MAX_DIMS], strides[L3R_MAX_DIMS];
};

struct profile_perf {
    bool opened;
    int leader, members[PROFILE_COUNTERS]; /* descriptors; -1: none */
    int place[PROFILE_COUNTERS];           /* of a member's value in what a read gives; -1: none */
    int nvalue;
};

struct profile_thread {
    struct profile_phase *first, *last;
    uint32_t loops;  /* looks for work */
    uint32_t misses; /* that found nothing, since the last that did */
    struct profile_perf perf;
};

struct profile_edge;
struct profile_task;
struct profile_scope;
struct profile_dump;
struct task_dump;

struct profile {
    struct device_switches want;
    char *dir;
    bool ended;                       /* the dispatch is over, its files are to be written */
    struct profile_arena shared, own; /* under the lock; of the main thread */
    uint64_t ndropped;                /* records for which there was no memory */

    struct profile_run *runs, *last_run;
    uint32_t nreg[CPU_LANES];
    int16_t core_thread[CPU_LANES]; /* by core: that finished the last call on it; -1: none */
    struct profile_thread threads[PROFILE_THREADS];
    int32_t ready[3]; /* blocks: aic, aiv, mixed */
    uint32_t passed;  /* ready tasks that did not fit, in the look under way */
    struct profile_submit *submits, *last_submit;

    int32_t arg; /* whose producers are being looked up; -1: none, or none of a task */
    struct profile_edge *edges, *last_edge, *task_edges; /* task_edges: those before the ones of the task under way */
    struct profile_task *tasks, *last_task;

    struct profile_scope *scopes, *last_scope;
    uint64_t nscope;
    const char *sites[CPU_SCOPE_DEPTH];
    int lines[CPU_SCOPE_DEPTH];

    struct file_writer bin; /* bytes of dumped arguments; stream NULL: not open */
    uint64_t bin_nbytes;
    bool bin_failed, has_bin;
    struct error bin_error;
    struct profile_dump *dumps, *last_dump;
    uint64_t ndump;
};

/* profile_records.c */
/* Zeroed memory until the next capture; NULL: there is none, and a record counts as dropped. */
void *profile_alloc(struct profile *p, struct profile_arena *arena, size_t nbytes);
/* Begin file `name` of the dispatch's directory, with the directories above it. */
int profile_create(struct profile *p, struct file_writer *w, const char *name, struct error *err);
uint32_t profile_thread_index(void);    /* of the calling thread: 0 the main one */
int profile_reserve(struct profile *p); /* the first chunks; -1: no memory */
void profile_forget(struct profile *p); /* of what a dispatch left; chunks and descriptors of counters are kept */
void profile_free_records(struct profile *p);

/* profile_swimlane.c */
int profile_write_swimlane(struct profile *p, struct error *err);
int profile_core(const struct lane *lane); /* 0..7 aic, 8..23 aiv */

/* profile_pmu.c */
void profile_pmu_before(struct device *dev, struct profile_run *run, struct profile_thread *thread);
void profile_pmu_after(struct device *dev, struct profile_run *run, struct profile_thread *thread);
void profile_pmu_close(struct profile_thread *thread);
int profile_write_pmu(const struct device *dev, struct profile *p, struct error *err);

/* profile_deps.c */
void profile_deps_task(struct device *dev, const struct task *task, const struct l3r_core_args *args);
int profile_write_deps(struct profile *p, struct error *err);

/* profile_scopes.c */
int profile_write_scopes(struct profile *p, bool fatal, struct error *err);

/* profile_args.c */
int profile_args_open(struct profile *p, struct error *err);
void profile_args_task(struct device *dev, struct task *task, const struct l3r_core_args *args);
int profile_write_args(struct profile *p, struct error *err);

#endif

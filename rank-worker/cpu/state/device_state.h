/*
 * device_state - what the parts of the cpu device share.
 *
 * One card, one process. A dispatch has two phases: the main thread calls the
 * orchestration, which builds a graph of tasks (submit.c, depmap.c, memory.c);
 * then the main thread, and more threads where they are needed, run it (sched.c,
 * threads.c). `lock` guards tasks, the ready heap and lanes; it is free while a
 * kernel runs. Rings, scopes and the dependency map belong to the main thread.
 *
 * docs/formats.md: "Tasks on the cpu device", "Threads of the cpu device".
 */
#ifndef L3R_CPU_DEVICE_STATE_H
#define L3R_CPU_DEVICE_STATE_H

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "rank-worker/cpu/include/l3r_abi.h"
#include "rank-worker/cpu/state/lane_call.h"
#include "rank-worker/device.h"

enum {
    CPU_CLUSTERS = 8,             /* what the device says it has */
    CPU_LANES = 3 * CPU_CLUSTERS, /* lane 3c is aic of cluster c, 3c+1 and 3c+2 its aiv */
    CPU_THREADS = 2 * CPU_LANES,  /* one a lane, and as many that are woken and have not yet found theirs */
    CPU_RINGS = 4,                /* scope depth d allocates from ring min(d, 3) */
    CPU_SCOPE_DEPTH = 64,
    CPU_WINDOW = 16384, /* live tasks of a ring beyond which the orchestration waits */
    CPU_OUTPUT_ALIGN = 1024,
    CPU_TICK_NS = 2000000,  /* how long nothing may finish before one more thread helps */
    CPU_SPIN_NS = 20000000, /* CPU time without a call after which a lane loses its turn (turns.h) */
};
#define CPU_HEAP_SIZE (256ull << 20) /* of one ring, address space until it is written */

enum task_state { TASK_WAITING = 0, TASK_READY, TASK_STARTED, TASK_DONE };
enum { LANE_AIC = 1, LANE_AIV0 = 2, LANE_AIV1 = 4 };

/* A lane that takes turns with the others of its mixed block (turns.h); TURN_NONE: it does not. */
enum turn { TURN_NONE = 0, TURN_NEW, TURN_EARLY, TURN_READY, TURN_HOLDS, TURN_OUTSIDE, TURN_AWAY };

typedef void (*kernel_fn)(int64_t *args);

/* Append to a list that is linked by `next` and known by its two ends; `last` of an empty one is NULL. */
#define CPU_APPEND(first, last, item)                                                                                  \
    do {                                                                                                               \
        if (last) {                                                                                                    \
            (last)->next = (item);                                                                                     \
        } else {                                                                                                       \
            (first) = (item);                                                                                          \
        }                                                                                                              \
        (last) = (item);                                                                                               \
    } while (0)

struct cpu_kernel {
    int32_t func_id;
    char *name;
    void *handle;
    kernel_fn fn;
};

struct cpu_config {
    int expected_arg_count;
};

struct cpu_program {
    char *name;
    void *handle;
    void (*entry)(const struct l3r_chip_args *args);
    struct cpu_config (*config)(const struct l3r_chip_args *args); /* NULL: the object has none */
    bool checked; /* signature given: fewer tensors or scalars than that are an error */
    int32_t ntensor, nscalar;
    uint32_t nkernel;
    struct cpu_kernel *kernels; /* sorted by func_id */
};

/* `consumer` waits for `producer`, or did. */
struct edge {
    struct task *producer, *consumer;
    struct edge *next; /* of the producer's unfinished consumers; NULL and unlinked when it was done already */
};

struct predicate {
    const void *addr; /* NULL: none */
    int64_t target;
    uint8_t op, size;
};

struct task {
    struct task *next; /* in a list of tasks that are to be completed */
    struct edge *consumers;
    struct edge *fanin;         /* nfanin of them */
    uint64_t id, order;         /* its name, and its place in the order of submits */
    uint64_t mark;              /* last submit that found this task as a producer */
    uint32_t nfanin, npending;  /* producers, and those that are not done (one more during the submit) */
    uint32_t nconsumer;         /* consumers that are not done */
    int32_t nblock, next_block; /* blocks, and the first that has not started */
    int32_t nrunning;           /* lanes */
    uint8_t state;              /* enum task_state */
    uint8_t lanes;              /* LANE_ bits; 0: nothing to run */
    bool sync_start;            /* all blocks at the same time */
    const struct cpu_kernel *kernels[3];
    struct predicate predicate;
    uint64_t heap_end;      /* offset in the ring's heap after this task's outputs */
    struct task_dump *dump; /* NULL: its arguments are not dumped */
    uint32_t ntensor, nscalar;
    struct l3r_tensor *tensors;
    uint64_t *scalars;
};

/* First bytes of a kernel's local and global context. */
struct local_context {
    int32_t block_idx, block_num;
    uint64_t async[5];
};
struct global_context {
    int32_t sub_block_id;
    uint64_t dma_workspace[2];
};

/* A core of the device, and the kernel call that is on it. */
struct lane {
    struct device *dev;
    struct task *task;
    struct lane *next; /* of the lanes that start together */
    const struct cpu_kernel *kernel;
    int cluster;
    uint32_t sub_block;
    uint32_t nargs; /* slots of args that may be non-zero */
    bool mixed;     /* holds its whole cluster, together with the other lanes of the block */
    _Atomic(enum turn) turn;
    const void *cond;        /* TURN_AWAY: the condition variable that the kernel waits for; NULL: for something else */
    bool hands_on;           /* its last pipe operation was on a pipe for both directions */
    sem_t let_on;            /* posted when a turn comes that it awaits */
    _Atomic bool waited;     /* its kernel called something to wait, since the monitor has looked */
    struct thread *thread;   /* that runs it; NULL: none yet */
    struct lane_call call;   /* what its kernel is in */
    struct profile_run *run; /* record of this call; NULL: none */
    struct local_context local;
    struct global_context global;
    int64_t args[L3R_ARGS_SLOTS];
};

/* The lanes of the mixed block that is on it. */
struct cluster {
    int nlane;              /* that are not over */
    uint64_t epoch;         /* another one for each dispatch and each mixed block: pipes begin anew */
    struct lane *holder;    /* the one whose turn it is; NULL: nobody's */
    _Atomic uint64_t ncall; /* turns given, and calls of kernels that turns.h knows of */
    uint64_t seen_ncall;    /* the rest is the monitor's: what it saw at the last ticks */
    uint64_t since_cpu_ns, last_cpu_ns;
    int nasleep;
};

struct thread {
    struct device *dev;
    pthread_t id;
    pid_t tid;
    pthread_cond_t cond;
    struct lane *lane; /* handed over by the thread that woke this one */
    struct thread *next_idle;
    bool woken;
    bool looking; /* woken to look for a lane, and has not looked yet */
};

struct chunk {
    struct chunk *next;
    size_t used, size;
    uint32_t last_local; /* youngest task in it */
};

/* Tasks and outputs of one scope depth, freed in order. */
struct ring {
    uint32_t first, next; /* live local ids: first .. next-1 */
    uint32_t closed;      /* tasks before this one belong to scopes that have ended */
    uint32_t base;        /* local id of tasks[0] */
    size_t cap;
    struct task **tasks;
    struct chunk *oldest, *newest;
    uint8_t *heap; /* NULL until the first output */
    uint64_t top, tail;
    uint64_t heap_made, heap_extra; /* bytes handed out so far, gaps counted; those outside the heap */
    uint64_t deps_made, deps_freed; /* dependencies of tasks made, and of tasks freed */
};

struct scope {
    uint32_t begin; /* first local id of its ring that can be in it */
    bool manual;
};

struct block { /* an output that did not fit into its ring's heap */
    struct block *next;
    size_t size;
};

struct ready {
    uint64_t order;
    struct task *task;
};

struct depmap;
struct pipe_state;
struct profile;
struct profile_run;

struct device {
    struct device_config config;
    uint32_t nprogram;
    size_t cap_program;
    struct cpu_program *programs;
    uint32_t ndomain;
    size_t cap_domain;
    void **domains;

    /* the dispatch under way: main thread only */
    const struct cpu_program *program;
    struct l3r_chip_args chip_args;
    struct l3r_tensor *chip_tensors; /* DEVICE_MAX_TENSORS */
    struct ring rings[CPU_RINGS];
    struct scope scopes[CPU_SCOPE_DEPTH];
    int depth, manual_depth; /* open scopes - 1; depth at which the outermost manual one began, or -1 */
    uint64_t nsubmit;
    uint32_t ntask;
    struct depmap *map;
    struct task **found; /* producers of the task that is being submitted */
    uint32_t nfound;
    size_t cap_found;
    struct chunk *free_chunks;
    struct block *blocks;
    _Atomic bool orchestrating;
    _Atomic bool fatal;
    int32_t fatal_code;
    char fatal_text[1024];
    bool out_of_memory;
    jmp_buf leave; /* out of the orchestration, after a failed assertion */

    pthread_mutex_t lock;
    struct ready *ready; /* heap, the earliest submitted first; room for all unfinished tasks */
    size_t cap_ready;
    uint32_t nqueued;
    uint32_t nready;      /* blocks of those tasks that have not started */
    uint32_t nunfinished; /* tasks */
    uint32_t free_lanes;  /* bit per lane */
    struct cluster clusters[CPU_CLUSTERS];
    int nbusy, limit; /* running lanes, and how many may run before a thread takes another; taking turns they are one */
    uint64_t progress;       /* lanes that finished */
    uint64_t mean_ns;        /* moving average of a kernel's time; 0 until known */
    uint64_t first_start_ns; /* of the dispatch's first kernel; 0: none yet */
    struct lane lanes[CPU_LANES];
    struct thread main;
    const struct task *wait_task; /* what the main thread waits for while orchestrating */
    bool wait_consumers;
    bool finishing; /* the main thread serves until everything is done */
    bool main_idle; /* while finishing: it has found nothing to run */
    struct thread *idle;
    int nthread;
    int nidle, nreserved,
        nlooking;         /* parked threads, those of them that lanes in TURN_NEW may need, threads with `looking` */
    _Atomic int nwaiting; /* lanes with a `cond` */
    uint32_t turns_lost;  /* times a lane lost its turn in this dispatch */
    struct thread threads[CPU_THREADS];
    void *(*serve)(void *thread); /* body of the pool's threads; gets a struct thread */
    void *(*watch)(void *dev);    /* body of the monitor's thread */
    pthread_t monitor;
    pthread_cond_t monitor_cond;
    bool monitor_running, armed, quit;
    bool refused; /* the system refused a thread that lanes need: fatal, and no fault of a kernel */

    pthread_mutex_t pipe_lock;
    struct pipe_state *pipes;

    bool is_a5;               /* names of counters */
    struct profile *profile;  /* of the dispatch under way; NULL: it is not captured */
    struct profile *profiler; /* its memory; NULL until the first capture */
};

/* Bytes of a ring's outputs that cannot be handed out again yet. */
static inline uint64_t cpu_heap_live(const struct ring *r)
{
    return r->heap_extra + (r->top >= r->tail ? r->top - r->tail : CPU_HEAP_SIZE - r->tail + r->top);
}

/* Ring of the scope that is open. */
static inline int cpu_ring_index(const struct device *dev)
{
    return dev->depth < CPU_RINGS ? dev->depth : CPU_RINGS - 1;
}

#endif

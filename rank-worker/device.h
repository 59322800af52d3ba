/*
 * device - what runs a program on a card.
 *
 * A device is a table of functions. One executor process opens exactly one
 * device for exactly one card, loads the programs its lane names, runs
 * dispatches one at a time in lane order, and closes it. Nothing here but
 * describe() is thread-safe, and nothing here knows of MPI, the plan or other cards: peers
 * are reached only by kernels, through the windows of a domain.
 *
 * States: opened -> (load_program)* -> (add_domain)* -> (run, save_profile)* -> closed.
 * Domains may be added between runs. A failed run with kind ERROR_FAIL leaves
 * the device usable only for close.
 *
 * Foreign code runs inside: a kernel may crash, exit or never return. The
 * device does not guard against that; the executor's parent does.
 */
#ifndef L3R_RANK_WORKER_DEVICE_H
#define L3R_RANK_WORKER_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/plan/dtype.h"

enum { DEVICE_MAX_DIMS = 5, DEVICE_MAX_TENSORS = 256, DEVICE_MAX_SCALARS = 128, DEVICE_MAX_RANKS = 64 };

/* Tags of a dispatch argument (runtime numbering, docs/formats.md "Tags"). */
enum tensor_tag { TAG_INPUT = 0, TAG_OUTPUT = 1, TAG_INOUT = 2, TAG_OUTPUT_EXISTING = 3, TAG_NO_DEP = 4 };

struct device_setup;

struct device_config {
    int card;             /* rank, 0..world_size-1 */
    int device_id;        /* physical id the user named for this card */
    int ncores;           /* host cores this executor may keep busy, >= 1 */
    const char *platform; /* "a2a3sim", ... */
    bool free_threads; /* the lanes of a mixed task run side by side (cpu device; docs/decisions.md, "Mixed tasks") */
    const struct device_setup *setup; /* common/segment/device_setup.h; the cpu device needs none. For open() only */
};

/* Where the compiled parts of one program are (rank-worker/compile fills this). */
struct device_kernel {
    int32_t func_id;
    uint8_t core; /* enum core_type */
    const char *name;
    const char *path; /* shared object exporting kernel_entry */
};

struct device_program {
    const char *name;
    const char *orchestration; /* shared object */
    const char *function_name;
    const char *config_name;
    int32_t nsignature;       /* -1: not given */
    const uint8_t *signature; /* enum arg_direction */
    uint32_t nkernel;
    const struct device_kernel *kernels;
};

/* One tensor argument: a strided view that begins at `addr`. */
struct device_tensor {
    void *addr;      /* of the view's first element, in this process */
    uint64_t nbytes; /* bytes from addr to the end of what the view can reach */
    enum dtype dtype;
    uint32_t ndim;                    /* 1..DEVICE_MAX_DIMS */
    uint32_t shape[DEVICE_MAX_DIMS];  /* elements */
    uint32_t stride[DEVICE_MAX_DIMS]; /* elements, > 0 */
    enum tensor_tag tag;
};

/* A comm domain as one member sees it. */
struct device_domain {
    uint32_t rank, nranks; /* dense rank of this card in the domain, member count <= DEVICE_MAX_RANKS */
    uint64_t window_nbytes;
    void *windows[DEVICE_MAX_RANKS]; /* by dense rank, as mapped in this process */
};

/* Profiling switches; all zero means off and must cost nothing. */
struct device_switches {
    int swimlane; /* 0..4 */
    int pmu;
    bool dep_gen, scope_stats;
    int dump_args;
    const char *dir; /* directory for this dispatch's files, or NULL */
};

struct device_dispatch {
    uint32_t program; /* from load_program */
    uint32_t ntensor, nscalar;
    const struct device_tensor *tensors;
    const uint64_t *scalars; /* device_ctx values already resolved */
    struct device_switches switches;
};

struct device_result {
    uint64_t wall_ns;   /* whole run */
    uint64_t orch_ns;   /* orchestration function */
    uint64_t device_ns; /* first task start to last task end */
    uint32_t ntasks;
    uint32_t turns_lost; /* times a lane of a mixed task went on beside the one whose turn it was (cpu device) */
};

struct device;

struct device_ops {
    const char *name; /* as --device names it */

    /* All functions return 0, or -1 with `err` filled. */
    int (*open)(struct device **out, const struct device_config *config, struct error *err);

    /* Load a program and check it; `*id` is dense from 0. Strings of `program` need not outlive the call. */
    int (*load_program)(struct device *dev, const struct device_program *program, uint32_t *id, struct error *err);

    /* Make a domain's context; `*ctx` is the value a kernel receives as device_ctx. It lives until close. */
    int (*add_domain)(struct device *dev, const struct device_domain *domain, uint64_t *ctx, struct error *err);

    /* Run one dispatch to its end. */
    int (*run)(struct device *dev, const struct device_dispatch *dispatch, struct device_result *result,
               struct error *err);

    /* Write the files that the last run captured, which has succeeded; nothing when its switches were off. Apart from
     * run(), so that nobody who waits for the dispatch waits for files. A file that cannot be written is
     * reported in the log, and is no failure; returns how many there are. */
    uint32_t (*save_profile)(struct device *dev);

    void (*close)(struct device *dev); /* NULL is fine */

    /* Name the kernel that the calling thread runs, with its task, in `buf`; false: it runs none. From a signal handler
     * too. NULL: the device cannot. */
    bool (*running)(char *buf, size_t size);

    /* Say in `buf` what the dispatch under way is in, a line for each part of it; "" when there is none. From any
     * thread, while run() runs in another one; takes 0.2 s at most. NULL: the device cannot. */
    void (*describe)(struct device *dev, char *buf, size_t size);
};

/* The embedded device for *sim platforms (rank-worker/cpu). */
extern const struct device_ops device_cpu;

/* An installed runtime of the stack (rank-worker/simpler). */
extern const struct device_ops device_simpler;

#endif

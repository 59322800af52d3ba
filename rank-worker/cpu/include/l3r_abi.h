/*
 * l3r_abi - what crosses between an orchestration's shared object and the cpu device.
 *
 * Plain C, read by both sides. The structs here are the C view of the classes of
 * the orchestration interface (pto_types.h asserts that they agree), and the
 * functions are exported by the executor to the objects it loads. Users' sources
 * never name anything of this file.
 */
#ifndef L3R_ABI_H
#define L3R_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define L3R_NORETURN [[noreturn]]
#else
#define L3R_NORETURN _Noreturn
#endif

enum {
    L3R_MAX_DIMS = 5,
    L3R_CORE_TENSORS = 32,
    L3R_CORE_SCALARS = 16,
    L3R_CHIP_TENSORS = 256,
    L3R_CHIP_SCALARS = 128,
    L3R_ARGS_LOCAL_CONTEXT = 48, /* slot of a kernel's args[] that points to its local context */
    L3R_ARGS_GLOBAL_CONTEXT = 49,
    L3R_ARGS_SLOTS = 50,
};

#define L3R_NO_TASK UINT64_MAX /* task id that names no task: owner of external tensors */

/* A tensor as orchestrations and kernels see it (docs/formats.md, "Tensors on the cpu device"). */
struct l3r_tensor {
    uint64_t addr;   /* of the buffer, not of the view's first element */
    uint64_t size;   /* of the buffer, bytes */
    uint64_t owner;  /* task that created the buffer, or L3R_NO_TASK */
    uint64_t offset; /* of the view's first element, elements */
    int32_t version;
    uint32_t ndims;
    uint8_t dtype;
    bool manual_dep; /* only the creator counts for dependencies */
    bool contiguous;
    uint8_t address_space;
    uint32_t shapes[L3R_MAX_DIMS];
    uint64_t extent;                /* elements from the first to one past the last that the view reaches */
    uint32_t strides[L3R_MAX_DIMS]; /* elements, > 0 */
    uint8_t reserved[36];
} __attribute__((aligned(64)));

/* An output that the runtime is to create. */
struct l3r_create_info {
    uint64_t initial_value; /* bits of one element */
    bool has_initial_value;
    uint8_t reserved[15];
    uint64_t offset; /* 0 */
    int32_t version; /* 0 */
    uint32_t ndims;
    uint8_t dtype;
    bool manual_dep;
    bool contiguous;
    uint8_t address_space;
    uint32_t shapes[L3R_MAX_DIMS];
} __attribute__((aligned(64)));

enum { L3R_TAG_INPUT, L3R_TAG_OUTPUT, L3R_TAG_INOUT, L3R_TAG_OUTPUT_EXISTING, L3R_TAG_NO_DEP };
enum { L3R_PRED_NONE, L3R_PRED_EQ, L3R_PRED_NE, L3R_PRED_GT, L3R_PRED_LT, L3R_PRED_GE, L3R_PRED_LE };
enum { L3R_SCOPE_AUTO, L3R_SCOPE_MANUAL };
enum { L3R_DEP_WAIT = 1, L3R_DEP_RETAIN = 2 };

struct l3r_launch {
    int16_t block_num;
    bool sync_start;
};

/* The task runs only when the element compares true at the time it would start. */
struct l3r_predicate {
    const struct l3r_tensor *tensor;
    uint32_t ndims;
    uint32_t indices[L3R_MAX_DIMS];
    uint8_t op;
    int64_t target;
};

/* What all argument lists have, whatever their capacity. */
struct l3r_args_tail {
    int32_t ntensor, nscalar;
    bool has_error;
    const char *error; /* static text; the first thing that went wrong in building the list */
    struct l3r_launch launch;
    bool early_resolve;
    int32_t timing_slot; /* -1: none */
    struct l3r_predicate predicate;
    const uint64_t *deps;     /* task ids, the caller's */
    const uint8_t *dep_kinds; /* NULL: wait and retain */
    uint32_t ndep;
    uint64_t dump_marks, dump_ambiguous; /* bit i: argument i, tensors before scalars */
};

/* Arguments of a task. A slot of `tensors` is a l3r_create_info when its tag is L3R_TAG_OUTPUT. */
struct l3r_core_args {
    const void *tensors[L3R_CORE_TENSORS];
    uint64_t scalars[L3R_CORE_SCALARS];
    const void *scalar_sources[L3R_CORE_SCALARS]; /* variables that were added; NULL: unknown */
    uint8_t scalar_types[L3R_CORE_SCALARS];       /* DataType */
    int32_t tags[L3R_CORE_TENSORS];
    struct l3r_args_tail tail;
};

/* Arguments of an orchestration. */
struct l3r_chip_args {
    const void *tensors[L3R_CHIP_TENSORS];
    uint64_t scalars[L3R_CHIP_SCALARS];
    const void *scalar_sources[L3R_CHIP_SCALARS];
    uint8_t scalar_types[L3R_CHIP_SCALARS];
    int32_t tags[L3R_CHIP_TENSORS];
    struct l3r_args_tail tail;
};

/* What a submit returns: the task and the outputs that the runtime created for it, in the order they were added. */
struct l3r_outputs {
    uint64_t task;
    uint32_t count;
    const struct l3r_tensor *tensors[L3R_CORE_TENSORS];
};

/* Kernel ids of a mixed task's lanes, -1 for none. */
struct l3r_mixed {
    int32_t aic, aiv0, aiv1;
};

void l3r_cpu_submit(const struct l3r_mixed *kernels, const struct l3r_core_args *args, struct l3r_outputs *out);
void l3r_cpu_submit_dummy(const struct l3r_core_args *args, struct l3r_outputs *out);
void l3r_cpu_alloc(const struct l3r_core_args *args, struct l3r_outputs *out);

/* `file` (static text) and `line` say where, for the profile of scopes. */
void l3r_cpu_scope_begin(int mode, const char *file, int line);
void l3r_cpu_scope_end(void);

uint64_t l3r_cpu_get_data(const struct l3r_tensor *tensor, uint32_t ndims, const uint32_t *indices);
void l3r_cpu_set_data(const struct l3r_tensor *tensor, uint32_t ndims, const uint32_t *indices, uint64_t value);

int32_t l3r_cpu_cluster_count(void);
int32_t l3r_cpu_aiv_count(void);

bool l3r_cpu_is_fatal(void);
void l3r_cpu_report_fatal(int32_t code, const char *func, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* `level` is enum log_level of common/base/log.h. */
void l3r_cpu_log(int level, const char *func, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A condition that must hold does not: ends the orchestration, or aborts when a kernel is running. */
L3R_NORETURN void l3r_cpu_assert_failed(const char *condition, const char *file, int line);

#ifdef __cplusplus
}
#endif

#endif

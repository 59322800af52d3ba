/*
 * runtime_fill - the table of functions that fill the structures of an installed simpler runtime.
 *
 * The structures change between versions, so runtime_fill.cpp is compiled against the headers that the installed runtime
 * brings, once for each of its revisions, and loaded by executors. This header is all that both sides know.
 */
#ifndef L3R_RANK_WORKER_SIMPLER_FILL_RUNTIME_FILL_H
#define L3R_RANK_WORKER_SIMPLER_FILL_RUNTIME_FILL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FILL_VERSION = 1, FILL_RINGS = 4, FILL_DIMS = 5 };

/* A view that begins at `addr`; sizes in elements but for `nbytes`. The runtime uses the memory where it is. */
struct fill_tensor {
    void *addr;
    uint64_t nbytes;
    int32_t dtype; /* the runtime's number */
    uint32_t ndim, shape[FILL_DIMS], stride[FILL_DIMS];
};

/* 0 leaves a value to the runtime. */
struct fill_config {
    int32_t aicpu_thread_num, swimlane, dump_args, pmu, dep_gen, scope_stats;
    uint64_t task_window[FILL_RINGS], heap[FILL_RINGS], dep_pool[FILL_RINGS];
    const char *output_prefix; /* NULL: none */
};

struct fill_kernel {
    int32_t func_id;
    const void *binary;
    size_t nbytes;
};

struct fill_program {
    const uint8_t *signature; /* the runtime's numbers of directions */
    uint32_t nsignature;
    const char *function_name, *config_name;
    const void *binary;
    size_t nbytes;
    const struct fill_kernel *kernels;
    uint32_t nkernel;
};

/* Functions that return int: 0, or -1 and `why` (of `size` bytes) says what does not fit. */
struct runtime_fill {
    uint32_t version; /* FILL_VERSION */

    /* Bytes of what the functions below fill; the caller's, aligned to 64. */
    size_t config_nbytes, args_nbytes, run_nbytes, log_nbytes, domain_nbytes;

    int (*contract)(const void *contract, char *why, size_t size); /* of get_pipeline_contract() */
    void (*log_state)(void *out, int32_t threshold);
    int (*config)(void *out, const struct fill_config *config, char *why, size_t size);
    int (*args)(void *out, const struct fill_tensor *tensors, uint32_t ntensor, const uint64_t *scalars,
                uint32_t nscalar, char *why, size_t size);
    void (*run)(void *out, uint64_t number); /* numbers of runs differ, and are not 0 */

    /* A callable for simpler_register_callable(), to be freed with free(). */
    int (*callable)(const struct fill_program *program, void **out, char *why, size_t size);

    /* A domain as kernels see it, over windows that are mapped here. */
    int (*domain)(void *out, uint32_t rank, uint32_t nranks, uint64_t nbytes, void *const *windows, char *why,
                  size_t size);

    /* Name and meaning of an error that the runtime reports as its negative; "" where it has none. */
    const char *(*error_name)(int32_t code);
    const char *(*error_meaning)(int32_t code);
};

/* Name of the one symbol: const struct runtime_fill *l3r_runtime_fill(void). */
#define FILL_SYMBOL "l3r_runtime_fill"

#ifdef __cplusplus
}
#endif

#endif

/*
 * simpler_library - the shared objects of an installed runtime, loaded in the order that works, and the functions of its C
 * interface that are called here.
 *
 * The simulators' context comes first, with its symbols for all: kernels and the other libraries look them up by name. It
 * stays loaded until the process ends, as do the libraries' logs, which share one state.
 */
#ifndef L3R_RANK_WORKER_SIMPLER_SIMPLER_LIBRARY_H
#define L3R_RANK_WORKER_SIMPLER_SIMPLER_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/segment/device_setup.h"
#include "rank-worker/simpler/fill/runtime_fill.h"

/* The types of the runtime's own structures are known to the fill table alone; it also checks these types. */
struct simpler_library {
    const struct runtime_fill *fill;
    void *fill_handle, *host_handle;
    const void *(*get_pipeline_contract)(void);
    void *(*create_device_context)(void);
    void (*destroy_device_context)(void *context);
    size_t (*get_runtime_size)(void);
    size_t (*get_runtime_alignment)(void);
    int (*simpler_init)(void *context, int device_id, const uint8_t *aicpu, size_t aicpu_nbytes, const uint8_t *aicore,
                        size_t aicore_nbytes, const uint8_t *dispatcher, size_t dispatcher_nbytes, const void *prewarm);
    int (*finalize_device)(void *context);
    int (*simpler_register_callable)(void *context, int32_t id, const void *callable);
    int (*simpler_unregister_callable)(void *context, int32_t id);
    int (*simpler_prepare_run)(void *context, void *storage, int32_t id, const void *args, const void *config,
                               const void *run);
    int (*simpler_launch_run)(void *context, void *storage);
    int (*simpler_wait_run)(void *context, void *storage);
    int (*simpler_finalize_run)(void *context, void *storage);
};

/* Load what `setup` names. INFRA, naming the file or function that is missing; a library that was loaded stays. */
int simpler_library_open(struct simpler_library *lib, const struct device_setup *setup, struct error *err);
void simpler_library_close(struct simpler_library *lib); /* a zeroed struct is fine */

/* Name and meaning of the negative `code` that the runtime returned, in `buf`: "-3 (FLOW_CONTROL_DEADLOCK: ...)". */
const char *simpler_code_text(const struct simpler_library *lib, int code, char *buf, size_t size);

#endif

#pragma once
#include <cstddef>
#include <cstdint>

#include "call_config.h"

enum { PTO_PIPELINE_CONTRACT_ABI_VERSION = 3 };

struct PipelineContract {
    uint32_t other, abi_version;
};

struct NativeRunDescriptor {
    uint64_t run_epoch, dispatch_id, generation, run_id;
};

extern "C" {
const PipelineContract *get_pipeline_contract(void);
void *create_device_context(void);
void destroy_device_context(void *context);
size_t get_runtime_size(void);
size_t get_runtime_alignment(void);
int simpler_init(void *context, int device, const uint8_t *aicpu, size_t aicpu_size, const uint8_t *aicore,
                 size_t aicore_size, const uint8_t *dispatcher, size_t dispatcher_size, const CallConfig *prewarm);
int finalize_device(void *context);
int simpler_register_callable(void *context, int32_t id, const void *callable);
int simpler_unregister_callable(void *context, int32_t id);
int simpler_run(void *context, void *storage, int32_t id, const void *args, const CallConfig *config,
                const NativeRunDescriptor *run);
int simpler_prepare_run(void *context, void *storage, int32_t id, const void *args, const CallConfig *config,
                        const NativeRunDescriptor *run);
int simpler_launch_run(void *context, void *storage);
int simpler_wait_run(void *context, void *storage);
int simpler_finalize_run(void *context, void *storage);
}

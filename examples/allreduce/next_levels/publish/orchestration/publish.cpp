#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default")))
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs& orch_args) {
    (void)orch_args;
    return PTO2OrchestrationConfig{
        .expected_arg_count = 5,
    };
}

__attribute__((visibility("default")))
void aicpu_orchestration_entry(const ChipTaskArgs& orch_args) {
    // External tensors
    const ChipTensor& ext_x = orch_args.tensor(0).ref();
    const ChipTensor& ext_partial = orch_args.tensor(1).ref();
    const ChipTensor& ext_signal = orch_args.tensor(2).ref();

    // Scalar params
    uint64_t partial_ctx = orch_args.scalar(0);
    uint64_t signal_ctx = orch_args.scalar(1);

    PTO2_SCOPE() {
        // Task 0: publish_partial
        CoreTaskArgs params_t0;
        params_t0.add_input(ext_x);
        params_t0.add_inout(ext_partial);
        params_t0.add_inout(ext_signal);
        params_t0.add_scalar(partial_ctx);
        params_t0.add_scalar(signal_ctx);
        rt_submit_aiv_task(0, params_t0);
    }
}

}  // extern "C"

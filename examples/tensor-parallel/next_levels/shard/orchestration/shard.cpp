#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default")))
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs& orch_args) {
    (void)orch_args;
    return PTO2OrchestrationConfig{
        .expected_arg_count = 4,
    };
}

__attribute__((visibility("default")))
void aicpu_orchestration_entry(const ChipTaskArgs& orch_args) {
    // External tensors
    const ChipTensor& ext_x = orch_args.tensor(0).ref();
    const ChipTensor& ext_w1 = orch_args.tensor(1).ref();
    const ChipTensor& ext_w2 = orch_args.tensor(2).ref();
    const ChipTensor& ext_partial = orch_args.tensor(3).ref();

    PTO2_SCOPE() {
        uint32_t hidden_ci_shapes[2] = {16, ext_w1.shapes[0]};
        TensorCreateInfo hidden_ci(hidden_ci_shapes, 2, DataType::FLOAT32);
        TaskOutputTensors alloc_0 = alloc_tensors(hidden_ci);
        const ChipTensor& hidden = alloc_0.get_ref(0);

        // Group up: MixedKernels (AIC + AIV lanes)
        CoreTaskArgs params_t0;
        params_t0.add_input(ext_x);
        params_t0.add_input(ext_w1);
        params_t0.add_output(hidden);
        MixedKernels mixed_0 = {0, 1, 1};
        params_t0.launch_spec.set_block_num(2);
        rt_submit_task(mixed_0, params_t0);

        // Task 1: down_matmul
        CoreTaskArgs params_t1;
        params_t1.add_input(hidden);
        params_t1.add_input(ext_w2);
        params_t1.add_output(ext_partial);
        params_t1.launch_spec.set_block_num(4);
        rt_submit_aic_task(2, params_t1);
    }
}

}  // extern "C"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "pto_orchestration_api.h"

extern "C" {

__attribute__((visibility("default")))
PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs& orch_args) {
    (void)orch_args;
    return PTO2OrchestrationConfig{
        .expected_arg_count = 3,
    };
}

__attribute__((visibility("default")))
void aicpu_orchestration_entry(const ChipTaskArgs& orch_args) {
    // External tensors
    const ChipTensor& ext_partial = orch_args.tensor(0).ref();
    const ChipTensor& ext_y = orch_args.tensor(1).ref();

    // Scalar params
    int32_t first_row = from_u64<int32_t>(orch_args.scalar(0));

    PTO2_SCOPE() {
        uint32_t row_sums_ci_shapes[2] = {4, ext_y.shapes[0]};
        TensorCreateInfo row_sums_ci(row_sums_ci_shapes, 2, DataType::FLOAT32);
        uint32_t arrived_ci_shapes[1] = {1};
        TensorCreateInfo arrived_ci(arrived_ci_shapes, 1, DataType::INT32);
        arrived_ci.set_initial_value(0);
        TaskOutputTensors alloc_0 = alloc_tensors(row_sums_ci, arrived_ci);
        const ChipTensor& row_sums = alloc_0.get_ref(0);
        const ChipTensor& arrived = alloc_0.get_ref(1);
        uint32_t centred_ci_shapes[2] = {ext_y.shapes[0], 16};
        TensorCreateInfo centred_ci(centred_ci_shapes, 2, DataType::FLOAT32);

        // Task 0: centre_rows
        CoreTaskArgs params_t0;
        params_t0.add_input(ext_partial);
        params_t0.add_inout(row_sums);
        params_t0.add_inout(arrived);
        params_t0.add_output(centred_ci);
        params_t0.add_scalar(first_row);
        params_t0.launch_spec.set_block_num(4);
        params_t0.launch_spec.set_require_sync_start(true);
        TaskOutputTensors task_0_outs = rt_submit_aiv_task(0, params_t0);
        const ChipTensor& centred = task_0_outs.get_ref(0);

        // Task 1: relu_rows
        CoreTaskArgs params_t1;
        params_t1.add_input(centred);
        params_t1.add_output(ext_y);
        rt_submit_aiv_task(1, params_t1);
    }
}

}  // extern "C"

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
    const ChipTensor& ext_b = orch_args.tensor(1).ref();
    const ChipTensor& ext_total = orch_args.tensor(2).ref();
    const ChipTensor& ext_y = orch_args.tensor(3).ref();

    // Scalar params
    int32_t factor = from_u64<int32_t>(orch_args.scalar(0));

    PTO2_SCOPE() {
        // Task 0: scale_shift
        CoreTaskArgs params_t0;
        params_t0.add_input(ext_x);
        params_t0.add_input(ext_b);
        params_t0.add_output(ext_y);
        params_t0.add_scalar(factor);
        rt_submit_aiv_task(0, params_t0);

        // Task 1: add_row_sums
        CoreTaskArgs params_t1;
        params_t1.add_input(ext_y);
        params_t1.add_inout(ext_total);
        rt_submit_aiv_task(1, params_t1);
    }
}

}  // extern "C"

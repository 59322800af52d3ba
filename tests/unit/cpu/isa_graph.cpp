/* Programs of test_cpu_isa.c: the scalar is the kernel to run on the three tensors; 2 is the mixed pair 2 and 3, 4 the
 * waiting kernel followed by the one that signals. */
#include "pto_orchestration_api.h"

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &args)
{
    (void)args;
    return PTO2OrchestrationConfig{.expected_arg_count = 4};
}

extern "C" void aicpu_orchestration_entry(const ChipTaskArgs &args)
{
    const int32_t which = from_u64<int32_t>(args.scalar(0));
    CoreTaskArgs task;
    PTO2_SCOPE()
    {
        if (which == 4) {
            CoreTaskArgs wait, notify;
            wait.add_no_dep(args.tensor(0).ref());
            notify.add_no_dep(args.tensor(0).ref());
            rt_submit_aiv_task(4, wait);
            rt_submit_aiv_task(5, notify);
        } else {
            task.add_input(args.tensor(0).ref());
            task.add_inout(args.tensor(1).ref(), args.tensor(2).ref());
        }
        if (which == 2) {
            MixedKernels mixed = {2, 3, INVALID_KERNEL_ID};
            rt_submit_task(mixed, task);
        } else if (which == 1) {
            rt_submit_aic_task(which, task);
        } else if (which != 4) {
            rt_submit_aiv_task(which, task);
        }
    }
}

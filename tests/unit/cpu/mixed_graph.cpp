/* Mixed tasks as the scalars of mixed.h say. */
#include "pto_orchestration_api.h"

#include "mixed.h"

static uint64_t arg(const ChipTaskArgs &args, int which)
{
    return args.scalar(which);
}

static void add_scalars(CoreTaskArgs &task, const ChipTaskArgs &args, uint64_t op, uint64_t index)
{
    task.add_scalar(arg(args, MIXED_MEMORY), op, arg(args, MIXED_A), arg(args, MIXED_B), index);
}

static void mixed_tasks(const ChipTaskArgs &args)
{
    const uint64_t lanes = arg(args, MIXED_LANES);
    MixedKernels kernels;
    kernels.aic_kernel_id = lanes & 1 ? 0 : INVALID_KERNEL_ID;
    kernels.aiv0_kernel_id = lanes & 2 ? 1 : INVALID_KERNEL_ID;
    kernels.aiv1_kernel_id = lanes & 4 ? 2 : INVALID_KERNEL_ID;
    PTO2TaskId before[1];
    for (uint64_t i = 0; i < arg(args, MIXED_TASKS); i++) {
        CoreTaskArgs task;
        add_scalars(task, args, arg(args, MIXED_OP), i);
        task.launch_spec.set_block_num(static_cast<int16_t>(arg(args, MIXED_BLOCKS)));
        if (i > 0 && arg(args, MIXED_CHAIN)) {
            task.set_dependencies(before, 1);
        }
        before[0] = rt_submit_task(kernels, task).task_id();
    }
}

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &args)
{
    (void)args;
    return PTO2OrchestrationConfig{.expected_arg_count = MIXED_ARGS};
}

extern "C" void aicpu_orchestration_entry(const ChipTaskArgs &args)
{
    PTO2_SCOPE()
    {
        mixed_tasks(args);
        for (uint64_t i = 0; i < arg(args, MIXED_LATER); i++) {
            CoreTaskArgs task;
            add_scalars(task, args, arg(args, MIXED_LATER_OP), i);
            rt_submit_aiv_task(1, task);
        }
    }
}

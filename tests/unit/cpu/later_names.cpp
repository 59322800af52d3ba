/* The names that programs use since August 2026, in the forms that generated and hand-written ones use them. It is
 * compiled, not run. */
#include "orchestration_api.h"

/* by name, as some sources do */
#include "arg_with_deps.h"
#include "runtime_status.h"
#include "submit_types.h"

/* One type under all its names: what one generation made, a source of the other takes. */
static_assert(std::is_same_v<Tensor, ChipTensor> && std::is_same_v<TaskTensor, ChipTensor>, "");
static_assert(std::is_same_v<simpler::tmr::Tensor, Tensor> && std::is_same_v<simpler::tmr::TaskId, TaskId>, "");
static_assert(std::is_same_v<TaskId, PTO2TaskId> && std::is_same_v<ScopeMode, PTO2ScopeMode>, "");
static_assert(std::is_same_v<OrchestrationConfig, PTO2OrchestrationConfig>, "");
static_assert(std::is_same_v<LaunchSpec, PTO2LaunchSpec> && std::is_same_v<ScopeGuard, PTO2ScopeGuard>, "");
static_assert(sizeof(Tensor) == 128, "");
static_assert(SIMPLER_ERROR_INVALID_ARGS == 5 && SIMPLER_ERROR_EXPLICIT_ORCH_FATAL == 9, "");
static_assert(SIMPLER_ERROR_FANIN_CAPACITY_EXCEEDED == 4 && SIMPLER_ERROR_ASYNC_REGISTRATION_FAILED == 103, "");
static_assert(CHIP_MAX_RING_DEPTH == PTO2_MAX_RING_DEPTH && CHIP_ALIGN_SIZE == PTO2_ALIGN_SIZE, "");
static_assert(TaskId::make(3, 12345).ring() == 3u && TaskId::make(3, 12345).local_id() == 12345, "");

extern "C" {

__attribute__((visibility("default"))) OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &orch_args)
{
    (void)orch_args;
    return OrchestrationConfig{
        .expected_arg_count = 2,
    };
}

static TaskId submit(const simpler::tmr::Tensor &x, TaskId before)
{
    TaskId deps[2] = {TaskId::invalid(), TaskId::invalid()};
    uint32_t n = 0;
    CoreTaskArgs args;
    args.add_input(x);
    args.launch_spec.set_block_num(2);
    if (before.is_valid()) {
        deps[n++] = before;
    }
    args.set_dependencies(deps, n);
    /* Read as members before, called since. */
    if (args.has_error() || args.has_error) {
        LOG_ERROR("%s", args.error_msg() ? args.error_msg() : "?");
    }
    const char *message = args.error_msg;
    return message ? TaskId::invalid() : rt_submit_aiv_task(0, args).task_id();
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs &orch_args)
{
    const Tensor &ext_x = orch_args.tensor(0).ref();
    const TaskTensor &ext_y = orch_args.tensor(1).ref();
    const uint32_t shapes[1] = {4};
    Tensor made = simpler::tmr::make_tensor_external(ext_x.data_as<void>(), shapes, 1, DataType::FLOAT32);
    SIMPLER_SCOPE()
    {
        SIMPLER_SCOPE(ScopeMode::MANUAL)
        {
            submit(made, submit(ext_y, submit(ext_x, TaskId::invalid())));
        }
        SIMPLER_SCOPE_GUARD();
        ScopeGuard inner(ScopeMode::AUTO);
        rt_report_fatal(SIMPLER_ERROR_EXPLICIT_ORCH_FATAL, "%d", 1);
    }
}
}

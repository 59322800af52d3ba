/*
 * pto_orchestration_api - everything an orchestration needs: it includes this header alone,
 * or, since August 2026, orchestration_api.h, which is the same.
 *
 * Same names and meaning as the runtime's own interface; the work is done by the
 * executor (l3r_abi.h). Rules of dependencies, scopes and outputs:
 * docs/formats.md, "Tasks on the cpu device".
 */
#ifndef L3R_PTO_ORCHESTRATION_API_H
#define L3R_PTO_ORCHESTRATION_API_H

#include "common.h"
#include "pto_runtime2_types.h"
#include "pto_submit_types.h"
#include "pto_types.h"
#include "task_args.h"
#include "tensor.h"

struct PTO2OrchestrationConfig {
    int expected_arg_count; /* tensors and scalars */
};
using OrchestrationConfig = PTO2OrchestrationConfig; /* its name since August 2026 */

static inline TaskOutputTensors alloc_tensors(const CoreTaskArgs &args)
{
    TaskOutputTensors result;
    l3r_cpu_alloc(reinterpret_cast<const l3r_core_args *>(&args), &result.out_);
    return result;
}

static inline TaskOutputTensors alloc_tensors(const TensorCreateInfo create_infos[], uint32_t count)
{
    CoreTaskArgs args;
    for (uint32_t i = 0; i < count; i++) {
        args.add_output(create_infos[i]);
    }
    return alloc_tensors(args);
}

template <typename... Infos,
          typename = std::enable_if_t<(sizeof...(Infos) > 0) && (std::is_same_v<Infos, TensorCreateInfo> && ...)>>
static inline TaskOutputTensors alloc_tensors(const Infos &...infos)
{
    CoreTaskArgs args;
    args.add_output(infos...);
    return alloc_tensors(args);
}

static inline TaskOutputTensors rt_submit_task(const MixedKernels &mixed_kernels, const CoreTaskArgs &args)
{
    TaskOutputTensors result;
    l3r_cpu_submit(reinterpret_cast<const l3r_mixed *>(&mixed_kernels), reinterpret_cast<const l3r_core_args *>(&args),
                   &result.out_);
    return result;
}

static inline TaskOutputTensors rt_submit_aic_task(int32_t kernel_id, const CoreTaskArgs &args)
{
    MixedKernels kernels;
    kernels.aic_kernel_id = kernel_id;
    return rt_submit_task(kernels, args);
}

static inline TaskOutputTensors rt_submit_aiv_task(int32_t kernel_id, const CoreTaskArgs &args)
{
    MixedKernels kernels;
    kernels.aiv0_kernel_id = kernel_id;
    return rt_submit_task(kernels, args);
}

/* A task that runs nothing: it waits and is waited for. */
static inline TaskOutputTensors rt_submit_dummy_task(const CoreTaskArgs &args)
{
    TaskOutputTensors result;
    l3r_cpu_submit_dummy(reinterpret_cast<const l3r_core_args *>(&args), &result.out_);
    return result;
}

static inline void rt_scope_begin(PTO2ScopeMode mode = PTO2ScopeMode::AUTO, const char *file = __builtin_FILE(),
                                  int line = __builtin_LINE())
{
    l3r_cpu_scope_begin(static_cast<int>(mode), file, line);
}

static inline void rt_scope_end()
{
    l3r_cpu_scope_end();
}

/* The end of the orchestration function says the same. */
static inline void rt_orchestration_done()
{
}

static inline int32_t rt_available_cluster_count()
{
    return l3r_cpu_cluster_count();
}

static inline int32_t rt_available_aiv_count()
{
    return l3r_cpu_aiv_count();
}

static inline bool rt_is_fatal()
{
    return l3r_cpu_is_fatal();
}

#define rt_report_fatal(code, fmt, ...) l3r_cpu_report_fatal((code), __FUNCTION__, (fmt), ##__VA_ARGS__)

#define LOG_DEBUG(fmt, ...) l3r_cpu_log(0, __FUNCTION__, fmt, ##__VA_ARGS__)
#define LOG_INFO(fmt, ...) l3r_cpu_log(1, __FUNCTION__, fmt, ##__VA_ARGS__)
#define LOG_TIMING(fmt, ...) l3r_cpu_log(2, __FUNCTION__, fmt, ##__VA_ARGS__)
#define LOG_WARN(fmt, ...) l3r_cpu_log(3, __FUNCTION__, fmt, ##__VA_ARGS__)
#define LOG_ERROR(fmt, ...) l3r_cpu_log(4, __FUNCTION__, fmt, ##__VA_ARGS__)

/* The element at `indices`, once the tasks that write the tensor are done. */
template <typename T = uint64_t>
static inline T get_tensor_data(const ChipTensor &tensor, uint32_t ndims, const uint32_t indices[])
{
    return from_u64<T>(l3r_cpu_get_data(reinterpret_cast<const l3r_tensor *>(&tensor), ndims, indices));
}

/* Write the element at `indices`, once the tasks that write the tensor, and those that wait for them, are done. */
template <typename T = uint64_t>
static inline void set_tensor_data(const ChipTensor &tensor, uint32_t ndims, const uint32_t indices[], T value)
{
    l3r_cpu_set_data(reinterpret_cast<const l3r_tensor *>(&tensor), ndims, indices, to_u64(value));
}

/* A scope as an object: begins here, ends with the block. */
class PTO2ScopeGuard
{
  public:
    explicit PTO2ScopeGuard(PTO2ScopeMode mode = PTO2ScopeMode::AUTO, const char *file = __builtin_FILE(),
                            int line = __builtin_LINE())
    {
        rt_scope_begin(mode, file, line);
    }
    ~PTO2ScopeGuard()
    {
        rt_scope_end();
    }
    PTO2ScopeGuard(const PTO2ScopeGuard &) = delete;
    PTO2ScopeGuard &operator=(const PTO2ScopeGuard &) = delete;
};
using ScopeGuard = PTO2ScopeGuard; /* its name since August 2026 */

#define L3R_JOIN2(a, b) a##b
#define L3R_JOIN(a, b) L3R_JOIN2(a, b)

#define PTO2_SCOPE_GUARD(...)                                                                                          \
    [[maybe_unused]] PTO2ScopeGuard L3R_JOIN(l3r_scope, __COUNTER__)                                                   \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

#define PTO2_SCOPE(...) if (PTO2ScopeGuard L3R_JOIN(l3r_scope, __COUNTER__){__VA_ARGS__}; true)

/* Their names since August 2026. */
#define SIMPLER_SCOPE_GUARD PTO2_SCOPE_GUARD
#define SIMPLER_SCOPE PTO2_SCOPE

#include "pto_arg_with_deps.h"

#endif

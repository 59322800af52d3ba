/* Every name that orchestrations may use, in the forms that generated and hand-written ones use them. It is compiled,
 * not run. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <optional>
#include <vector>

#include "pto_orchestration_api.h"

/* by name, as some sources do */
#include "arg_direction.h"
#include "common.h"
#include "data_type.h"
#include "pto_arg_with_deps.h"
#include "pto_constants.h"
#include "pto_runtime_status.h"
#include "pto_submit_types.h"
#include "pto_task_id.h"
#include "pto_types.h"
#include "runtime.h"
#include "task_args.h"
#include "tensor.h"
#include "tensor_create_info.h"

static_assert(sizeof(ChipTensor) == 128 && alignof(ChipTensor) == 64, "");
static_assert(offsetof(ChipTensor, buffer.size) == 8, "");
static_assert(offsetof(ChipTensor, owner_task_id) == 16, "");
static_assert(offsetof(ChipTensor, start_offset) == 24, "");
static_assert(offsetof(ChipTensor, version) == 32, "");
static_assert(offsetof(ChipTensor, ndims) == 36, "");
static_assert(offsetof(ChipTensor, dtype) == 40, "");
static_assert(offsetof(ChipTensor, manual_dep) == 41, "");
static_assert(offsetof(ChipTensor, is_contiguous) == 42, "");
static_assert(offsetof(ChipTensor, address_space) == 43, "");
static_assert(offsetof(ChipTensor, shapes) == 44, "");
static_assert(offsetof(ChipTensor, extent_elem_cache) == 64, "");
static_assert(offsetof(ChipTensor, strides) == 72, "");
static_assert(static_cast<int>(DataType::FLOAT32) == 0 && static_cast<int>(DataType::FLOAT16) == 1, "");
static_assert(static_cast<int>(DataType::INT32) == 2 && static_cast<int>(DataType::INT16) == 3, "");
static_assert(static_cast<int>(DataType::INT8) == 4 && static_cast<int>(DataType::UINT8) == 5, "");
static_assert(static_cast<int>(DataType::BFLOAT16) == 6 && static_cast<int>(DataType::INT64) == 7, "");
static_assert(static_cast<int>(DataType::UINT64) == 8 && static_cast<int>(DataType::UINT16) == 9, "");
static_assert(static_cast<int>(DataType::UINT32) == 10 && static_cast<int>(DataType::BOOL) == 11, "");
static_assert(static_cast<int>(DataType::FP8E4M3FN) == 12 && static_cast<int>(DataType::FP4E2M1) == 14, "");
static_assert(static_cast<int>(ArgDirection::SCALAR) == 0 && static_cast<int>(ArgDirection::INOUT) == 3, "");
static_assert(CHIP_MAX_TENSOR_ARGS == 256 && CHIP_MAX_SCALAR_ARGS == 128, "");
static_assert(MAX_TENSOR_ARGS == 32 && MAX_SCALAR_ARGS == 16 && MAX_TENSOR_DIMS == 5, "");
static_assert(INVALID_KERNEL_ID == -1, "");
static_assert(get_element_size(DataType::BFLOAT16) == 2 && dtype_of<float>() == 0 && dtype_of<bool>() == 11, "");

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &orch_args)
{
    (void)orch_args;
    return PTO2OrchestrationConfig{
        .expected_arg_count = 3,
    };
}

static void views(const ChipTensor &ext_x)
{
    const uint32_t shapes[2] = {2, 2}, offsets[2] = {0, 1}, order[2] = {1, 0}, strides[2] = {1, 2}, flat[1] = {4};
    ChipTensor view = ext_x.view(shapes, offsets), quiet = ext_x.view(shapes, offsets, true);
    ChipTensor other = ext_x.transpose(0, 1).permute(order).slice(0, 0, 1).slice(1, 0, 2, 2);
    ChipTensor made = make_tensor_external(ext_x.data_as<void>(), shapes, 2, DataType::FLOAT16);
    ChipTensor strided = make_tensor_strided(nullptr, shapes, strides, 2, DataType::INT8, true);
    ChipTensor line = made.reshape(flat, 1);
    bool empty = view.numel() == 0;
    ChipTensor dropped = view;
    dropped.ndims = 1;
    dropped.shapes[0] = view.shapes[1];
    dropped.strides[0] = view.strides[1];
    if (empty) {
        dropped.shapes[0] = 0;
    }
    dropped.is_contiguous = dropped.strides[0] == 1;
    always_assert(std::min<uint32_t>(dropped.shapes[0], 3) <= std::max<uint32_t>(line.ndims, 3));
    printf("%llu %llu %llu %d %d %s\n", static_cast<unsigned long long>(strided.nbytes()),
           static_cast<unsigned long long>(other.extent_elem()),
           static_cast<unsigned long long>(quiet.compute_flat_offset(offsets, 2)), quiet.manual_dep,
           made.is_device_memory(), get_dtype_name(made.dtype));
}

static void lists(const ChipTensor &x, uint64_t ctx)
{
    const uint32_t shapes[1] = {4};
    TensorCreateInfo info(shapes, 1, DataType::FLOAT32, /*manual_dep=*/true);
    info.set_initial_value(static_cast<float>(0));
    info.set_initial_value(0);
    CoreTaskArgs args;
    args.add_input(x);
    args.add_input(x, x);
    args.add_inout(x);
    args.add_output(x);
    args.add_output(info);
    args.add_no_dep(x);
    args.add_scalar(ctx);
    args.add_scalar(1.0f, int32_t(2), 7u, true);
    const uint64_t words[2] = {1, 2};
    const int32_t ints[2] = {-1, 2};
    args.add_scalars(words, 2);
    args.add_scalars_i32(ints, 2);
    args.set_allow_early_resolve(true);
    args.set_task_timing_slot(3);
    args.dump();
    args.dump(x, info);
    args.launch_spec.set_block_num(4);
    args.launch_spec.set_core_num(4);
    args.launch_spec.set_require_sync_start(true);
    CoreTaskPredicate predicate;
    predicate.operand.tensor = &x;
    predicate.operand.ndims = 1;
    predicate.operand.indices[0] = 0;
    predicate.op = PredicateOp::GE;
    predicate.target = 1;
    args.set_predicate(predicate);
    PTO2TaskId deps[2];
    uint32_t n = 0;
    PTO2TaskId before = PTO2TaskId::invalid();
    if (before.is_valid()) {
        deps[n++] = before;
    }
    args.set_dependencies(deps, n);
    TaskOutputTensors outs = rt_submit_aic_task(0, args);
    CoreTaskArgs copy;
    copy.copy_scalars_from(args, 0, 2);
    copy.reset();
    std::vector<PTO2TaskId> ids;
    ids.push_back(outs.task_id());
    std::optional<PTO2TaskId> last;
    last = outs.task_id();
    MixedKernels mixed_0 = {0, 1, INVALID_KERNEL_ID};
    rt_submit_task(mixed_0, copy);
    rt_submit_dummy_task(copy);
    CoreTaskArgsWithDeps<4> with;
    with.add_input(x);
    with.add_dep(outs.task_id(), ids[0]);
    with.add_dep_wait(*last);
    rt_submit_aiv_task(1, with);
    rt_submit_task(mixed_0, with);
    with.reset();
    if (!outs.empty() && outs.size() == 1 && args.tag(0) == TensorArgType::INPUT) {
        const ChipTensor &made = outs.get_ref(0);
        set_tensor_data<float>(made, 0, nullptr, 1.0f);
    }
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs &orch_args)
{
    const ChipTensor &ext_x = orch_args.tensor(0).ref();
    int64_t n = from_u64<int64_t>(orch_args.scalar(0));
    uint64_t ctx = orch_args.scalar(1);
    int64_t dim = static_cast<int64_t>(orch_args.tensor(0).ref().shapes[0]);
    const uint32_t index[1] = {0}, shapes[1] = {4};

    PTO2_SCOPE()
    {
        views(ext_x);
    }
    PTO2_SCOPE(PTO2ScopeMode::MANUAL)
    {
        lists(ext_x, ctx);
    }
    {
        PTO2_SCOPE_GUARD();
        TensorCreateInfo a(shapes, 1), b(shapes, 1, DataType::INT64);
        const TensorCreateInfo both[2] = {a, b};
        TaskOutputTensors one = alloc_tensors(a, b), two = alloc_tensors(both, 2);
        CoreTaskArgs outputs;
        outputs.add_output(a);
        TaskOutputTensors three = alloc_tensors(outputs);
        LOG_INFO("%d %d", static_cast<int>(one.size()), static_cast<int>(two.size() + three.size()));
    }
    rt_scope_begin();
    rt_scope_end();
    for (int64_t i = 0; i < n && !rt_is_fatal(); i++) {
        if (get_tensor_data<float>(ext_x, 1, index) > 1.0f && get_tensor_data(ext_x, 0, nullptr) == to_u64(1.0f)) {
            rt_report_fatal(PTO2_ERROR_EXPLICIT_ORCH_FATAL, "%lld", static_cast<long long>(dim));
        }
    }
    LOG_DEBUG("none");
    LOG_TIMING("%d clusters", rt_available_cluster_count());
    LOG_WARN("%d vector lanes", rt_available_aiv_count());
    LOG_ERROR("%s", "text");
}
}

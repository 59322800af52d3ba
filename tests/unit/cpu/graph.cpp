/* Programs of a few tasks each; scalar 1 says which. Tensors x, y, z: int32[64]. Scalar 0: address of struct events.
 * Kernel n takes n tensors. Tests: test_cpu_graph.c, test_cpu_lanes.c, test_cpu_data.c. */
#include "pto_orchestration_api.h"

#include "kernel_events.h"
#include "graph_programs.h"

static uint64_t events;

static ChipTensor part(const ChipTensor &t, uint32_t from, uint32_t to, bool manual = false)
{
    const uint32_t shape[1] = {to - from}, offset[1] = {from};
    return t.view(shape, offset, manual);
}

/* Submit what `args` holds as one vector task. */
static TaskOutputTensors go(CoreTaskArgs &args, int64_t tag, int64_t op, int64_t a = 0, int64_t b = 0)
{
    args.add_scalar(events, tag, op, a, b);
    return rt_submit_aiv_task(args.tensor_count(), args);
}

static TaskOutputTensors reads(const ChipTensor &t, int64_t tag, int64_t op, int64_t a = 0, int64_t b = 0)
{
    CoreTaskArgs args;
    args.add_input(t);
    return go(args, tag, op, a, b);
}

static TaskOutputTensors writes(const ChipTensor &t, int64_t tag, int64_t op, int64_t a = 0, int64_t b = 0)
{
    CoreTaskArgs args;
    args.add_output(t);
    return go(args, tag, op, a, b);
}

static TaskOutputTensors updates(const ChipTensor &t, int64_t tag, int64_t op, int64_t a = 0, int64_t b = 0)
{
    CoreTaskArgs args;
    args.add_inout(t);
    return go(args, tag, op, a, b);
}

static TaskOutputTensors copies(const ChipTensor &from, const ChipTensor &to, int64_t tag, int64_t plus = 0)
{
    CoreTaskArgs args;
    args.add_input(from);
    args.add_output(to);
    return go(args, tag, OP_COPY, plus);
}

static TaskOutputTensors alone(int64_t tag, int64_t op, int64_t a = 0, int64_t b = 0)
{
    CoreTaskArgs args;
    return go(args, tag, op, a, b);
}

static void graph_program(int64_t which, const ChipTensor &x)
{
    switch (which) {
    case READ_AFTER_WRITE: {
        ChipTensor low = part(x, 0, 4), middle = part(x, 2, 6), high = part(x, 4, 8);
        updates(low, 1, OP_WAIT, 0, 1);
        reads(middle, 2, OP_NONE);
        reads(high, 3, OP_SIGNAL, 0);
        break;
    }
    case COLUMN_BLOCKS: {
        const uint32_t square[2] = {8, 8}, half[2] = {8, 4}, left[2] = {0, 0}, right[2] = {0, 4};
        ChipTensor matrix = x.reshape(square, 2), a = matrix.view(half, left), b = matrix.view(half, right);
        updates(a, 1, OP_WAIT, 0, 1);
        reads(matrix, 2, OP_NONE);
        reads(b, 3, OP_SIGNAL, 0);
        break;
    }
    case WRITE_AFTER_READ:
        reads(x, 1, OP_WAIT, 0, 1);
        writes(x, 2, OP_SIGNAL, 0);
        break;
    case TWO_WRITERS:
        writes(x, 1, OP_WAIT, 0, 1);
        writes(x, 2, OP_SIGNAL, 0);
        reads(x, 3, OP_NONE);
        break;
    case MANUAL_DEP_TENSOR: {
        ChipTensor quiet = part(x, 0, 64, true);
        updates(quiet, 1, OP_WAIT, 0, 1);
        reads(x, 2, OP_SIGNAL, 0);
        break;
    }
    case NO_DEP: {
        updates(x, 1, OP_WAIT, 0, 1);
        CoreTaskArgs args;
        args.add_no_dep(x);
        go(args, 2, OP_SIGNAL, 0);
        break;
    }
    case CREATOR: {
        const uint32_t shape[1] = {16};
        TensorCreateInfo info(shape, 1, DataType::INT32);
        CoreTaskArgs make, use;
        make.add_output(info);
        TaskOutputTensors made = go(make, 1, OP_WAIT, 0, 1);
        use.add_no_dep(made.get_ref(0));
        go(use, 2, OP_NONE);
        alone(3, OP_SIGNAL, 0);
        break;
    }
    case DUMMY: {
        updates(x, 1, OP_WAIT, 0, 1);
        CoreTaskArgs between;
        between.add_inout(x);
        rt_submit_dummy_task(between);
        reads(x, 2, OP_NONE);
        alone(3, OP_SIGNAL, 0);
        break;
    }
    case MANUAL_SCOPE:
        PTO2_SCOPE(PTO2ScopeMode::MANUAL)
        {
            TaskOutputTensors first = updates(x, 1, OP_WAIT, 0, 1);
            reads(x, 2, OP_SIGNAL, 0);
            const PTO2TaskId deps[1] = {first.task_id()};
            CoreTaskArgs args;
            args.set_dependencies(deps, 1);
            go(args, 3, OP_NONE);
            CoreTaskArgsWithDeps<> more;
            more.add_dep(first.task_id());
            more.add_scalar(events, 4, static_cast<int64_t>(OP_NONE), 0, 0);
            rt_submit_aiv_task(0, more);
        }
        break;
    case LATER_SIGNALS_EARLIER:
        alone(1, OP_WAIT, 0, 1);
        alone(2, OP_WAIT, 1, 1);
        alone(3, OP_SIGNAL, 1);
        alone(4, OP_SIGNAL, 0);
        break;
    }
}

static void mixed(int32_t aic, int32_t aiv0, int32_t aiv1, int blocks, bool together, int64_t op, int64_t a, int64_t b)
{
    CoreTaskArgs args;
    MixedKernels kernels;
    kernels.aic_kernel_id = aic;
    kernels.aiv0_kernel_id = aiv0;
    kernels.aiv1_kernel_id = aiv1;
    args.add_scalar(events, 0, op, a, b);
    args.launch_spec.set_block_num(static_cast<int16_t>(blocks));
    args.launch_spec.set_require_sync_start(together);
    rt_submit_task(kernels, args);
}

/* Kernel ids 10, 11 and 12 are kernel 0 with other tags: +0, +20, +40. */
static void lane_program(int64_t which)
{
    switch (which) {
    case MIXED_MEET:
        mixed(10, 11, 12, 1, false, OP_MEET, 0, 3);
        break;
    case MIXED_PIPES:
        for (int i = 0; i < 3; i++) {
            mixed(10, 11, 12, 4, false, OP_PIPE, 77, 3);
        }
        break;
    case TWO_VECTOR_LANES:
        mixed(-1, 11, 12, 1, false, OP_MEET, 0, 2);
        break;
    case ONLY_SECOND_LANE:
        mixed(-1, -1, 12, 1, false, OP_NONE, 0, 0);
        break;
    case BLOCKS:
        mixed(-1, 11, -1, 18, false, OP_NONE, 0, 0);
        break;
    case BLOCKS_MEET:
        mixed(-1, 11, -1, 5, false, OP_MEET, 0, 5);
        break;
    case BLOCKS_START_TOGETHER:
        mixed(-1, 11, -1, rt_available_aiv_count(), true, OP_MEET, 0, rt_available_aiv_count());
        break;
    case CLUSTERS_START_TOGETHER:
        mixed(10, 11, 12, rt_available_cluster_count(), true, OP_MEET, 0, 3 * rt_available_cluster_count());
        break;
    case TOO_MANY_TOGETHER:
        mixed(-1, 11, -1, rt_available_aiv_count() + 1, true, OP_NONE, 0, 0);
        break;
    case UNKNOWN_KERNEL:
        mixed(-1, 99, -1, 1, false, OP_NONE, 0, 0);
        break;
    }
}

static void predicated(const ChipTensor &x, uint32_t index, PredicateOp op, int64_t target, int64_t tag)
{
    CoreTaskPredicate predicate;
    predicate.operand.tensor = &x;
    predicate.operand.ndims = 1;
    predicate.operand.indices[0] = index;
    predicate.op = op;
    predicate.target = target;
    CoreTaskArgs args;
    args.add_inout(x);
    args.set_predicate(predicate);
    go(args, tag, OP_NONE);
}

static void data_program(int64_t which, const ChipTensor &x, const ChipTensor &y, const ChipTensor &z)
{
    const uint32_t zero[1] = {0}, shape[1] = {64}, large[1] = {1 << 18};
    TensorCreateInfo info(shape, 1, DataType::INT32), megabyte(large, 1, DataType::INT32);
    switch (which) {
    case GET_WAITS: {
        updates(x, 1, OP_FILL, 7);
        set_tensor_data(y, 1, zero, get_tensor_data<int32_t>(x, 1, zero) + 1);
        break;
    }
    case GET_WAITS_FOR_A_WAITING_TASK:
        updates(x, 1, OP_WAIT, 0, 2);
        alone(2, OP_SIGNAL, 0);
        alone(3, OP_SIGNAL, 0);
        get_tensor_data(x, 1, zero);
        copies(x, y, 4);
        get_tensor_data(y, 1, zero);
        break;
    case WRITTEN_AGAIN:
        updates(x, 1, OP_FILL, 1);
        copies(x, y, 2);
        writes(x, 3, OP_FILL, 5);
        copies(x, z, 4);
        break;
    case SET_WAITS_FOR_READERS: {
        TaskOutputTensors t = alloc_tensors(info);
        updates(t.get_ref(0), 1, OP_FILL, 1);
        copies(t.get_ref(0), y, 2);
        set_tensor_data<int32_t>(t.get_ref(0), 1, zero, 5);
        copies(t.get_ref(0), z, 3);
        break;
    }
    case PREDICATES:
        writes(x, 1, OP_FILL, -3);
        predicated(x, 5, PredicateOp::LT, 0, 2);
        predicated(x, 5, PredicateOp::GT, 0, 3);
        predicated(x, 5, PredicateOp::EQ, -3, 4);
        predicated(x, 5, PredicateOp::NE, -3, 5);
        reads(x, 6, OP_NONE);
        break;
    case INITIAL_VALUE: {
        info.set_initial_value<int32_t>(42);
        TaskOutputTensors t = alloc_tensors(info);
        copies(t.get_ref(0), y, 1);
        break;
    }
    case MORE_OUTPUTS_THAN_MEMORY:
        for (int i = 0; i < 600; i++) {
            PTO2_SCOPE()
            {
                CoreTaskArgs args;
                args.add_output(megabyte);
                TaskOutputTensors made = go(args, 1, OP_FILL, i);
                ChipTensor start = part(made.get_ref(0), 0, 64);
                copies(start, y, 2);
                updates(x, 3, OP_ADD, 1);
            }
        }
        break;
    case MORE_OUTPUTS_IN_ONE_SCOPE: {
        ChipTensor last = y;
        for (int i = 0; i < 300; i++) {
            CoreTaskArgs args;
            args.add_output(megabyte);
            TaskOutputTensors made = go(args, 1, OP_NONE);
            last = part(made.get_ref(0), 0, 64);
        }
        updates(last, 2, OP_FILL, 9);
        copies(last, y, 3);
        break;
    }
    case MANY_TASKS:
        for (uint32_t i = 0; i < 10000; i++) {
            ChipTensor one = part(x, i % 64, i % 64 + 1);
            updates(one, 1, OP_ADD, 1);
        }
        copies(x, y, 2);
        break;
    case MANY_SCOPES:
        for (uint32_t i = 0; i < 50000; i++) {
            PTO2_SCOPE()
            {
                updates(x, 1, OP_ADD, 1);
            }
        }
        break;
    case DUMPED: {
        const uint32_t square[2] = {8, 8}, half[2] = {8, 4}, right[2] = {0, 4};
        const int64_t tag = 1, op = OP_COPY, plus = 3, none = 0;
        ChipTensor matrix = x.reshape(square, 2), columns = matrix.view(half, right);
        CoreTaskArgs args;
        args.add_input(columns);
        args.add_inout(y);
        args.add_scalar(events, tag, op, plus, none);
        args.dump(y, plus);
        rt_submit_aiv_task(2, args);
        reads(x, 2, OP_NONE);
        break;
    }
    case FATAL:
        rt_report_fatal(PTO2_ERROR_EXPLICIT_ORCH_FATAL, "no more than %d", 3);
        updates(x, 1, OP_FILL, 1);
        break;
    case BAD_VIEW:
        part(x, 60, 70);
        break;
    case BAD_DEPENDENCY: {
        const PTO2TaskId none[1] = {PTO2TaskId::invalid()};
        CoreTaskArgs args;
        args.set_dependencies(none, 1);
        go(args, 1, OP_NONE);
        break;
    }
    case TOO_MANY_SCALARS: {
        const uint64_t values[17] = {};
        CoreTaskArgs args;
        args.add_scalars(values, 17);
        rt_submit_aiv_task(0, args);
        break;
    }
    case AUTO_IN_MANUAL:
        PTO2_SCOPE(PTO2ScopeMode::MANUAL)
        {
            PTO2_SCOPE()
            {
                alone(1, OP_NONE);
            }
        }
        break;
    }
}

extern "C" PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &args)
{
    (void)args;
    return PTO2OrchestrationConfig{.expected_arg_count = 5};
}

extern "C" void aicpu_orchestration_entry(const ChipTaskArgs &args)
{
    const ChipTensor &x = args.tensor(0).ref(), &y = args.tensor(1).ref(), &z = args.tensor(2).ref();
    const int64_t which = from_u64<int64_t>(args.scalar(1));
    events = args.scalar(0);
    PTO2_SCOPE()
    {
        graph_program(which, x);
        lane_program(which);
        data_program(which, x, y, z);
    }
}

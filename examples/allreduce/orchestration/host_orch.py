import torch
from simpler.task_interface import CallConfig, CommBufferSpec, DataType, TaskArgs, TensorArgType
from pypto.runtime.tensor_arg import make_tensor_arg
from pypto.runtime.distributed_runner import _submit_chip


def _alloc_intermediates(tensors, world_size=1):
    tensors["__comm_d0_ord"] = [torch.zeros((1,), dtype=torch.int32).share_memory_() for _ in range(max(world_size, 1))]


def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):
    rows = (tensors["x"].shape[1] // world_size)
    with (_domain_provider or orch.allocate_domain)(
        name="comm_d0",
        workers=[*range(world_size)],
        window_size=((((8 * 4) + 31) // 32) * 32) + ((((world_size * 4) + 31) // 32) * 32)
        + ((((world_size * 4) + 31) // 32) * 32),
        buffers=[
            CommBufferSpec(name="partial", dtype="opaque", count=(8 * 4), nbytes=((((8 * 4) + 31) // 32) * 32)),
            CommBufferSpec(
                name="signal", dtype="opaque", count=(world_size * 4), nbytes=((((world_size * 4) + 31) // 32) * 32)
            ),
            CommBufferSpec(
                name="gate", dtype="opaque", count=(world_size * 4), nbytes=((((world_size * 4) + 31) // 32) * 32)
            ),
        ],
    ) as __comm_d0:
        for t in range(0, 2, 1):
            for r in range(0, world_size, 1):
                tensors["x_r"] = tensors["x"][t, (r * rows):(r * rows) + rows, 0:8]
                _ta_0 = TaskArgs()
                _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["x_r"]), TensorArgType.INPUT)
                _ta_0.add_tensor(__comm_d0[r].buffers["partial"].tensor(shapes=(8,), dtype=DataType.FLOAT32), TensorArgType.INOUT)
                _ta_0.add_tensor(__comm_d0[r].buffers["signal"].tensor(shapes=(world_size,), dtype=DataType.INT32), TensorArgType.INOUT)
                _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["__comm_d0_ord"][r]), TensorArgType.INOUT)
                _ta_0.add_scalar(__comm_d0[r].device_ctx)
                _ta_0.add_scalar(__comm_d0[r].device_ctx)
                _keep.append(_ta_0)
                _submit_chip(orch, callables["publish"], _ta_0, config, r)
            for r in range(0, world_size, 1):
                tensors["out_r"] = tensors["out"][t, (r * rows):(r * rows) + rows, 0:8]
                _ta_1 = TaskArgs()
                _ta_1.add_tensor(__comm_d0[r].buffers["partial"].tensor(shapes=(8,), dtype=DataType.FLOAT32), TensorArgType.INPUT)
                _ta_1.add_tensor(__comm_d0[r].buffers["signal"].tensor(shapes=(world_size,), dtype=DataType.INT32), TensorArgType.INOUT)
                _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["out_r"]), TensorArgType.OUTPUT_EXISTING)
                _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["__comm_d0_ord"][r]), TensorArgType.INOUT)
                _ta_1.add_scalar((t + 1))
                _ta_1.add_scalar(__comm_d0[r].device_ctx)
                _ta_1.add_scalar(__comm_d0[r].device_ctx)
                _keep.append(_ta_1)
                _submit_chip(orch, callables["reduce"], _ta_1, config, r)
            for r in range(0, world_size, 1):
                _ta_2 = TaskArgs()
                _ta_2.add_tensor(__comm_d0[r].buffers["gate"].tensor(shapes=(world_size,), dtype=DataType.INT32), TensorArgType.INOUT)
                _ta_2.add_tensor(make_tensor_arg(orch._worker, tensors["__comm_d0_ord"][r]), TensorArgType.INOUT)
                _ta_2.add_scalar(__comm_d0[r].domain_size)
                _ta_2.add_scalar(__comm_d0[r].device_ctx)
                _keep.append(_ta_2)
                _ta_2_config = CallConfig()
                orch.submit_next_level(callables["builtin.tensor.barrier__int32"], _ta_2, _ta_2_config, worker=r)


host_orch._pypto_distributed_entry = True

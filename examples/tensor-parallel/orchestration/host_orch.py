import torch
from simpler.task_interface import CallConfig, CommBufferSpec, DataType, TaskArgs, TensorArgType
from pypto.runtime.tensor_arg import make_tensor_arg
from pypto.runtime.distributed_runner import _submit_chip


def _alloc_intermediates(tensors, world_size=1):
    tensors["partial"] = torch.zeros((max(world_size, 1), 16, 16), dtype=torch.float32).share_memory_()


def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):
    cols = (tensors["w1"].shape[0] // world_size)
    rows = (tensors["x"].shape[0] // world_size)
    for r in range(0, world_size, 1):
        tensors["w1_r"] = tensors["w1"][(r * cols):(r * cols) + cols, 0:32]
        tensors["w2_r"] = tensors["w2"][(r * cols):(r * cols) + cols, 0:16]
        tensors["partial_r"] = tensors["partial"][r, 0:16, 0:16]
        _ta_0 = TaskArgs()
        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["x"]), TensorArgType.INPUT)
        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["w1_r"]), TensorArgType.INPUT)
        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["w2_r"]), TensorArgType.INPUT)
        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["partial_r"]), TensorArgType.OUTPUT_EXISTING)
        _keep.append(_ta_0)
        _submit_chip(orch, callables["shard"], _ta_0, config, r)
    for r in range(0, world_size, 1):
        tensors["y_r"] = tensors["y"][(r * rows):(r * rows) + rows, 0:16]
        _ta_1 = TaskArgs()
        _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["partial"]), TensorArgType.INPUT)
        _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["y_r"]), TensorArgType.OUTPUT_EXISTING)
        _ta_1.add_scalar((r * rows))
        _keep.append(_ta_1)
        _submit_chip(orch, callables["combine"], _ta_1, config, r)


host_orch._pypto_distributed_entry = True

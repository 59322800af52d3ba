import torch
from simpler.task_interface import CallConfig, CommBufferSpec, DataType, TaskArgs, TensorArgType
from pypto.runtime.tensor_arg import make_tensor_arg
from pypto.runtime.distributed_runner import _submit_chip


def _alloc_intermediates(tensors, world_size=1):
    tensors["scaled__tmp_v0"] = torch.zeros((8, 64), dtype=torch.float32).share_memory_()
    tensors["carry__tmp_v1"] = torch.zeros((9, 64), dtype=torch.float32).share_memory_()
    tensors["turned__tmp_v2"] = torch.zeros((8, 64), dtype=torch.float32).share_memory_()


def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):
    n__ssa_v0 = tensors["n__ssa_v0"]
    for i in range(0, 8, 1):
        tensors["x_i"] = tensors["x__ssa_v0"][i, 0:64]
        tensors["scaled_i"] = tensors["scaled__tmp_v0"][i, 0:64]
        _ta_0 = TaskArgs()
        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["x_i"]), TensorArgType.INPUT)
        _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["scaled_i"]), TensorArgType.OUTPUT_EXISTING)
        _ta_0.add_scalar(n__ssa_v0)
        _keep.append(_ta_0)
        _submit_chip(orch, callables["scale"], _ta_0, config, ((i * world_size) // 8))
    for i in range(0, 8, 1):
        tensors["scaled_i"] = tensors["scaled__tmp_v0"][i, 0:64]
        tensors["carry_i"] = tensors["carry__tmp_v1"][i, 0:64]
        tensors["next_i"] = tensors["carry__tmp_v1"][(i + 1), 0:64]
        _ta_1 = TaskArgs()
        _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["scaled_i"]), TensorArgType.INPUT)
        _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["carry_i"]), TensorArgType.INPUT)
        _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["next_i"]), TensorArgType.OUTPUT_EXISTING)
        _keep.append(_ta_1)
        _submit_chip(orch, callables["accumulate"], _ta_1, config, ((i * world_size) // 8))
    tensors["turned__tmp_v2"][0:8, 0:32] = tensors["carry__tmp_v1"][1:9, 32:64]
    tensors["turned__tmp_v2"][0:8, 32:64] = tensors["carry__tmp_v1"][1:9, 0:32]
    tensors["out__ssa_v1"] = tensors["out__ssa_v0"]
    for i in range(0, 8, 1):
        if ((i % 2) == 0):
            weight = i
        else:
            weight = (8 - i)
        tensors["turned_i"] = tensors["turned__tmp_v2"][i, 0:64]
        tensors["count_i"] = tensors["count__ssa_v0"][i:i + 1]
        tensors["out_i"] = tensors["out__ssa_v1"][i, 0:64]
        _ta_2 = TaskArgs()
        _ta_2.add_tensor(make_tensor_arg(orch._worker, tensors["turned_i"]), TensorArgType.INPUT)
        _ta_2.add_tensor(make_tensor_arg(orch._worker, tensors["count_i"]), TensorArgType.INOUT)
        _ta_2.add_tensor(make_tensor_arg(orch._worker, tensors["out_i"]), TensorArgType.OUTPUT_EXISTING)
        _ta_2.add_scalar(weight)
        _keep.append(_ta_2)
        _submit_chip(orch, callables["finish"], _ta_2, config, None)


host_orch._pypto_distributed_entry = True

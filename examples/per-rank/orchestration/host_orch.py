import torch
from simpler.task_interface import CallConfig, CommBufferSpec, DataType, TaskArgs, TensorArgType
from pypto.runtime.tensor_arg import make_tensor_arg
from pypto.runtime.distributed_runner import _submit_chip


def _alloc_intermediates(tensors, world_size=1):
    pass


def host_orch(orch, _args, config, *, tensors, callables, sub_ids, _keep, world_size, _domain_provider=None):
    tensors["x_0"] = tensors["x"][0, 0:32]
    tensors["out_0"] = tensors["out"][0, 0:32]
    _ta_0 = TaskArgs()
    _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["x_0"]), TensorArgType.INPUT)
    _ta_0.add_tensor(make_tensor_arg(orch._worker, tensors["out_0"]), TensorArgType.OUTPUT_EXISTING)
    _keep.append(_ta_0)
    _submit_chip(orch, callables["0"], _ta_0, config, (0 % world_size))
    tensors["x_1"] = tensors["x"][1, 0:32]
    tensors["out_1"] = tensors["out"][1, 0:32]
    _ta_1 = TaskArgs()
    _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["x_1"]), TensorArgType.INPUT)
    _ta_1.add_tensor(make_tensor_arg(orch._worker, tensors["out_1"]), TensorArgType.OUTPUT_EXISTING)
    _keep.append(_ta_1)
    _submit_chip(orch, callables["1"], _ta_1, config, (1 % world_size))
    tensors["x_2"] = tensors["x"][2, 0:32]
    tensors["out_2"] = tensors["out"][2, 0:32]
    _ta_2 = TaskArgs()
    _ta_2.add_tensor(make_tensor_arg(orch._worker, tensors["x_2"]), TensorArgType.INPUT)
    _ta_2.add_tensor(make_tensor_arg(orch._worker, tensors["out_2"]), TensorArgType.OUTPUT_EXISTING)
    _keep.append(_ta_2)
    _submit_chip(orch, callables["2"], _ta_2, config, (2 % world_size))
    tensors["x_3"] = tensors["x"][3, 0:32]
    tensors["out_3"] = tensors["out"][3, 0:32]
    _ta_3 = TaskArgs()
    _ta_3.add_tensor(make_tensor_arg(orch._worker, tensors["x_3"]), TensorArgType.INPUT)
    _ta_3.add_tensor(make_tensor_arg(orch._worker, tensors["out_3"]), TensorArgType.OUTPUT_EXISTING)
    _keep.append(_ta_3)
    _submit_chip(orch, callables["3"], _ta_3, config, (3 % world_size))
    tensors["x_4"] = tensors["x"][4, 0:32]
    tensors["out_4"] = tensors["out"][4, 0:32]
    _ta_4 = TaskArgs()
    _ta_4.add_tensor(make_tensor_arg(orch._worker, tensors["x_4"]), TensorArgType.INPUT)
    _ta_4.add_tensor(make_tensor_arg(orch._worker, tensors["out_4"]), TensorArgType.OUTPUT_EXISTING)
    _keep.append(_ta_4)
    _submit_chip(orch, callables["4"], _ta_4, config, (4 % world_size))
    tensors["x_5"] = tensors["x"][5, 0:32]
    tensors["out_5"] = tensors["out"][5, 0:32]
    _ta_5 = TaskArgs()
    _ta_5.add_tensor(make_tensor_arg(orch._worker, tensors["x_5"]), TensorArgType.INPUT)
    _ta_5.add_tensor(make_tensor_arg(orch._worker, tensors["out_5"]), TensorArgType.OUTPUT_EXISTING)
    _keep.append(_ta_5)
    _submit_chip(orch, callables["5"], _ta_5, config, (5 % world_size))
    tensors["x_6"] = tensors["x"][6, 0:32]
    tensors["out_6"] = tensors["out"][6, 0:32]
    _ta_6 = TaskArgs()
    _ta_6.add_tensor(make_tensor_arg(orch._worker, tensors["x_6"]), TensorArgType.INPUT)
    _ta_6.add_tensor(make_tensor_arg(orch._worker, tensors["out_6"]), TensorArgType.OUTPUT_EXISTING)
    _keep.append(_ta_6)
    _submit_chip(orch, callables["6"], _ta_6, config, (6 % world_size))
    tensors["x_7"] = tensors["x"][7, 0:32]
    tensors["out_7"] = tensors["out"][7, 0:32]
    _ta_7 = TaskArgs()
    _ta_7.add_tensor(make_tensor_arg(orch._worker, tensors["x_7"]), TensorArgType.INPUT)
    _ta_7.add_tensor(make_tensor_arg(orch._worker, tensors["out_7"]), TensorArgType.OUTPUT_EXISTING)
    _keep.append(_ta_7)
    _submit_chip(orch, callables["7"], _ta_7, config, (7 % world_size))


host_orch._pypto_distributed_entry = True

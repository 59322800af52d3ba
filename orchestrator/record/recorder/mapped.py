"""What a sub-worker is given: tensors of the shared segment, and the modules that its file imports.

Facts: docs/formats.md, "Sub-workers".
"""

import sys
from collections.abc import Sequence

from recorder import dtypes


class MappedArg:
    """One tensor argument: `buffer` begins at its first element and ends with the tensor it is a view of."""

    __slots__ = ("buffer", "shapes", "strides", "dtype", "tag")

    def __init__(self, buffer, shapes, strides, dtype, tag):
        self.buffer = buffer
        self.shapes = shapes
        self.strides = strides
        self.dtype = dtype
        self.tag = tag

    def __repr__(self):
        return "<argument of %s, shape %s, strides %s>" % (self.dtype, list(self.shapes), list(self.strides))


class MappedArgs(Sequence):
    """The arguments of one call: a sequence of the tensors, and scalars beside it."""

    __slots__ = ("_tensors", "_scalars")

    def __init__(self, tensors, scalars):
        self._tensors = tensors
        self._scalars = scalars

    def __getitem__(self, i):
        return self._tensors[i]

    def __len__(self):
        return len(self._tensors)

    def tensor_count(self):
        return len(self._tensors)

    def scalar_count(self):
        return len(self._scalars)

    def scalar(self, i):
        return self._scalars[i]


def runtime_dtype(name):
    """DataType.<name>: the runtime's own where the sub-worker imported it, so that comparing finds it equal."""
    module = sys.modules.get("simpler.task_interface")
    return getattr(getattr(module, "DataType", dtypes.DataType), name)


def mapped_args(segment, request):
    """The arguments of a request over `segment`, a memoryview of its bytes."""
    tensors = []
    for arg in request["args"]:
        begin = arg["offset"]
        tensors.append(MappedArg(segment[begin:begin + arg["nbytes"]], tuple(arg["shape"]), tuple(arg["strides"]),
                                 runtime_dtype(arg["dtype"]), arg["tag"]))
    return MappedArgs(tensors, tuple(request["scalars"]))


def tensor_function(torch):
    """pypto.runtime.distributed_runner._tensor_from_continuous: an argument as a torch tensor of the same memory."""

    def _tensor_from_continuous(arg):
        name = str(arg.dtype).rpartition(".")[2]
        torch_name = dtypes.DataType[name].text.torch_name
        kind = getattr(torch, torch_name, None)
        if kind is None or name == "FP4E2M1":
            raise TypeError("torch %s has no tensors of %s; read args[i].buffer instead" % (torch.__version__, name))
        span = 1 + sum((size - 1) * step for size, step in zip(arg.shapes, arg.strides))
        return torch.as_strided(torch.frombuffer(arg.buffer, dtype=kind, count=span), arg.shapes, arg.strides)

    return _tensor_from_continuous


class StandIns:
    """Import hook for pypto and simpler; it stands last, so that installed ones are found before it."""

    def __init__(self):
        from importlib.util import find_spec

        self.absent = [root for root in ("pypto", "simpler") if find_spec(root) is None]

    def find_spec(self, name, path=None, target=None):
        from importlib.machinery import ModuleSpec

        if name.partition(".")[0] in self.absent and name in self.MODULES:
            return ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        fill = self.MODULES[module.__name__]
        if fill:
            fill(module)

    @staticmethod
    def _runner(module):
        import torch

        module._tensor_from_continuous = tensor_function(torch)

    @staticmethod
    def _task_interface(module):
        module.DataType = dtypes.DataType

    MODULES = {}


StandIns.MODULES.update({
    "pypto": None, "pypto.runtime": None, "pypto.runtime.distributed_runner": StandIns._runner,
    "simpler": None, "simpler.task_interface": StandIns._task_interface,
})

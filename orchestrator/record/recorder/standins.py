"""The modules that host_orch.py and kernel_config.py import, put into sys.modules.

Every stand-in holds the names that can work without data. Asking for another
one is a fault that names it, instead of Python's bare ImportError.
"""

import sys

from recorder import dtypes
from recorder.faults import AttributeFault, ImportFault, RuntimeFault, TypeFault
from recorder.storage import CPU, NEEDS_ELEMENTS, Size, sizes_of
from recorder.tensor import Tensor

Module = type(sys)
ROOTS = ("torch", "simpler", "simpler_setup", "pypto", "_task_interface")


class StandIn(Module):
    def __init__(self, name, what, names):
        Module.__init__(self, name)
        self.__dict__.update(names)
        self.__dict__["__path__"] = []
        self.__dict__["_what"] = what

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeFault("%s.%s is not there while host_orch.py is recorded" % (self.__name__, name), self._what)


class Finder:
    """Import hook: refuses what lies under a stand-in, and finds site-packages only when something asks for them."""

    def __init__(self):
        self.site_known = False

    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        if root in ROOTS:
            raise ImportFault("host_orch.py imports %s, which is not there while it is recorded" % name,
                              "import only torch's creation of tensors, simpler.task_interface, "
                              "pypto.runtime.tensor_arg and pypto.runtime.distributed_runner")
        if self.site_known or path is not None:
            return None
        self.site_known = True
        import site
        from importlib.machinery import PathFinder

        site.main()
        return PathFinder.find_spec(name)


class NoGrad:
    """torch.no_grad() and its kind: there is nothing to switch off."""

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, function):
        return function

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def _sizes(args, kwargs):
    if "size" in kwargs:
        return sizes_of((kwargs["size"],))
    return sizes_of(args)


def torch_names(current):
    """Names of the torch stand-in; `current()` is the plan being recorded."""

    def make(shape, dt, fill):
        dt = dt or dtypes.BY_TORCH["float32"]
        if not hasattr(dt, "torch_name"):
            raise TypeFault("dtype=%r is not a torch dtype that a replay knows" % (dt,))
        return current().new_tensor(shape, dt, fill)

    def creator(fill):
        return lambda *sizes, dtype=None, **kwargs: make(_sizes(sizes, kwargs), dtype, fill)

    def like(fill):
        return lambda other, dtype=None, **kwargs: make(other._shape, dtype or other.dtype, fill)

    def kind_of(value):
        if isinstance(value, bool):
            return dtypes.BY_TORCH["bool"]
        return dtypes.BY_TORCH["int64" if isinstance(value, int) else "float32"]

    def full(size, fill_value, dtype=None, **kwargs):
        return make(sizes_of((size,)), dtype or kind_of(fill_value), fill_value)

    def full_like(other, fill_value, dtype=None, **kwargs):
        return make(other._shape, dtype or other.dtype, fill_value)

    def tensor(data, dtype=None, **kwargs):
        """A number, or nested lists that hold one number throughout: other contents are not in a plan."""
        shape, leaves = [], [data]
        while leaves and isinstance(leaves[0], (tuple, list)):
            shape.append(len(leaves[0]))
            leaves = [leaf for part in leaves for leaf in part]
        if leaves and any(leaf != leaves[0] for leaf in leaves):
            raise RuntimeFault("torch.tensor(%r): a plan holds no tables of numbers" % (data,),
                               "pass the numbers as scalars, or as a parameter of the program")
        return make(tuple(shape), dtype or kind_of(leaves[0] if leaves else 0.0), leaves[0] if leaves else 0)

    def view_function(name):
        return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)

    names = dict(dtypes.BY_TORCH)
    names.update(
        Tensor=Tensor, Size=Size, dtype=dtypes.dtype, device=lambda *args, **kwargs: CPU, strided="torch.strided",
        contiguous_format=None, preserve_format=None, zeros=creator(0), ones=creator(1), empty=creator(0),
        zeros_like=like(0), ones_like=like(1), empty_like=like(0), full=full, full_like=full_like, tensor=tensor,
        no_grad=NoGrad, inference_mode=NoGrad, enable_grad=NoGrad, manual_seed=lambda seed: None,
        set_num_threads=lambda count: None,
        is_tensor=lambda x: isinstance(x, Tensor), numel=lambda x: x.numel(), __version__="2.3.0")
    for name in ("chunk", "split", "unbind", "transpose", "permute", "squeeze", "unsqueeze", "reshape", "flatten",
                 "narrow", "select", "clone", "t", "broadcast_to", "swapaxes", "ravel"):
        names[name] = view_function(name)
    return names


def install(current):
    """Put the stand-ins into sys.modules."""
    from recorder import orch, task

    sizes = {member: member.text.itemsize for member in dtypes.DataType}
    of_dtype = {member.text: member for member in dtypes.DataType}
    task_interface = {
        "CallConfig": task.CallConfig, "RuntimeEnv": task.RuntimeEnv, "TaskArgs": task.TaskArgs,
        "Tensor": task.Wire, "CommBufferSpec": orch.CommBufferSpec, "CommDomainHandle": orch.CommDomainHandle,
        "ChipDomainContext": orch.ChipDomainContext, "DataType": dtypes.DataType,
        "TensorArgType": dtypes.TensorArgType, "ArgDirection": dtypes.ArgDirection,
        "MAX_TENSOR_DIMS": task.MAX_TENSOR_DIMS, "get_element_size": lambda dt: sizes[dt],
        "get_dtype_name": lambda dt: dt.name, "arg_direction_name": lambda direction: direction.name,
    }
    interop = {
        "make_tensor_arg": task.make_tensor_arg,
        "torch_dtype_to_datatype": lambda dt: of_dtype[dt],
    }
    runner = {"_submit_chip": orch.submit_chip}
    only = "host_orch.py is run once to record what it submits; this name has no part in that"
    for name, names in (
            ("torch", torch_names(current)),
            ("simpler", {}), ("simpler.task_interface", task_interface),
            ("simpler_setup", {}), ("simpler_setup.torch_interop", interop),
            ("pypto", {}), ("pypto.runtime", {}),
            ("pypto.runtime.tensor_arg", {"make_tensor_arg": task.make_tensor_arg}),
            ("pypto.runtime.distributed_runner", runner)):
        module = StandIn(name, NEEDS_ELEMENTS if name == "torch" else only, names)
        sys.modules[name] = module
        parent, _, last = name.rpartition(".")
        if parent:
            sys.modules[parent].__dict__[last] = module


def install_directions():
    """What kernel_config.py needs, which is less."""
    for name, names in (("simpler", {}), ("simpler.task_interface", {"ArgDirection": dtypes.ArgDirection})):
        sys.modules[name] = StandIn(name, "kernel_config.py needs ArgDirection only", names)
    sys.modules["simpler"].__dict__["task_interface"] = sys.modules["simpler.task_interface"]

"""The intermediate programs of a build's compile, checked one by one by an installed compiler: l3replay validate-ir.

Loaded by user_python.py as a file of the user's would be, so that the interpreter is the first that has what this file imports.
Contract: orchestrator/user_python/ir_passes.h.
"""

import contextlib
import io
import os

import __main__ as host
import torch

try:
    from pypto.debug import validate_pass_ir_codegen_results as check_file
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("the compiler (pypto.debug) is not installed", name="pypto") from error


def array_file(folder, name):
    """data/in/NAME.pt or .npy of a parameter, by its full or its plain name; None: there is none."""
    for stem in (name, name.split("__")[0]):
        for suffix in (".npy", ".pt"):
            path = os.path.join(folder, stem + suffix)
            if os.path.isfile(path):
                return path
    return None


def read_array(path, dtype):
    """The tensor of a file, with the parameter's type of elements."""
    if path.endswith(".pt"):
        value = torch.load(path, map_location="cpu", weights_only=True)
    else:
        import numpy

        value = numpy.load(path, allow_pickle=False)
        if dtype == "bfloat16" and value.dtype.itemsize == 2:
            value = torch.from_numpy(value.view("i2")).view(torch.bfloat16)
    if not isinstance(value, torch.Tensor):
        value = torch.as_tensor(value)
    return value.contiguous()


class Values:
    """Inputs of the program and what its outputs must be, by plain name."""

    def __init__(self, build, params):
        self.build = build
        self.params = params
        self.tensors = {}
        self.expected = {}

    def take_files(self):
        for param in self.params:
            name = param["name"]
            plain = name.split("__")[0]
            for kind, values, wanted in (("in", self.tensors, param["input"]), ("out", self.expected, param["output"])):
                path = array_file(os.path.join(self.build, "data", kind), name) if wanted else None
                if path:
                    values[plain] = read_array(path, param["dtype"])

    def lacking(self):
        """Plain names without an input or a reference."""
        return [param["name"].split("__")[0] for param in self.params
                if (param["input"] and param["name"].split("__")[0] not in self.tensors) or
                (param["output"] and param["name"].split("__")[0] not in self.expected)]

    def take_golden(self, path):
        """What golden.py gives, for what no file gives."""
        module = host.execute(path)
        computed = {}  # by the file's own names
        for name, value in host.named(host.function_of(module, "generate_inputs")({"name": "Default"})):
            number = host.scalar_value(value)
            value = torch.tensor(number) if number is not None else host.as_tensor(value, name)
            computed[name] = self.tensors.setdefault(name.split("__")[0], value).clone()
        host.function_of(module, "compute_golden")(computed, {"name": "Default"})
        computed = {name.split("__")[0]: value for name, value in computed.items()}
        outputs = getattr(module, "__outputs__", None)
        outputs = None if outputs is None else [name.split("__")[0] for name in outputs]
        for param in self.params:
            plain = param["name"].split("__")[0]
            if param["output"] and plain not in self.expected and (outputs is None or plain in outputs):
                self.expected[plain] = host.as_tensor(computed.get(plain), plain)

    def take_outputs(self):
        """Memory for what the program only writes."""
        for param in self.params:
            plain = param["name"].split("__")[0]
            if param["output"] and plain not in self.tensors:
                like = self.expected.get(plain)
                if like is None and min(param["shape"], default=0) < 0:
                    raise host.Wrong("the size of the output %s is not known: nothing gives it" % plain)
                self.tensors[plain] = torch.zeros_like(like) if like is not None else torch.zeros(
                    param["shape"], dtype=host.torch_type(param["dtype"]))


VALUES = None


def values(request):
    """{"build":DIR,"golden":PATH or null,"params":[{"name","dtype","shape","input","output"}]}: read or compute them once."""
    global VALUES

    found = Values(request["build"], request["params"])
    found.take_files()
    if found.lacking() and request["golden"]:
        found.take_golden(request["golden"])
    lacking = [name for name in found.lacking() if name not in found.tensors]
    if lacking:
        raise host.Wrong("nothing gives the input %s: data/in, or generate_inputs of golden.py" % lacking[0])
    if not found.expected:
        raise host.Wrong("there is nothing to compare with: data/out, or compute_golden of golden.py")
    found.take_outputs()
    VALUES = found
    return {"expected": sorted(found.expected)}


def check(request):
    """{"pass":PATH,"rtol":X or null,"atol":X or null}: whether its outputs match, and the compiler's words."""
    words = io.StringIO()
    closeness = {name: request[name] for name in ("rtol", "atol") if request[name] is not None}
    try:
        with contextlib.redirect_stdout(words):
            check_file(request["pass"], VALUES.tensors, VALUES.expected, **closeness)
    except AssertionError as error:
        return {"matches": False, "checked": True, "text": host.message(error)}
    except Exception as error:
        return {"matches": False, "checked": False, "text": host.message(error)}
    lines = [line for line in words.getvalue().splitlines() if line.strip("= ") and not line.startswith("==")]
    return {"matches": True, "checked": True, "text": "; ".join(lines)[:host.MAX_MESSAGE]}

"""Run host_orch.py of a build once and print its plan; see docs/formats.md, "Recording"."""

import os
import sys

from recorder import dtypes, dynamic, faults, orch, standins
from recorder import strides as st
from recorder.faults import Fault, KeyFault, UsageFault
from recorder.plan import Output, Plan
from recorder.tensor import Tensor

MODULE = "_pypto_generated.host_orch"
MARK = "_pypto_distributed_entry"


class Tensors(dict):
    """The dict of tensors; storages that host_orch.py makes are named after their key."""

    def __missing__(self, key):
        raise KeyFault("host_orch.py reads tensors[%r], which was not set; there are: %s"
                       % (key, ", ".join(sorted(map(str, self)))),
                       "check the name; parameters come from distributed_meta.json")

    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value)
        if type(value) is Tensor:
            storage = value._storage
            if not storage.name:
                storage.name = str(key)
        elif type(value) is list:
            for number, item in enumerate(value):
                if type(item) is Tensor and not item._storage.name:
                    item._storage.name = "%s[%d]" % (key, number)


class Keep(list):
    """`_keep`: the runtime keeps TaskArgs alive in it; here it would only collect memory."""

    def append(self, item):
        pass

    extend = append

    def insert(self, at, item):
        pass

    def __iadd__(self, items):
        return self


class Session:
    def __init__(self, request, fd, note):
        self.request = request
        self.note = note  # note(path, bytes, code): what is executed
        self.fd = fd
        self.world_size = request["world_size"]
        self.path = os.path.join(request["dir"], "orchestration", "host_orch.py")
        self.plan = None
        self.code = None
        self.subs = sorted({*sub_workers(request["dir"]), *request.get("sub_workers", ())})
        self.given = {name: self.checked_shape(name, shape) for name, shape in request["shapes"].items()}
        self.unknowns = dynamic.find_unknowns(request["params"], self.given)
        self.distinct = list(dict.fromkeys(self.unknowns.values()))
        self.scalars, self.scalar_notes = self.read_scalars()

    # -- what was given on the command line

    def checked_shape(self, name, shape):
        for param in self.request["params"]:
            if param["name"] != name:
                continue
            fixed = param["shape"]
            if fixed is None:
                raise UsageFault("a shape is given for '%s', which is a scalar" % name, "use --scalar %s=N" % name)
            fits = len(fixed) == len(shape) and all(s >= 0 for s in shape)
            if not fits:
                raise UsageFault("the shape %s given for '%s' does not fit %s (-1 is a dynamic dimension)"
                                 % (list(shape), name, list(fixed)), "give one that fits: --shape %s=..." % name)
            return tuple(shape)
        raise UsageFault("a shape is given for '%s', which is not a parameter" % name,
                         "the parameters are: %s" % ", ".join(p["name"] for p in self.request["params"]))

    def read_scalars(self):
        given = dict(self.request["scalars"])
        values, notes = {}, []
        for param in self.request["params"]:
            if param["shape"] is not None:
                continue
            name = param["name"]
            dt = dtypes.BY_NAME[param["dtype"]]
            if name in given:
                values[name] = parse_scalar(name, dt, given.pop(name))
            else:
                values[name] = True if dt.name == "bool" else 1.0 if dt.is_floating_point else 1
                notes.append("no value was given for the scalar '%s': taken as %r; give another with --scalar %s=..."
                             % (name, values[name], name))
        for name in given:
            raise UsageFault("a value is given for '%s', which is not a scalar parameter" % name,
                             "the scalars are: %s" % (", ".join(values) or "none"))
        return values, notes

    # -- one run

    def load(self):
        """Execute the module afresh; returns (entry, _alloc_intermediates or None)."""
        if self.code is None:
            try:
                with open(self.path, "rb") as file:
                    source = file.read()
            except OSError as error:
                raise Fault("%s cannot be read: %s" % (self.path, error.strerror), "compile the build again", self.path)
            try:
                self.code = compile(source, self.path, "exec", dont_inherit=True)
            except ValueError as error:  # a NUL byte, which later versions call a SyntaxError
                raise Fault("host_orch.py cannot be read as Python: %s" % error, "", self.path) from None
            self.note(self.path, source, self.code)
        module = type(sys)(MODULE)
        module.__file__ = self.path
        sys.modules[MODULE] = module
        exec(self.code, module.__dict__)
        marked = {}
        for value in list(module.__dict__.values()):
            if type(value) is type(Session.load) and value.__module__ == MODULE and getattr(value, MARK, False):
                marked[id(value)] = value
        if len(marked) != 1:
            found = ", ".join(function.__name__ for function in marked.values()) or "none"
            raise Fault("%s must have exactly one function marked '%s = True'; marked: %s" % (self.path, MARK, found),
                        "mark the one that the replay shall run, or compile the build again", self.path)
        return next(iter(marked.values())), getattr(module, "_alloc_intermediates", None)

    def parameters(self, plan):
        tensors = Tensors()
        for param in self.request["params"]:
            name = param["name"]
            if param["shape"] is None:
                dict.__setitem__(tensors, name, self.scalars[name])
                continue
            axes = [self.unknowns.get((name, axis)) for axis in range(len(param["shape"]))]
            shape = self.given.get(name)
            if shape is None:
                shape = tuple(u.value if u is not None else n for u, n in zip(axes, param["shape"]))
            dt = dtypes.BY_NAME[param["dtype"]]
            storage = plan.parameter(name, dt, shape, param["direction"])
            storage.dynamic = -1 in param["shape"]
            if any(axes):
                tensor = dynamic.WatchedTensor(storage, dt, 0, shape, st.row_major(shape))
                tensor._axes_of = [(u, 0, 1) if u is not None else None for u in axes]
            else:
                tensor = Tensor(storage, dt, 0, shape, st.row_major(shape))
            dict.__setitem__(tensors, name, tensor)
        return tensors

    def run(self, output):
        plan = self.plan = Plan(output, self.world_size, self.request["max_nodes"])
        plan.begin()
        tensors = self.parameters(plan)
        entry, alloc = self.load()
        if alloc is not None:
            if takes_world_size(alloc):
                alloc(tensors, world_size=self.world_size)
            else:
                alloc(tensors)
        request = self.request
        entry(orch.Orchestrator(plan), None, orch.make_config(request["aicpu_thread_num"]), tensors=tensors,
              callables=orch.Names("the program", "next_levels/<name>/kernel_config.py must exist: compile again",
                                   [(n, orch.Callable(n, False)) for n in request["programs"]]),
              sub_ids=orch.Names("the sub-worker", "sub_workers/<name>.py must exist, or the name be listed in "
                                 "sub_workers/__required__.json", [(n, orch.Callable(n, True)) for n in self.subs]),
              _keep=Keep(), world_size=self.world_size)
        return plan

    def look(self):
        """A run without output, for its sizes."""
        out, err = sys.stdout, sys.stderr
        with open(os.devnull, "w") as nowhere:
            sys.stdout = sys.stderr = nowhere
            try:
                return None, self.run(Output(None, self.fd)).nodes
            except Exception as error:
                return error, 0
            finally:
                sys.stdout, sys.stderr = out, err

    def record(self):
        standins.install(lambda: self.plan)
        if self.distinct:
            dynamic.settle(self.distinct, self.world_size, self.look)
        try:
            plan = self.run(Output(self.fd, self.fd))
        except Exception as error:
            if self.distinct and not isinstance(error, faults.WRITTEN_WRONG):
                dynamic.add_hint(error, self.distinct)
            raise
        if any(unknown.need > unknown.value for unknown in self.distinct):
            raise Fault("host_orch.py reaches further into a dynamic dimension each time it is run",
                        dynamic.hint(self.distinct), self.path)
        for text in list(self.scalar_notes) + list(dynamic.notes(self.distinct)):
            plan.note(text)
        unused = [name for name in self.request["programs"] if name not in plan.used]
        if not plan.used:
            plan.note("host_orch.py submitted no dispatch, so no kernel runs; it does not dispatch: %s"
                      % (", ".join(unused) or "(there are no programs)"))
        elif unused:
            plan.note("programs that host_orch.py does not dispatch: %s" % ", ".join(unused))
        plan.end()


def sub_workers(build):
    """Names of the build's sub-workers: those with a file, and those that must be bound."""
    folder = os.path.join(build, "sub_workers")
    try:
        names = {name[:-3] for name in os.listdir(folder) if name.endswith(".py") and not name.startswith("__")}
    except FileNotFoundError:
        return []
    required = os.path.join(folder, "__required__.json")
    if os.path.exists(required):
        import json

        try:
            with open(required, encoding="utf-8") as file:
                listed = json.load(file)
        except (OSError, ValueError) as error:
            raise Fault("%s cannot be read: %s" % (required, error), "compile the build again", required) from None
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise Fault("%s is not a list of names" % required, "compile the build again", required)
        names.update(listed)
    return sorted(names)


def takes_world_size(function):
    """Does `_alloc_intermediates` take world_size, by name or in **kwargs? (older builds: no)"""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None:
        import inspect

        parameters = inspect.signature(function).parameters
        return "world_size" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    return "world_size" in names or bool(code.co_flags & 0x08)


def parse_scalar(name, dt, text):
    """The value of --scalar NAME=TEXT as a Python number of the parameter's type."""
    hint = "give a number: --scalar %s=..." % name
    lower = text.strip().lower()
    if lower in ("true", "false"):
        text = "1" if lower == "true" else "0"
    try:
        if dt.is_floating_point:
            return float(text)
        value = int(text, 0)
    except ValueError:
        raise UsageFault("'%s' is not a value for the scalar '%s' (%s)" % (text, name, dt.name), hint) from None
    if dt.name == "bool":
        if value not in (0, 1):
            raise UsageFault("'%s' is not a value for the scalar '%s' (bool)" % (text, name), hint)
        return bool(value)
    low, high = dtypes.integer_range(dt)
    if not low <= value <= high:
        raise UsageFault("%d is out of range for the scalar '%s' (%s: %d to %d)" % (value, name, dt.name, low, high),
                         hint)
    return value

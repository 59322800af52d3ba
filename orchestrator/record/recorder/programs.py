"""Evaluate kernel_config.py (docs/formats.md, "kernel_config.py") into plain records."""

import os

from recorder.dtypes import ArgDirection
from recorder.faults import Fault, describe

HINT = "compile the build again, or correct what was edited"
DEFAULT_RUNTIME = "tensormap_and_ringbuffer"
DEFAULT_CONFIG = "aicpu_orchestration_config"


class Config:
    """One kernel_config.py and the values of its names; every fault says file and key."""

    def __init__(self, path, note):
        self.path = path
        self.note = note
        self.names = {"__file__": path, "__name__": "kernel_config", "__builtins__": __builtins__}

    def run(self):
        try:
            with open(self.path, "rb") as file:
                source = file.read()
        except OSError as error:
            raise Fault("%s cannot be read: %s" % (self.path, error.strerror), HINT, self.path) from None
        code = compile(source, self.path, "exec", dont_inherit=True)
        self.note(self.path, source, code)
        exec(code, self.names)

    def fail(self, key, what):
        raise Fault("%s: %s %s" % (self.path, key, what), HINT, "%s, %s" % (self.path, key))

    def get(self, table, key, field, types, default=None):
        """A value of a dict; without a default it must be there."""
        value = table.get(field)
        full = "%s[%r]" % (key, field)
        if value is None:
            if default is None:
                self.fail(full, "is missing")
            return default
        if not isinstance(value, types) or (isinstance(value, bool) and types is not bool):
            self.fail(full, "is %r, which has the wrong type (%s)" % (value, type(value).__name__))
        return value

    def path_of(self, table, key):
        value = os.fspath(self.get(table, key, "source", (str, os.PathLike)))
        if not value:
            self.fail("%s['source']" % key, "is empty")
        return os.path.join(os.path.dirname(self.path), value)

    def signature(self, table, key):
        given = table.get("signature")
        if given is None:
            return None
        out = []
        for value in self.get(table, key, "signature", (list, tuple)):
            if type(value) is ArgDirection:
                out.append(value.value)
            elif type(value) is int and 0 <= value <= 3:
                out.append(value)
            else:
                self.fail("%s['signature']" % key, "holds %r, which is not an ArgDirection" % (value,))
        return out

    def kernel(self, number, table, seen):
        key = "KERNELS[%d]" % number
        if not isinstance(table, dict):
            self.fail(key, "is not a dict but %s" % type(table).__name__)
        func_id = self.get(table, key, "func_id", int)
        if not 0 <= func_id < 1 << 31:
            self.fail("%s['func_id']" % key, "is %d, which is out of range" % func_id)
        if func_id in seen:
            self.fail("%s['func_id']" % key, "is %d, which another kernel has too" % func_id)
        seen.add(func_id)
        core = self.get(table, key, "core_type", str)
        if core not in ("aic", "aiv"):
            self.fail("%s['core_type']" % key, "is %r, which is neither 'aic' nor 'aiv'" % core)
        include = [os.fspath(d) if isinstance(d, (str, os.PathLike)) else
                   self.fail("%s['extra_include_dirs']" % key, "holds %r, which is not a path" % (d,))
                   for d in self.get(table, key, "extra_include_dirs", (list, tuple), [])]
        source = self.path_of(table, key)
        name = self.get(table, key, "name", str, os.path.splitext(os.path.basename(source))[0])
        return {"func_id": func_id, "name": name, "source": source, "core": core,
                "external": bool(table.get("external", False)), "signature": self.signature(table, key),
                "include": include}

    def table(self, name, types, required):
        if name not in self.names:
            if required:
                self.fail(name, "is missing")
            return {}
        if not isinstance(self.names[name], types):
            self.fail(name, "has the wrong type (%s)" % type(self.names[name]).__name__)
        return self.names[name]

    def record(self, name):
        runtime = self.table("RUNTIME_CONFIG", dict, False)
        orchestration = self.table("ORCHESTRATION", dict, True)
        kernels = self.table("KERNELS", (list, tuple), True)
        seen = set()
        threads = self.get(runtime, "RUNTIME_CONFIG", "aicpu_thread_num", int, 0)
        if not 0 <= threads < 1 << 31:
            self.fail("RUNTIME_CONFIG['aicpu_thread_num']", "is %d, which is out of range" % threads)
        return {
            "kernel_config": name,
            "dir": os.path.dirname(self.path),
            "runtime": self.get(runtime, "RUNTIME_CONFIG", "runtime", str, DEFAULT_RUNTIME),
            "aicpu_thread_num": threads,
            "enable_sdma": bool(runtime.get("enable_sdma", False)),
            "orchestration": self.path_of(orchestration, "ORCHESTRATION"),
            "function_name": self.get(orchestration, "ORCHESTRATION", "function_name", str),
            "config_name": self.get(orchestration, "ORCHESTRATION", "config_name", str, DEFAULT_CONFIG),
            "signature": self.signature(orchestration, "ORCHESTRATION"),
            "kernels": [self.kernel(number, table, seen) for number, table in enumerate(kernels)],
        }


def evaluate(programs, emit, note):
    """Evaluate every (name, directory) and emit its record; note(path, bytes, code) is called for what is executed."""
    first = None
    for name, directory in programs:
        config = Config(os.path.join(directory, "kernel_config.py"), note)
        try:
            config.run()
            record = config.record(name)
        except BaseException as error:
            report = describe(error, "kernel_config.py of program '%s'" % name, config.path)
            raise Fault(report["what"], report["hint"] or HINT, report["where"]) from None
        if first is None:
            first = record
        elif record["runtime"] != first["runtime"]:
            raise Fault("programs disagree on the runtime: '%s' has %s, '%s' has %s"
                        % (first["kernel_config"], first["runtime"], name, record["runtime"]),
                        "compile all programs of the build for one runtime",
                        "%s, RUNTIME_CONFIG['runtime']" % config.path)
        emit(record)

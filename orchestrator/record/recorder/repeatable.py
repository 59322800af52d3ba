"""Does Python of the build give the same recording each time? Then l3replay may keep it (orchestrator/record/kept_recording.h).

Generated code imports the stand-ins and pathlib, and computes. Whatever imports something else, or uses a name that can bring in
what no file of the build decides (files, the environment, addresses, the clock), is recorded each time. Names are looked at, not
what they are bound to: a recording too many costs a start of Python, one too few would be wrong.
"""

import sys

from recorder import standins

IMPORTS = standins.ROOTS + ("__future__", "enum", "functools", "itertools", "math", "operator", "pathlib", "typing")

NAMES = frozenset((
    "__builtins__", "__import__", "__loader__", "__spec__", "breakpoint", "compile", "eval", "exec", "exit", "globals",
    "hash", "help", "id", "input", "locals", "memoryview", "open", "quit", "vars", "__dict__", "__code__", "__globals__",
    "__subclasses__", "__hash__", "__repr__", "repr", "set", "frozenset",
    "absolute", "chmod", "cwd", "exists", "expanduser", "glob", "group", "hardlink_to", "home", "is_block_device", "is_char_device",
    "is_dir", "is_fifo", "is_file", "is_junction", "is_mount", "is_socket", "is_symlink", "iterdir", "lchmod", "link_to", "lstat",
    "mkdir", "owner", "read_bytes", "read_text", "readlink", "rename", "resolve", "rglob", "rmdir", "samefile", "stat",
    "symlink_to", "touch", "unlink", "walk", "write_bytes", "write_text"))

_IMPORT = None


def codes(code):
    """A code object and those within it."""
    yield code
    for value in code.co_consts:
        if type(value) is type(code):
            yield from codes(value)


def imports(code):
    """Names of modules that a code object's import statements name."""
    global _IMPORT

    if _IMPORT is None:
        from opcode import opmap

        _IMPORT = opmap["IMPORT_NAME"], opmap["EXTENDED_ARG"]
    words, high = code.co_code, 0
    for at in range(0, len(words), 2):
        argument = words[at + 1] | high
        if words[at] == _IMPORT[0]:
            yield code.co_names[argument]
        high = argument << 8 if words[at] == _IMPORT[1] else 0


class Judge:
    """Looks at what is executed; `reason` says why the recording may be another one next time."""

    def __init__(self):
        self.reason = None
        self.modules = set()

    def look(self, code, label):
        """`code` of the file `label` is executed."""
        for each in codes(code):
            self.modules.update((name.partition(".")[0], label) for name in imports(each))
            for name in each.co_names:
                if name in NAMES:
                    self.reason = self.reason or "%s uses %s" % (label, name)

    def finish(self, is_of_build):
        """is_of_build(path): is that a file of the build, which was looked at itself?"""
        for name, label in sorted(self.modules):
            path = getattr(sys.modules.get(name), "__file__", None)
            if name not in IMPORTS and not (isinstance(path, str) and is_of_build(path)):
                self.reason = self.reason or "%s imports %s" % (label, name)
        return self.reason

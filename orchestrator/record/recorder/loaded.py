"""Which files of the build the recording has loaded as Python, and what they held when they were.

The bytes that are executed are those that are hashed: modules of the build are always compiled from their source, never
taken from a __pycache__, whose content may be that of another source of the same time and size.
"""

import os
import sys

from recorder import repeatable


class Loaded:
    def __init__(self, build):
        self.root = os.path.join(os.path.realpath(build), "")
        self.hashes = {}
        self.judge = repeatable.Judge()

    def note(self, path, data, code):
        """The file at `path` was read, and `data`, compiled to `code`, is executed."""
        name = self.name_of(path)
        self.judge.look(code, name or path)
        if name is None:  # a link out of the build leads there, and no record names the file
            self.judge.reason = self.judge.reason or "%s lies outside of the build" % path
        else:
            self.hashes[name] = digest(data)

    def name_of(self, path):
        """The path below the build; None outside of it."""
        real = os.path.realpath(path)
        return real[len(self.root):] if real.startswith(self.root) else None

    def watch(self):
        """From now on, modules of the build are noted when they are imported."""
        from importlib.machinery import SourceFileLoader

        get_code = SourceFileLoader.get_code

        def noted(loader, fullname):
            path = loader.get_filename(fullname)
            if self.name_of(path) is None:
                return get_code(loader, fullname)
            data = loader.get_data(path)
            code = loader.source_to_code(data, path)
            self.note(path, data, code)
            return code

        SourceFileLoader.get_code = noted

    def records(self):
        """One for each file, and one that says why the recording is not to be kept; extension modules, which were loaded in
        another way, are read again."""
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if not isinstance(path, str):
                continue
            name = self.name_of(path)
            if name is not None and name not in self.hashes:
                self.judge.reason = self.judge.reason or "%s is no Python source" % name
                try:
                    with open(path, "rb") as file:
                        self.hashes[name] = digest(file.read())
                except OSError:
                    self.hashes[name] = ""
        for name in sorted(self.hashes):
            yield {"loaded": name, "hash": self.hashes[name]}
        reason = self.judge.finish(lambda path: self.name_of(path) in self.hashes)
        if reason:
            yield {"unrepeatable": reason}


def digest(data):
    import hashlib

    return hashlib.blake2b(data, digest_size=16).hexdigest()

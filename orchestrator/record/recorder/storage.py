"""Storages, shapes and other small things that tensors are made of."""

from operator import index

from recorder import strides as st
from recorder.faults import TypeFault


class Size(tuple):
    __slots__ = ()

    def numel(self):
        return st.numel(self)

    def __getitem__(self, key):
        got = tuple.__getitem__(self, key)
        return Size(got) if type(key) is slice else got

    def __add__(self, other):
        return Size(tuple.__add__(self, other))

    def __repr__(self):
        return "torch.Size(%s)" % list(self)


class Storage:
    """Bytes with one owner. `sid` is its id in the stream, -1 until something uses it."""

    __slots__ = ("plan", "sid", "kind", "name", "dtype", "shape", "fill", "line", "shared", "domain", "card", "nbytes",
                 "dynamic")

    def __init__(self, plan, kind, name, dt, shape):
        self.plan = plan
        self.sid = -1
        self.kind = kind
        self.name = name
        self.dtype = dt
        self.shape = shape
        self.fill = 0
        self.line = 0
        self.shared = kind == "param"
        self.domain = None
        self.card = None
        self.dynamic = False
        self.nbytes = st.numel(shape) * dt.itemsize

    def label(self):
        if self.name:
            return "tensor '%s'" % self.name
        return "the tensor made in line %d" % self.line


NEEDS_ELEMENTS = ("host_orch.py is recorded without data: let a kernel or a sub-worker work on elements, or pass the "
                  "number as a scalar parameter")


class DeviceName:
    """torch.device: everything here is in host memory."""

    type = "cpu"
    index = None

    def __repr__(self):
        return "device(type='cpu')"

    def __str__(self):
        return "cpu"

    def __eq__(self, other):
        return isinstance(other, DeviceName) or other == "cpu"

    def __hash__(self):
        return hash("cpu")


CPU = DeviceName()


def sizes_of(args):
    """The sizes of a call like view(2, 3), view((2, 3)) or view([2, 3])."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = args[0]
    try:
        return tuple(index(size) for size in args)
    except TypeError:
        raise TypeFault("sizes must be integers, not %r" % (args,)) from None

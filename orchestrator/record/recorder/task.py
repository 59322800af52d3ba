"""Stand-ins for simpler's task arguments: Tensor (on the wire), TaskArgs, CallConfig, symbolic addresses.

Rules of simpler that are kept: docs/formats.md, "Recording".
"""

import struct

from recorder import strides as st
from recorder.dtypes import FLOAT64, TensorArgType
from recorder.faults import Fault, RuntimeFault, TypeFault, ValueFault
from recorder.plan import number
from recorder.tensor import Tensor

MAX_TENSOR_DIMS = 5
MAX_TENSORS = 256
MAX_SCALARS = 128
WORD = 1 << 64


class Wire:
    """A tensor argument: `body` is a VIEWARG after its tag, `source` the storage or buffer it is a view of.
    `domain` and `card` are set on a view of a window."""

    __slots__ = ("body", "domain", "card", "source", "shapes", "strides", "dtype")

    def __repr__(self):
        return "Tensor(%s, shapes=%s)" % (self.source.label(), self.shapes)


def check_wire(shape, dt, describe):
    """What simpler refuses to put on the wire; `describe` names the tensor in words."""
    if dt is FLOAT64:
        raise ValueFault("Unsupported tensor dtype: torch.float64 (%s): no device takes it" % describe(),
                         "make the tensor with dtype=torch.float32")
    if not 1 <= len(shape) <= MAX_TENSOR_DIMS:
        raise ValueFault("%s has %d dimensions; a dispatch takes tensors of 1 to %d"
                         % (describe(), len(shape), MAX_TENSOR_DIMS), "keep the axis (x[r:r + 1]) or reshape the view")
    if 0 in shape:
        fault = ValueFault("a dispatch takes no empty tensor: %s" % describe(), "check the bounds of the slice")
        fault.about_sizes = True
        raise fault


def wire_strides(tensor):
    """Strides of a view that is not contiguous, as the stream has them.

    The Python stack refuses these. A device tensor has strides, so a hand-written kernel can use them.
    """
    shape = tensor._shape
    strides = [step if size != 1 else 1 for size, step in zip(shape, tensor._strides)]
    if 0 in strides:
        raise ValueFault("a dispatch is given an expanded view (strides %s) of %s: its elements are not there"
                         % (list(tensor._strides), tensor._described()),
                         "copy it into a tensor of its own: t = torch.zeros(...).share_memory_(); t[...] = the view")
    tensor._storage.plan.note_once("a dispatch is given a view of %s with strides %s: kernels must read the tensor's "
                                   "strides, generated ones take it for contiguous, and the Python replay refuses it"
                                   % (tensor._described(), strides))
    return ",%s" % strides


def wire_of(tensor):
    """make_tensor_arg for a host tensor; made once for each Tensor object."""
    shape = tensor._shape
    storage = tensor._storage
    check_wire(shape, tensor.dtype, tensor._described)
    strides = "" if st.is_contiguous(shape, tensor._strides) else wire_strides(tensor)
    wire = Wire()
    wire.body = "%d,%s,%d,%s%s]" % (storage.plan.storage(storage), tensor.dtype.quoted, tensor._offset, list(shape),
                                    strides)
    wire.domain = wire.card = None
    wire.source = storage
    wire.shapes = shape
    wire.strides = tensor._strides
    wire.dtype = tensor.dtype
    tensor._wire = wire
    return wire


def make_tensor_arg(worker, tensor):
    if isinstance(tensor, Tensor):
        return tensor._wire or wire_of(tensor)
    if isinstance(tensor, Wire):
        return tensor
    what = "a list of %d" % len(tensor) if isinstance(tensor, list) else type(tensor).__name__
    raise TypeFault("make_tensor_arg takes a tensor, not %s" % what,
                    "index the list: tensors[...][r]" if isinstance(tensor, list) else "")


class Address:
    """An integer known only when the cards run: a domain's context or window on one card, plus an offset."""

    __slots__ = ("kind", "domain", "card", "offset")

    def __init__(self, kind, domain, card, offset=0):
        self.kind = kind
        self.domain = domain
        self.card = card
        self.offset = offset

    def __add__(self, other):
        if not isinstance(other, int):
            return NotImplemented
        return Address(self.kind, self.domain, self.card, self.offset + int(other))

    __radd__ = __add__

    def __sub__(self, other):
        if not isinstance(other, int):
            return NotImplemented
        return self + -int(other)

    def __bool__(self):
        return True

    def __repr__(self):
        return "<%s of domain '%s' on card %d%+d>" % (
            "context" if self.kind == "ctx" else "window", self.domain.name, self.card, self.offset)

    def _unknown(self, *args):
        raise TypeFault("%r is an address, known only when the cards run: it can be passed to add_scalar, with an "
                        "integer added or subtracted, and nothing else" % self)

    __int__ = __index__ = __float__ = __mul__ = __rmul__ = __floordiv__ = __mod__ = __lt__ = __le__ = __gt__ = __ge__ \
        = __and__ = __or__ = __rsub__ = _unknown


class TaskArgs:
    """Arguments of one task; tensors before scalars."""

    __slots__ = ("_wires", "_tags", "_words", "_values", "_domains", "_refused", "__weakref__", "__dict__")

    def __init__(self):
        self.clear()

    def clear(self):
        self._wires = []
        self._tags = []
        self._words = []
        self._values = []
        self._domains = None
        self._refused = None  # a scalar that only this replay takes

    def add_tensor(self, t, tag=TensorArgType.INPUT):
        if type(t) is not Wire:
            if isinstance(t, Tensor):
                raise TypeFault("add_tensor takes what make_tensor_arg returns, not a tensor (%s)" % t._described(),
                                "write add_tensor(make_tensor_arg(orch._worker, t), tag)")
            raise TypeFault("add_tensor takes a tensor argument, not %s" % type(t).__name__)
        if type(tag) is not TensorArgType:
            raise TypeFault("the tag %r is not a TensorArgType" % (tag,), "pass TensorArgType.INPUT or another of it")
        if self._words:
            raise RuntimeFault("TaskArgs takes every tensor before the first scalar: add_tensor of %s comes after "
                               "add_scalar" % t.source.label(), "move the add_tensor lines above the add_scalar lines")
        if tag is not TensorArgType.INPUT and not t.source.shared:
            t.source.plan.note_once("%s is written by a task but is not shared memory, which the Python runtime "
                                    "refuses: add .share_memory_() where it is made" % t.source.label())
        if t.domain is not None:
            self._domains = (self._domains or []) + [(t.domain, t.card)]
        self._wires.append(t)
        self._tags.append(tag)

    def add_scalar(self, s):
        kind = type(s)
        if kind is int and 0 <= s < 1 << 53:
            self._words.append(str(s))
        elif kind is Address:
            self._domains = (self._domains or []) + [(s.domain, None)]
            self._words.append('["%s",%d,%d,%s]' % (s.kind, s.domain.ident, s.card, number(s.offset % WORD)))
        else:
            self._words.append(scalar_word(s))
            if isinstance(s, float) or s < 0:
                self._refused = s
        self._values.append(s)

    def tensor(self, i):
        return self._at(self._wires, i, "tensor")

    def scalar(self, i):
        return self._at(self._values, i, "scalar")

    def tag(self, i):
        return self._at(self._tags, i, "tag")

    def set_tag(self, i, tag):
        self._at(self._tags, i, "tag")
        if type(tag) is not TensorArgType:
            raise TypeFault("the tag %r is not a TensorArgType" % (tag,))
        self._tags[i] = tag

    @staticmethod
    def _at(items, i, what):
        if not 0 <= i < len(items):
            raise Fault("TaskArgs %s index %d out of range (%d there)" % (what, i, len(items)))
        return items[i]

    def tensor_count(self):
        return len(self._wires)

    def scalar_count(self):
        return len(self._words)

    def __len__(self):
        return len(self._wires) + len(self._words)

    def _stream(self, program, card):
        """("args", "scalars") of the stream's record, checked for a submission to `card` (None: a sub-worker)."""
        wires = self._wires
        if len(wires) > MAX_TENSORS or len(self._words) > MAX_SCALARS:
            raise ValueFault("'%s' is given %d tensors and %d scalars; a task takes at most %d and %d"
                             % (program, len(wires), len(self._words), MAX_TENSORS, MAX_SCALARS))
        if self._domains is not None:
            self._check_domains(program, card)
        return ",".join([tag.text + wire.body for tag, wire in zip(self._tags, wires)]), ",".join(self._words)

    def _check_domains(self, program, card):
        for domain, owner in self._domains:
            if domain.released:
                raise RuntimeFault("'%s' is given a window or context of domain '%s' after its with-block ended"
                                   % (program, domain.name), "submit inside the with-block")
            if owner is None or owner == card:
                continue
            if card is None:
                raise ValueFault("sub-worker '%s' is given a window of domain '%s' (card %d); sub-workers take host "
                                 "tensors only" % (program, domain.name, owner))
            raise ValueFault("'%s' on card %d is given the window of card %d (domain '%s'); a window argument must "
                             "belong to the card that runs the dispatch" % (program, card, owner, domain.name),
                             "write %s[%d] for it; kernels reach peers through device_ctx" % (domain.name, card))


def scalar_word(value):
    """What the stream holds for a scalar that is not a small non-negative integer.

    The runtime's add_scalar takes an unsigned 64-bit integer; negative ones and floats are given the bits with
    which a kernel reads them back, int64 and float32.
    """
    if isinstance(value, float):
        return str(struct.unpack("<I", struct.pack("<f", value))[0])
    try:
        whole = int(value) if isinstance(value, (int, bool)) else value.__index__()
    except AttributeError:
        raise TypeFault("add_scalar takes an integer, not %s" % type(value).__name__) from None
    if not -(WORD >> 1) <= whole < WORD:
        raise ValueFault("scalar %d does not fit 64 bits" % whole)
    return number(whole % WORD)


class RuntimeEnv:
    """Ring sizes of a CallConfig; whatever is set is kept and not looked at."""


class CallConfig:
    """Per-dispatch settings: kept so that host_orch.py can read back what it set. The replay has its own switches."""

    def __init__(self):
        self.aicpu_thread_num = 0
        self.enable_chip_swimlane = self.enable_dump_args = self.enable_pmu = 0
        self.enable_dep_gen = self.enable_scope_stats = False
        self.output_prefix = ""
        self.runtime_env = RuntimeEnv()

    def validate(self):
        pass

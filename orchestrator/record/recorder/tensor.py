"""The stand-in for torch.Tensor: a view of a storage, without elements.

A view is what the plan stream calls one: storage, dtype, offset, shape, strides.
Whatever would need an element is refused with a fault that names line and tensor.
"""

from recorder import strides as st
from recorder.faults import AttributeFault, IndexFault, RuntimeFault, TypeFault
from recorder.indexing import Indexing
from recorder.storage import CPU, NEEDS_ELEMENTS, DeviceName, Size, sizes_of
from recorder.views import Views


class Tensor(Indexing, Views):
    """A view. Build others with _make(): a subclass that follows axes (dynamic.py) overrides it."""

    __slots__ = ("_storage", "dtype", "_offset", "_shape", "_strides", "_wire", "_dense")

    device = CPU
    layout = "torch.strided"
    requires_grad = False
    is_cuda = False
    is_sparse = False
    is_quantized = False
    is_leaf = True
    grad = None
    __hash__ = object.__hash__

    def __init__(self, storage, dt, offset, shape, strides):
        self._storage = storage
        self.dtype = dt
        self._offset = offset
        self._shape = shape
        self._strides = strides
        self._wire = None
        self._dense = None

    def _make(self, offset, shape, strides, axes=None):
        """A view of the same storage; `axes` says which axis of this one each axis is, None where it is new."""
        return Tensor(self._storage, self.dtype, offset, shape, strides)

    def _retyped(self, dt, offset, shape, strides):
        return Tensor(self._storage, dt, offset, shape, strides)

    # -- what it is

    @property
    def shape(self):
        return Size(self._shape)

    def size(self, dim=None):
        if dim is None:
            return self.shape
        if not self._shape:
            raise IndexFault("dimension specified as %r but tensor has no dimensions" % (dim,))
        return self.shape[st.wrap_axis(dim, len(self._shape))]

    def stride(self, dim=None):
        if dim is None:
            return self._strides
        if not self._shape:
            raise IndexFault("dimension specified as %r but tensor has no dimensions" % (dim,))
        return self._strides[st.wrap_axis(dim, len(self._shape))]

    def dim(self):
        return len(self._shape)

    ndimension = dim

    @property
    def ndim(self):
        return len(self._shape)

    def numel(self):
        return st.numel(self.shape)

    nelement = numel

    def element_size(self):
        return self.dtype.itemsize

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return st.numel(self._shape) * self.dtype.itemsize

    def storage_offset(self):
        return self._offset

    def is_contiguous(self, memory_format=None):
        if self._dense is None:
            self._dense = st.is_contiguous(self._shape, self._strides)
        return self._dense

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return False

    def is_shared(self):
        return self._storage.shared

    def is_pinned(self):
        return False

    def get_device(self):
        return -1

    def __len__(self):
        if not self._shape:
            raise TypeFault("len() of a 0-d tensor")
        return self.shape[0]

    def __repr__(self):
        return "tensor(%s, size=%s, dtype=%r)" % (self._label(), list(self._shape), self.dtype)

    def _label(self):
        return self._storage.label()

    def _described(self):
        return "%s of shape %s" % (self._label(), list(self._shape))

    def contiguous(self, memory_format=None):
        if not self.is_contiguous():
            raise self._copies("contiguous")
        return self

    def _itself(self, *args, **kwargs):
        return self

    detach = cpu = pin_memory = requires_grad_ = detach_ = _itself

    @property
    def data(self):
        return self

    def share_memory_(self):
        self._storage.shared = True
        return self

    # -- writes from the host, and copies

    def __setitem__(self, key, value):
        target = self[key]
        if isinstance(value, Tensor):
            shape = value._shape
            while len(shape) > len(target._shape) and shape[0] == 1:
                value = value._axes(list(range(1, len(shape))))
                shape = value._shape
            target.copy_(value)
        else:
            target.fill_(value)

    def copy_(self, src, non_blocking=False):
        if not isinstance(src, Tensor):
            raise TypeFault("copy_(): argument 'src' must be Tensor, not %s" % type(src).__name__)
        self._storage.plan.copy(self, src.expand(self._shape))
        return self

    def fill_(self, value):
        if isinstance(value, Tensor):
            if value._shape:
                raise RuntimeFault("fill_ only supports 0-dimension value tensor but got tensor with %d dimensions."
                                   % len(value._shape))
            return self.copy_(value)
        self._storage.plan.fill(self, value)
        return self

    def zero_(self):
        return self.fill_(0)

    def _copied(self, dt):
        fresh = self._storage.plan.new_tensor(self._shape, dt, 0)
        fresh.copy_(self)
        return fresh

    def clone(self, memory_format=None):
        return self._copied(self.dtype)

    __copy__ = clone

    def __deepcopy__(self, memo):
        return self.clone()

    def to(self, *args, dtype=None, copy=False, **kwargs):
        for arg in args:
            if hasattr(arg, "torch_name"):
                dtype = arg
            elif isinstance(arg, Tensor):
                dtype = arg.dtype
            elif arg != "cpu" and not isinstance(arg, DeviceName):
                raise RuntimeFault("to(%r): only the CPU and a dtype can be asked for here" % (arg,))
        if (dtype is None or dtype is self.dtype) and not copy:
            return self
        return self._copied(dtype or self.dtype)

    type = to

    def _new(self, sizes, fill, dtype):
        return self._storage.plan.new_tensor(sizes_of(sizes), dtype or self.dtype, fill)

    def new_zeros(self, *sizes, dtype=None, **kwargs):
        return self._new(sizes, 0, dtype)

    def new_ones(self, *sizes, dtype=None, **kwargs):
        return self._new(sizes, 1, dtype)

    new_empty = new_zeros

    def new_full(self, sizes, fill_value, dtype=None, **kwargs):
        return self._new((sizes,), fill_value, dtype)

    # -- what needs elements

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeFault("'.%s' of %s cannot be recorded: it needs the tensor's elements or address, or makes a "
                             "new tensor from them" % (name, self._described()), NEEDS_ELEMENTS)


def _refuse(what):
    def refused(self, *args):
        raise TypeFault("%s of %s needs its elements, which are not known while host_orch.py is recorded"
                        % (what, self._described()), NEEDS_ELEMENTS)
    return refused


def _compare(what):
    refused = _refuse(what)

    def compare(self, other):
        if isinstance(other, (Tensor, int, float)):
            return refused(self)
        return NotImplemented
    return compare


for _name in ("float", "int", "bool", "index", "complex"):
    setattr(Tensor, "__%s__" % _name, _refuse(_name + "()"))
Tensor.__contains__ = _refuse("'in'")
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, "__%s__" % _name, _compare("a comparison (%s)" % _name))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
              "rshift"):
    for _form in ("__%s__", "__r%s__", "__i%s__"):
        setattr(Tensor, _form % _name, _refuse("arithmetic (%s)" % _name))
for _name in ("neg", "pos", "abs", "invert", "round"):
    setattr(Tensor, "__%s__" % _name, _refuse("arithmetic (%s)" % _name))

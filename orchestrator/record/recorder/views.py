"""The other views that torch makes without a copy; what would copy is refused."""

from recorder import strides as st
from recorder.faults import RuntimeFault
from recorder.storage import sizes_of


class Views:
    """Mixed into Tensor."""

    __slots__ = ()

    def view(self, *args):
        if len(args) == 1 and hasattr(args[0], "torch_name"):
            shape, strides, offset = st.retype(self._shape, self._strides, self._offset, self.dtype.itemsize,
                                               args[0].itemsize)
            return self._retyped(args[0], offset, shape, strides)
        shape = st.infer_size(sizes_of(args), st.numel(self._shape))
        strides = st.view_strides(self._shape, self._strides, shape)
        if strides is None:
            raise RuntimeFault("view size is not compatible with input tensor's size and stride (at least one "
                               "dimension spans across two contiguous subspaces). Use .reshape(...) instead.")
        return self._make(self._offset, shape, strides)

    def reshape(self, *args):
        shape = st.infer_size(sizes_of(args), st.numel(self._shape))
        strides = st.view_strides(self._shape, self._strides, shape)
        if strides is None:
            raise self._copies("reshape")
        return self._make(self._offset, shape, strides)

    def _copies(self, name):
        return RuntimeFault("%s() of a non-contiguous view makes a copy, which the plan does not show (%s, strides %s)"
                            % (name, self._described(), list(self._strides)),
                            "copy it by hand: t = torch.zeros(..., dtype=...).share_memory_(); t[...] = the view")

    def view_as(self, other):
        return self.view(*other._shape)

    def reshape_as(self, other):
        return self.reshape(*other._shape)

    def flatten(self, start_dim=0, end_dim=-1):
        first = st.wrap_axis(start_dim, len(self._shape))
        last = st.wrap_axis(end_dim, len(self._shape))
        if first > last:
            raise RuntimeFault("flatten() has invalid args: start_dim cannot come after end_dim")
        if not self._shape:
            return self.reshape(1)
        if first == last:
            return self
        return self.reshape(self._shape[:first] + (st.numel(self._shape[first:last + 1]),) + self._shape[last + 1:])

    def ravel(self):
        return self.reshape(-1)

    def unflatten(self, dim, sizes):
        axis = st.wrap_axis(dim, len(self._shape))
        sizes = st.infer_size(sizes_of((sizes,)), self._shape[axis])
        return self.view(self._shape[:axis] + sizes + self._shape[axis + 1:])

    def squeeze(self, dim=None):
        axes = range(len(self._shape))
        if dim is not None:
            gone = {st.wrap_axis(d, len(self._shape)) for d in (dim if isinstance(dim, (tuple, list)) else (dim,))}
            kept = [a for a in axes if a not in gone or self._shape[a] != 1]
        else:
            kept = [a for a in axes if self._shape[a] != 1]
        return self._axes(kept)

    def unsqueeze(self, dim):
        axis = st.wrap_axis(dim, len(self._shape), 1)
        stride = self._shape[axis] * self._strides[axis] if axis < len(self._shape) else 1
        kept = list(range(len(self._shape)))
        return self._make(self._offset, self._shape[:axis] + (1,) + self._shape[axis:],
                          self._strides[:axis] + (stride,) + self._strides[axis:], kept[:axis] + [None] + kept[axis:])

    def _axes(self, kept):
        return self._make(self._offset, tuple(self._shape[a] for a in kept), tuple(self._strides[a] for a in kept),
                          kept)

    def transpose(self, dim0, dim1):
        a, b = st.wrap_axis(dim0, len(self._shape)), st.wrap_axis(dim1, len(self._shape))
        kept = list(range(len(self._shape)))
        if kept:
            kept[a], kept[b] = kept[b], kept[a]
        return self._axes(kept)

    swapaxes = swapdims = transpose

    def permute(self, *dims):
        kept = [st.wrap_axis(d, len(self._shape)) for d in sizes_of(dims)]
        if sorted(kept) != list(range(len(self._shape))):
            raise RuntimeFault("permute(): the number of dimensions in the tensor input does not match the desired "
                               "ordering of dimensions, or one repeats: %s" % (dims,))
        return self._axes(kept)

    def t(self):
        if len(self._shape) > 2:
            raise RuntimeFault("t() expects a tensor with <= 2 dimensions, but self is %dD" % len(self._shape))
        return self.transpose(0, 1) if len(self._shape) == 2 else self._axes(list(range(len(self._shape))))

    @property
    def T(self):
        return self._axes(list(range(len(self._shape)))[::-1])

    @property
    def mT(self):
        if len(self._shape) < 2:
            raise RuntimeFault("tensor.mT is only supported on matrices or batches of matrices")
        return self.transpose(-2, -1)

    def expand(self, *sizes):
        shape, strides = st.expand(self._shape, self._strides, sizes_of(sizes))
        return self._make(self._offset, shape, strides)

    def expand_as(self, other):
        return self.expand(*other._shape)

    broadcast_to = expand

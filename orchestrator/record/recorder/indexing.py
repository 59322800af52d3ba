"""Basic indexing with torch's rules: what `tensor[...]` and the functions that slice give."""

from operator import index

from recorder import strides as st
from recorder.faults import IndexFault, RuntimeFault, TypeFault


class Indexing:
    """Mixed into Tensor."""

    __slots__ = ()

    def __getitem__(self, key):
        shape = self._shape
        if type(key) is not tuple:
            key = (key,)
        if len(key) > len(shape):
            return self._index_any(key)
        strides = self._strides
        offset = self._offset
        out_shape = []
        out_strides = []
        axis = 0
        for part in key:
            size = shape[axis]
            kind = type(part)
            if kind is int:
                if part < 0:
                    part += size
                if not 0 <= part < size:
                    self._out_of_range(axis, part - size if part < 0 else part)
                offset += part * strides[axis]
            elif kind is slice and part.step is None and type(part.start) is int and type(part.stop) is int \
                    and 0 <= part.start <= part.stop <= size:
                offset += part.start * strides[axis]
                out_shape.append(part.stop - part.start)
                out_strides.append(strides[axis])
            else:
                return self._index_any(key)
            axis += 1
        return self._make(offset, tuple(out_shape) + shape[axis:], tuple(out_strides) + strides[axis:])

    def _out_of_range(self, axis, got):
        fault = IndexFault("index %d is out of bounds for dimension %d with size %d (%s)"
                           % (got, axis, self._shape[axis], self._described()), self._size_hint(got))
        fault.about_sizes = True
        raise fault

    def _size_hint(self, got):
        storage = self._storage
        if storage.kind != "param":
            return ""
        if storage.dynamic:
            return "give a larger shape: --shape %s=..." % storage.name
        if not 0 <= got < storage.plan.world_size:  # no number of a card
            return ("the shape of '%s' is fixed in the build: correct the index in host_orch.py, or compile the build for "
                    "a larger shape" % storage.name)
        return ("the shape of '%s' is fixed in the build: replay with as many cards as it was compiled for "
                "(--device-ids; this replay has %d), or compile it for more" % (storage.name, storage.plan.world_size))

    def _index_any(self, key):
        """The general form of __getitem__: Ellipsis, None, steps, cut bounds, objects with __index__."""
        view = self
        given = sum(1 for part in key if part is not None and part is not Ellipsis)
        ndim = len(self._shape)
        if given > ndim:
            if not ndim:
                raise IndexFault("invalid index of a 0-dim tensor. Use `tensor.item()` in Python")
            raise IndexFault("too many indices for tensor of dimension %d" % ndim)
        if sum(1 for part in key if part is Ellipsis) > 1:
            raise IndexFault("an index may hold one ellipsis (`...`), not more")
        axis = 0
        for part in key:
            if part is None:
                view = view.unsqueeze(axis)
                axis += 1
            elif part is Ellipsis:
                axis += ndim - given
            elif type(part) is slice:
                view = view._slice(axis, part)
                axis += 1
            else:
                view = view.select(axis, self._as_index(part))
        return view

    def _as_index(self, part):
        if isinstance(part, (bool, list, range)) or hasattr(part, "_storage"):
            raise IndexFault("indexing %s with %s makes a copy of chosen elements, which cannot be recorded"
                             % (self._label(), "a tensor" if hasattr(part, "_storage") else repr(part)),
                             "index with integers and slices, which make views")
        try:
            return index(part)
        except TypeError:
            raise IndexFault("only integers, slices (`:`), ellipsis (`...`) and None are valid indices here (got %s)"
                             % type(part).__name__) from None

    def _slice(self, axis, key):
        size = self._shape[axis]
        try:
            start, length, step = st.slice_bounds(key, size)
        except TypeError:
            raise TypeFault("slice indices must be integers or None or have an __index__ method") from None
        if key.stop is not None and index(key.stop) > size:
            self._storage.plan.note_once("slice [%d:%d] of an axis of %d elements is cut there (%s)"
                                         % (start, index(key.stop), size, self._described()))
        return self._make(self._offset + start * self._strides[axis],
                          self._shape[:axis] + (length,) + self._shape[axis + 1:],
                          self._strides[:axis] + (self._strides[axis] * step,) + self._strides[axis + 1:],
                          range(len(self._shape)))

    def select(self, dim, at):
        if not self._shape:
            raise IndexFault("select() cannot be applied to a 0-dim tensor.")
        axis = st.wrap_axis(dim, len(self._shape))
        size = self._shape[axis]
        number = index(at)
        if not -size <= number < size:
            self._out_of_range(axis, number)
        if number < 0:
            number += size
        kept = [a for a in range(len(self._shape)) if a != axis]
        return self._make(self._offset + number * self._strides[axis], self._shape[:axis] + self._shape[axis + 1:],
                          self._strides[:axis] + self._strides[axis + 1:], kept)

    def narrow(self, dim, start, length):
        if not self._shape:
            raise RuntimeFault("narrow() cannot be applied to a 0-dim tensor.")
        axis = st.wrap_axis(dim, len(self._shape))
        size = self._shape[axis]
        start, length = index(start), index(length)
        if length < 0:
            raise RuntimeFault("narrow(): length must be non-negative.")
        if not -size <= start <= size:
            raise IndexFault("start (%d) is out of range for dimension %d with size %d (%s)"
                             % (start, axis, size, self._described()))
        start += size if start < 0 else 0
        if start + length > size:
            raise RuntimeFault("start (%d) + length (%d) exceeds dimension size (%d) (%s)"
                               % (start, length, size, self._described()))
        return self._slice(axis, slice(start, start + length))

    def unbind(self, dim=0):
        if not self._shape:
            raise RuntimeFault("Dimension specified as %d but tensor has no dimensions" % dim)
        axis = st.wrap_axis(dim, len(self._shape))
        return tuple(self.select(axis, at) for at in range(self.size(axis)))

    def __iter__(self):
        if not self._shape:
            raise TypeFault("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def split(self, split_size, dim=0):
        axis = st.wrap_axis(dim, len(self._shape))
        if not self._shape:
            raise RuntimeFault("split expects at least a 1-dimensional tensor")
        size = self._shape[axis]
        if isinstance(split_size, (tuple, list)):
            lengths = [index(n) for n in split_size]
            if sum(lengths) != size or min(lengths, default=0) < 0:
                raise RuntimeFault("split_with_sizes expects split_sizes to sum exactly to %d (input tensor's size at "
                                   "dimension %d), but got split_sizes=%s" % (size, axis, lengths))
        else:
            each = index(split_size)
            if each < 0 or (each == 0 and size):
                raise RuntimeFault("split expects split_size be non-negative, but got split_size=%d" % each)
            count = max((size + each - 1) // each, 1) if each else 1
            lengths = [each] * (count - 1) + [size - each * (count - 1)]
        out = []
        start = 0
        for length in lengths:
            out.append(self._slice(axis, slice(start, start + length)))
            start += length
        return tuple(out)

    split_with_sizes = split

    def chunk(self, chunks, dim=0):
        count = index(chunks)
        if count <= 0:
            raise RuntimeFault("chunk expects `chunks` to be greater than 0, got: %d" % count)
        if not self._shape:
            raise RuntimeFault("chunk expects at least a 1-dimensional tensor")
        axis = st.wrap_axis(dim, len(self._shape))
        size = self._shape[axis]
        each = (size + count - 1) // count
        return self.split([0] * count if each == 0 else each, axis)

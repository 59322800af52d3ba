"""Shape and stride arithmetic with torch's rules, on plain tuples.

Checked against torch itself by tests/integration/test_recorder_torch.sh.
"""

from operator import index

from recorder.faults import IndexFault, RuntimeFault, TypeFault, ValueFault


def numel(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def row_major(shape):
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(shape[axis + 1], 1)
    return tuple(strides)


def is_contiguous(shape, strides):
    """Row-major without gaps; an axis of one element may have any stride."""
    if 0 in shape:
        return True
    expected = 1
    for axis in range(len(shape) - 1, -1, -1):
        if shape[axis] != 1:
            if strides[axis] != expected:
                return False
            expected *= shape[axis]
    return True


def overlaps_itself(shape, strides):
    """Some element is reached by two indices; exact for what expand() makes."""
    return any(size > 1 and stride == 0 for size, stride in zip(shape, strides))


def wrap_axis(axis, ndim, extra=0):
    """An axis number in 0..ndim-1 (+extra); torch lets a tensor without axes be asked for axis 0 or -1."""
    try:
        number = index(axis)
    except TypeError:
        raise TypeFault("an axis must be an integer, not %s" % type(axis).__name__) from None
    limit = max(ndim + extra, 1)
    if not -limit <= number < limit:
        raise IndexFault("Dimension out of range (expected to be in range of [%d, %d], but got %d)"
                         % (-limit, limit - 1, number))
    return number + limit if number < 0 else number


def slice_bounds(key, size):
    """(start, length, step) of a slice of an axis of `size` elements; bounds out of range are cut."""
    step = 1 if key.step is None else index(key.step)
    if step <= 0:
        raise ValueFault("slice step must be positive", "torch has no negative steps: turn the order in the kernel")
    start = 0 if key.start is None else index(key.start)
    stop = size if key.stop is None else index(key.stop)
    if start < 0:
        start = max(start + size, 0)
    start = min(start, size)
    if stop < 0:
        stop += size
    stop = min(max(stop, start), size)
    return start, (stop - start + step - 1) // step, step


def infer_size(shape, count):
    """`shape` with its -1 filled in so that it holds `count` elements."""
    shape = tuple(index(size) for size in shape)
    known = 1
    unknown = None
    for axis, size in enumerate(shape):
        if size == -1:
            if unknown is not None:
                raise RuntimeFault("only one dimension can be inferred")
            unknown = axis
        elif size < 0:
            raise RuntimeFault("invalid shape dimension %d" % size)
        else:
            known *= size
    if unknown is None:
        if known != count:
            raise RuntimeFault("shape '%s' is invalid for input of size %d" % (list(shape), count))
        return shape
    if known == 0:
        if count == 0:
            raise RuntimeFault("cannot reshape tensor of 0 elements into shape %s because the unspecified dimension "
                               "size -1 can be any value and is ambiguous" % list(shape))
        raise RuntimeFault("shape '%s' is invalid for input of size %d" % (list(shape), count))
    if count % known:
        raise RuntimeFault("shape '%s' is invalid for input of size %d" % (list(shape), count))
    return shape[:unknown] + (count // known,) + shape[unknown + 1:]


def view_strides(shape, strides, new):
    """Strides with which the elements are seen in shape `new`, or None when no strides can do it."""
    if 0 in shape:
        return strides if shape == new else row_major(new)
    if not shape:
        return (1,) * len(new)
    out = [0] * len(new)
    at = len(new) - 1
    base = strides[-1]
    run = seen = 1  # elements of the current run of mergeable axes; of the new axes laid over it
    for axis in range(len(shape) - 1, -1, -1):
        run *= shape[axis]
        if axis and (shape[axis - 1] == 1 or strides[axis - 1] == run * base):
            continue
        while at >= 0 and (seen < run or new[at] == 1):
            out[at] = seen * base
            seen *= new[at]
            at -= 1
        if seen != run:
            return None
        if axis:
            base = strides[axis - 1]
            run = seen = 1
    return tuple(out) if at == -1 else None


def expand(shape, strides, target):
    """(shape, strides) broadcast to `target`; -1 keeps an axis."""
    extra = len(target) - len(shape)
    if extra < 0:
        raise RuntimeFault("the number of sizes provided (%d) must be greater or equal to the number of dimensions in "
                           "the tensor (%d)" % (len(target), len(shape)))
    out_shape = [0] * len(target)
    out_strides = [0] * len(target)
    for axis in range(len(target) - 1, -1, -1):
        if axis >= extra:
            size, stride = shape[axis - extra], strides[axis - extra]
        else:
            size = 1
            stride = out_shape[axis + 1] * out_strides[axis + 1] if shape else 0
        wanted = index(target[axis])
        if wanted == -1 and axis >= extra:
            wanted = size
        elif wanted < 0:
            raise RuntimeFault("The expanded size of the tensor (%d) isn't allowed in dimension %d" % (wanted, axis))
        if wanted != size:
            if size != 1:
                raise RuntimeFault("The expanded size of the tensor (%d) must match the existing size (%d) at "
                                   "dimension %d. Target sizes: %s. Tensor sizes: %s"
                                   % (wanted, size, axis, list(target), list(shape)))
            stride = 0
        out_shape[axis], out_strides[axis] = wanted, stride
    return tuple(out_shape), tuple(out_strides)


def retype(shape, strides, offset, old, new):
    """(shape, strides, offset) of the same bytes seen with elements of `new` bytes instead of `old`."""
    if old == new:
        return shape, strides, offset
    if not shape:
        raise RuntimeFault("self.dim() cannot be 0 to view a tensor as a type of another element size")
    if strides[-1] != 1:
        raise RuntimeFault("self.stride(-1) must be 1 to view a tensor as a type of another element size")
    if old > new:
        ratio = old // new
        return (shape[:-1] + (shape[-1] * ratio,), tuple(s * ratio for s in strides[:-1]) + (1,), offset * ratio)
    ratio = new // old
    if shape[-1] % ratio or offset % ratio or any(s % ratio for s in strides[:-1]):
        raise RuntimeFault("shape %s, strides %s and offset %d must be divisible by %d to view the tensor as a type "
                           "of a larger element size" % (list(shape), list(strides), offset, ratio))
    return shape[:-1] + (shape[-1] // ratio,), tuple(s // ratio for s in strides[:-1]) + (1,), offset // ratio

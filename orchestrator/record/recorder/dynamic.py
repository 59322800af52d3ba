"""Dynamic dimensions that nobody gave a size for: find what the recording needs.

Parameters of the same shape pattern share one unknown for each dynamic axis:
they were written with one symbol. host_orch.py is run without output, first
with the number of cards for every unknown, and watched: which axes are indexed
or sliced, and how far. An unknown then becomes the largest index that was used
plus one (the number of cards, where it is indexed by card), or 1. Further runs
check that this fits, and grow what does not.

What is watched: an axis of a view that still is an axis of a parameter, by
WatchedTensor; integers computed from `.shape`, by TracedInt.
"""

from math import gcd
from operator import index

from recorder import strides as st
from recorder.faults import UsageFault
from recorder.storage import Size
from recorder.tensor import Tensor

MAX_RUNS = 24
LARGEST = 1 << 20


class Unknown:
    """A dynamic axis of the parameters in `users`; `value` is what the next run takes for it."""

    def __init__(self, users, value):
        self.users = users  # (parameter, axis)
        self.value = value
        self.given = value is not None
        self.need = 1
        self.multiple = 1  # host_orch.py divides the size by this, to get the factor that it was written with
        self.read = False

    def label(self):
        return ", ".join("'%s' (axis %d)" % user for user in self.users)


class TracedInt(int):
    """An integer that depends on the unknown sizes `unknowns` (a frozenset); `size_of` is the one whose size it is."""

    def __new__(cls, value, unknowns, size_of=None):
        self = int.__new__(cls, value)
        self.unknowns = unknowns
        self.size_of = size_of
        return self


def _traced(name):
    plain = getattr(int, name)

    def operation(self, *others):
        value = plain(self, *others)
        if type(value) is not int:
            return value
        unknowns = self.unknowns
        for other in others:
            if type(other) is TracedInt:
                unknowns = unknowns | other.unknowns
        return TracedInt(value, unknowns)
    return operation


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "floordiv", "rfloordiv", "mod", "rmod", "neg", "lshift",
              "rshift", "and", "or"):
    setattr(TracedInt, "__%s__" % _name, _traced("__%s__" % _name))


def _divide(self, other, plain=TracedInt.__floordiv__):
    """`M = x.shape[0] // 2` undoes a shape written as M * 2: the size is a multiple of 2."""
    if self.size_of is not None and type(other) is int and other > 1:
        self.size_of.multiple = other * self.size_of.multiple // gcd(other, self.size_of.multiple)
    return plain(self, other)


def _subtract(self, other, plain=TracedInt.__sub__):
    """`M = x.shape[0] - 2` undoes a shape written as M + 2: the size is more than 2."""
    if self.size_of is not None and type(other) is int and other > 0:
        self.size_of.need = max(self.size_of.need, other + 1)
    return plain(self, other)


TracedInt.__floordiv__ = _divide
TracedInt.__sub__ = _subtract


class WatchedTensor(Tensor):
    """A view of a parameter with unknown axes. `_axes_of` has (unknown, start, step) or None for each axis."""

    __slots__ = ("_axes_of",)

    def _make(self, offset, shape, strides, axes=None):
        kept = [self._axes_of[a] if a is not None else None for a in axes] if axes is not None else []
        if not any(kept):
            return Tensor(self._storage, self.dtype, offset, shape, strides)
        view = WatchedTensor(self._storage, self.dtype, offset, shape, strides)
        view._axes_of = kept
        return view

    @property
    def shape(self):
        sizes = []
        for size, axis in zip(self._shape, self._axes_of):
            if axis is not None:
                axis[0].read = True
                size = TracedInt(size, frozenset((axis[0],)), axis[0] if axis[1:] == (0, 1) else None)
            sizes.append(size)
        return Size(sizes)

    def __getitem__(self, key):
        return self._index_any(key if type(key) is tuple else (key,))

    def select(self, dim, at):
        axis = st.wrap_axis(dim, len(self._shape))
        known = self._axes_of[axis] if self._shape else None
        number = index(at)
        if known is not None and number >= self._shape[axis]:
            unknown, start, step = known
            unknown.need = max(unknown.need, start + number * step + 1)
            kept = [a for a in range(len(self._shape)) if a != axis]
            return self._make(self._offset + number * self._strides[axis],
                              self._shape[:axis] + self._shape[axis + 1:],
                              self._strides[:axis] + self._strides[axis + 1:], kept)
        if known is not None and number >= 0 and type(at) is not TracedInt:
            known[0].need = max(known[0].need, known[1] + number * known[2] + 1)
        return Tensor.select(self, dim, at)

    def _slice(self, axis, key):
        known = self._axes_of[axis]
        if known is None or key.stop is None or index(key.stop) < 0:
            view = Tensor._slice(self, axis, key)
            if known is not None and isinstance(view, WatchedTensor):
                first, _, step = st.slice_bounds(key, self._shape[axis])
                view._axes_of = self._replaced(axis, (known[0], known[1] + first * known[2], known[2] * step))
            return view
        unknown, start, step = known
        size = max(self._shape[axis], index(key.stop))
        first, length, stride = st.slice_bounds(key, size)
        if length and not (type(key.stop) is TracedInt and unknown in key.stop.unknowns and
                           index(key.stop) <= self._shape[axis]):
            unknown.need = max(unknown.need, start + (first + (length - 1) * stride) * step + 1)
        view = self._make(self._offset + first * self._strides[axis],
                          self._shape[:axis] + (length,) + self._shape[axis + 1:],
                          self._strides[:axis] + (self._strides[axis] * stride,) + self._strides[axis + 1:],
                          range(len(self._shape)))
        if isinstance(view, WatchedTensor):
            view._axes_of = self._replaced(axis, (unknown, start + first * step, step * stride))
        return view

    def _replaced(self, axis, origin):
        out = list(self._axes_of)
        out[axis] = origin
        return out


def find_unknowns(params, shapes):
    """Unknown axes of the parameters without a given shape, by (parameter, axis).

    An unknown whose pattern-mates were given a size starts from theirs, when they agree.
    """
    patterns = {}
    given = {}
    for param in params:
        shape = param["shape"]
        if shape is None:
            continue
        for axis, size in enumerate(shape):
            if size >= 0:
                continue
            pattern = (tuple(shape), axis)
            if param["name"] in shapes:
                given.setdefault(pattern, set()).add(shapes[param["name"]][axis])
            else:
                patterns.setdefault(pattern, []).append((param["name"], axis))
    unknowns = {}
    for pattern, users in patterns.items():
        sizes = given.get(pattern, ())
        unknown = Unknown(users, next(iter(sizes)) if len(sizes) == 1 else None)
        for user in users:
            unknowns[user] = unknown
    return unknowns


def _grow(unknowns):
    """Take what the last run needed; True when something was too small."""
    grown = False
    for unknown in unknowns:
        wanted = max(unknown.need, unknown.value)
        wanted += -wanted % unknown.multiple
        if wanted > unknown.value and not (unknown.given and wanted > unknown.need):
            unknown.value = wanted
            grown = True
    return grown


def _check_sizes(unknowns):
    for unknown in unknowns:
        if unknown.value > LARGEST:
            raise UsageFault("host_orch.py reaches element %d of the dynamic dimension %s, for which no size was given"
                             % (unknown.value - 1, unknown.label()), hint(unknowns))


def hint(unknowns):
    names = []
    for unknown in unknowns:
        for name, _ in unknown.users:
            if name not in names:
                names.append(name)
    return "give the shape: " + " ".join("--shape %s=..." % name for name in names)


def _settled(unknowns, run):
    """Run until nothing is too small; the outcome of the last run."""
    for _ in range(MAX_RUNS):
        for unknown in unknowns:
            unknown.need = 1
        outcome = run()
        if not _grow(unknowns):
            return outcome
        _check_sizes(unknowns)
    return outcome


def settle(unknowns, world_size, run):
    """Choose the value of every unknown. `run()` runs host_orch.py with the present values and returns
    (exception or None, number of nodes)."""
    for unknown in unknowns:
        if not unknown.given:
            unknown.value = world_size
    with_cards = _settled(unknowns, run)
    card_values = [unknown.value for unknown in unknowns]
    for unknown in unknowns:
        if not unknown.given:
            unknown.value = unknown.need
    if [unknown.value for unknown in unknowns] == card_values and with_cards[0] is None and with_cards[1]:
        return
    first = outcome = _settled(unknowns, run)
    chosen = [unknown.value for unknown in unknowns]
    for _ in range(12):
        if outcome[0] is None and (outcome[1] or not any(u.read for u in unknowns)):
            return
        growing = [u for u in unknowns if u.read and not u.given]
        if not growing:
            break
        for unknown in growing:
            unknown.value *= 2
        outcome = _settled(unknowns, run)
    if outcome[0] is None and outcome[1]:
        return
    values = card_values if with_cards[0] is None else chosen
    for unknown, value in zip(unknowns, values):
        unknown.value = value
    if first[0] is not None and with_cards[0] is not None:
        add_hint(first[0], unknowns)
        raise first[0]


def add_hint(error, unknowns):
    """A size that was taken may be the reason of `error`: say how to give another."""
    if getattr(error, "hint", "") and not getattr(error, "about_sizes", False):
        return
    what = "or " + hint(unknowns) if getattr(error, "hint", "") else hint(unknowns)
    sizes = ", ".join("%s taken as %d" % (unknown.label(), unknown.value) for unknown in unknowns)
    error.hint = "%s%s (%s)" % (getattr(error, "hint", "") and error.hint + "; ", what, sizes)


def notes(unknowns):
    for unknown in unknowns:
        yield ("no shape was given for the dynamic dimension of %s: taken as %d; give another with --shape"
               % (unknown.label(), unknown.value))

#!/bin/bash
# The recorder's stand-in for torch.Tensor against torch itself: random chains of indexing and views must give the
# same shape, strides and offset, and refuse the same; recorded host copies and fills must do what torch does.
#
# TORCH_PYTHON names a Python with torch (default: the first of python3, /usr/bin/python3 that has it);
# ROUNDS how many chains to try (default 6000).
set -u

source_dir=$(cd "$(dirname "$0")/../.." && pwd)
python=
for candidate in "${TORCH_PYTHON:-}" python3 /usr/bin/python3; do
    if [ -n "$candidate" ] && "$candidate" -c 'import torch' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: no Python with torch was found; name one in TORCH_PYTHON"
    exit 77
fi

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source_dir/orchestrator/record exec "$python" - "${ROUNDS:-6000}" <<'PYTHON'
import json
import random
import sys
import warnings

import torch

from recorder import dtypes
from recorder.plan import Output, Plan
from recorder import strides as st
from recorder.tensor import Tensor

warnings.simplefilter("ignore")
seed = random.randrange(1 << 30)
rng = random.Random(seed)


class Collected(Output):
    def __init__(self):
        self.lines = []

    def write(self, line):
        self.lines.append(line)


def pair(shape, name="float32"):
    """The same tensor as torch's and as the stand-in."""
    real = torch.arange(st.numel(shape)).reshape(shape).to(getattr(torch, name))
    dt = dtypes.BY_TORCH[name]
    ours = Tensor(plan.parameter("p", dt, shape, "InOut"), dt, 0, shape, st.row_major(shape))
    return real, ours


def some_shape():
    return tuple(rng.choice((0, 1, 1, 2, 3, 4, 6)) for _ in range(rng.randrange(5)))


def some_bound():
    return rng.choice((None, 0, 1, 2, 3, 5, 9, -1, -2, -4, -9))


def some_part():
    kind = rng.randrange(10)
    if kind < 4:
        return rng.randrange(-4, 5)
    if kind < 8:
        return slice(some_bound(), some_bound(), rng.choice((None, None, 1, 2, 3, -1, 0)))
    return None if kind == 8 else Ellipsis


def some_key():
    if rng.random() < 0.3:
        return some_part()
    key = [some_part() for _ in range(rng.randrange(5))]
    while key.count(Ellipsis) > 1:  # torch gets these wrong; the stand-in refuses them
        key.remove(Ellipsis)
    return tuple(key)


def some_dim():
    return rng.randrange(-5, 5)


def factors(count):
    """A shape of `count` elements, perhaps with a -1 or a wrong size in it."""
    if count == 0:
        shape = [rng.choice((0, 1, 2)) for _ in range(rng.randrange(1, 4))]
    else:
        shape = []
        while count > 1:
            size = rng.choice([d for d in range(1, count + 1) if count % d == 0])
            shape.append(size)
            count //= size
        shape += [1] * rng.randrange(2)
        rng.shuffle(shape)
    if shape and rng.random() < 0.3:
        shape[rng.randrange(len(shape))] = rng.choice((-1, 5))
    return tuple(shape)


def dtype_for(tensor, name):
    return getattr(torch, name) if isinstance(tensor, torch.Tensor) else dtypes.BY_TORCH[name]


def some_step(shape):
    """(text, function of a tensor)"""
    n = len(shape)
    a, b, c = some_dim(), some_dim(), rng.randrange(-1, 5)
    key = some_key()
    target = tuple(rng.choice((s, s, -1, 3)) if s == 1 else rng.choice((s, s, s, -1)) for s in shape)
    target = tuple(rng.choice((1, 2)) for _ in range(rng.randrange(2))) + target
    order = list(range(n))
    rng.shuffle(order)
    if order and rng.random() < 0.3:
        order[0] = rng.choice((order[0] - n, order[0], some_dim()))
    new = factors(st.numel(shape))
    return rng.choice((
        ("[%r]" % (key,), lambda t: t[key]), ("[%r]" % (key,), lambda t: t[key]), ("[%r]" % (key,), lambda t: t[key]),
        ("view(%r)" % (new,), lambda t: t.view(new)), ("reshape(%r)" % (new,), lambda t: t.reshape(new)),
        ("transpose(%d,%d)" % (a, b), lambda t: t.transpose(a, b)), ("permute(%r)" % order, lambda t: t.permute(order)),
        ("t()", lambda t: t.t()), ("T", lambda t: t.T if n <= 2 else t.permute(tuple(range(n - 1, -1, -1)))),
        ("squeeze()", lambda t: t.squeeze()), ("squeeze(%d)" % a, lambda t: t.squeeze(a)),
        ("unsqueeze(%d)" % a, lambda t: t.unsqueeze(a)), ("flatten(%d,%d)" % (a, b), lambda t: t.flatten(a, b)),
        ("expand(%r)" % (target,), lambda t: t.expand(target)), ("select(%d,%d)" % (a, b), lambda t: t.select(a, b)),
        ("narrow(%d,%d,%d)" % (a, b, c), lambda t: t.narrow(a, b, c)), ("unbind(%d)" % a, lambda t: t.unbind(a)),
        ("split(%d,%d)" % (c, a), lambda t: t.split(c, a)), ("chunk(%d,%d)" % (c, a), lambda t: t.chunk(c, a)),
        ("split([..],%d)" % a, lambda t: t.split([1, c], a)), ("iter", lambda t: tuple(t)),
        ("view(int8)", lambda t: t.view(dtype_for(t, "int8"))),
        ("view(int16)", lambda t: t.view(dtype_for(t, "int16"))),
        ("view(float32)", lambda t: t.view(dtype_for(t, "float32"))),
    ))


def attempt(function, tensor):
    try:
        return function(tensor), None
    except (IndexError, ValueError, TypeError, RuntimeError) as error:
        return None, error


def differ(real, ours):
    if isinstance(real, tuple):
        if not isinstance(ours, tuple) or len(real) != len(ours):
            return "parts"
        return next((d for d in map(differ, real, ours) if d), None)
    if tuple(real.shape) != tuple(ours.shape):
        return "shape %s != %s" % (tuple(real.shape), tuple(ours.shape))
    if 0 in real.shape:
        return None
    if real.storage_offset() != ours.storage_offset():
        return "offset %d != %d" % (real.storage_offset(), ours.storage_offset())
    if any(s > 1 and x != y for s, x, y in zip(real.shape, real.stride(), ours.stride())):
        return "strides %s != %s" % (real.stride(), ours.stride())
    if real.is_contiguous() != ours.is_contiguous() or real.numel() != ours.numel() or real.dim() != ours.dim():
        return "contiguity or size"
    if str(real.dtype) != repr(ours.dtype) or real.element_size() != ours.element_size():
        return "dtype"
    return None


def fail(history, what):
    print("seed %d: %s: %s" % (seed, " ".join(history), what))
    sys.exit(1)


def chain():
    shape = some_shape()
    real, ours = pair(shape)
    history = [str(shape)]
    for _ in range(rng.randrange(1, 5)):
        text, function = some_step(tuple(real.shape))
        if text.startswith("narrow") and 0 in real.shape:
            continue  # torch versions differ in what start of an empty axis they take
        history.append(text)
        want, refused = attempt(function, real)
        got, fault = attempt(function, ours)
        if refused is None and want is not None and not isinstance(want, tuple) and want.numel() and \
                want.storage().data_ptr() != real.storage().data_ptr():
            if fault is None:
                fail(history, "torch copies, the stand-in does not")
            return
        if (refused is None) != (fault is None):
            fail(history, "torch: %r; stand-in: %r" % (refused or tuple(getattr(want, "shape", ())), fault or got))
        if refused is not None:
            if not isinstance(fault, (IndexError, ValueError, TypeError, RuntimeError)):
                fail(history, "%r for %r" % (fault, refused))
            return
        what = differ(want, got)
        if what:
            fail(history, what)
        if isinstance(want, tuple):
            if not want:
                return
            at = rng.randrange(len(want))
            want, got = want[at], got[at]
        real, ours = want, got


def as_view(base, view):
    storage, name, offset, shape = view[:4]
    strides = view[4] if len(view) > 4 else st.row_major(tuple(shape))
    return torch.as_strided(base[storage], shape, strides, offset)


def write():
    """A host copy or fill: replaying what was recorded must change the bytes as torch does."""
    global plan
    out = Collected()
    plan = Plan(out, 1)
    first = rng.choice(("float32", "int32", "uint8", "float64", "bool", "int64", "float16"))
    dst_shape, src_shape = some_shape(), some_shape()
    real, ours = pair(dst_shape, first)
    other, theirs = pair(src_shape, rng.choice(("float32", "int32", "int64")))
    key, from_key = some_key(), some_key()
    if not dst_shape and any(isinstance(part, slice) for part in (key if isinstance(key, tuple) else (key,))):
        return  # torch ignores a slice of a tensor without axes when it writes; the stand-in refuses it
    number = rng.choice((0, 1, -1, 2.75, -3.5, True, 200, 70000, float("inf"), float("nan")))
    before = [real.clone().flatten(), other.clone().flatten()]
    kind = rng.randrange(5)

    def change(t, u):
        if kind == 0:
            t[key] = u[from_key]
        elif kind == 1:
            t[key] = number
        elif kind == 2:
            t[key].copy_(u[from_key])
        elif kind == 3:
            t[key].fill_(number)
        else:
            t[key] = u.expand(2, *u.shape)[from_key]

    _, refused = attempt(lambda _: change(real, other), None)
    _, fault = attempt(lambda _: change(ours, theirs), None)
    history = ["%s %s <- %s %s, %r, kind %d" % (first, dst_shape, src_shape, key, number, kind), repr(from_key)]
    if (refused is None) != (fault is None):
        fail(history, "torch: %r; stand-in: %r" % (refused, fault))
    if refused is not None:
        return
    for line in out.lines:
        record = json.loads(line)
        if "copy" in record:
            dst = as_view(before, record["dst"])
            if "src" in record:
                source = as_view(before, record["src"])
                if source.shape != dst.shape:
                    fail(history, "src has another shape than dst: %s" % line)
                dst.copy_(source)
            else:
                dst.fill_(float(record["fill"]) if first in ("float32", "float64", "float16") else record["fill"])
    if not torch.equal(before[0].nan_to_num(7.5) if first.startswith("float") else before[0],
                       real.flatten().nan_to_num(7.5) if first.startswith("float") else real.flatten()):
        fail(history, "contents: %s != %s" % (before[0].tolist(), real.flatten().tolist()))


rounds = int(sys.argv[1])
for number in range(rounds):
    plan = Plan(Collected(), 1)
    chain()
    write()
print("%d chains of views and %d host writes as in torch %s (seed %d)" % (rounds, rounds, torch.__version__, seed))
PYTHON

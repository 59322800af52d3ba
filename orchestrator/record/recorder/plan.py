"""The plan stream being printed (docs/formats.md, "Plan stream").

Lines are put together by hand and written in large blocks: a recording of a
million dispatches takes no more memory than one of ten. Storages are printed
when something first uses them; what nothing uses is not in the plan.
"""

import os

from recorder import dtypes
from recorder import strides as st
from recorder.faults import RuntimeFault, TypeFault, ValueFault, too_many, user_line
from recorder.storage import Storage
from recorder.tensor import Tensor

BLOCK = 1 << 16
EXACT = 1 << 53
MAX_DIMS = 16
MAX_NOTES = 50
MAX_NODES = 20000000
LARGEST = {"fp16": 65504.0, "fp32": 3.4028234663852886e38, "bfloat16": 3.3895313892515355e38}


class Quote:
    """JSON strings without importing json: for names, of which a plan has few."""

    cache = {}

    @classmethod
    def of(cls, text):
        got = cls.cache.get(text)
        if got is None:
            import json

            got = cls.cache[text] = json.dumps(text, ensure_ascii=False)
        return got


quote = Quote.of


def number(value):
    """An integer as the stream has it: a string from 2^53 on."""
    return str(value) if -EXACT < value < EXACT else '"%d"' % value


class Output:
    """Blocks of lines to a file descriptor, or (`fd` None) to nowhere but with signs of life to `alive_fd`."""

    def __init__(self, fd, alive_fd):
        self.fd = fd
        self.alive_fd = alive_fd
        self.parts = []
        self.size = 0

    def write(self, line):
        self.parts.append(line)
        self.size += len(line)
        if self.size >= BLOCK:
            self.flush()

    def flush(self):
        if self.fd is None:
            data, fd = b'{"alive":1}\n', self.alive_fd
        else:
            data, fd = "".join(self.parts).encode("utf-8", "replace"), self.fd
        self.parts = []
        self.size = 0
        while data:
            data = data[os.write(fd, data):]


class Plan:
    """One recording: what was printed so far, and the counts that ids come from."""

    def __init__(self, output, world_size, max_nodes=MAX_NODES):
        self.output = output
        self.max_nodes = max_nodes
        self.write = output.write
        self.world_size = world_size
        self.nodes = self.storages = self.domains = self.groups = 0
        self.per_card = [0] * world_size
        self.dealt = 0  # dispatches that named no card
        self.used = set()
        self.notes = set()

    def begin(self):
        self.write('{"plan":1,"world_size":%d}\n' % self.world_size)

    def end(self):
        self.write('{"end":%d}\n' % self.nodes)
        self.output.flush()

    def note(self, text):
        self.write('{"note":%s}\n' % quote(text))

    def note_once(self, text):
        """A note about the running line of host_orch.py, once for each line and text."""
        text = "host_orch.py:%d: %s" % (user_line(2), text)
        if text not in self.notes and len(self.notes) <= MAX_NOTES:
            self.notes.add(text)
            self.note(text if len(self.notes) <= MAX_NOTES else "further notes on host_orch.py are left out")

    # -- tensors

    def storage(self, storage):
        """The id of a storage, which is printed on first use."""
        if storage.sid < 0:
            storage.sid = self.storages
            self.storages += 1
            name = storage.name or "line %d" % storage.line
            self.write('{"storage":%d,"name":%s,"kind":"temp","dtype":%s,"shape":%s,"fill":%s}\n'
                       % (storage.sid, quote(name), storage.dtype.quoted, list(storage.shape), storage.fill))
        return storage.sid

    def parameter(self, name, dt, shape, direction):
        storage = Storage(self, "param", name, dt, shape)
        storage.sid = self.storages
        self.storages += 1
        self.write('{"storage":%d,"name":%s,"kind":"param","dtype":%s,"shape":%s,"direction":%s}\n'
                   % (storage.sid, quote(name), dt.quoted, list(shape), quote(direction)))
        return storage

    def new_tensor(self, shape, dt, fill):
        """A tensor that host_orch.py makes; every element starts as `fill`."""
        shape = tuple(int(size) for size in shape)
        for size in shape:
            if size < 0:
                raise RuntimeFault("Trying to create tensor with negative dimension %d: %s" % (size, list(shape)))
        storage = Storage(self, "temp", "", dt, shape)
        storage.fill = self.element(fill, dt)
        storage.line = user_line(2)
        return Tensor(storage, dt, 0, shape, st.row_major(shape))

    def element(self, value, dt):
        """The number as text that an element of type `dt` becomes when it is given `value`."""
        if isinstance(value, bool):
            value = int(value)
        if not isinstance(value, (int, float)):
            raise TypeFault("an element cannot be set to %r" % (value,), "give a number")
        if dt.name == "bool":
            return "1" if value else "0"
        if dt.is_floating_point:
            value = float(value)
            if value != value or value in (float("inf"), float("-inf")):
                return '"%s"' % value
            if abs(value) > LARGEST.get(dt.name, abs(value)):
                raise RuntimeFault("value %r cannot be converted to type %s without overflow" % (value, dt.name))
            return repr(value)
        if value != value or value in (float("inf"), float("-inf")):
            raise RuntimeFault("value %s cannot be converted to type %s without overflow" % (value, dt.name))
        low, high = dtypes.integer_range(dt)
        whole = int(value)
        wraps = low == 0 and isinstance(value, int) and -high <= whole < 0
        if not low <= value <= high and not wraps:
            raise RuntimeFault("value %d cannot be converted to type %s without overflow" % (whole, dt.name))
        whole = whole if whole >= 0 or low else whole + high + 1
        if abs(whole) > EXACT:
            raise ValueFault("the fill value %d has more than 53 bits, which a plan does not hold exactly" % whole,
                             "let a kernel or a sub-worker write it")
        return str(whole)

    # -- nodes

    def view(self, tensor):
        """VIEW without its brackets."""
        shape = tensor._shape
        if len(shape) > MAX_DIMS:
            raise RuntimeFault("%s has %d dimensions; a plan holds at most %d"
                               % (tensor._described(), len(shape), MAX_DIMS))
        text = "%d,%s,%d,%s" % (self.storage(tensor._storage), tensor.dtype.quoted, tensor._offset, list(shape))
        return text if st.is_contiguous(shape, tensor._strides) else "%s,%s" % (text, list(tensor._strides))

    def _host_write(self, dst, rest):
        if st.overlaps_itself(dst._shape, dst._strides):
            raise RuntimeFault("unsupported operation: more than one element of the written-to tensor refers to a "
                               "single memory location (%s)" % dst._described())
        if 0 not in dst._shape:
            line = '"line":%d,"dst":[%s],%s}\n' % (user_line(2), self.view(dst), rest)
            self.write('{"copy":%d,%s' % (self.node(), line))

    def copy(self, dst, src):
        self._host_write(dst, '"src":[%s]' % self.view(src) if 0 not in src._shape else "")

    def fill(self, dst, value):
        self._host_write(dst, '"fill":%s' % self.element(value, dst.dtype))

    def node(self):
        node = self.nodes
        if node >= self.max_nodes:
            raise too_many(self.max_nodes)
        self.nodes = node + 1
        return node

    def dispatch(self, program, args, card, counted, group=None):
        """One submission of a program to a card; `args` is the TaskArgs."""
        if card == -1:
            raise ValueFault("dispatch of '%s' to card -1, which meant any free one" % program.name,
                             "compilers wrote that until July 2026: compile the program again with a newer one")
        if not 0 <= card < self.world_size:
            raise ValueFault("dispatch of '%s' to card %d, but this replay has %d card%s (0..%d)"
                             % (program.name, card, self.world_size, "" if self.world_size == 1 else "s",
                                self.world_size - 1),
                             "give as many devices as host_orch.py uses cards: --device-ids")
        tensors, scalars = args._stream(program.name, card)
        if args._refused is not None:
            self.note_once("the scalar %r is passed as the bits of %s; the Python replay refuses it"
                           % (args._refused, "a float32" if isinstance(args._refused, float) else "an int64"))
        extra = ""
        if counted:
            extra = ',"k":%d' % self.per_card[card]
            self.per_card[card] += 1
        if group is not None:
            extra += ',"group":%d' % group
        self.used.add(program.name)
        node = self.nodes
        if node >= self.max_nodes:
            raise too_many(self.max_nodes)
        self.nodes = node + 1
        self.write('{"dispatch":%d,"program":%s,"card":%d%s,"line":%d,"args":[%s],"scalars":[%s]}\n'
                   % (node, program.quoted, card, extra, user_line(3), tensors, scalars))

    def sub(self, worker, args):
        tensors, scalars = args._stream(worker.name, None)
        self.write('{"sub":%d,"name":%s,"line":%d,"args":[%s],"scalars":[%s]}\n'
                   % (self.node(), worker.quoted, user_line(3), tensors, scalars))

    # -- domains

    def domain(self, name, workers, window, buffers):
        """Print a domain; returns its id and the id of its first window."""
        ident, first = self.domains, self.storages
        self.domains += 1
        self.storages += len(workers)
        placed = ",".join('{"name":%s,"offset":%d,"nbytes":%d}' % (quote(b), at, size) for b, at, size in buffers)
        self.write('{"domain":%d,"name":%s,"workers":%s,"window":%d,"buffers":[%s]}\n'
                   % (ident, quote(name), list(workers), window, placed))
        return ident, first

    def end_domain(self, ident):
        self.write('{"end_domain":%d}\n' % ident)

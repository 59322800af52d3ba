"""Stand-ins for the orchestrator and its comm domains, and for _submit_chip."""

from operator import index

from recorder import strides as st
from recorder.dtypes import from_datatype
from recorder.faults import AttributeFault, KeyFault, RuntimeFault, TypeFault, ValueFault, user_line
from recorder.plan import quote
from recorder.task import Address, CallConfig, TaskArgs, Wire, check_wire
from recorder.storage import Storage, sizes_of

MAX_RANKS = 64


class Callable:
    """What callables[...] and sub_ids[...] hold."""

    __slots__ = ("name", "quoted", "is_sub")

    def __init__(self, name, is_sub):
        self.name = name
        self.quoted = quote(name)
        self.is_sub = is_sub

    def __repr__(self):
        return "<%s '%s'>" % ("sub-worker" if self.is_sub else "program", self.name)


class Names(dict):
    """A table of names; asking for another one says which there are."""

    def __init__(self, what, hint, items):
        dict.__init__(self, items)
        self.what = what
        self.hint = hint

    def __missing__(self, name):
        known = ", ".join(sorted(map(str, self))) or "none"
        raise KeyFault("host_orch.py names %s '%s', which does not exist; there are: %s" % (self.what, name, known),
                       self.hint)


class Buffer:
    """Bytes with a name: a part of a window (domain set), or what orch.alloc() made."""

    shared = True

    def __init__(self, name, nbytes, storage, offset, domain=None, card=None):
        self.name = name
        self.nbytes = nbytes
        self._storage = storage
        self._offset = offset
        self._domain = domain
        self._card = card

    @property
    def base(self):
        if self._domain is None:
            raise AttributeFault("the address of %s is not known while host_orch.py is recorded" % self.label())
        return Address("win", self._domain, self._card, self._offset)

    def label(self):
        return "buffer '%s'%s" % (self.name, " of domain '%s'" % self._domain.name if self._domain else "")

    def tensor(self, shapes, dtype, strides=None, byte_offset=0):
        dt = from_datatype(dtype)
        shape = sizes_of((shapes,))
        steps = st.row_major(shape) if strides is None else sizes_of((strides,))
        source = "%s as %s" % (self.label(), list(shape))
        if any(size < 0 for size in shape) or len(steps) != len(shape) or any(step <= 0 for step in steps):
            raise ValueFault("%s with strides %s: sizes must not be negative and strides must be positive"
                             % (source, list(steps)))
        check_wire(shape, dt, lambda: source)
        start = self._offset + index(byte_offset)
        if byte_offset < 0 or start % dt.itemsize:
            raise ValueFault("%s starts at byte %d of its window, which is not a multiple of %d, the size of %s"
                             % (source, start, dt.itemsize, dt.name), "align the buffers' nbytes")
        extent = (sum((size - 1) * step for size, step in zip(shape, steps)) + 1) * dt.itemsize
        if byte_offset + extent > self.nbytes:
            raise ValueFault("%s of %s takes %d bytes from byte %d on; the buffer has %d"
                             % (source, dt.name, extent, byte_offset, self.nbytes), "make the buffer's nbytes larger")
        return self._wire(shape, steps, dt, start // dt.itemsize)

    def _wire(self, shape, steps, dt, offset):
        wire = Wire()
        view = "" if st.is_contiguous(shape, steps) else ",%s" % list(steps)
        wire.body = "%d,%s,%d,%s%s]" % (self._storage.plan.storage(self._storage), dt.quoted, offset, list(shape), view)
        wire.domain = self._domain
        wire.card = self._card
        wire.source = self
        wire.shapes = shape
        wire.strides = steps
        wire.dtype = dt
        return wire


class CommBufferSpec:
    def __init__(self, name, dtype, count, nbytes, load_from_host=False, store_to_host=False):
        self.name = name
        self.dtype = dtype
        self.count = count
        self.nbytes = nbytes
        self.load_from_host = load_from_host
        self.store_to_host = store_to_host


class ChipDomainContext:
    """A domain as one card sees it."""

    def __init__(self, domain, card, rank, buffers):
        self.name = domain.name
        self.domain_rank = rank
        self.domain_size = len(domain.workers)
        self.device_ctx = Address("ctx", domain, card)
        self.local_window_base = Address("win", domain, card)
        self.actual_window_size = domain.window_size
        self.buffers = buffers


class CommDomainHandle:
    """What allocate_domain returns: contexts by card, released at the end of the with-block."""

    freed = False

    def __init__(self, plan, name, workers, window_size, specs):
        self.plan = plan
        self.name = name
        self.workers = workers
        self.window_size = window_size
        self.released = False
        placed = []
        at = 0
        for spec in specs:
            placed.append((spec.name, at, int(spec.nbytes)))
            at += int(spec.nbytes)
        self.ident, first = plan.domain(name, workers, window_size, placed)
        self.allocation_id = self.ident
        self.contexts = {}
        for rank, card in enumerate(workers):
            storage = Storage(plan, "window", "%s[%d]" % (name, card), from_datatype(5), (window_size,))
            storage.sid = first + rank
            buffers = Names("the buffer", "check the names of the CommBufferSpecs",
                            [(b, Buffer(b, size, storage, start, self, card)) for b, start, size in placed])
            self.contexts[card] = ChipDomainContext(self, card, rank, buffers)

    def __getitem__(self, card):
        if self.released:
            raise RuntimeFault("domain '%s' is used after its with-block ended" % self.name,
                               "move the use into the with-block")
        context = self.contexts.get(card)
        if context is None:
            raise KeyFault("card %s is not in domain '%s' (its workers: %s)" % (card, self.name, list(self.workers)),
                           "a domain is indexed by card; add the card to workers=, or leave it out of the loop")
        return context

    def release(self):
        if not self.released:
            self.released = True
            self.plan.live.discard(self.name)
            self.plan.end_domain(self.ident)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.release()

    def __repr__(self):
        return "CommDomainHandle(name=%r, workers=%s)" % (self.name, self.workers)


def whole(value, what):
    try:
        return index(value)
    except TypeError:
        raise TypeFault("allocate_domain: %s must be an integer, not %r" % (what, value)) from None


class Worker:
    """orch._worker: passed to make_tensor_arg and to nothing else."""

    def __getattr__(self, name):
        raise AttributeFault("orch._worker.%s is not there while host_orch.py is recorded: no runtime runs" % name)


class Orchestrator:
    def __init__(self, plan):
        plan.live = set()
        self._plan = plan
        self._worker = Worker()
        self._pypto_chip_count = plan.world_size

    # -- submissions

    def submit_next_level(self, callable_handle, args, config=None, *, worker):
        submit(self._plan, callable_handle, args, worker, False)

    def submit_next_level_group(self, callable_handle, args_list, config=None, *, workers):
        plan = self._plan
        cards = [card_of(worker) for worker in workers]
        if len(cards) != len(args_list):
            raise ValueFault("submit_next_level_group: %d workers for %d TaskArgs" % (len(cards), len(args_list)))
        if len(set(cards)) != len(cards):
            raise ValueFault("submit_next_level_group: a card is listed twice in workers=%s" % cards)
        group = plan.groups
        plan.groups += 1
        for args, card in zip(args_list, cards):
            submit(plan, callable_handle, args, card, False, group)

    def submit_sub(self, callable_handle, args=None):
        if type(callable_handle) is not Callable or not callable_handle.is_sub:
            raise TypeFault("submit_sub takes sub_ids[...], not %r" % (callable_handle,))
        if args is None:
            args = TaskArgs()
        if not isinstance(args, TaskArgs):
            raise TypeFault("submit_sub takes TaskArgs, not %s" % type(args).__name__)
        self._plan.sub(callable_handle, args)

    def submit_sub_group(self, callable_handle, args_list):
        for args in args_list:
            self.submit_sub(callable_handle, args)

    # -- domains and memory

    def allocate_domain(self, *, name, workers, window_size, buffers=()):
        name = str(name)
        plan = self._plan
        cards = tuple(whole(worker, "a worker") for worker in workers)
        window = whole(window_size, "window_size")
        specs = list(buffers)
        if not cards:
            raise ValueFault("domain '%s' has no workers" % name)
        if len(cards) > MAX_RANKS:
            raise ValueFault("domain '%s' has %d members; a domain holds at most %d" % (name, len(cards), MAX_RANKS))
        if len(set(cards)) != len(cards):
            raise ValueFault("domain '%s' lists a card twice: workers=%s" % (name, list(cards)))
        for card in cards:
            if not 0 <= card < plan.world_size:
                raise ValueFault("domain '%s' has card %d among its workers, but this replay has %d card%s"
                                 % (name, card, plan.world_size, "" if plan.world_size == 1 else "s"),
                                 "give as many devices as host_orch.py uses cards: --device-ids")
        if window <= 0:
            raise ValueFault("domain '%s' has a window of %d bytes; it must be positive" % (name, window))
        self._check_buffers(name, window, specs)
        if name in plan.live:
            raise ValueFault("domain '%s' is allocated again inside its own with-block" % name)
        plan.live.add(name)
        return CommDomainHandle(plan, name, cards, window, specs)

    @staticmethod
    def _check_buffers(name, window, specs):
        seen = set()
        total = 0
        for spec in specs:
            if not isinstance(spec, CommBufferSpec):
                raise TypeFault("domain '%s': buffers= takes CommBufferSpec, not %s" % (name, type(spec).__name__))
            if spec.name in seen:
                raise ValueFault("domain '%s' has two buffers named '%s'" % (name, spec.name))
            seen.add(spec.name)
            if whole(spec.nbytes, "nbytes of buffer '%s'" % spec.name) < 0:
                raise ValueFault("domain '%s': buffer '%s' has %d bytes" % (name, spec.name, spec.nbytes))
            total += spec.nbytes
        if total > window:
            raise ValueFault("the buffers of domain '%s' take %d bytes, its window has %d" % (name, total, window),
                             "make window_size at least the sum of the buffers' nbytes")

    def release_domain(self, handle):
        handle.release()

    def alloc(self, shape, dtype):
        shape = tuple(index(n) for n in shape)
        storage = self._plan.new_tensor(shape, from_datatype(dtype), 0)._storage
        storage.shared = True
        return Buffer("line %d" % user_line(2), storage.nbytes, storage, 0)

    # -- scopes order nothing here: the plan's edges come from the views

    def scope(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def scope_begin(self):
        pass

    scope_end = scope_begin

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeFault("orch.%s is not something that a replay can record" % name,
                             "host_orch.py may submit programs and sub-workers, allocate domains and copy tensors")


def card_of(worker):
    if type(worker) is int:
        return worker
    if isinstance(worker, bool):
        raise TypeFault("worker=%r: a card is an integer" % worker)
    try:
        return index(worker)
    except TypeError:
        raise TypeFault("worker=%r: a card is an integer" % (worker,)) from None


def submit(plan, program, args, worker, counted, group=None):
    if type(program) is not Callable or program.is_sub:
        raise TypeFault("a dispatch takes callables[...], not %r" % (program,))
    if not isinstance(args, TaskArgs):
        raise TypeFault("a dispatch takes TaskArgs, not %s" % type(args).__name__)
    plan.dispatch(program, args, card_of(worker), counted, group)


def submit_chip(orch, callable_id, task_args, config, worker):
    """_submit_chip: a dispatch that names no card (None) goes to the next one in turn."""
    if not isinstance(orch, Orchestrator):
        raise TypeFault("_submit_chip takes orch first, not %s" % type(orch).__name__)
    plan = orch._plan
    if worker is None:
        worker = plan.dealt % plan.world_size
        plan.dealt += 1
    submit(plan, callable_id, task_args, worker, True)


def make_config(aicpu_thread_num):
    config = CallConfig()
    config.aicpu_thread_num = aicpu_thread_num
    return config

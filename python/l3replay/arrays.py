"""Live arrays as .npy files and back. torch tensors and numpy arrays are known by their methods, other objects by the buffer
protocol; nothing of theirs is imported."""

import ctypes
import pathlib
import struct

# Names of torch's and numpy's types, and what stands for them in a .npy file. Types that numpy lacks are their bits.
_DESCR = {
    "float64": "<f8", "float32": "<f4", "float16": "<f2", "bfloat16": "<u2",
    "int64": "<i8", "int32": "<i4", "int16": "<i2", "int8": "|i1",
    "uint64": "<u8", "uint32": "<u4", "uint16": "<u2", "uint8": "|u1", "bool": "|b1",
    "float8_e4m3fn": "|u1", "float8_e8m0fnu": "|u1",
}
# struct's letters, for objects of the buffer protocol.
_FORMAT = {"d": "<f8", "f": "<f4", "e": "<f2", "q": "<i8", "l": "<i8", "i": "<i4", "h": "<i2", "b": "|i1",
           "Q": "<u8", "L": "<u8", "I": "<u4", "H": "<u2", "B": "|u1", "?": "|b1"}
_MAGIC = b"\x93NUMPY\x01\x00"


def is_array(value):
    """Whether it is a tensor rather than a scalar."""
    if hasattr(value, "data_ptr"):
        return True
    try:
        with memoryview(value) as view:
            return view.ndim > 0
    except TypeError:
        return False


def scalar_of(value):
    """A number as the text of --scalar: of Python, ctypes, numpy or a tensor of one element."""
    if isinstance(value, ctypes._SimpleCData):
        value = value.value
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, (int, float)):
        raise TypeError(f"a scalar is a number, not {type(value).__name__}")
    return repr(value)


class _Torch:
    """A tensor on the host; one that is not contiguous passes through a copy."""

    def __init__(self, tensor):
        if tensor.device.type != "cpu":
            raise TypeError(f"tensors are read on the host; this one is on {tensor.device}")
        name = str(tensor.dtype).rpartition(".")[2]
        if name not in _DESCR:
            raise TypeError(f"tensors of {tensor.dtype} cannot be passed")
        self._tensor = tensor
        self._flat = tensor.detach().contiguous()
        self.descr, self.shape = _DESCR[name], tuple(tensor.shape)

    def view(self):
        nbytes = self._flat.numel() * self._flat.element_size()
        if nbytes == 0:
            return memoryview(b"")
        return memoryview((ctypes.c_char * nbytes).from_address(self._flat.data_ptr())).cast("B")

    def settle(self):
        if self._flat.data_ptr() != self._tensor.data_ptr():
            self._tensor.detach().copy_(self._flat)


class _Buffer:
    """numpy arrays, memoryviews, array.array, ctypes arrays."""

    def __init__(self, value):
        view = memoryview(value)
        name = str(getattr(value, "dtype", ""))
        letter = view.format.lstrip("@=<")
        if view.format.startswith((">", "!")) or (name not in _DESCR and letter not in _FORMAT):
            raise TypeError(f"arrays of {name or view.format} cannot be passed")
        self._value, self._view = value, view
        self.descr = _DESCR.get(name) or _sized(letter, view.itemsize)
        self.shape = view.shape
        self._copy = None

    def view(self):
        if self._view.c_contiguous:
            return self._view.cast("B") if self._view.nbytes else memoryview(b"")
        if self._copy is None:
            self._copy = bytearray(self._view.tobytes())
        return memoryview(self._copy)

    def settle(self):
        if self._copy is not None:  # not contiguous: numpy alone has such
            other = type(self._value)(self.shape, dtype=self._value.dtype, buffer=self._copy)
            self._value[...] = other


def _sized(letter, size):
    descr = _FORMAT[letter]
    return descr[:2] + str(size)


def wrap(value):
    """An object with `descr`, `shape`, view() of its bytes in C order, and settle() after they were written."""
    return _Torch(value) if hasattr(value, "data_ptr") else _Buffer(value)


def save(path, array):
    """Write a wrapped array as a .npy file."""
    shape = "(" + "".join(f"{n}, " for n in array.shape) + ")"
    header = f"{{'descr': '{array.descr}', 'fortran_order': False, 'shape': {shape}, }}"
    pad = -(len(_MAGIC) + 2 + len(header) + 1) % 64
    header = (header + " " * pad + "\n").encode()
    with open(path, "wb") as file:
        file.write(_MAGIC + struct.pack("<H", len(header)) + header)
        file.write(array.view())


def load_into(path, array):
    """Write the elements of a .npy file, which has the array's shape and type, into the array."""
    data = pathlib.Path(path).read_bytes()
    if data[:6] != _MAGIC[:6]:
        raise ValueError(f"{path} is no .npy file")
    size, = struct.unpack_from("<H" if data[6] == 1 else "<I", data, 8)
    begin = 8 + (2 if data[6] == 1 else 4) + size
    view = array.view()
    if view.readonly and view.nbytes:
        raise ValueError("an output cannot be written: its array is read-only")
    if len(data) - begin != view.nbytes:
        raise ValueError(f"{path} has {len(data) - begin} bytes of elements, the array has {view.nbytes}")
    view[:] = data[begin:]
    array.settle()

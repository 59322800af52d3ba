"""Element types under their three names, as torch.dtype and as simpler's DataType.

Table: docs/formats.md, "Element types".
"""

from recorder.faults import TypeFault


class dtype:
    """torch.dtype: `name` is the plan stream's, `size` bytes in host memory (sub-byte types take one)."""

    __slots__ = ("torch_name", "name", "itemsize", "is_floating_point", "quoted")

    is_complex = False
    is_signed = True

    def __init__(self, torch_name, name, itemsize, is_floating_point):
        self.torch_name = torch_name
        self.name = name
        self.itemsize = itemsize
        self.is_floating_point = is_floating_point
        self.quoted = '"' + name + '"'

    def __repr__(self):
        return "torch." + self.torch_name

    def __reduce__(self):
        return self.torch_name


class NamedMeta(type):
    def __iter__(cls):
        return iter(cls.__members__.values())

    def __len__(cls):
        return len(cls.__members__)

    def __getitem__(cls, name):
        return cls.__members__[name]

    def __call__(cls, value):
        if type(value) is cls:
            return value
        for member in cls.__members__.values():
            if member.value == value:
                return member
        raise ValueError("%r is not a valid %s" % (value, cls.__name__))


class Named(metaclass=NamedMeta):
    """An enumeration whose members are plain class attributes: a generated file names one for every tensor."""

    __slots__ = ("name", "value", "text")
    __members__ = {}

    def __repr__(self):
        return "%s.%s" % (type(self).__name__, self.name)

    def __int__(self):
        return self.value

    __index__ = __int__


def members(cls, names, texts=None):
    """Give `cls` one member for each name, numbered from 0."""
    cls.__members__ = {}
    for value, name in enumerate(names):
        member = object.__new__(cls)
        member.name = name
        member.value = value
        member.text = texts[value] if texts else name
        cls.__members__[name] = member
        setattr(cls, name, member)


class DataType(Named):
    """simpler.task_interface.DataType; `text` is the dtype it stands for."""

    __slots__ = ()


class TensorArgType(Named):
    """simpler.task_interface.TensorArgType; `text` opens a VIEWARG of the plan stream."""

    __slots__ = ()


class ArgDirection(Named):
    __slots__ = ()


# torch name, metadata name, runtime name, bytes, floating point; in the runtime's order
_TABLE = (
    ("float32", "fp32", "FLOAT32", 4, True),
    ("float16", "fp16", "FLOAT16", 2, True),
    ("int32", "int32", "INT32", 4, False),
    ("int16", "int16", "INT16", 2, False),
    ("int8", "int8", "INT8", 1, False),
    ("uint8", "uint8", "UINT8", 1, False),
    ("bfloat16", "bfloat16", "BFLOAT16", 2, True),
    ("int64", "int64", "INT64", 8, False),
    ("uint64", "uint64", "UINT64", 8, False),
    ("uint16", "uint16", "UINT16", 2, False),
    ("uint32", "uint32", "UINT32", 4, False),
    ("bool", "bool", "BOOL", 1, False),
    ("float8_e4m3fn", "fp8e4m3fn", "FP8E4M3FN", 1, True),
    ("float8_e8m0fnu", "fp8e8m0", "FP8E8M0", 1, True),
    ("float4_e2m1fn_x2", "fp4", "FP4E2M1", 1, True),
)

BY_TORCH = {}
BY_NAME = {}
for _row in _TABLE:
    _dtype = dtype(_row[0], _row[1], _row[3], _row[4])
    BY_TORCH[_row[0]] = BY_NAME[_row[1]] = _dtype
members(DataType, [row[2] for row in _TABLE], [BY_TORCH[row[0]] for row in _TABLE])
FLOAT64 = BY_TORCH["float64"] = BY_NAME["fp64"] = dtype("float64", "fp64", 8, True)
BY_NAME["index"] = BY_NAME["int64"]
for _alias, _name in (("float", "float32"), ("half", "float16"), ("double", "float64"), ("short", "int16"),
                      ("int", "int32"), ("long", "int64")):
    BY_TORCH[_alias] = BY_TORCH[_name]

_TAGS = ("in", "out", "inout", "out_existing", "no_dep")
members(TensorArgType, ("INPUT", "OUTPUT", "INOUT", "OUTPUT_EXISTING", "NO_DEP"), ['["%s",' % t for t in _TAGS])
members(ArgDirection, ("SCALAR", "IN", "OUT", "INOUT"), ("scalar", "in", "out", "inout"))

UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
_BITS = {"int8": 7, "int16": 15, "int32": 31, "int64": 63, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}


def integer_range(dt):
    """Smallest and largest value of an integer type, else None."""
    bits = _BITS.get(dt.name)
    if bits is None:
        return None
    return (0 if dt.name in UNSIGNED else -(1 << bits), (1 << bits) - 1)


def from_datatype(value):
    """The dtype that a DataType, or its number, stands for."""
    if type(value) is DataType:
        return value.text
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(DataType):
        return DataType(value).text
    raise TypeFault("dtype=%r is not a DataType" % (value,), "pass DataType.FLOAT32 or another name of DataType")

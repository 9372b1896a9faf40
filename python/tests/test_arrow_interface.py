"""The structs of Arrow's C data interface, by hand: what is wrong is found before it is used.

The interface does not say how large a buffer is. So the numbers here are either within the buffers,
or such as no buffer can have.
"""

import ctypes
import hashlib
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_void_p
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import broadloom.arrow


class Schema(ctypes.Structure):
    """ArrowSchema."""


class Array(ctypes.Structure):
    """ArrowArray."""


Release = ctypes.CFUNCTYPE(None, c_void_p)
Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_char_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))),
    ("dictionary", POINTER(Schema)),
    ("release", Release),
    ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(Array))),
    ("dictionary", POINTER(Array)),
    ("release", Release),
    ("private_data", c_void_p),
]
capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype = ctypes.py_object
capsule.argtypes = [c_void_p, c_char_p, c_void_p]


@Release
def release(_: Any) -> None:
    """Does nothing: the memory is this process's until it ends its test."""


class Exported:
    """An array of a library that makes mistakes."""

    #: What must live as long.
    _inner: Any = None

    def __init__(self, format: bytes, buffers: list[bytes | None], **numbers: int) -> None:
        held = ctypes.create_string_buffer
        self._held = [None if b is None else held(b, len(b)) for b in buffers]
        pointers = [None if b is None else ctypes.addressof(b) for b in self._held]
        # One more, so that a number that is one too large reads no memory of others.
        self._buffers = (c_void_p * (len(pointers) + 1))(*pointers)
        self.schema = Schema(format=format, name=b"column", flags=2, release=release)
        self.array = Array(
            n_buffers=len(buffers),
            buffers=ctypes.cast(self._buffers, POINTER(c_void_p)),
            release=release,
        )
        for name, number in numbers.items():
            setattr(self.array, name, number)

    def in_a_table(self, **numbers: int) -> "Exported":
        """A table whose one column is this array."""
        table = Exported(b"+s", [None], n_children=1, **{"length": self.array.length, **numbers})
        table.schema.n_children = 1
        schemas = (POINTER(Schema) * 1)(ctypes.pointer(self.schema))
        arrays = (POINTER(Array) * 1)(ctypes.pointer(self.array))
        table.schema.children, table.array.children = schemas, arrays
        table._inner = (self, schemas, arrays)
        return table

    def of_keys(self, keys: list[int], **numbers: int) -> "Exported":
        """A dictionary whose values are this array."""
        packed = bytes((c_int32 * len(keys))(*keys))
        outer = Exported(b"i", [None, packed], **{"length": len(keys), **numbers})
        outer._inner = self
        outer.schema.dictionary = ctypes.pointer(self.schema)
        outer.array.dictionary = ctypes.pointer(self.array)
        return outer

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        # What is exported is moved, and marked as released where it was.
        self._moved = (Schema(), Array())
        ctypes.memmove(byref(self._moved[0]), byref(self.schema), ctypes.sizeof(Schema))
        ctypes.memmove(byref(self._moved[1]), byref(self.array), ctypes.sizeof(Array))
        schema, array = map(ctypes.addressof, self._moved)
        return capsule(schema, b"arrow_schema", None), capsule(array, b"arrow_array", None)


REFUSALS = (ValueError, TypeError, MemoryError)
#: Numbers that no array has.
WILD = [-1, -7, -(1 << 63), (1 << 63) - 1, 1 << 60]
numbers = st.integers(0, 6) | st.sampled_from(WILD)
KINDS = {b"z": c_int32, b"u": c_int32, b"Z": c_int64, b"U": c_int64}
VALUES = bytes(range(97, 97 + 26)) * 4


def offsets_of(kind: bytes, offsets: list[int]) -> bytes:
    return bytes((KINDS[kind] * len(offsets))(*offsets))


ascending = st.lists(st.integers(0, 100), min_size=13, max_size=13).map(sorted)
changed = st.none() | st.tuples(
    st.integers(0, 12), st.sampled_from([-1, 101, -(1 << 31), (1 << 31) - 1]) | st.integers(0, 100)
)


@settings(deadline=None, max_examples=400)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    length=numbers,
    offset=numbers,
    null_count=st.sampled_from([0, -1]) | numbers,
    n_buffers=st.just(3) | st.integers(0, 4) | st.sampled_from(WILD),
    missing=st.sets(st.integers(1, 2)) | st.just(set()),
    nulls=st.none() | st.binary(min_size=2, max_size=2),
    offsets=ascending,
    change=changed,
    form=st.sampled_from(["array", "table", "dictionary"]),
)
def test_numbers_that_may_be_wrong(
    kind: bytes,
    length: int,
    offset: int,
    null_count: int,
    n_buffers: int,
    missing: set[int],
    nulls: bytes | None,
    offsets: list[int],
    change: tuple[int, int] | None,
    form: str,
) -> None:
    if change is not None:
        offsets = [*offsets]
        offsets[change[0]] = change[1]
    buffers = [nulls, offsets_of(kind, offsets), VALUES]
    buffers = [None if place in missing else held for place, held in enumerate(buffers)]
    array = Exported(
        kind, buffers, length=length, offset=offset, null_count=null_count, n_buffers=n_buffers
    )
    is_sane = length not in WILD and offset not in WILD and n_buffers == 3
    ends = offsets[offset : offset + length + 1] if is_sane else []
    # Where the last value ends is believed, since it stands for the length of the buffer.
    if is_sane and not 0 <= ends[-1] <= len(VALUES):
        is_sane = False
        if ends[-1] > 0:
            return
    is_sane = is_sane and ends == sorted(ends) and ends[0] >= 0
    is_empty = length == 0 and (offset == 0 or 1 not in missing)
    if is_sane and not is_empty:
        is_sane = 1 not in missing and (2 not in missing or ends[-1] == 0)
    valid = [
        nulls is None or bool(nulls[row // 8] >> row % 8 & 1)
        for row in (range(offset, offset + length) if is_sane else ())
    ]
    given_array = array
    if form == "table":
        given_array = array.in_a_table()
    elif form == "dictionary":
        keys = [*range(length)] if is_sane else [0]
        given_array = array.of_keys(keys)
    try:
        made = broadloom.arrow.sha256(given_array)
    except REFUSALS:
        # A count of nulls may be another one than that of the bits.
        is_right = is_sane and null_count in (-1, valid.count(False))
        assert not (is_right and (missing == set() or length > 0)), "it was right"
        return
    assert is_sane or length == 0, "it was wrong"
    if not is_sane:
        return
    if null_count not in (-1, valid.count(False)):
        assert len(made) == length
        return
    values = [VALUES[start:end] for start, end in zip(ends, ends[1:], strict=False)]
    expected = [
        hashlib.sha256(value).digest() if is_there else None
        for value, is_there in zip(values, valid, strict=True)
    ]
    assert pyarrow.array(made).to_pylist() == expected


@pytest.mark.parametrize(
    ("format", "kind"),
    [
        (b"i", TypeError),
        (b"g", TypeError),
        (b"+l", ValueError),
        (b"b", TypeError),
        (b"tdm", TypeError),
        (b"", ValueError),
        (b"zz", ValueError),
        (b"w:", ValueError),
        (b"w:-1", ValueError),
        (b"w:99999999999999999999", ValueError),
        (b"\xff", ValueError),
        (b"+ud:0,0", REFUSALS),
    ],
)
def test_types_that_are_wrong(format: bytes, kind: Any) -> None:
    buffers = [None, offsets_of(b"z", [0, 1, 2]), VALUES]
    with pytest.raises(kind):
        broadloom.arrow.sha256(Exported(format, buffers, length=2))


@pytest.mark.parametrize("rows", [1, 5, 26, *WILD])
@pytest.mark.parametrize("width", [0, 1, 4, (1 << 31) - 1])
def test_values_of_a_fixed_size(width: int, rows: int) -> None:
    array = Exported(b"w:%d" % width, [None, VALUES], length=rows)
    if rows in WILD:
        with pytest.raises(REFUSALS):
            broadloom.arrow.sha256(array)
    elif rows * width <= len(VALUES):
        digests = pyarrow.array(broadloom.arrow.sha256(array)).to_pylist()
        values = [VALUES[row * width : (row + 1) * width] for row in range(rows)]
        assert digests == [hashlib.sha256(value).digest() for value in values]


@given(st.lists(st.integers(-2, 4), max_size=6), numbers)
def test_keys_that_may_be_wrong(keys: list[int], length: int) -> None:
    values = Exported(b"z", [None, offsets_of(b"z", [0, 1, 3, 6]), VALUES], length=3)
    if len(keys) < length < 7:
        return
    try:
        made = broadloom.arrow.sha256(values.of_keys(keys, length=length))
    except REFUSALS:
        assert length in WILD or any(not 0 <= key < 3 for key in keys[:length])
        return
    parts = [b"a", b"bc", b"def"]
    expected = [hashlib.sha256(parts[key]).digest() for key in keys[:length]]
    assert pyarrow.array(made).to_pylist() == expected


@pytest.mark.parametrize("length", [3, 1000, *WILD])
def test_a_table_that_is_longer_than_its_column(length: int) -> None:
    column = Exported(b"z", [None, offsets_of(b"z", [0, 1, 2]), VALUES], length=2)
    with pytest.raises(REFUSALS):
        broadloom.arrow.sha256(column.in_a_table(length=length))


@pytest.mark.parametrize("count", [0, 2, *WILD])
def test_a_table_with_another_number_of_columns(count: int) -> None:
    column = Exported(b"z", [None, offsets_of(b"z", [0, 1, 2]), VALUES], length=2)
    with pytest.raises(REFUSALS):
        broadloom.arrow.sha256(column.in_a_table(n_children=count))


def test_capsules_that_are_wrong() -> None:
    right = Exported(b"z", [None, offsets_of(b"z", [0, 1, 2]), VALUES], length=2)

    class Wrong:
        def __init__(self, made: Any) -> None:
            self._made = made

        def __arrow_c_array__(self, requested_schema: object = None) -> Any:
            return self._made

    schema, array = right.__arrow_c_array__()
    for made in (None, (), (schema,), (array, schema), (schema, schema), (schema, 7), "ab"):
        with pytest.raises((TypeError, ValueError)):
            broadloom.arrow.sha256(Wrong(made))
    assert len(broadloom.arrow.sha256(Wrong((schema, array)))) == 2
    # It was moved out of the capsules.
    with pytest.raises((TypeError, ValueError)):
        broadloom.arrow.sha256(Wrong((schema, array)))


def test_a_type_of_too_many_levels() -> None:
    column = Exported(b"z", [None, offsets_of(b"z", [0, 1, 2]), VALUES], length=2)
    for _ in range(10_000):
        column = column.in_a_table()
    with pytest.raises(ValueError, match="more than 16 levels"):
        broadloom.arrow.sha256(column)


def test_a_schema_that_is_wrong() -> None:
    for change, words in (
        ({"name": b"\xff"}, "is not UTF-8"),
        ({"format": None}, "has no type"),
        ({"n_children": -1}, "-1 children"),
        ({"n_children": 1}, "1 children"),
        ({"format": b"+r"}, "0 children"),
    ):
        column = Exported(b"z", [None, offsets_of(b"z", [0, 1, 2]), VALUES], length=2)
        for name, value in change.items():
            setattr(column.schema, name, value)
        with pytest.raises(ValueError, match=words):
            broadloom.arrow.sha256(column)

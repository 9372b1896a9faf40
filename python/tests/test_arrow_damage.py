"""Arrow arrays that are wrong in themselves, as they may come from a file or a network.

Nothing beside an array's buffers is read: such an array is a ValueError.
"""

import hashlib
import struct
from typing import Any

import pandas
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import broadloom.arrow

#: Values whose offsets, lengths and views are numbers that appear nowhere else in a message.
LONG = [b"x" * 1001, b"y" * 1002]
NARROW = ["string", "binary"]
WIDE = ["large_string", "large_binary"]
VIEWS = ["string_view", "binary_view"]


def array_of(kind: str, values: list[Any] = LONG) -> pyarrow.Array:
    values = [v.decode() if "string" in kind and v is not None else v for v in values]
    return pyarrow.array(values, getattr(pyarrow, kind)())


def received(array: pyarrow.Array, old: bytes, new: bytes) -> pyarrow.RecordBatch:
    """A batch with the array, in whose message some bytes were changed on the way."""
    batch = pyarrow.record_batch({"column": array})
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    message = sink.getvalue().to_pybytes()
    assert old in message
    with pyarrow.ipc.open_stream(message.replace(old, new)) as stream:
        return stream.read_next_batch()


class Opaque:
    """An array of a library that Broadloom does not know."""

    def __init__(self, array: pyarrow.Array) -> None:
        self._array = array

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._array.__arrow_c_array__()


class OpaqueStream:
    """A stream of such a library."""

    def __init__(self, array: pyarrow.ChunkedArray) -> None:
        self._array = array

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._array.__arrow_c_stream__()


def refused(column: Any) -> None:
    with pytest.raises(ValueError):
        broadloom.arrow.sha256(column)
    with pytest.raises(ValueError):
        broadloom.arrow.encrypt_column(column, bytes(32))


def refused_from_a_reader(batch: pyarrow.RecordBatch) -> None:
    with pytest.raises(ValueError):
        broadloom.arrow.sha256(pyarrow.RecordBatchReader.from_batches(batch.schema, [batch]))


#: Offsets of two values of 1001 and 1002 bytes that point elsewhere.
WRONG = [(0, 90_000, 2003), (0, -1, 2003), (0, 2003, 1001), (1 << 30, 1001, 2003)]


@pytest.mark.parametrize("offsets", WRONG)
@pytest.mark.parametrize("kind", NARROW + WIDE)
def test_offsets_within_an_array(kind: str, offsets: tuple[int, ...]) -> None:
    code = "<3i" if kind in NARROW else "<3q"
    right, wrong = struct.pack(code, 0, 1001, 2003), struct.pack(code, *offsets)
    batch = received(array_of(kind), right, wrong)
    column = batch.column(0)
    for form in (column, batch, pyarrow.Table.from_batches([batch]), Opaque(column)):
        refused(form)
    refused(OpaqueStream(pyarrow.chunked_array([column])))
    refused_from_a_reader(batch)


@pytest.mark.parametrize("end", [90_000, (1 << 31) - 1, -1])
@pytest.mark.parametrize("kind", NARROW + WIDE)
def test_the_last_offset(kind: str, end: int) -> None:
    code = "<3i" if kind in NARROW else "<3q"
    right, wrong = struct.pack(code, 0, 1001, 2003), struct.pack(code, 0, 1001, end)
    batch = received(array_of(kind), right, wrong)
    column = batch.column(0)
    for form in (column, batch, pyarrow.Table.from_batches([batch]), column.slice(1)):
        refused(form)
    if end < 0:
        refused(Opaque(column))
    refused_from_a_reader(batch)
    series = pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([column])))
    refused(series)
    refused(series.to_frame())


@pytest.mark.parametrize(
    "view",
    [
        (1001, b"xxxx", 0, 90_000),
        (1001, b"xxxx", 0, -1),
        (1001, b"xxxx", 7, 0),
        (1001, b"xxxx", -1, 0),
        (90_000, b"xxxx", 0, 0),
        (-1, b"xxxx", 0, 0),
    ],
)
@pytest.mark.parametrize("kind", VIEWS)
def test_views(kind: str, view: tuple[int, bytes, int, int]) -> None:
    right, wrong = struct.pack("<i4sii", 1001, b"xxxx", 0, 0), struct.pack("<i4sii", *view)
    batch = received(array_of(kind), right, wrong)
    for form in (batch, batch.column(0), Opaque(batch.column(0))):
        refused(form)


@pytest.mark.parametrize("key", [2, 90_000, -1])
def test_keys_of_a_dictionary(key: int) -> None:
    array = array_of("string", [*LONG, LONG[1], LONG[0]]).dictionary_encode()
    batch = received(array, struct.pack("<4i", 0, 1, 1, 0), struct.pack("<4i", 0, 1, key, 0))
    for form in (batch, batch.column(0), Opaque(batch.column(0))):
        refused(form)


@pytest.mark.parametrize("offsets", WRONG)
def test_values_of_a_dictionary(offsets: tuple[int, ...]) -> None:
    right, wrong = struct.pack("<3i", 0, 1001, 2003), struct.pack("<3i", *offsets)
    batch = received(array_of("string").dictionary_encode(), right, wrong)
    for form in (batch, batch.column(0), Opaque(batch.column(0))):
        refused(form)


@pytest.mark.parametrize("ends", [(777, 778), (779, 777), (-1, 779), (0, 779)])
def test_ends_of_runs(ends: tuple[int, int]) -> None:
    array = pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([777, 779], "int32"), ["x", "y"])
    batch = received(array, struct.pack("<2i", 777, 779), struct.pack("<2i", *ends))
    for form in (batch, batch.column(0), Opaque(batch.column(0))):
        refused(form)


@pytest.mark.parametrize("kind", [*NARROW, *WIDE, *VIEWS, "fixed", "dictionary"])
def test_more_values_than_the_buffers_have(kind: str) -> None:
    values = [b"%08d" % n for n in range(1237)]
    values[7] = None  # So that there is a bitmap of nulls.
    if kind == "fixed":
        array = pyarrow.array(values, pyarrow.binary(8))
    elif kind == "dictionary":
        array = array_of("string", values).dictionary_encode()
    else:
        array = array_of(kind, values)
    batch = received(array, struct.pack("<q", 1237), struct.pack("<q", 90_001))
    for form in (batch, batch.column(0), pyarrow.Table.from_batches([batch])):
        refused(form)


@pytest.mark.parametrize("kind", ["list_", "large_list", "list_view"])
def test_lists_are_no_bytes(kind: str) -> None:
    lists = pyarrow.array([["x" * 1001], ["y"]], getattr(pyarrow, kind)(pyarrow.string()))
    with pytest.raises(TypeError, match="are not bytes"):
        broadloom.arrow.sha256(lists)


def test_text_that_is_not_utf_8_is_bytes() -> None:
    # Nothing but the bytes is used.
    batch = received(array_of("string"), b"x" * 1001, b"\xff" * 1001)
    digests = pyarrow.array(broadloom.arrow.sha256(batch.column(0))).to_pylist()
    assert digests == [hashlib.sha256(v).digest() for v in (b"\xff" * 1001, LONG[1])]


@given(
    st.sampled_from([*NARROW, *WIDE, *VIEWS]),
    st.lists(st.none() | st.binary(max_size=20), min_size=1, max_size=12),
    st.data(),
)
def test_a_changed_byte(kind: str, values: list[bytes | None], data: st.DataObject) -> None:
    """What comes out is right for the array as it is, or the array is refused."""
    texts = [None if v is None else v.hex().encode() for v in values]
    batch = pyarrow.record_batch({"column": array_of(kind, texts)})
    message = bytearray(batch.serialize().to_pybytes())
    # The body is at the end, behind the description of the buffers.
    start = len(message) - pyarrow.ipc.read_message(bytes(message)).body.size
    place = data.draw(st.integers(start, len(message) - 1))
    message[place] = data.draw(st.integers(0, 255))
    column = pyarrow.ipc.read_record_batch(bytes(message), batch.schema).column(0)
    try:
        found = pyarrow.array(broadloom.arrow.sha256(column)).to_pylist()
    except ValueError:
        return
    if "string" in kind:
        plain = getattr(pyarrow, kind.replace("string", "binary"))()
        column = pyarrow.Array.from_buffers(plain, len(column), column.buffers())
    column.validate(full=True)
    expected = [None if v is None else hashlib.sha256(v).digest() for v in column.to_pylist()]
    assert found == expected


def test_more_rows_than_memory() -> None:
    """A run stands for any number of rows."""
    runs = pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([1 << 56], "int64"), ["x"])
    for column in (runs, pyarrow.chunked_array([runs])):
        with pytest.raises(MemoryError):
            broadloom.arrow.sha256(column)
        with pytest.raises(MemoryError):
            broadloom.arrow.encrypt_column(column, bytes(32))

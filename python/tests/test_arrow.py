"""broadloom.arrow with pyarrow, polars, DuckDB and DataFusion."""

import hashlib
import hmac
import os
import subprocess
import sys
from typing import Any

import datafusion
import duckdb
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as st

import broadloom
import broadloom.arrow

TYPES = [
    pyarrow.string(),
    pyarrow.large_string(),
    pyarrow.string_view(),
    pyarrow.binary(),
    pyarrow.large_binary(),
    pyarrow.binary_view(),
]
texts = st.lists(st.none() | st.text(max_size=40), max_size=60)


def sha256(values: list[str | None]) -> list[bytes | None]:
    return [None if v is None else hashlib.sha256(v.encode()).digest() for v in values]


def encoded(values: list[str | None], kind: pyarrow.DataType) -> pyarrow.Array:
    text = pyarrow.array(values, pyarrow.string())
    return text if kind == pyarrow.string() else text.cast(kind)


@given(texts, st.sampled_from(TYPES), st.integers(0, 5), st.integers(1, 3))
def test_digests_of_every_type(
    values: list[str | None], kind: pyarrow.DataType, start: int, threads: int
) -> None:
    array = encoded(values, kind).slice(start)
    result = pyarrow.array(broadloom.arrow.sha256(array, threads=threads))
    assert result.type == pyarrow.binary(32)
    assert result.to_pylist() == sha256(values[start:])
    result.validate(full=True)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", [pyarrow.large_string(), pyarrow.string_view()])
def test_a_column_of_many_values(kind: pyarrow.DataType, threads: int) -> None:
    # Results of more than 8 MiB, which get memory of another kind.
    values = [None if i % 1000 == 7 else str(i) * (3 + i % 7) for i in range(300_000)]
    array = encoded(values, kind).slice(5)
    digests = pyarrow.array(broadloom.arrow.sha256(array, threads=threads))
    assert digests.to_pylist() == sha256(values[5:])


def test_fixed_size_binary_and_other_hashes() -> None:
    array = pyarrow.array([b"abcd", None, b"efgh"], pyarrow.binary(4))
    result = broadloom.arrow.hash(array, "sha3_256")
    assert isinstance(result, pyarrow.FixedSizeBinaryArray)
    assert (len(result), result.null_count) == (3, 1)
    expected = [hashlib.sha3_256(b"abcd").digest(), None, hashlib.sha3_256(b"efgh").digest()]
    assert pyarrow.array(result).to_pylist() == expected


@given(texts, st.binary(max_size=80))
def test_hmacs(values: list[str | None], key: bytes) -> None:
    result = pyarrow.array(broadloom.arrow.hmac_sha256(pyarrow.array(values, "string"), key))
    expected = [None if v is None else hmac.digest(key, v.encode(), "sha256") for v in values]
    assert result.to_pylist() == expected
    result = pyarrow.array(broadloom.arrow.hmac(pyarrow.array(values, "string"), key, "md5"))
    assert result.type == pyarrow.binary(16)


def test_chunked_arrays_and_streams_of_batches() -> None:
    chunked = pyarrow.chunked_array([["a", None], [], ["b", "c"]], "string")
    result = broadloom.arrow.sha256(chunked)
    assert (len(result), result.num_chunks, result.null_count) == (4, 3, 1)
    assert pyarrow.chunked_array(result).to_pylist() == sha256(["a", None, "b", "c"])
    batch = pyarrow.record_batch({"only": ["x", "y"]})
    reader = pyarrow.RecordBatchReader.from_batches(batch.schema, [batch, batch])
    table = broadloom.arrow.sha256(reader)
    assert table.column_names == ["only"] and table["only"].num_chunks == 2
    assert table["only"].to_pylist() == sha256(["x", "y", "x", "y"])
    empty = pyarrow.chunked_array([], "string")
    assert pyarrow.chunked_array(broadloom.arrow.sha256(empty)).type == pyarrow.binary(32)


@given(texts, st.sampled_from(TYPES), st.booleans())
def test_encryption_round_trips(
    values: list[str | None], kind: pyarrow.DataType, text: bool
) -> None:
    key = os.urandom(32)
    sealed = broadloom.arrow.encrypt_column(encoded(values, kind), key, associated=b"column")
    cells = pyarrow.array(sealed).to_pylist()
    for cell, value in zip(cells, values, strict=True):
        if value is None:
            assert cell is None
        else:
            assert AESGCM(key).decrypt(cell[:12], cell[12:], b"column") == value.encode()
    opened = broadloom.arrow.decrypt_column(sealed, key, associated=b"column", text=text)
    opened = pyarrow.array(opened)
    opened.validate(full=True)
    expected = values if text else [None if v is None else v.encode() for v in values]
    assert opened.to_pylist() == expected


def test_nonces_are_never_the_same() -> None:
    sealed = pyarrow.array(broadloom.arrow.encrypt_column(pyarrow.array(["same"] * 500), bytes(32)))
    assert len({cell[:12] for cell in sealed.to_pylist()}) == 500


def test_forgeries_in_a_chunked_column() -> None:
    key = os.urandom(32)
    column = pyarrow.chunked_array([["a", None], ["b", "c"]])
    sealed = broadloom.arrow.encrypt_column(column, key, "xchacha20-poly1305")
    sealed = pyarrow.chunked_array(sealed)
    cells = sealed.to_pylist()
    cells[3] = cells[3][:-1] + bytes([cells[3][-1] ^ 1])
    forged = pyarrow.chunked_array([cells[:2], cells[2:]])
    with pytest.raises(broadloom.InvalidTag, match="the tag of value 3 is wrong") as error:
        broadloom.arrow.decrypt_column(forged, key, "xchacha20-poly1305")
    assert error.value.indices == [3]
    with pytest.raises(ValueError, match="value 1 has 3 bytes, and its nonce alone has 12"):
        broadloom.arrow.decrypt_column(pyarrow.array([None, b"abc"]), key)
    with pytest.raises(ValueError, match="value 0 is shorter than its tag"):
        broadloom.arrow.decrypt_column(pyarrow.array([bytes(20)]), key)
    not_text = broadloom.arrow.encrypt_column(pyarrow.array([b"\xff"]), key)
    with pytest.raises(ValueError, match="no text in UTF-8"):
        broadloom.arrow.decrypt_column(not_text, key, text=True)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pyarrow.array([1, 2]), "values of the type Int64 are not bytes; valid: string"),
        (pyarrow.table({"a": ["x"], "b": ["y"]}), "a table of 2 columns; select one"),
        (["a", "b"], "list is no Arrow array"),
        (b"bytes", "bytes is no Arrow array"),
    ],
)
def test_what_is_no_column_of_bytes(values: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        broadloom.arrow.sha256(values)


VALUES: list[str | None] = ["warp", None, "", "weft of a string longer than twelve bytes"] * 500


def test_polars() -> None:
    series = polars.Series("text", VALUES)
    result = polars.Series(broadloom.arrow.sha256(series))
    assert result.to_list() == sha256(VALUES)
    frame = polars.DataFrame({"text": VALUES})
    assert broadloom.arrow.sha256(frame)["text"].to_list() == sha256(VALUES)


def test_duckdb() -> None:
    connection = duckdb.connect()
    connection.register("words", pyarrow.table({"text": VALUES}))
    hashed = broadloom.arrow.sha256(connection.sql("SELECT text AS digest FROM words"))
    assert isinstance(hashed, pyarrow.Table)
    assert hashed["digest"].to_pylist() == sha256(VALUES)
    # DuckDB finds the table by the name of the variable.
    [(count,)] = connection.sql("SELECT count(DISTINCT digest) FROM hashed").fetchall()
    assert count == 3 and len(hashed) == len(VALUES)


def test_duckdb_function() -> None:
    """A SQL function over Arrow, as the README shows it."""

    def digest(column: pyarrow.Array) -> pyarrow.Array:
        return broadloom.arrow.sha256(column).cast(pyarrow.binary())

    connection = duckdb.connect()
    connection.create_function("sha256_many", digest, ["VARCHAR"], "BLOB", type="arrow")
    rows = connection.sql("SELECT sha256_many(t) FROM (VALUES ('warp'), ('weft')) v(t)").fetchall()
    assert [row[0] for row in rows] == sha256(["warp", "weft"])


def test_datafusion() -> None:
    context = datafusion.SessionContext()
    context.register_record_batches("t", [pyarrow.table({"text": VALUES}).to_batches()])
    result = broadloom.arrow.sha256(context.sql("SELECT text FROM t"))
    assert sorted(map(str, result["text"].to_pylist())) == sorted(map(str, sha256(VALUES)))


def test_datafusion_function() -> None:
    """A SQL function over Arrow, as the README shows it."""

    def digest(column: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(broadloom.arrow.sha256(column)).cast(pyarrow.binary())

    context = datafusion.SessionContext()
    context.register_record_batches("t", [pyarrow.table({"text": VALUES}).to_batches()])
    name = "sha256_many"
    context.register_udf(
        datafusion.udf(digest, [pyarrow.string()], pyarrow.binary(), "stable", name=name)
    )
    batches = context.sql(f"SELECT {name}(text) AS digest FROM t WHERE text = 'warp'").collect()
    digests = pyarrow.Table.from_batches(batches)["digest"].to_pylist()
    assert digests == sha256(["warp"] * 500)


def test_a_udf_as_spark_calls_it() -> None:
    """Spark's mapInArrow hands over an iterator of batches and takes one."""

    def add_digest(batches):  # type: ignore[no-untyped-def]
        for batch in batches:
            digest = pyarrow.array(broadloom.arrow.sha256(batch["text"])).cast(pyarrow.binary())
            yield batch.append_column("digest", digest)

    table = pyarrow.table({"text": VALUES})
    result = pyarrow.Table.from_batches(add_digest(table.to_batches(max_chunksize=300)))
    assert result["digest"].to_pylist() == sha256(VALUES)


def test_a_scalar_udf_as_spark_calls_it() -> None:
    """Spark's pandas_udf hands over a series that may lie in Arrow, and takes one as long."""

    def digest(texts: pandas.Series) -> pandas.Series:
        hashed = broadloom.arrow.sha256(pyarrow.Array.from_pandas(texts, type=pyarrow.string()))
        return pandas.Series(pyarrow.array(hashed).to_pylist(), index=texts.index)

    frame = pyarrow.table({"text": VALUES}).to_pandas()
    assert digest(frame["text"]).to_list() == sha256(VALUES)


def test_a_udf_of_pyarrow() -> None:
    """A function of pyarrow's own engine, which Acero calls within a plan over batches."""

    def digest(_: object, column: pyarrow.Array) -> pyarrow.Array:
        return pyarrow.array(broadloom.arrow.sha256(column)).cast(pyarrow.binary())

    about = {"summary": "SHA-256", "description": "of every value"}
    pyarrow.compute.register_scalar_function(
        digest, "broadloom_sha256", about, {"text": pyarrow.string()}, pyarrow.binary()
    )
    data = pyarrow.dataset.dataset(pyarrow.table({"text": VALUES}))
    call = pyarrow.compute.Expression._call("broadloom_sha256", [pyarrow.compute.field("text")])
    result = data.to_table(columns={"digest": call})
    assert result["digest"].to_pylist() == sha256(VALUES)


def test_dictionaries_runs_and_nulls() -> None:
    values = ["warp", None, "weft", "warp", "warp", ""]
    text = pyarrow.array(values)
    keys = pyarrow.array([0, 1, 2, 0, 0, 3], pyarrow.int8())
    dictionary = pyarrow.array(["warp", None, "weft", ""])
    forms = [
        text.dictionary_encode(),
        pyarrow.DictionaryArray.from_arrays(keys, dictionary),
        text.cast(pyarrow.large_string()).dictionary_encode(),
        pyarrow.compute.run_end_encode(text),
        pyarrow.compute.run_end_encode(text, run_end_type="int16"),
        pyarrow.record_batch({"text": text.dictionary_encode()}),
    ]
    for form in forms:
        for start in range(7):
            part = form.slice(start)
            found = cells(broadloom.arrow.sha256(part))
            assert found == sha256(values[start:]), (form.type if start else form, start)
        sealed = broadloom.arrow.encrypt_column(form, bytes(32))
        opened = broadloom.arrow.decrypt_column(sealed, bytes(32), text=True)
        assert cells(opened) == values
    chunked = pyarrow.chunked_array([text, text]).dictionary_encode()
    assert pyarrow.chunked_array(broadloom.arrow.sha256(chunked)).to_pylist() == sha256(values * 2)
    nothing = pyarrow.array(broadloom.arrow.sha256(pyarrow.nulls(5)))
    assert nothing.to_pylist() == [None] * 5 and nothing.type == pyarrow.binary(32)
    empty = pyarrow.nulls(3, pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    assert pyarrow.array(broadloom.arrow.sha256(empty)).to_pylist() == [None] * 3
    categories = polars.Series(values, dtype=polars.Categorical)
    assert polars.Series(broadloom.arrow.sha256(categories)).to_list() == sha256(values)


def test_a_null_row_of_a_table() -> None:
    rows = pyarrow.StructArray.from_arrays(
        [pyarrow.array(["a", "b", "c"])], ["text"], mask=pyarrow.array([False, True, False])
    )
    assert pyarrow.array(broadloom.arrow.sha256(rows)).to_pylist() == sha256(["a", None, "c"])


@pytest.mark.parametrize("kind", [*TYPES[:2], *TYPES[3:5]])
def test_empty_arrays_without_offsets(kind: pyarrow.DataType) -> None:
    empty = pyarrow.Array.from_buffers(kind, 0, [None, None, pyarrow.py_buffer(b"")])
    assert len(broadloom.arrow.sha256(empty)) == 0
    assert len(broadloom.arrow.encrypt_column(pyarrow.record_batch({"a": empty}), bytes(32))) == 0


class Other:
    """A column or a table of a library that Broadloom does not know."""

    def __init__(self, data: Any) -> None:
        if hasattr(data, "__arrow_c_array__"):
            self.__arrow_c_array__ = data.__arrow_c_array__
        else:
            self.__arrow_c_stream__ = data.__arrow_c_stream__


BATCH = pyarrow.record_batch({"text": VALUES})
CHUNKS = pyarrow.chunked_array([VALUES[:700], [], VALUES[700:]], "string")


@pytest.mark.parametrize(
    "given",
    [
        polars.Series("text", VALUES),
        polars.DataFrame({"text": VALUES}),
        pandas.Series(VALUES, index=range(7, 7 + len(VALUES)), name="text", dtype="str"),
        pandas.DataFrame({"text": VALUES}, dtype="str"),
        BATCH.column(0),
        BATCH,
        CHUNKS,
        pyarrow.table({"text": CHUNKS}),
    ],
    ids=lambda given: f"{type(given).__module__.partition('.')[0]} {type(given).__name__}",
)
def test_what_is_given_comes_back(given: Any) -> None:
    key = bytes(32)
    hashed = broadloom.arrow.sha256(given)
    sealed = broadloom.arrow.encrypt_column(given, key)
    opened = broadloom.arrow.decrypt_column(sealed, key, text=True)
    keyed = broadloom.arrow.hmac_sha256(given, key)
    for made in (hashed, sealed, opened, keyed):
        assert type(made) is type(given) or isinstance(given, pyarrow.Array)
        assert isinstance(made, pyarrow.Array) == isinstance(given, pyarrow.Array)
        for label in ("name", "columns", "column_names", "num_chunks"):
            assert list_of(getattr(made, label, None)) == list_of(getattr(given, label, None))
        if isinstance(given, (pandas.Series, pandas.DataFrame)):
            assert made.index.equals(given.index)
    assert cells(hashed) == sha256(VALUES)
    assert cells(opened) == VALUES


def list_of(label: Any) -> Any:
    """Names of columns, whose kind is a library's own; or the columns of a batch."""
    if isinstance(label, (str, int, type(None))):
        return label
    return [name if isinstance(name, str) else len(name) for name in label]


def cells(column: Any) -> list[Any]:
    """The values of a column, or of a table with one column."""
    if isinstance(column, (pyarrow.RecordBatch, pyarrow.Table)):
        return column.column(0).to_pylist()
    if isinstance(column, (polars.DataFrame, pandas.DataFrame)):
        column = column["text"]
    return pyarrow.array(column).to_pylist()


@pytest.mark.parametrize("named", [polars.Series("text", VALUES), BATCH, pyarrow.table(BATCH)])
def test_the_name_of_a_column_of_another_library_is_kept(named: Any) -> None:
    hashed = broadloom.arrow.sha256(Other(named))
    kinds = (broadloom.arrow.Array, broadloom.arrow.ChunkedArray)
    assert isinstance(hashed, kinds) and hashed.name == "text"
    assert polars.Series(hashed).name == "text"
    sealed = broadloom.arrow.encrypt_column(hashed, bytes(32))
    assert isinstance(sealed, type(hashed)) and sealed.name == "text"
    assert broadloom.arrow.sha256(Other(BATCH.column(0))).name == ""


def test_without_the_other_libraries() -> None:
    """Nobody has to have polars, pandas and pyarrow."""
    code = """
import sys
for name in ("polars", "pandas", "pyarrow"):
    sys.modules[name] = None
import broadloom, broadloom.arrow
column = broadloom.hash_many([b"a", b"b"], result="arrow")
assert type(broadloom.arrow.sha256(column)) is broadloom.arrow.Array
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()

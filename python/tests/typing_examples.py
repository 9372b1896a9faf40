"""Calls with the types that a checker must find for them. It is checked by mypy, and run."""

import asyncio
import hashlib
from pathlib import Path
from typing import assert_type

import numpy
import pyarrow  # type: ignore[import-untyped]
import pytest

import broadloom
import broadloom.arrow
import broadloom.datasets
import broadloom.gzip
import broadloom.zlib
from broadloom.names import HashName


def digests(place: Path) -> None:
    chosen: HashName = "sha3-256"
    assert_type(broadloom.hash_many([b"a"], chosen), list[bytes])
    # A checker finds a misspelled name.
    with pytest.raises(ValueError):
        broadloom.hash_many([b"a"], "sha257")  # type: ignore[call-overload]
    assert_type(broadloom.hash_many([b"a", bytearray(b"b"), memoryview(b"c")]), list[bytes])
    assert_type(broadloom.hash_many(iter([b"a"]), "md5", threads=2), list[bytes])
    assert_type(broadloom.hash_many([b"a"], result="arrow"), broadloom.arrow.Array)
    assert_type(broadloom.hash_many([b"a"], out=bytearray(32)), bytearray)
    broadloom.hash_many(numpy.zeros((2, 8), "uint8"), result="numpy")
    assert_type(broadloom.hmac_many([b"a"], b"key"), list[bytes])
    assert_type(broadloom.hash_tree(place), dict[str, bytes])
    assert_type(broadloom.hash_files([place / "none"][:0]), list[bytes])
    stream = broadloom.new("sha256", b"a")
    stream.update(bytearray(b"b"))
    assert stream.hexdigest() == hashlib.sha256(b"ab").hexdigest()


def packets() -> None:
    sealed = assert_type(broadloom.seal_many([b"a"], bytes(32), [bytes(12)]), list[bytes])
    try:
        broadloom.open_many([bytes(17)], bytes(32), [bytes(12)])
    except broadloom.InvalidTag as error:
        assert_type(error.indices, list[int])
    assert broadloom.open_many(sealed, bytes(32), [bytes(12)]) == [b"a"]


def files(place: Path) -> None:
    stream = broadloom.zlib.compressobj(wbits=31)
    assert_type(stream.compress(b"a") + stream.flush(broadloom.zlib.Z_SYNC_FLUSH), bytes)
    with broadloom.gzip.GzipFile(place / "class.gz", "wb") as file:
        assert_type(file.write(b"a"), int)
    assert_type(broadloom.gzip.compress(b"a"), bytes)
    assert_type(broadloom.zlib.decompress(broadloom.zlib.compress(b"a")), bytes)
    with broadloom.gzip.open(place / "file.gz", "wb") as binary:
        binary.write(b"a")
    with broadloom.gzip.open(place / "file.gz", "rt") as text:
        assert_type(text.read(), str)


def columns() -> None:
    column = pyarrow.array(["a", None])
    sealed = broadloom.arrow.encrypt_column(column, bytes(32))
    assert sealed.null_count == 1
    broadloom.arrow.decrypt_column(sealed, bytes(32), text=True)


def jobs() -> None:
    session = broadloom.Session.hash("sha256")
    queue = broadloom.QueuePair(capacity=8)
    queue.enqueue(broadloom.Job(session, data) for data in (b"a", bytearray(b"b")))
    queue.flush()
    assert_type(queue.dequeue(), list[broadloom.Job])

    async def digest() -> bytes:
        return bytes(await session.process(b"a"))

    assert_type(asyncio.run(digest()), bytes)


def data_sets(place: Path) -> None:
    place.joinpath("a").write_bytes(b"a")
    options: broadloom.datasets.Options = {"threads": 1, "batch_objects": 10}
    outcome = broadloom.datasets.hash_dataset([place / "a"], place / "out", "md5", **options)
    assert_type(outcome, broadloom.datasets.Outcome)
    broadloom.datasets.compress_dataset(place / "a", place / "packed", "zlib", 9, threads=1)


def test_the_examples_run(tmp_path: Path) -> None:
    digests(tmp_path)
    packets()
    files(tmp_path)
    columns()
    jobs()
    data_sets(tmp_path)

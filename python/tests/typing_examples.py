"""Calls with the types that a checker must find for them. It is checked by mypy, and run."""

import hashlib
from pathlib import Path
from typing import assert_type

import numpy
import pyarrow  # type: ignore[import-untyped]

import broadloom
import broadloom.arrow
import broadloom.gzip
import broadloom.zlib


def digests(place: Path) -> None:
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
    assert_type(broadloom.gzip.compress(b"a"), bytes)
    assert_type(broadloom.zlib.decompress(broadloom.zlib.compress(b"a")), bytes)
    with broadloom.gzip.open(place / "file.gz", "wb") as binary:
        binary.write(b"a")
    with broadloom.gzip.open(place / "file.gz", "rt") as text:
        assert_type(text.read(), str)


def columns() -> None:
    column = pyarrow.array(["a", None])
    sealed = broadloom.arrow.encrypt_column(column, bytes(32))
    assert_type(sealed, broadloom.arrow.Array | broadloom.arrow.ChunkedArray)
    broadloom.arrow.decrypt_column(sealed, bytes(32), text=True)


def test_the_examples_run(tmp_path: Path) -> None:
    digests(tmp_path)
    packets()
    files(tmp_path)
    columns()

"""Columns of Arrow: hashed, authenticated, encrypted, for any library that has Arrow arrays.

Every function takes an object with ``__arrow_c_array__`` or ``__arrow_c_stream__``: an array or a
chunked array of pyarrow, a series of polars, a query of DuckDB or DataFusion with one column.

The result is of the same kind: a series of polars or pandas gives a series, a chunked array of
pyarrow a chunked array, a table or frame with one column another one. A query gives a table of
pyarrow. Where the library is another one, an array gives an ``Array``, and a stream a
``ChunkedArray``, which go into any of these libraries without a copy. Nulls stay null, and the name
of a column is kept. Values are strings or bytes, in every layout that Arrow has for them. An array
whose offsets point outside of its buffers is a ValueError, where its library says how large they
are (pyarrow); the README says more.

>>> import pyarrow
>>> import broadloom.arrow
>>> digests = broadloom.arrow.sha256(pyarrow.array(["warp", None]))
>>> digests.type, digests.null_count
(FixedSizeBinaryType(fixed_size_binary[32]), 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadloom._broadloom import (
    Array,
    ChunkedArray,
    decrypt_column,
    encrypt_column,
    hash_column,
    hmac_column,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from broadloom._broadloom import _ArrowArrayLike
    from broadloom.names import HashName, HmacHashName

__all__ = [
    "Array",
    "ChunkedArray",
    "decrypt_column",
    "encrypt_column",
    "hash",
    "hmac",
    "hmac_sha256",
    "sha256",
]


def hash(array: _ArrowArrayLike, algorithm: HashName, *, threads: int | None = 1) -> Any:
    """The digest of each value, as fixed-size binary.

    >>> import pyarrow
    >>> hash(pyarrow.array([b""]), "md5").to_pylist()[0].hex()
    'd41d8cd98f00b204e9800998ecf8427e'
    """
    return hash_column(array, algorithm, threads=threads)


def sha256(array: _ArrowArrayLike, *, threads: int | None = 1) -> Any:
    """The SHA-256 of each value, as fixed-size binary of 32 bytes."""
    return hash_column(array, "sha256", threads=threads)


def hmac(
    array: _ArrowArrayLike, key: ReadableBuffer, algorithm: HmacHashName, *, threads: int | None = 1
) -> Any:
    """The HMAC of each value under one key, as fixed-size binary."""
    return hmac_column(array, key, algorithm, threads=threads)


def hmac_sha256(
    array: _ArrowArrayLike, key: ReadableBuffer, *, threads: int | None = 1
) -> Any:
    """The HMAC-SHA256 of each value under one key, as fixed-size binary of 32 bytes."""
    return hmac_column(array, key, "sha256", threads=threads)

"""gzip on all cores, both ways, shaped as the standard library's module ``gzip``.

>>> import broadloom.gzip, tempfile, os
>>> path = os.path.join(tempfile.mkdtemp(), "log.gz")
>>> with broadloom.gzip.open(path, "wt") as log:
...     print("the warp, the weft", file=log)
>>> with broadloom.gzip.open(path, "rt") as log:
...     log.read()
'the warp, the weft\\n'

What is written is one gzip member that any gzip reads. A file of BGZF (``format="bgzf"``) is one
that tabix and samtools can seek in.

The differences from ``gzip``: there is no ``GzipFile``; no name is stored, and no time unless
``mtime`` is given, so that the same data make the same file; ``flush`` does not force out a part of
the compressed data; trailing bytes that are neither zeros nor another member are an error.
"""

from __future__ import annotations

import builtins
import gzip as _gzip
import io
import os
import time
from typing import IO, TYPE_CHECKING, Literal, cast, overload

from broadloom import _broadloom
from broadloom._streams import BUFFER, Reader, Writer

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, StrOrBytesPath

__all__ = ["BadGzipFile", "compress", "decompress", "open"]


class BadGzipFile(_gzip.BadGzipFile, ValueError):
    """Data that are not what gzip makes. An input that only ends too early is ``EOFError``."""


def _translate(error: Exception) -> Exception:
    return error if isinstance(error, EOFError) else BadGzipFile(str(error))


def _time(mtime: float | None) -> int:
    """The time as gzip stores it."""
    seconds = int(time.time() if mtime is None else mtime)
    if not 0 <= seconds < 1 << 32:
        raise ValueError(f"mtime is {seconds}; valid: 0 to {(1 << 32) - 1}")
    return seconds


@overload
def open(
    filename: StrOrBytesPath | IO[bytes],
    mode: Literal["r", "rb"] = "rb",
    compresslevel: int = 6,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    *,
    threads: int | None = None,
    format: Literal["gzip", "bgzf"] = "gzip",
    mtime: float | None = 0,
) -> io.BufferedReader: ...
@overload
def open(
    filename: StrOrBytesPath | IO[bytes],
    mode: Literal["w", "wb", "a", "ab", "x", "xb"],
    compresslevel: int = 6,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    *,
    threads: int | None = None,
    format: Literal["gzip", "bgzf"] = "gzip",
    mtime: float | None = 0,
) -> io.BufferedWriter: ...
@overload
def open(
    filename: StrOrBytesPath | IO[bytes],
    mode: Literal["rt", "wt", "at", "xt"],
    compresslevel: int = 6,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    *,
    threads: int | None = None,
    format: Literal["gzip", "bgzf"] = "gzip",
    mtime: float | None = 0,
) -> io.TextIOWrapper: ...
@overload
def open(
    filename: StrOrBytesPath | IO[bytes],
    mode: str,
    compresslevel: int = 6,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    *,
    threads: int | None = None,
    format: Literal["gzip", "bgzf"] = "gzip",
    mtime: float | None = 0,
) -> io.BufferedReader | io.BufferedWriter | io.TextIOWrapper: ...
def open(
    filename: StrOrBytesPath | IO[bytes],
    mode: str = "rb",
    compresslevel: int = 6,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    *,
    threads: int | None = None,
    format: Literal["gzip", "bgzf"] = "gzip",
    mtime: float | None = 0,
) -> io.BufferedReader | io.BufferedWriter | io.TextIOWrapper:
    """Opens a compressed file to be read or written, as a file of bytes or of text.

    filename: a path, or a file that is open in binary mode and is left open.
    mode: ``r``, ``w``, ``a`` or ``x``, with ``b`` (the default) or ``t``.
    compresslevel: 0 to 12; levels from 10 on are libdeflate's, slower than 9 and better.
    threads: how many compress or decompress; None is one for each core.
    format: what is written. Both are read whatever it is.
    mtime: the time to store, in seconds since 1970; None is now, and 0 none.

    Raises BadGzipFile, a ValueError and an OSError, or EOFError for damaged input; ValueError for a
    wrong argument; OSError where the file cannot be opened.
    """
    text = "t" in mode
    plain = mode.replace("t", "").replace("b", "")
    if plain not in ("r", "w", "a", "x") or (text and "b" in mode):
        raise ValueError(f"mode is {mode!r}; valid: r, w, a or x, with b or t")
    if not text:
        for name, value in (("encoding", encoding), ("errors", errors), ("newline", newline)):
            if value is not None:
                raise ValueError(f"{name} is {value!r}, and a file of bytes has none")
    if format not in ("gzip", "bgzf"):
        raise ValueError(f"format is {format!r}; valid: gzip, bgzf")
    stored = _time(mtime) if format == "gzip" and plain != "r" else 0

    def make() -> _broadloom.Coder:
        if plain == "r":
            return _broadloom.Coder.decompress(None, threads=threads, limit=None)
        return _broadloom.Coder.compress(format, compresslevel, threads=threads, mtime=stored)

    coder = make()
    if isinstance(filename, (str, bytes, os.PathLike)):
        # What is written is in large pieces. A buffer would be written twice where a child of fork
        # has a copy of it.
        buffering = -1 if plain == "r" else 0
        file = cast("IO[bytes]", builtins.open(filename, plain + "b", buffering))
        owned = True
    elif hasattr(filename, "read") or hasattr(filename, "write"):
        file, owned = filename, False
    else:
        raise TypeError(f"filename is {type(filename).__name__}, neither a path nor a file")
    binary: io.BufferedReader | io.BufferedWriter
    if plain == "r":
        binary = io.BufferedReader(Reader(file, owned, coder, make, _translate), BUFFER)
    else:
        binary = io.BufferedWriter(Writer(file, owned, coder), BUFFER)
    return io.TextIOWrapper(binary, encoding, errors, newline) if text else binary


def compress(
    data: ReadableBuffer,
    compresslevel: int = 6,
    *,
    mtime: float | None = 0,
    threads: int | None = None,
    format: Literal["gzip", "bgzf"] = "gzip",
) -> bytes:
    """Compresses data into one gzip member, or into BGZF.

    >>> import gzip
    >>> gzip.decompress(compress(b"the warp, the weft"))
    b'the warp, the weft'
    """
    if format not in ("gzip", "bgzf"):
        raise ValueError(f"format is {format!r}; valid: gzip, bgzf")
    stored = _time(mtime) if format == "gzip" else 0
    return _broadloom.compress(data, format, compresslevel, threads=threads, mtime=stored)


def decompress(
    data: ReadableBuffer, *, threads: int | None = None, limit: int | None = None
) -> bytes:
    """Decompresses gzip data, members and BGZF blocks included.

    limit: the most bytes that may come out; more are a ValueError.

    >>> import gzip
    >>> decompress(gzip.compress(b"the warp, the weft"))
    b'the warp, the weft'
    """
    if memoryview(data).nbytes == 0:
        return b""
    try:
        return _broadloom.decompress(data, "gzip", threads=threads, limit=limit)
    except ValueError as error:
        raise BadGzipFile(str(error)) from None

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

``flush`` writes out all data, so that whoever reads the other end of a pipe gets them. The data of
a pipe are read as they come, by one thread; with ``threads`` they are read in large pieces, by
that many.

The differences from ``gzip``: no name is stored, and no time unless ``mtime`` is given, so that the
same data make the same file; trailing bytes that are neither zeros nor another member are an error;
levels are 0 to 12, and 6 where none is given.
"""

from __future__ import annotations

import builtins
import errno
import gzip as _gzip
import io
import os
import time
import zlib
from typing import IO, TYPE_CHECKING, Literal, cast, overload

from broadloom import _broadloom
from broadloom._streams import BUFFER, SHORT_DATA, Buffered, Reader, Text, Writer, few_threads

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, StrOrBytesPath, WriteableBuffer

__all__ = ["BadGzipFile", "GzipFile", "compress", "decompress", "open"]

#: The modes of a file of bytes.
_MODES = {"r": "r", "rb": "r", "w": "w", "wb": "w", "a": "a", "ab": "a", "x": "x", "xb": "x"}


class BadGzipFile(_gzip.BadGzipFile, ValueError):
    """Data that are not what gzip makes. An input that only ends too early is ``EOFError``."""


def _translate(error: Exception) -> Exception:
    return error if isinstance(error, EOFError) else BadGzipFile(str(error))


def _short(file: bytes) -> bytes:
    """Decompresses a short file."""
    return _broadloom.decompress(file, None, threads=1, limit=SHORT_DATA)


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
    threads: how many compress or decompress; None is one for each core. What is short (128 KiB) is
        done without any other thread.
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

    # What is wrong with an argument is said before a file is made.
    if plain == "r":
        _broadloom.decompress_many([], threads=few_threads(threads, 0))
    else:
        _broadloom.compress_many([], format, compresslevel, threads=few_threads(threads, 0))
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
        seekable = getattr(file, "seekable", None)
        at_once = threads is None and not (seekable is not None and seekable())

        def decoder() -> _broadloom.Coder:
            return _broadloom.Coder.decompress(None, threads=threads, limit=None, at_once=at_once)

        binary = io.BufferedReader(Reader(file, owned, decoder, _short, _translate), BUFFER)
    else:

        def encoder() -> _broadloom.Coder:
            return _broadloom.Coder.compress(format, compresslevel, threads=threads, mtime=stored)

        def whole(data: bytes) -> bytes:
            return _broadloom.compress(data, format, compresslevel, threads=1, mtime=stored)

        binary = Buffered(Writer(file, owned, encoder, whole), BUFFER)
    return Text(binary, encoding, errors, newline) if text else binary


class GzipFile(io.BufferedIOBase):
    """A file of gzip, with the interface of the standard library's ``GzipFile``.

    filename: a path; or only a name, where ``fileobj`` is given.
    mode: ``rb``, ``wb``, ``ab`` or ``xb``, or these without ``b``; without it, that of ``fileobj``.
    fileobj: a file that is open in binary mode, and is left open.
    threads, format: as of ``open``.

    Unlike the standard library's, it stores no name, and no time unless ``mtime`` is given.

    >>> import io, gzip
    >>> packed = io.BytesIO()
    >>> with GzipFile(fileobj=packed, mode="wb") as file:
    ...     file.write(b"the warp, the weft")
    18
    >>> gzip.decompress(packed.getvalue())
    b'the warp, the weft'
    """

    _file: io.BufferedReader | io.BufferedWriter | None = None

    def __init__(
        self,
        filename: StrOrBytesPath | None = None,
        mode: str | None = None,
        compresslevel: int = 6,
        fileobj: IO[bytes] | None = None,
        mtime: float | None = 0,
        *,
        threads: int | None = None,
        format: Literal["gzip", "bgzf"] = "gzip",
    ) -> None:
        if mode is None:
            # A file of another library may have a number there.
            own = getattr(fileobj, "mode", "rb")
            mode = own if isinstance(own, str) else "rb"
        if mode not in _MODES:
            raise ValueError(f"mode is {mode!r}; valid: {', '.join(_MODES)}")
        file = filename if fileobj is None else fileobj
        if file is None:
            raise TypeError("filename and fileobj are None; give one of them")
        named = getattr(fileobj, "name", "") if filename is None else os.fspath(filename)
        #: The path, or the name of ``fileobj`` if it has one.
        self.name = named if isinstance(named, (str, bytes)) else ""
        #: 1 for a file that is read, 2 for one that is written.
        self.mode = 1 if _MODES[mode] == "r" else 2
        #: The file below, where it was given.
        self.fileobj = fileobj
        binary = open(file, mode, compresslevel, threads=threads, format=format, mtime=mtime)
        assert not isinstance(binary, io.TextIOWrapper)
        self._file = binary

    def _opened(self) -> io.BufferedReader | io.BufferedWriter:
        if self._file is None:
            raise ValueError("I/O operation on closed file")
        return self._file

    def _reading(self) -> io.BufferedReader:
        file = self._opened()
        if not isinstance(file, io.BufferedReader):
            raise OSError(errno.EBADF, "the file is open to be written, and not to be read")
        return file

    def _writing(self) -> io.BufferedWriter:
        file = self._opened()
        if not isinstance(file, io.BufferedWriter):
            raise OSError(errno.EBADF, "the file is open to be read, and not to be written")
        return file

    @property
    def closed(self) -> bool:
        """Returns True if the file is closed."""
        return self._file is None

    def readable(self) -> bool:
        """Returns True if the file can be read."""
        return self._opened().readable()

    def writable(self) -> bool:
        """Returns True if the file can be written."""
        return self._opened().writable()

    def seekable(self) -> bool:
        """Returns True if the file can go to another place."""
        return self._opened().seekable()

    def fileno(self) -> int:
        """Returns the descriptor of the file below."""
        return self._opened().fileno()

    def read(self, size: int | None = -1, /) -> bytes:
        """Reads so many bytes of data, or all to the end."""
        return self._reading().read(-1 if size is None else size)

    def read1(self, size: int = -1, /) -> bytes:
        """Reads at most so many bytes of data, and does not wait for more once it has some."""
        return self._reading().read1(size)

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Reads data into a buffer, and returns how many bytes."""
        return self._reading().readinto(buffer)

    def readinto1(self, buffer: WriteableBuffer, /) -> int:
        """Reads data into a buffer, and does not wait for more once it has some."""
        return self._reading().readinto1(buffer)

    def readline(self, size: int | None = -1, /) -> bytes:
        """Reads a line."""
        return self._reading().readline(-1 if size is None else size)

    def peek(self, size: int = 0, /) -> bytes:
        """Returns some of the next bytes, and stays where it is."""
        return self._reading().peek(size)

    def write(self, data: ReadableBuffer, /) -> int:
        """Writes data, and returns how many bytes."""
        return self._writing().write(data)

    def flush(self, zlib_mode: int = zlib.Z_SYNC_FLUSH) -> None:
        """Writes all data so far, so that whoever reads the file below gets them."""
        if zlib_mode not in (zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH):
            raise ValueError(
                f"zlib_mode is {zlib_mode}; valid: {zlib.Z_SYNC_FLUSH} (Z_SYNC_FLUSH), "
                f"{zlib.Z_FULL_FLUSH} (Z_FULL_FLUSH)"
            )
        file = self._opened()
        if isinstance(file, io.BufferedWriter):
            file.flush()

    def tell(self) -> int:
        """Returns how many bytes of data stand before the place."""
        return self._opened().tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Goes to a place in the data: while writing, only forward, by zeros."""
        return self._opened().seek(offset, whence)

    def rewind(self) -> None:
        """Goes back to the first byte of data."""
        self._reading().seek(0)

    def close(self) -> None:
        """Ends the data, and closes the file below where it was opened by its name."""
        file, self._file, self.fileobj = self._file, None, None
        if file is not None:
            file.close()

    def __repr__(self) -> str:
        state = "closed" if self._file is None else "open"
        return f"<broadloom.gzip.GzipFile {self.name!r}, {state}>"


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
    few = few_threads(threads, memoryview(data).nbytes)
    return _broadloom.compress(data, format, compresslevel, threads=few, mtime=stored)


def decompress(
    data: ReadableBuffer, *, threads: int | None = None, limit: int | None = None
) -> bytes:
    """Decompresses gzip data, members and BGZF blocks included.

    limit: the most bytes that may come out; more are a ValueError.

    >>> import gzip
    >>> decompress(gzip.compress(b"the warp, the weft"))
    b'the warp, the weft'
    """
    length = memoryview(data).nbytes
    if length == 0:
        return b""
    few = few_threads(threads, length)
    try:
        return _broadloom.decompress(data, "gzip", threads=few, limit=limit)
    except ValueError as error:
        raise BadGzipFile(str(error)) from None

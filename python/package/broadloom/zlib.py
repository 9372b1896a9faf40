"""The standard library's module ``zlib``, whose compressions and decompressions use all cores.

>>> import broadloom.zlib, zlib
>>> zlib.decompress(broadloom.zlib.compress(b"the warp, the weft"))
b'the warp, the weft'

Functions, objects, constants and their arguments are those of ``zlib``. What this module adds:
levels up to 12, ``threads``, and ``limit``, the most bytes that a decompression may give.

A single stream cannot be decompressed by several threads as its pieces come. So ``decompressobj``
is zlib's own, and so is ``compressobj`` with what only zlib has: a preset dictionary (``zdict``), a
``strategy``, or a window of less than 32 KiB. All others are on all cores.

The differences from ``zlib``: ``error`` is a ``zlib.error`` and a ``ValueError``, and an
``EOFError`` too where the data end too early; ``decompress`` refuses bytes behind the end of the
data, and takes all members of gzip; a ``compressobj`` on several threads has no ``copy``, and its
``flush`` has no ``Z_BLOCK`` and no ``Z_TREES``; a flush writes nothing where no data came since the
last one, and the header comes with the first data.
"""

from __future__ import annotations

import zlib as _zlib
from typing import TYPE_CHECKING
from zlib import (
    DEF_BUF_SIZE,
    DEF_MEM_LEVEL,
    DEFLATED,
    MAX_WBITS,
    Z_BEST_COMPRESSION,
    Z_BEST_SPEED,
    Z_BLOCK,
    Z_DEFAULT_COMPRESSION,
    Z_DEFAULT_STRATEGY,
    Z_FILTERED,
    Z_FINISH,
    Z_FIXED,
    Z_FULL_FLUSH,
    Z_HUFFMAN_ONLY,
    Z_NO_COMPRESSION,
    Z_NO_FLUSH,
    Z_PARTIAL_FLUSH,
    Z_RLE,
    Z_SYNC_FLUSH,
    Z_TREES,
    ZLIB_RUNTIME_VERSION,
    ZLIB_VERSION,
    adler32,
    crc32,
)

from broadloom import _broadloom
from broadloom._streams import few_threads

if TYPE_CHECKING:
    from collections.abc import Callable
    from zlib import _Compress, _Decompress

    from _typeshed import ReadableBuffer

    from broadloom.names import FormatName

__all__ = [
    "DEFLATED",
    "DEF_BUF_SIZE",
    "DEF_MEM_LEVEL",
    "MAX_WBITS",
    "ZLIB_RUNTIME_VERSION",
    "ZLIB_VERSION",
    "Z_BEST_COMPRESSION",
    "Z_BEST_SPEED",
    "Z_BLOCK",
    "Z_DEFAULT_COMPRESSION",
    "Z_DEFAULT_STRATEGY",
    "Z_FILTERED",
    "Z_FINISH",
    "Z_FIXED",
    "Z_FULL_FLUSH",
    "Z_HUFFMAN_ONLY",
    "Z_NO_COMPRESSION",
    "Z_NO_FLUSH",
    "Z_PARTIAL_FLUSH",
    "Z_RLE",
    "Z_SYNC_FLUSH",
    "Z_TREES",
    "Compress",
    "Decompress",
    "adler32",
    "compress",
    "compressobj",
    "crc32",
    "decompress",
    "decompressobj",
    "error",
]


class error(_zlib.error, ValueError):  # noqa: N801
    """Data that are damaged or become more than the limit, or a stream that has ended."""


class _CutShort(error, EOFError):
    """Data that end too early."""


def _translate(wrong: Exception) -> error:
    return _CutShort(str(wrong)) if isinstance(wrong, EOFError) else error(str(wrong))


def _format(wbits: int) -> FormatName | None:
    """The format that ``wbits`` stands for; None for the one that is found out."""
    if wbits == 0 or 8 <= wbits <= 15:
        return "zlib"
    if -15 <= wbits <= -8:
        return "raw"
    if 24 <= wbits <= 31:
        return "gzip"
    if wbits == 32 or 40 <= wbits <= 47:
        return None
    raise ValueError(
        f"wbits is {wbits}; valid: 0 or 8 to 15 (zlib), -15 to -8 (deflate), 24 to 31 (gzip), "
        "32 or 40 to 47 (zlib or gzip)"
    )


#: Formats that are written by several threads, all with the largest window.
_WRITTEN: dict[int, FormatName] = {15: "zlib", -15: "raw", 31: "gzip"}


def _check_written(level: int, wbits: int) -> None:
    """Looks at the arguments of a compression by zlib, whose own errors name no value."""
    if not (9 <= wbits <= 15 or -15 <= wbits <= -9 or 25 <= wbits <= 31):
        raise ValueError(
            f"wbits is {wbits}; valid: 9 to 15 (zlib), -15 to -9 (deflate), 25 to 31 (gzip)"
        )
    if not -1 <= level <= 9:
        raise ValueError(
            f"level is {level}; valid: -1 to 9 with zdict, strategy or a window of less than 32 KiB"
        )


def compress(
    data: ReadableBuffer,
    /,
    level: int = Z_DEFAULT_COMPRESSION,
    wbits: int = MAX_WBITS,
    *,
    threads: int | None = None,
) -> bytes:
    """Compresses data. A level of -1 is 6; 0 to 12 are valid.

    >>> import zlib
    >>> zlib.decompress(compress(b"the warp, the weft", 9, -15), -15)
    b'the warp, the weft'
    """
    format = _WRITTEN.get(wbits)
    if format is None:
        _check_written(level, wbits)
        return _zlib.compress(data, level, wbits)
    few = few_threads(threads, memoryview(data).nbytes)
    return _broadloom.compress(data, format, _level(level), threads=few, mtime=0)


def _level(level: int) -> int:
    return 6 if level == Z_DEFAULT_COMPRESSION else level


def decompress(
    data: ReadableBuffer,
    /,
    wbits: int = MAX_WBITS,
    bufsize: int = DEF_BUF_SIZE,
    *,
    threads: int | None = None,
    limit: int | None = None,
) -> bytes:
    """Decompresses data. ``limit`` is the most bytes that may come out.

    ``bufsize`` is zlib's guess of that number, and is not needed here.

    Raises error, which is also a ValueError, for data that are wrong; one that is also an EOFError
    for data that end too early.

    >>> import zlib
    >>> decompress(zlib.compress(b"the warp, the weft"))
    b'the warp, the weft'
    """
    format = _format(wbits)
    try:
        few = few_threads(threads, memoryview(data).nbytes)
        return _broadloom.decompress(data, format, threads=few, limit=limit)
    except (ValueError, EOFError) as wrong:
        raise _translate(wrong) from None


class Compress:
    """A compression whose input comes piece by piece; ``compressobj`` makes it."""

    def __init__(self, coder: _broadloom.Coder) -> None:
        self._coder = coder
        self._is_finished = False

    def compress(self, data: ReadableBuffer, /) -> bytes:
        """Takes data, and gives what is ready: perhaps of earlier data, perhaps nothing."""
        self._check()
        return b"".join(self._coder.feed(data))

    def flush(self, mode: int = Z_FINISH, /) -> bytes:
        """Gives what is needed to decompress all data so far, and ends the stream by Z_FINISH.

        Z_PARTIAL_FLUSH, Z_SYNC_FLUSH and Z_FULL_FLUSH are one here: data behind them never refer
        to data before them.
        """
        self._check()
        if mode == Z_NO_FLUSH:
            return b""
        if mode in (Z_PARTIAL_FLUSH, Z_SYNC_FLUSH, Z_FULL_FLUSH):
            return b"".join(self._coder.flush())
        if mode != Z_FINISH:
            names = {Z_BLOCK: " (Z_BLOCK)", Z_TREES: " (Z_TREES)"}
            raise ValueError(
                f"mode is {mode}{names.get(mode, '')}; valid: Z_NO_FLUSH, Z_PARTIAL_FLUSH, "
                "Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_FINISH; zlib.compressobj has the others"
            )
        self._is_finished = True
        return b"".join(self._coder.finish())

    def copy(self) -> Compress:
        """Raises NotImplementedError: the state of several threads is not copied."""
        raise NotImplementedError(
            "a compression on several threads has no copy; that of zlib.compressobj has one"
        )

    def _check(self) -> None:
        if self._is_finished:
            raise error("the stream is finished; make another")


class _Alone(Compress):
    """The same by zlib, for what only zlib has."""

    def __init__(self, stream: _Compress) -> None:
        self._stream = stream

    def compress(self, data: ReadableBuffer, /) -> bytes:
        return _translated(self._stream.compress, data)

    def flush(self, mode: int = Z_FINISH, /) -> bytes:
        return _translated(self._stream.flush, mode)

    def copy(self) -> Compress:
        return _Alone(self._stream.copy())


class Decompress:
    """A decompression whose input comes piece by piece; ``decompressobj`` makes it."""

    def __init__(self, stream: _Decompress, left: int | None) -> None:
        self._stream = stream
        #: Bytes that may still come out.
        self._left = left

    @property
    def eof(self) -> bool:
        """Whether the end of the data was reached: a stream that was cut off never does."""
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        """The input behind the end of the data."""
        return self._stream.unused_data

    @property
    def unconsumed_tail(self) -> bytes:
        """The input that was left over because ``max_length`` was reached."""
        return self._stream.unconsumed_tail

    def decompress(self, data: ReadableBuffer, /, max_length: int = 0) -> bytes:
        """Takes data, and gives all that they stand for, or at most ``max_length`` bytes of it.

        What is left over then is ``unconsumed_tail``, to be given again.
        """
        if self._left is None or max_length < 0:
            return _translated(self._stream.decompress, data, max_length)
        # A byte more shows that there is more than may come.
        most = self._left + 1
        most = most if max_length == 0 else min(most, max_length)
        return self._counted(_translated(self._stream.decompress, data, most))

    def flush(self, length: int = DEF_BUF_SIZE, /) -> bytes:
        """Gives the rest. ``length`` is zlib's guess of its length.

        As with zlib, the end of the data may be missing: ``eof`` is False then.
        """
        if self._left is None or length <= 0:
            return _translated(self._stream.flush, length)
        rest = self.decompress(self.unconsumed_tail)
        return rest + self._counted(_translated(self._stream.flush, length))

    def copy(self) -> Decompress:
        """Returns a decompression that goes on from the same place."""
        return Decompress(self._stream.copy(), self._left)

    def _counted(self, data: bytes) -> bytes:
        if self._left is not None:
            if len(data) > self._left:
                raise error("the data go on behind the limit")
            self._left -= len(data)
        return data


def _translated(call: Callable[..., bytes], *arguments: object) -> bytes:
    """The result of a call of zlib, whose error becomes this module's."""
    try:
        return call(*arguments)
    except _zlib.error as wrong:
        raise _translate(wrong) from None


def compressobj(
    level: int = Z_DEFAULT_COMPRESSION,
    method: int = DEFLATED,
    wbits: int = MAX_WBITS,
    memLevel: int = DEF_MEM_LEVEL,  # noqa: N803
    strategy: int = Z_DEFAULT_STRATEGY,
    zdict: ReadableBuffer | None = None,
    *,
    threads: int | None = None,
) -> Compress:
    """What compresses data that come piece by piece.

    ``memLevel`` matters only with ``zdict``, ``strategy`` or a small window, which one thread
    compresses by zlib.

    >>> import zlib
    >>> stream = compressobj(9)
    >>> packed = stream.compress(b"the warp, ") + stream.flush(zlib.Z_SYNC_FLUSH)
    >>> zlib.decompressobj().decompress(packed)
    b'the warp, '
    >>> packed += stream.compress(b"the weft") + stream.flush()
    >>> zlib.decompress(packed)
    b'the warp, the weft'
    """
    if method != DEFLATED:
        raise ValueError(f"method is {method}; valid: {DEFLATED} (DEFLATED)")
    if not 1 <= memLevel <= 9:
        raise ValueError(f"memLevel is {memLevel}; valid: 1 to 9")
    if not Z_DEFAULT_STRATEGY <= strategy <= Z_FIXED:
        raise ValueError(f"strategy is {strategy}; valid: 0 to 4 (Z_FIXED)")
    format = _WRITTEN.get(wbits)
    if format is not None and strategy == Z_DEFAULT_STRATEGY and zdict is None:
        coder = _broadloom.Coder.compress(format, _level(level), threads=threads, mtime=0)
        return Compress(coder)
    _check_written(level, wbits)
    if zdict is None:
        return _Alone(_zlib.compressobj(level, method, wbits, memLevel, strategy))
    return _Alone(_zlib.compressobj(level, method, wbits, memLevel, strategy, zdict))


def decompressobj(
    wbits: int = MAX_WBITS, zdict: ReadableBuffer | None = None, *, limit: int | None = None
) -> Decompress:
    """What decompresses data that come piece by piece; ``limit`` is the most bytes in all.

    >>> import zlib
    >>> stream = decompressobj()
    >>> stream.decompress(zlib.compress(b"the warp, the weft") + b"more")
    b'the warp, the weft'
    >>> stream.eof, stream.unused_data
    (True, b'more')
    """
    _format(wbits)
    if limit is not None and limit < 0:
        raise ValueError(f"limit is {limit}; valid: 0 or more bytes")
    if zdict is None:
        return Decompress(_zlib.decompressobj(wbits), limit)
    return Decompress(_zlib.decompressobj(wbits, zdict), limit)

"""Functions shaped as the standard library's ``zlib``, on all cores.

>>> import broadloom.zlib, zlib
>>> zlib.decompress(broadloom.zlib.compress(b"the warp, the weft"))
b'the warp, the weft'

``wbits`` says the format, as in ``zlib``: 15 is zlib, 31 is gzip, -15 is bare deflate data, and 47
is zlib or gzip, to be found out. Other windows than 15 are read and not written. ``error`` is a
``zlib.error``. There are no preset dictionaries (``zdict``) and no ``max_length``, and data cannot
be flushed before the end.
"""

from __future__ import annotations

import zlib as _zlib
from typing import TYPE_CHECKING
from zlib import adler32 as adler32
from zlib import crc32 as crc32

from broadloom import _broadloom

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = [
    "DEFLATED",
    "MAX_WBITS",
    "Z_FINISH",
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

#: The window of 32 KiB.
MAX_WBITS = 15
#: The one method of compression.
DEFLATED = 8
#: The one way to flush.
Z_FINISH = 4


class error(_zlib.error, ValueError):  # noqa: N801
    """Data that are damaged, or become more than the limit."""


class _CutShort(error, EOFError):
    """Data that end too early."""


def _translate(wrong: Exception) -> error:
    return _CutShort(str(wrong)) if isinstance(wrong, EOFError) else error(str(wrong))


def _format(wbits: int) -> str | None:
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


def _written(wbits: int, level: int) -> tuple[str, int]:
    """The format and the level of what is written."""
    if wbits not in (15, -15, 31):
        raise ValueError(f"wbits is {wbits}; valid: 15 (zlib), -15 (deflate), 31 (gzip)")
    format = _format(wbits)
    assert format is not None
    return format, 6 if level == -1 else level


def compress(
    data: ReadableBuffer,
    /,
    level: int = -1,
    wbits: int = MAX_WBITS,
    *,
    threads: int | None = None,
) -> bytes:
    """Compresses data. A level of -1 is 6; 0 to 12 are valid.

    >>> import zlib
    >>> zlib.decompress(compress(b"the warp, the weft", 9, -15), -15)
    b'the warp, the weft'
    """
    format, level = _written(wbits, level)
    return _broadloom.compress(data, format, level, threads=threads, mtime=0)


def decompress(
    data: ReadableBuffer,
    /,
    wbits: int = MAX_WBITS,
    *,
    threads: int | None = None,
    limit: int | None = None,
) -> bytes:
    """Decompresses data. ``limit`` is the most bytes that may come out.

    Raises error, which is also a ValueError, for data that are wrong; one that is also an EOFError
    for data that end too early.

    >>> import zlib
    >>> decompress(zlib.compress(b"the warp, the weft"))
    b'the warp, the weft'
    """
    format = _format(wbits)
    try:
        return _broadloom.decompress(data, format, threads=threads, limit=limit)
    except (ValueError, EOFError) as wrong:
        raise _translate(wrong) from None


class Compress:
    """A compression whose input comes piece by piece; ``compressobj`` makes it."""

    def __init__(self, coder: _broadloom.Coder) -> None:
        self._coder = coder
        self._is_finished = False

    def compress(self, data: ReadableBuffer, /) -> bytes:
        """Takes data, and gives what is ready: perhaps of earlier data, perhaps nothing."""
        if self._is_finished:
            raise ValueError("the stream is finished; make another")
        return b"".join(self._coder.feed(data))

    def flush(self, mode: int = Z_FINISH, /) -> bytes:
        """Ends the stream, and gives the rest."""
        if mode != Z_FINISH:
            raise ValueError(f"mode is {mode}; valid: {Z_FINISH} (Z_FINISH)")
        if self._is_finished:
            raise ValueError("the stream is finished; make another")
        self._is_finished = True
        return b"".join(self._coder.finish())


class Decompress:
    """A decompression whose input comes piece by piece; ``decompressobj`` makes it."""

    def __init__(self, coder: _broadloom.Coder) -> None:
        self._coder = coder
        #: Whether the input was whole, and all output was given.
        self.eof = False

    def decompress(self, data: ReadableBuffer, /) -> bytes:
        """Takes data, and gives what is ready: perhaps of earlier data, perhaps nothing."""
        if self.eof:
            raise ValueError("the stream is finished; make another")
        try:
            return b"".join(self._coder.feed(data))
        except (ValueError, EOFError) as wrong:
            raise _translate(wrong) from None

    def flush(self) -> bytes:
        """Says that no more data will come, and gives the rest.

        Raises error, which is also an EOFError, where the input is not whole. ``zlib`` says nothing
        then.
        """
        if self.eof:
            return b""
        try:
            rest = b"".join(self._coder.finish())
        except (ValueError, EOFError) as wrong:
            raise _translate(wrong) from None
        self.eof = True
        return rest


def compressobj(
    level: int = -1,
    method: int = DEFLATED,
    wbits: int = MAX_WBITS,
    *,
    threads: int | None = None,
) -> Compress:
    """What compresses data that come piece by piece.

    >>> import zlib
    >>> stream = compressobj(9)
    >>> packed = stream.compress(b"the warp, ") + stream.compress(b"the weft") + stream.flush()
    >>> zlib.decompress(packed)
    b'the warp, the weft'
    """
    if method != DEFLATED:
        raise ValueError(f"method is {method}; valid: {DEFLATED} (DEFLATED)")
    format, level = _written(wbits, level)
    return Compress(_broadloom.Coder.compress(format, level, threads=threads, mtime=0))


def decompressobj(
    wbits: int = MAX_WBITS, *, threads: int | None = None, limit: int | None = None
) -> Decompress:
    """What decompresses data that come piece by piece; ``limit`` is the most bytes in all.

    Data behind the end are an error. ``zlib`` keeps them as ``unused_data``.

    >>> import zlib
    >>> stream = decompressobj()
    >>> stream.decompress(zlib.compress(b"the warp, the weft")) + stream.flush()
    b'the warp, the weft'
    """
    return Decompress(_broadloom.Coder.decompress(_format(wbits), threads=threads, limit=limit))

"""Functions shaped as the standard library's ``zlib``, on all cores.

>>> import broadloom.zlib, zlib
>>> zlib.decompress(broadloom.zlib.compress(b"the warp, the weft"))
b'the warp, the weft'

``wbits`` says the format, as in ``zlib``: 15 is zlib, 31 is gzip, -15 is bare deflate data, and 47
is zlib or gzip, to be found out. Other windows than 15 are read and not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadloom import _broadloom

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["MAX_WBITS", "compress", "decompress"]

#: The window of 32 KiB.
MAX_WBITS = 15


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
    if wbits not in (15, -15, 31):
        raise ValueError(f"wbits is {wbits}; valid: 15 (zlib), -15 (deflate), 31 (gzip)")
    format = _format(wbits)
    assert format is not None
    level = 6 if level == -1 else level
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

    Raises EOFError for data that end too early, and ValueError for data that are wrong.

    >>> import zlib
    >>> decompress(zlib.compress(b"the warp, the weft"))
    b'the warp, the weft'
    """
    return _broadloom.decompress(data, _format(wbits), threads=threads, limit=limit)

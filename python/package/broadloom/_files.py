"""What takes a few lines of Python over the native functions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from broadloom._broadloom import Hasher, hash_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import ReadableBuffer, StrPath

    from broadloom.names import HashName


def new(name: HashName, data: ReadableBuffer = b"", *, usedforsecurity: bool = True) -> Hasher:
    """A hash of one stream, with the methods of hashlib's.

    ``usedforsecurity`` is hashlib's. Every hash here is there for either use.

    >>> import broadloom, hashlib
    >>> stream = broadloom.new("sha256", b"the warp, ")
    >>> stream.update(b"the weft")
    >>> stream.hexdigest() == hashlib.sha256(b"the warp, the weft").hexdigest()
    True
    """
    return Hasher(name, data)


def hash_tree(
    directory: StrPath, algorithm: HashName = "sha256", *, threads: int | None = None
) -> dict[str, bytes]:
    """The digest of every regular file below a directory, by its path from there.

    Links are not followed. Paths have ``/`` between their parts and are in ascending order.

    >>> import broadloom, os, tempfile
    >>> place = tempfile.mkdtemp()
    >>> with open(os.path.join(place, "empty"), "wb"):
    ...     pass
    >>> {name: digest.hex()[:8] for name, digest in broadloom.hash_tree(place, "md5").items()}
    {'empty': 'd41d8cd9'}

    Raises OSError for a directory or a file that cannot be read.
    """
    names = sorted(_files(os.fspath(directory), ""))
    paths = [os.path.join(os.fspath(directory), name) for name in names]
    return dict(zip(names, hash_files(paths, algorithm, threads=threads), strict=True))


def _files(directory: str, prefix: str) -> Iterator[str]:
    """The names of all regular files below a directory."""
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, f"{prefix}{entry.name}/")
            elif entry.is_file(follow_symlinks=False):
                yield prefix + entry.name

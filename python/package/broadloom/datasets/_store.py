"""Objects in stores: read with retries, written whole or not at all."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import shutil
import tempfile
import time
import uuid
from collections import deque
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Literal, TypeVar

import fsspec  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping
    from concurrent.futures import Executor, Future

T = TypeVar("T")

#: Bytes of a large object that are read at once.
BLOCK = 8 << 20
#: Blocks of an object that are read ahead.
AHEAD = 4
#: Seconds to wait before the first retry; the wait doubles up to the longest one.
FIRST_WAIT, LONGEST_WAIT = 0.1, 10.0
#: Files that are synced one by one; a sync of the file system also waits for the files of others.
FEW = 8
#: Errors that no retry mends.
PERMANENT = (
    FileNotFoundError,
    IsADirectoryError,
    NotADirectoryError,
    NotImplementedError,
    PermissionError,
    TypeError,
)


def retried(work: Callable[[], T], retries: int) -> T:
    """Calls ``work`` until it succeeds, fails for good, or was retried often enough."""
    attempt = 0
    while True:
        try:
            return work()
        except PERMANENT:
            raise
        except Exception:
            if attempt == retries:
                raise
        # Workers that failed together must not come back together.
        wait = min(FIRST_WAIT * 2**attempt, LONGEST_WAIT)
        time.sleep(wait * random.uniform(0.5, 1))
        attempt += 1


class LengthError(OSError):
    """An object has another length than the manifest says, or came only in part."""


@dataclass(frozen=True)
class Store:
    """What reads objects by their paths or URLs.

    ``options`` are fsspec's storage options; ``retries`` says how often a read is tried again.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    retries: int = 5

    def locate(self, url: str) -> tuple[Any, str]:
        """The file system of a path or URL, and the name there."""
        filesystem, name = fsspec.core.url_to_fs(url, **self.options)
        return filesystem, name

    def local_path(self, url: str) -> str | None:
        """The path of a file on this machine; ``None`` for an object elsewhere."""
        filesystem, name = self.locate(url)
        return name if isinstance(filesystem, LocalFileSystem) else None

    def read(self, url: str, size: int | None) -> bytes:
        """A whole object, with a check of its length where ``size`` says it."""
        filesystem, name = self.locate(url)
        return retried(lambda: _checked(filesystem.cat_file(name), size), self.retries)

    def blocks(self, url: str, size: int, pool: Executor) -> Generator[bytes, None, None]:
        """The bytes of a large object in order, while later blocks are read ahead."""
        filesystem, name = self.locate(url)

        def read(start: int) -> bytes:
            end = min(start + BLOCK, size)

            # By their names: the second argument of s3fs is a version.
            def get() -> bytes:
                return _checked(filesystem.cat_file(name, start=start, end=end), end - start)

            return retried(get, self.retries)

        waiting: deque[Future[bytes]] = deque()
        try:
            for start in range(0, size, BLOCK):
                waiting.append(pool.submit(read, start))
                if len(waiting) == AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()


def _checked(data: bytes, size: int | None) -> bytes:
    if size is not None and len(data) != size:
        raise LengthError(f"{len(data)} bytes came, and {size} were expected")
    return data


class Place:
    """The directory or prefix that the results of a run go to.

    What is written appears under its name as a whole. An object in a store has its name at the end
    of its upload. Files of this machine wait for ``settle``: one sync of the file system covers
    many of them, and then they get their names.
    """

    def __init__(self, url: str, options: Mapping[str, Any], retries: int) -> None:
        self.url = url
        self._store = Store(options, retries)
        self._filesystem, self._root = self._store.locate(url)
        self._is_local = isinstance(self._filesystem, LocalFileSystem)
        self._waiting: list[tuple[str, str]] = []

    @property
    def filesystem(self) -> Any:
        """The file system, for readers of Parquet."""
        return self._filesystem

    def path(self, name: str) -> str:
        """The path of a name, as the file system wants it."""
        return f"{self._root.rstrip('/')}/{name}"

    def url_of(self, name: str) -> str:
        """The URL of a name, as users give it."""
        return f"{self.url.rstrip('/')}/{name}"

    def exists(self, name: str) -> bool:
        """Whether there is such a name."""
        self._filesystem.invalidate_cache()
        return bool(self._retried(lambda: self._filesystem.exists(self.path(name))))

    def names(self, directory: str) -> list[str]:
        """The last parts of the names in a directory, in ascending order."""

        def listed() -> list[str]:
            try:
                self._filesystem.invalidate_cache()
                return list(self._filesystem.ls(self.path(directory), detail=False))
            except FileNotFoundError:
                return []

        return sorted(name.rstrip("/").rsplit("/", 1)[-1] for name in self._retried(listed))

    def read(self, name: str) -> bytes:
        """What a name holds."""
        return self._store.read(self.url_of(name), None)

    def remove(self, name: str) -> None:
        """Removes a name, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self._retried(lambda: self._filesystem.rm_file(self.path(name)))

    def write(self, name: str, data: bytes) -> None:
        """Writes a whole object."""
        if self._is_local:
            with self.spool() as spool:
                spool.file.write(data)
                spool.commit(name)
        else:
            self._retried(lambda: self._filesystem.pipe_file(self.path(name), data))

    def spool(self) -> Spool:
        """A file for an object whose name is not known yet, or whose bytes come one by one."""
        if self._is_local:
            directory = self.path("incoming")
            os.makedirs(directory, exist_ok=True)
            return Spool(self, os.path.join(directory, uuid.uuid4().hex))
        handle, path = tempfile.mkstemp(prefix="broadloom-")
        os.close(handle)
        return Spool(self, path)

    def take(self, path: str, name: str) -> bool:
        """Gives a complete file its name, and says whether the file has to stay until then."""
        if self._is_local:
            self._waiting.append((path, self.path(name)))
        else:
            self._retried(lambda: self._filesystem.put_file(path, self.path(name)))
        return self._is_local

    def settle(self) -> None:
        """Gives all files their names, with bytes and names that outlive a loss of power."""
        if not self._waiting:
            return
        directories = {os.path.dirname(target) for _, target in self._waiting}
        for directory in directories:
            os.makedirs(directory, exist_ok=True)
        self._sync(path for path, _ in self._waiting)
        for path, target in self._waiting:
            os.replace(path, target)
        self._sync({self.path("incoming"), *directories})
        self._waiting = []

    def _sync(self, paths: Iterable[str]) -> None:
        """Waits until files and directories outlive a loss of power."""
        if len(self._waiting) > FEW:
            sync(self.path("incoming"), "syncfs")
        else:
            for path in paths:
                sync(path, "fsync")

    def discard(self) -> None:
        """Removes the files that have no name yet."""
        for path, _ in self._waiting:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        self._waiting = []

    def clean(self) -> None:
        """Removes what workers that were killed left behind. No run may be writing."""
        if self._is_local:
            shutil.rmtree(self.path("incoming"), ignore_errors=True)

    def _retried(self, work: Callable[[], T]) -> T:
        return retried(work, self._store.retries)


class Spool:
    """A file that becomes an object by ``commit``, and is gone without it."""

    def __init__(self, place: Place, path: str) -> None:
        self._place = place
        self._path = path
        self._is_taken = False
        self.file: IO[bytes] = open(path, "wb")

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        if not self._is_taken:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)

    def commit(self, name: str) -> None:
        """Gives the bytes their name."""
        self.file.close()
        self._is_taken = self._place.take(self._path, name)


def sync(path: str, call: Literal["fsync", "syncfs"]) -> None:
    """Waits until the system has written a file, or the file system that the file is on."""
    function = getattr(ctypes.CDLL(None, use_errno=True), call, None)
    if function is None:
        # Only Linux has syncfs.
        os.sync()
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if function(descriptor) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
    finally:
        os.close(descriptor)

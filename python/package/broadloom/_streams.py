"""Files over a coder, which works on threads of its own."""

from __future__ import annotations

import io
from typing import IO, TYPE_CHECKING, Any

from broadloom._broadloom import Coder

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import ReadableBuffer, WriteableBuffer

#: Bytes that are read from a file at once.
PIECE = 1 << 20
#: Bytes that are gathered for small reads and writes. Larger ones go past the buffer, uncopied.
BUFFER = 128 << 10


class Raw(io.RawIOBase):
    """A file of bytes over another one, which is closed with it where it owns it."""

    def __init__(self, file: IO[bytes], owned: bool, coder: Coder) -> None:
        self._file = file
        self._owned = owned
        self._coder = coder

    @property
    def name(self) -> Any:
        """The name of the file below."""
        return getattr(self._file, "name", "")

    def fileno(self) -> int:
        """The descriptor of the file below."""
        return self._file.fileno()

    def close(self) -> None:
        """Ends the stream, and closes the file below where it was opened by name."""
        if self.closed:
            return
        try:
            # A child of fork leaves the end of the stream to the parent, whose stream it is.
            if self._coder.is_here:
                self._end()
        finally:
            self._coder.abandon()
            if self._owned:
                self._file.close()
            super().close()

    def _end(self) -> None:
        """What a stream has still to do when it is closed."""

    def _check_process(self) -> None:
        """Refuses a child of fork, which has the descriptor and none of the threads."""
        if not self._coder.is_here:
            raise RuntimeError(
                "the stream was opened by the parent of this process, which goes on with it; open "
                "the file in this process"
            )


class Writer(Raw):
    """What is written goes compressed into the file below."""

    def __init__(self, file: IO[bytes], owned: bool, coder: Coder) -> None:
        super().__init__(file, owned, coder)
        self._written = 0

    def writable(self) -> bool:
        """It can be written."""
        return True

    def seekable(self) -> bool:
        """It knows its place, and goes forward."""
        return True

    def tell(self) -> int:
        """How many bytes were written."""
        return self._written

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes forward, by zeros."""
        if whence not in (io.SEEK_SET, io.SEEK_CUR):
            raise ValueError(f"whence is {whence}; valid while writing: 0 (start), 1 (here)")
        target = offset + (self._written if whence == io.SEEK_CUR else 0)
        if target < self._written:
            raise OSError(f"{self._written} bytes were written, and what was is not taken back")
        while self._written < target:
            self.write(bytes(min(target - self._written, PIECE)))
        return target

    def write(self, data: ReadableBuffer) -> int:
        """Takes all of the data. They are compressed on other threads, and written later."""
        if self.closed:
            raise ValueError("write to a closed file")
        self._check_process()
        self._put(self._coder.feed(data))
        count = memoryview(data).nbytes
        self._written += count
        return count

    def _put(self, pieces: list[bytes]) -> None:
        """Writes all of some pieces, to a file without a buffer too."""
        for piece in pieces:
            left = memoryview(piece)
            while left:
                count = self._file.write(left)
                left = left[len(left) if count is None else count :]

    def _end(self) -> None:
        self._put(self._coder.finish())
        self._file.flush()


class Reader(Raw):
    """What is read comes decompressed from the file below."""

    def __init__(
        self,
        file: IO[bytes],
        owned: bool,
        coder: Coder,
        make: Callable[[], Coder],
        translate: Callable[[Exception], Exception],
    ) -> None:
        super().__init__(file, owned, coder)
        self._make = make
        self._translate = translate
        seekable = getattr(file, "seekable", None)
        self._start = file.tell() if seekable is not None and seekable() else None
        self._restart()

    def _restart(self) -> None:
        self._begun = False
        self._error: Exception | None = None
        self._read = 0

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """It can go to any place where the file below can."""
        return self._start is not None

    def tell(self) -> int:
        """How many bytes of data stand before the place."""
        return self._read

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Goes to a place: forward by reading, and back by reading anew from the start."""
        if self._start is None:
            raise io.UnsupportedOperation("the file below cannot seek")
        if whence == io.SEEK_END:
            self._skip(None)
        elif whence not in (io.SEEK_SET, io.SEEK_CUR):
            raise ValueError(f"whence is {whence}; valid: 0 (start), 1 (here), 2 (end)")
        target = max(0, offset + (self._read if whence != io.SEEK_SET else 0))
        if target < self._read:
            self._check_process()
            self._file.seek(self._start)
            self._coder.abandon()
            self._coder = self._make()
            self._restart()
        self._skip(target)
        return self._read

    def _skip(self, target: int | None) -> None:
        """Reads up to a place, or to the end."""
        room = memoryview(bytearray(BUFFER))
        while target is None or self._read < target:
            left = BUFFER if target is None else min(BUFFER, target - self._read)
            if self.readinto(room[:left]) == 0:
                return

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Reads some bytes; 0 at the end."""
        if self.closed:
            raise ValueError("read of a closed file")
        self._check_process()
        if self._error is not None:
            # What was wrong once stays so.
            raise self._error
        if memoryview(buffer).nbytes == 0:
            return 0
        try:
            while True:
                count = self._coder.read_into(buffer) if self._begun else None
                if count is not None:
                    self._read += count
                    return count
                more = self._file.read(PIECE)
                if not more and not self._begun:
                    return 0
                self._begun = True
                if more:
                    self._coder.push(more)
                else:
                    self._coder.end()
        except (ValueError, EOFError) as error:
            self._error = self._translate(error)
            raise self._error from None

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
            self._end()
        finally:
            self._coder.abandon()
            if self._owned:
                self._file.close()
            super().close()

    def _end(self) -> None:
        """What a stream has still to do when it is closed."""


class Writer(Raw):
    """What is written goes compressed into the file below."""

    def writable(self) -> bool:
        """It can be written."""
        return True

    def write(self, data: ReadableBuffer) -> int:
        """Takes all of the data. They are compressed on other threads, and written later."""
        if self.closed:
            raise ValueError("write to a closed file")
        for piece in self._coder.feed(data):
            self._file.write(piece)
        return memoryview(data).nbytes

    def _end(self) -> None:
        for piece in self._coder.finish():
            self._file.write(piece)
        self._file.flush()


class Reader(Raw):
    """What is read comes decompressed from the file below."""

    def __init__(
        self,
        file: IO[bytes],
        owned: bool,
        coder: Coder,
        translate: Callable[[Exception], Exception],
    ) -> None:
        super().__init__(file, owned, coder)
        self._translate = translate
        self._begun = False
        self._error: Exception | None = None

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Reads some bytes; 0 at the end."""
        if self.closed:
            raise ValueError("read of a closed file")
        if self._error is not None:
            # What was wrong once stays so.
            raise self._error
        if memoryview(buffer).nbytes == 0:
            return 0
        try:
            while True:
                count = self._coder.read_into(buffer) if self._begun else None
                if count is not None:
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

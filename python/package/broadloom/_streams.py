"""Files over a coder, which works on threads of its own.

A coder is made when it is needed. What is short needs none: to start threads takes longer than to
compress it.
"""

from __future__ import annotations

import io
import os
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import ReadableBuffer, WriteableBuffer

    from broadloom._broadloom import Coder

#: Bytes that are read from a file at once.
PIECE = 1 << 20
#: Bytes that are gathered for small reads and writes. Larger ones go past the buffer, uncopied.
BUFFER = 128 << 10
#: The most bytes of a short file, and of a short file's data when it is read.
SHORT = 128 << 10
SHORT_DATA = 4 << 20
#: Bytes that are one chunk for any number of threads.
ONE_CHUNK = 64 << 10


class Raw(io.RawIOBase):
    """A file of bytes over another one, which is closed with it where it owns it.

    ``make`` makes the coder.
    """

    def __init__(self, file: IO[bytes], owned: bool, make: Callable[[], Coder]) -> None:
        self._file = file
        self._owned = owned
        self._make = make
        self._coder: Coder | None = None
        self._process = os.getpid()

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
            if self._is_here():
                self._end()
        finally:
            self._abandon()
            if self._owned:
                self._file.close()
            super().close()

    def _end(self) -> None:
        """What a stream has still to do when it is closed."""

    def _started(self) -> Coder:
        """The coder, which is made if there is none."""
        if self._coder is None:
            self._coder = self._make()
        return self._coder

    def _abandon(self) -> None:
        """Stops the coder, if there is one."""
        if self._coder is not None:
            self._coder.abandon()
            self._coder = None

    def _is_here(self) -> bool:
        """Returns True unless this is a child of the process that opened the stream."""
        return os.getpid() == self._process

    def _check_process(self) -> None:
        """Refuses a child of fork, which has the descriptor and none of the threads."""
        if not self._is_here():
            raise RuntimeError(
                "the stream was opened by the parent of this process, which goes on with it; open "
                "the file in this process"
            )


class Writer(Raw):
    """What is written goes compressed into the file below.

    ``whole`` compresses data as the coder does, at once, if all of them are short.
    """

    def __init__(
        self,
        file: IO[bytes],
        owned: bool,
        make: Callable[[], Coder],
        whole: Callable[[bytes], bytes],
    ) -> None:
        super().__init__(file, owned, make)
        self._whole = whole
        self._waiting: list[bytes] = []
        self._written = 0
        self._is_ended = False

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
        count = memoryview(data).nbytes
        if self._coder is None and self._written + count <= SHORT:
            self._waiting.append(bytes(data))
        else:
            self._feed_waiting()
            self._put(self._started().feed(data))
        self._written += count
        return count

    def _feed_waiting(self) -> None:
        """Gives the coder what has waited to be known as short."""
        waiting, self._waiting = self._waiting, []
        for piece in waiting:
            self._put(self._started().feed(piece))

    def flush(self) -> None:
        """Writes all that was written so far, so that whoever reads the file gets it."""
        # RawIOBase flushes a stream that is closed and has ended. A child of fork writes nothing.
        if not self.closed and not self._is_ended and self._is_here():
            self._feed_waiting()
            if self._coder is not None:
                self._put(self._coder.flush())
            self._file.flush()

    def _put(self, pieces: list[bytes]) -> None:
        """Writes all of some pieces, to a file without a buffer too."""
        for piece in pieces:
            left = memoryview(piece)
            while left:
                count = self._file.write(left)
                left = left[len(left) if count is None else count :]

    def _end(self) -> None:
        self._is_ended = True
        if self._coder is None:
            self._put([self._whole(b"".join(self._waiting))])
            self._waiting = []
        else:
            self._put(self._coder.finish())
        self._file.flush()


class Buffered(io.BufferedWriter):
    """A buffer over a ``Writer``, which is flushed with the buffer."""

    _is_closing = False

    def flush(self) -> None:
        """Writes all that was written so far, so that whoever reads the file gets it."""
        super().flush()
        # What is closed is written to its end, for which no flush is needed.
        if not self._is_closing:
            self.raw.flush()

    def close(self) -> None:
        """Ends the stream."""
        self._is_closing = True
        super().close()


class Text(io.TextIOWrapper):
    """Text over a ``Buffered``, or over a buffer that is read."""

    def close(self) -> None:
        """Ends the stream."""
        if isinstance(self.buffer, Buffered):
            self.buffer._is_closing = True
        super().close()


def few_threads(threads: int | None, length: int) -> int | None:
    """How many threads are for so many bytes: where none is named, one for what is short.

    To ask the system how many cores there are takes longer than to compress a short message.
    """
    return 1 if threads is None and length <= ONE_CHUNK else threads


class Reader(Raw):
    """What is read comes decompressed from the file below.

    ``whole`` decompresses all of a short file at once, and raises an error where the coder has to
    say what is wrong, or where it stands for more than ``SHORT_DATA``. Without it, the file is read
    as it comes.
    """

    def __init__(
        self,
        file: IO[bytes],
        owned: bool,
        make: Callable[[], Coder],
        whole: Callable[[bytes], bytes] | None,
        translate: Callable[[Exception], Exception],
    ) -> None:
        super().__init__(file, owned, make)
        # Reads what there is, where a pipe has less than a piece.
        self._some: Callable[[int], bytes] = getattr(file, "read1", file.read)
        self._whole = whole
        self._translate = translate
        seekable = getattr(file, "seekable", None)
        self._start = file.tell() if seekable is not None and seekable() else None
        self._restart()

    def _restart(self) -> None:
        self._begun = False
        self._data: bytes | None = None
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
            self._abandon()
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
            if not self._begun and not self._begin():
                return 0
            if self._data is not None:
                count = self._copy(self._data, memoryview(buffer).cast("B"))
            else:
                count = self._decoded(self._started(), buffer)
            self._read += count
            return count
        except (ValueError, EOFError) as error:
            self._error = self._translate(error)
            raise self._error from None

    def _begin(self) -> bool:
        """Reads the first piece, and decompresses it if it is all of a short file.

        Returns False where the file is empty.
        """
        first = self._some(PIECE)
        if not first:
            return False
        self._begun = True
        if self._whole is not None and self._start is not None and len(first) <= SHORT:
            more = self._some(PIECE)
            if not more:
                try:
                    self._data = self._whole(first)
                    return True
                except (ValueError, EOFError, MemoryError):
                    # The coder gives what there is before the error.
                    pass
        else:
            more = b""
        coder = self._started()
        coder.push(first)
        if more:
            coder.push(more)
        return True

    def _copy(self, data: bytes, room: memoryview) -> int:
        """Copies the next of the data."""
        piece = data[self._read : self._read + len(room)]
        room[: len(piece)] = piece
        return len(piece)

    def _decoded(self, coder: Coder, buffer: WriteableBuffer) -> int:
        """Reads what the coder has decoded, and gives it more where it needs more."""
        while (count := coder.read_into(buffer)) is None:
            more = self._some(PIECE)
            if more:
                coder.push(more)
            else:
                coder.end()
        return count

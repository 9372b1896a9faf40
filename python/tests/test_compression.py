"""Compression, both ways, against gzip and zlib."""

import gzip
import io
import os
import random
import tarfile
import tempfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import broadloom
import broadloom.gzip
import broadloom.zlib
from broadloom._broadloom import Coder

TEXT = b"".join(b"%d the warp, the weft\n" % (i * i) for i in range(100_000))
NOISE = random.Random(1).randbytes(300_000)
repeated = st.builds(lambda b, n: b * n, st.binary(max_size=20), st.integers(0, 5000))
datas = st.binary(max_size=2000) | repeated


@given(st.lists(datas, max_size=20), st.sampled_from([0, 1, 6, 12]), st.integers(1, 3))
def test_many_round_trips(buffers: list[bytes], level: int, threads: int) -> None:
    files = broadloom.compress_many(buffers, "gzip", level, threads=threads)
    assert [gzip.decompress(file) for file in files] == buffers
    assert broadloom.decompress_many(files, threads=threads) == buffers
    files = broadloom.compress_many(buffers, "zlib", level, threads=threads)
    assert [zlib.decompress(file) for file in files] == buffers
    assert broadloom.decompress_many(files, "zlib") == buffers
    files = broadloom.compress_many(buffers, "raw", level)
    assert [zlib.decompress(file, -15) for file in files] == buffers
    assert broadloom.decompress_many(files, "raw") == buffers


@given(datas, st.integers(0, 9))
def test_both_ways_with_the_standard_library(data: bytes, level: int) -> None:
    assert gzip.decompress(broadloom.gzip.compress(data, level)) == data
    assert broadloom.gzip.decompress(gzip.compress(data, level)) == data
    assert zlib.decompress(broadloom.zlib.compress(data, level)) == data
    assert broadloom.zlib.decompress(zlib.compress(data, level)) == data


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("format", ["gzip", "bgzf"])
@pytest.mark.parametrize("data", [b"", b"x", TEXT, NOISE, TEXT + NOISE + TEXT])
def test_files(tmp_path: Path, data: bytes, format: str, threads: int) -> None:
    path = tmp_path / "file.gz"
    with broadloom.gzip.open(path, "wb", 1, threads=threads, format=format) as file:
        for start in range(0, len(data), 77_777):
            assert file.write(data[start : start + 77_777]) == len(data[start : start + 77_777])
    assert gzip.decompress(path.read_bytes()) == data
    with broadloom.gzip.open(path, threads=threads) as file:
        assert file.read() == data
    with broadloom.gzip.open(path, threads=threads) as file:
        pieces = list(iter(lambda: file.read(50_001), b""))
    assert b"".join(pieces) == data
    assert all(len(piece) == 50_001 for piece in pieces[:-1])


def _threads() -> int:
    """How many threads this process has, as the system counts them."""
    return len(os.listdir("/proc/self/task"))


@pytest.mark.parametrize("format", ["gzip", "bgzf"])
@pytest.mark.parametrize("length", [0, 1, 60_000, 100_000])
def test_short_files_are_as_long_ones_and_start_no_thread(
    tmp_path: Path, length: int, format: str
) -> None:
    path, data = tmp_path / "file.gz", TEXT[:length]
    before = _threads()
    with broadloom.gzip.open(path, "wb", format=format) as file:
        for start in range(0, length, 7777):
            file.write(data[start : start + 7777])
        assert _threads() <= before
    coder = Coder.compress(format, 6, threads=2, mtime=0)
    assert path.read_bytes() == b"".join(coder.feed(data) + coder.finish())
    before = _threads()
    with broadloom.gzip.open(path) as file:
        assert file.read(7777) == data[:7777]
        assert _threads() <= before
        assert file.seek(length // 3) == length // 3
        assert file.read() == data[length // 3 :]
        assert file.seek(length // 2) == length // 2
        assert file.read() == data[length // 2 :]


def test_a_short_file_gives_what_stands_before_the_damage(tmp_path: Path) -> None:
    path, text = tmp_path / "file.gz", TEXT[:100_000]
    path.write_bytes(gzip.compress(text) + gzip.compress(b"weft")[:-3])
    with broadloom.gzip.open(path) as file:
        assert file.read(len(text)) == text
        with pytest.raises(EOFError):
            file.read()


def test_a_short_file_may_stand_for_much(tmp_path: Path) -> None:
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(bytes(10_000_000)))
    with broadloom.gzip.open(path) as file:
        assert file.read() == bytes(10_000_000)


def test_files_of_the_standard_library_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file.gz"
    with gzip.open(path, "wb") as file:
        file.write(TEXT)
    with path.open("ab") as raw:
        raw.write(gzip.compress(NOISE))
    with broadloom.gzip.open(path) as mine:
        assert mine.read() == TEXT + NOISE


def test_text_lines_and_appending(tmp_path: Path) -> None:
    path = tmp_path / "log.gz"
    with broadloom.gzip.open(path, "wt", encoding="utf-8", newline="\n") as log:
        print("Kette", "Schuß", file=log)
    with broadloom.gzip.open(str(path), "at", encoding="utf-8") as log:
        print("second", file=log)
    with broadloom.gzip.open(os.fsencode(path), "rt", encoding="utf-8") as log:
        assert list(log) == ["Kette Schuß\n", "second\n"]
    with pytest.raises(FileExistsError):
        broadloom.gzip.open(path, "xb")


def test_open_files_are_left_open() -> None:
    buffer = io.BytesIO()
    with broadloom.gzip.open(buffer, "wb") as file:
        file.write(TEXT)
    assert not buffer.closed and gzip.decompress(buffer.getvalue()) == TEXT
    buffer.seek(0)
    with broadloom.gzip.open(buffer) as file:
        assert file.readline() == TEXT[: TEXT.index(b"\n") + 1]
    assert not buffer.closed


def test_the_time_is_stored_when_asked_for() -> None:
    assert broadloom.gzip.compress(b"x") == broadloom.gzip.compress(b"x", mtime=0)
    assert broadloom.gzip.compress(b"x", mtime=7)[4:8] == (7).to_bytes(4, "little")
    assert broadloom.gzip.compress(b"x", mtime=None)[4:8] != bytes(4)
    with pytest.raises(ValueError, match="mtime is -1"):
        broadloom.gzip.compress(b"x", mtime=-1)


@pytest.mark.parametrize("threads", [1, 2])
def test_damage_is_found_however_it_is_read(tmp_path: Path, threads: int) -> None:
    whole = gzip.compress(TEXT)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0x10
    with pytest.raises(broadloom.gzip.BadGzipFile, match="at byte"):
        broadloom.gzip.decompress(damaged, threads=threads)
    with pytest.raises(EOFError, match="the input ends within"):
        broadloom.gzip.decompress(whole[:-9], threads=threads)
    with pytest.raises(gzip.BadGzipFile):
        broadloom.gzip.decompress(b"no gzip data", threads=threads)
    path = tmp_path / "file.gz"
    path.write_bytes(damaged)
    with broadloom.gzip.open(path, threads=threads) as file:
        for _ in range(2):  # What was wrong stays wrong.
            with pytest.raises(broadloom.gzip.BadGzipFile):
                while file.read(1 << 16):
                    pass
    path.write_bytes(whole[:-9])
    with broadloom.gzip.open(path, threads=threads) as file, pytest.raises(EOFError):
        file.read()


def test_limits() -> None:
    bomb = zlib.compress(bytes(10_000_000))
    assert len(broadloom.zlib.decompress(bomb, limit=10_000_000)) == 10_000_000
    with pytest.raises(ValueError, match="limit"):
        broadloom.zlib.decompress(bomb, limit=9_999_999)
    with pytest.raises(ValueError, match=r"buffers\[1\]: .*limit"):
        broadloom.decompress_many([zlib.compress(b""), bomb], "zlib", limit=10)


def test_errors_of_many_name_the_first() -> None:
    good = zlib.compress(b"good")
    for threads in (1, 3):
        with pytest.raises(ValueError, match=r"buffers\[2\]"):
            broadloom.decompress_many([good, good, b"bad!", b"bad!"] * 9, "zlib", threads=threads)
    with pytest.raises(EOFError, match=r"buffers\[0\]"):
        broadloom.decompress_many([good[:-5]], "zlib")
    with pytest.raises(ValueError, match='"rar" is no format; valid: gzip, bgzf, zlib, raw'):
        broadloom.compress_many([b""], "rar")
    with pytest.raises(ValueError, match="level is 13; valid: 0 to 12"):
        broadloom.compress_many([b""], level=13)


@pytest.mark.parametrize(
    ("mode", "message"), [("rw", "mode is 'rw'"), ("", "mode is ''"), ("rbt", "mode is 'rbt'")]
)
def test_wrong_modes(mode: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        broadloom.gzip.open("file", mode)


def test_wrong_arguments_leave_no_file(tmp_path: Path) -> None:
    path = tmp_path / "new.gz"
    with pytest.raises(ValueError, match="level is 99"):
        broadloom.gzip.open(path, "wb", 99)
    with pytest.raises(ValueError, match="encoding is 'utf-8'"):
        broadloom.gzip.open(path, "wb", encoding="utf-8")
    with pytest.raises(ValueError, match="wbits is 7"):
        broadloom.zlib.compress(b"", 6, 7)
    with pytest.raises(TypeError):
        broadloom.gzip.open(3)
    assert not path.exists()


def test_a_reader_that_stops_early_leaves_nothing_behind() -> None:
    with tempfile.NamedTemporaryFile(suffix=".gz") as file:
        file.write(gzip.compress(TEXT * 20, 1))
        file.flush()
        for _ in range(50):
            with broadloom.gzip.open(file.name) as mine:
                assert mine.read(10) == TEXT[:10]


@given(st.lists(st.binary(max_size=3000), max_size=20), st.sampled_from([15, -15, 31]))
def test_streams_piece_by_piece(pieces: list[bytes], wbits: int) -> None:
    packer = broadloom.zlib.compressobj(6, wbits=wbits, threads=1)
    packed = b"".join(map(packer.compress, pieces)) + packer.flush()
    assert zlib.decompress(packed, wbits) == b"".join(pieces)
    theirs = zlib.compressobj(1, wbits=wbits)
    packed = b"".join(map(theirs.compress, pieces)) + theirs.flush()
    unpacker = broadloom.zlib.decompressobj(wbits)
    cuts = range(0, len(packed), 100)
    plain = b"".join(unpacker.decompress(packed[cut : cut + 100]) for cut in cuts)
    assert unpacker.eof
    assert plain + unpacker.flush() == b"".join(pieces)
    assert unpacker.eof and unpacker.flush() == b""


def test_streams_that_are_cut_short_or_misused() -> None:
    # As with zlib, no end is no error of a stream.
    unpacker = broadloom.zlib.decompressobj()
    assert unpacker.decompress(zlib.compress(TEXT)[:-2]) + unpacker.flush() == TEXT
    assert not unpacker.eof
    packer = broadloom.zlib.compressobj()
    packer.flush()
    with pytest.raises(ValueError, match="the stream is finished"):
        packer.compress(b"more")
    with pytest.raises(ValueError, match="mode is 7; valid: Z_NO_FLUSH"):
        broadloom.zlib.compressobj().flush(7)
    with pytest.raises(ValueError, match="method is 9; valid: 8"):
        broadloom.zlib.compressobj(6, 9)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "utf-16-le"])
def test_encodings_with_a_mark(tmp_path: Path, encoding: str) -> None:
    ours, theirs = tmp_path / "ours.gz", tmp_path / "theirs.gz"
    for module, path in ((broadloom.gzip, ours), (gzip, theirs)):
        with module.open(path, "wt", encoding=encoding, newline="") as file:
            file.write("warp\n")
            file.write("weft\n")
    assert gzip.open(ours).read() == gzip.open(theirs).read()
    with broadloom.gzip.open(theirs, "rt", encoding=encoding) as file:
        assert file.read() == "warp\nweft\n"


@given(st.lists(st.tuples(st.integers(-300, 300), st.integers(0, 2), st.integers(0, 50))))
def test_places_in_a_file(moves: list[tuple[int, int, int]]) -> None:
    packed = b"".join(gzip.compress(NOISE[start : start + 90]) for start in range(0, 270, 90))
    theirs = gzip.open(io.BytesIO(packed))
    with broadloom.gzip.open(io.BytesIO(packed), threads=2) as ours:
        assert ours.seekable()
        for offset, whence, count in moves:
            if whence == 0:
                offset = abs(offset)
            elif whence == 1:
                offset = max(offset, -ours.tell())
            else:
                offset = max(offset, -270)
            # gzip stays at the end where a place is behind it, as this does.
            assert ours.seek(offset, whence) == min(theirs.seek(offset, whence), 270)
            assert ours.read(count) == theirs.read(count)
            assert ours.tell() == min(theirs.tell(), 270)


def test_places_while_writing(tmp_path: Path) -> None:
    with broadloom.gzip.open(tmp_path / "file", "wb") as file:
        assert file.tell() == 0
        file.write(b"warp")
        assert (file.tell(), file.seek(6)) == (4, 6)
        file.write(b"weft")
        assert file.tell() == 10
        file.flush()
        with pytest.raises(OSError, match="10 bytes were written"):
            file.seek(3)
        with pytest.raises(ValueError, match="whence is 2"):
            file.seek(0, 2)
    assert gzip.open(tmp_path / "file").read() == b"warp\0\0weft"


def test_a_pipe_cannot_seek() -> None:
    reading, writing = os.pipe()
    with open(writing, "wb") as pipe:
        pipe.write(gzip.compress(b"warp"))
    with open(reading, "rb") as pipe, broadloom.gzip.open(pipe) as file:
        assert not file.seekable()
        with pytest.raises(io.UnsupportedOperation):
            file.seek(0)
        assert file.read() == b"warp"


def test_tar_files(tmp_path: Path) -> None:
    path = tmp_path / "archive.tar.gz"
    with broadloom.gzip.open(path, "wb") as file, tarfile.open(fileobj=file, mode="w") as archive:
        for number in range(20):
            member = tarfile.TarInfo(f"{number}")
            member.size = number * 1000
            archive.addfile(member, io.BytesIO(NOISE[: member.size]))
    with tarfile.open(path) as archive:
        assert len(archive.getnames()) == 20
    with broadloom.gzip.open(path) as file, tarfile.open(fileobj=file) as archive:
        assert archive.getnames() == [f"{number}" for number in range(20)]
        for number in (19, 3, 7):
            member = archive.extractfile(f"{number}")
            assert member is not None and member.read() == NOISE[: number * 1000]


def test_a_raw_file_takes_all(tmp_path: Path) -> None:
    class Slow(io.RawIOBase):
        """A file that takes a few bytes at a time."""

        def __init__(self) -> None:
            self.taken = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.taken += bytes(data[:1000])
            return min(1000, len(data))

    slow = Slow()
    with broadloom.gzip.open(slow, "wb", 0) as file:  # type: ignore[arg-type]
        file.write(NOISE)
    assert gzip.decompress(slow.taken) == NOISE


def test_errors_of_zlib() -> None:
    packed = zlib.compress(TEXT)
    damaged = packed[:1000] + bytes([packed[1000] ^ 1]) + packed[1001:]
    for wrong, kinds in ((damaged, (ValueError,)), (packed[:1000], (EOFError, ValueError))):
        for kind in (zlib.error, broadloom.zlib.error, *kinds):
            with pytest.raises(kind):
                broadloom.zlib.decompress(wrong)
    for kind in (zlib.error, broadloom.zlib.error, ValueError):
        with pytest.raises(kind):
            broadloom.zlib.decompressobj().decompress(damaged)
    assert broadloom.zlib.crc32(b"warp") == zlib.crc32(b"warp")
    assert broadloom.zlib.adler32(b"warp", 7) == zlib.adler32(b"warp", 7)


@pytest.mark.parametrize("count", [1, 2, 5, 511, 70_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_zeros_between_members(tmp_path: Path, count: int, threads: int) -> None:
    members = [gzip.compress(TEXT[:300_000]), gzip.compress(b""), gzip.compress(NOISE)]
    packed = bytes(count).join([*members, b""])
    expected = gzip.decompress(packed)
    assert broadloom.gzip.decompress(packed, threads=threads) == expected
    (tmp_path / "file.gz").write_bytes(packed)
    with broadloom.gzip.open(tmp_path / "file.gz", threads=threads) as file:
        assert file.read() == expected
    for wrong in (packed + b"x", packed[:-count] + bytes(count) + b"\x1f\x8c"):
        with pytest.raises(broadloom.gzip.BadGzipFile):
            broadloom.gzip.decompress(wrong, threads=threads)
    with pytest.raises(EOFError):
        broadloom.gzip.decompress(packed + b"\x1f", threads=threads)


def both(packed: bytes) -> tuple[broadloom.gzip.GzipFile, gzip.GzipFile]:
    ours = broadloom.gzip.GzipFile(fileobj=io.BytesIO(packed))
    return ours, gzip.GzipFile(fileobj=io.BytesIO(packed))


READS = ["read", "read1", "readline", "peek", "readinto", "seek", "tell"]


@given(st.lists(st.tuples(st.sampled_from(READS), st.integers(0, 400)), max_size=30))
def test_the_class_reads_as_gzips(calls: list[tuple[str, int]]) -> None:
    packed = b"".join(gzip.compress(TEXT[start : start + 500]) for start in range(0, 3000, 500))
    ours, theirs = both(packed)
    with ours, theirs:
        for name, count in calls:
            if name in ("read", "readline"):
                assert getattr(ours, name)(count) == getattr(theirs, name)(count)
            elif name == "seek":
                assert ours.seek(count * 7) == theirs.seek(count * 7)
            elif name == "readinto":
                mine, its = bytearray(count), bytearray(count)
                assert ours.readinto(mine) == theirs.readinto(its) and mine == its
            elif name == "read1":
                # It may give less than there is, but nothing only at the end.
                some = ours.read1(count)
                assert some == theirs.read(len(some))
                assert some or count == 0 or theirs.peek(1) == b""
            elif name == "peek" and count > 0:
                place = ours.tell()
                assert ours.peek(count)[:1] == theirs.peek(count)[:1] and ours.tell() == place
            assert ours.tell() == theirs.tell()
        ours.rewind()
        theirs.rewind()
        assert ours.readlines() == theirs.readlines()


def test_the_class_is_gzips(tmp_path: Path) -> None:
    theirs = {name for name in vars(gzip.GzipFile) if not name.startswith("_")}
    # "filename" has been deprecated for years, and the others are no part of the interface.
    missing = theirs - set(dir(broadloom.gzip.GzipFile)) - {"filename", "mtime", "myfileobj"}
    assert missing == set()
    assert issubclass(broadloom.gzip.GzipFile, io.BufferedIOBase)
    path = tmp_path / "file.gz"
    with broadloom.gzip.GzipFile(path, "w", 1) as file:
        assert file.write(TEXT) == len(TEXT) and file.tell() == len(TEXT)
        assert (file.readable(), file.writable(), file.mode) == (False, True, 2)
        file.flush()
        assert zlib.decompressobj(31).decompress(path.read_bytes()) == TEXT
        with pytest.raises(OSError, match="not to be read"):
            file.read()
        with pytest.raises(ValueError, match="zlib_mode is 5; valid: 2"):
            file.flush(zlib.Z_BLOCK)
    assert file.closed
    with pytest.raises(ValueError, match="closed"):
        file.write(b"more")
    with broadloom.gzip.GzipFile(path, "ab") as file:
        file.write(NOISE)
    assert gzip.decompress(path.read_bytes()) == TEXT + NOISE
    with path.open("rb") as raw, broadloom.gzip.GzipFile(fileobj=raw) as file:
        assert (file.name, file.fileno(), file.mode) == (str(path), raw.fileno(), 1)
        assert file.readline() == TEXT[: TEXT.index(b"\n") + 1]
        with pytest.raises(OSError, match="not to be written"):
            file.write(b"more")
    assert "closed" in repr(file) and not broadloom.gzip.GzipFile(path).closed
    for wrong, kind in (({"mode": "rt"}, ValueError), ({"mode": "U"}, ValueError)):
        with pytest.raises(kind, match="mode is"):
            broadloom.gzip.GzipFile(path, **wrong)
    with pytest.raises(TypeError, match="give one of them"):
        broadloom.gzip.GzipFile()


def test_tar_files_through_the_class(tmp_path: Path) -> None:
    path = tmp_path / "archive.tar.gz"
    with broadloom.gzip.GzipFile(path, "wb") as file:
        with tarfile.open(fileobj=file, mode="w") as archive:
            for number in range(20):
                member = tarfile.TarInfo(f"{number}")
                member.size = number * 1000
                archive.addfile(member, io.BytesIO(NOISE[: member.size]))
    with broadloom.gzip.GzipFile(path) as file, tarfile.open(fileobj=file) as archive:
        for number in (19, 3, 7):
            member = archive.extractfile(f"{number}")
            assert member is not None and member.read() == NOISE[: number * 1000]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("format", ["gzip", "bgzf"])
def test_what_is_flushed_is_in_the_file(tmp_path: Path, format: str, threads: int) -> None:
    path = tmp_path / "file.gz"
    written = b""
    with broadloom.gzip.open(path, "wb", threads=threads, format=format) as file:
        for start in range(0, 900_000, 123_456):
            file.write(TEXT[start : start + 123_456])
            written += TEXT[start : start + 123_456]
            for _ in range(2):
                file.flush()
                packed, found = path.read_bytes(), b""
                while packed:
                    reader = zlib.decompressobj(31)
                    found += reader.decompress(packed)
                    packed = reader.unused_data
                assert found == written
    assert gzip.decompress(path.read_bytes()) == written


def test_a_flush_at_the_end_changes_nothing(tmp_path: Path) -> None:
    for flushes in (0, 1, 3):
        with broadloom.gzip.open(tmp_path / f"{flushes}", "wb") as file:
            file.write(TEXT)
            for _ in range(flushes):
                file.flush()
    # A text file flushes itself when it is closed.
    with broadloom.gzip.open(tmp_path / "text", "wt", encoding="ascii", newline="") as text:
        text.write(TEXT.decode())
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1

"""hash_many and hmac_many against hashlib and hmac; and what all functions like them share."""

import array
import ctypes
import hashlib
import hmac
import importlib.metadata
import mmap
import multiprocessing
import os
import subprocess
import sys
from typing import Any

import numpy
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import broadloom

HASHES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]
HASHES += ["sha3_224", "sha3_256", "sha3_384", "sha3_512"]
messages = st.lists(st.binary(max_size=400), max_size=70)


@given(messages, st.sampled_from(HASHES), st.integers(1, 3))
def test_digests_are_hashlibs(buffers: list[bytes], name: str, threads: int) -> None:
    expected = [hashlib.new(name, buffer).digest() for buffer in buffers]
    assert broadloom.hash_many(buffers, name, threads=threads) == expected


@given(messages, st.sampled_from(HASHES), st.binary(max_size=200), st.integers(1, 3))
def test_hmacs_are_hmacs(buffers: list[bytes], name: str, key: bytes, threads: int) -> None:
    expected = [hmac.digest(key, buffer, name) for buffer in buffers]
    assert broadloom.hmac_many(buffers, key, name, threads=threads) == expected


@pytest.mark.parametrize("length", [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000, 70_000])
@pytest.mark.parametrize("count", [1, 2, 15, 16, 17, 511, 512, 513])
def test_every_count_and_length(length: int, count: int) -> None:
    count = min(count, 20) if length > 2000 else count
    buffers = [i.to_bytes(4, "big") * (length // 4) + b"x" * (length % 4) for i in range(count)]
    expected = [hashlib.sha256(buffer).digest() for buffer in buffers]
    assert broadloom.hash_many(buffers) == expected
    assert broadloom.hash_many(buffers, threads=4) == expected


@pytest.mark.parametrize("threads", [1, 2])
def test_more_than_a_round(threads: int) -> None:
    # Objects of results are made in rounds of 8192, and in 16 rounds at most.
    for count in (8191, 8192, 8193, 20_000, 16 * 8192 + 1):
        buffers = [i.to_bytes(4, "big") * (i % 23) for i in range(count)]
        expected = [hashlib.sha256(buffer).digest() for buffer in buffers]
        assert broadloom.hash_many(buffers, threads=threads) == expected


def test_one_buffer_that_is_longer_than_all_others() -> None:
    # It alone is more than a thread's share of the bytes.
    buffers = [bytes([i % 256]) * (i % 90) for i in range(5000)]
    buffers[2500] = os.urandom(1 << 20)
    expected = [hashlib.sha256(buffer).digest() for buffer in buffers]
    for threads in (1, 2, 5):
        assert broadloom.hash_many(buffers, threads=threads) == expected


def test_more_threads_than_work() -> None:
    assert broadloom.hash_many([], threads=7) == []
    assert broadloom.hash_many([b"one"], threads=7) == [hashlib.sha256(b"one").digest()]
    assert broadloom.hash_many([b"one"], threads=None) == [hashlib.sha256(b"one").digest()]


def test_any_mix_of_bytes_like_objects() -> None:
    data = bytes(range(256)) * 20
    mapped = mmap.mmap(-1, len(data))
    mapped[:] = data
    mixed = [
        data,
        bytearray(data),
        memoryview(data),
        memoryview(bytearray(data))[16:-16],
        memoryview(bytearray(data)).toreadonly(),
        numpy.frombuffer(data, dtype="<u4"),
        numpy.arange(1000, dtype="float64").reshape(10, 10, 10),
        array.array("d", [1.0, 2.0]),
        mapped,
        pyarrow.py_buffer(data),
        b"",
        bytearray(),
        numpy.empty(0),
    ]
    expected = [hashlib.sha256(bytes(memoryview(item))).digest() for item in mixed]
    assert broadloom.hash_many(mixed) == expected
    assert broadloom.hash_many(tuple(mixed)) == expected
    assert broadloom.hash_many(iter(mixed)) == expected
    assert broadloom.hash_many(item for item in mixed) == expected
    assert broadloom.hash_many({b"a": 1}.keys()) == [hashlib.sha256(b"a").digest()]
    mapped.close()


@pytest.mark.parametrize("writeable", [True, False])
def test_the_rows_of_an_array_are_buffers(writeable: bool) -> None:
    rows = numpy.arange(600, dtype="uint16").reshape(30, 20)
    rows.flags.writeable = writeable
    assert broadloom.hash_many(rows) == [hashlib.sha256(row.tobytes()).digest() for row in rows]
    assert broadloom.hash_many(numpy.empty((0, 5))) == []
    assert broadloom.hash_many(numpy.empty((3, 0))) == [hashlib.sha256().digest()] * 3


def test_results_as_numpy_and_as_arrow() -> None:
    buffers = [bytes([i]) * i for i in range(100)]
    expected = [hashlib.sha384(buffer).digest() for buffer in buffers]
    rows = broadloom.hash_many(buffers, "sha384", result="numpy")
    assert rows.shape == (100, 48) and rows.dtype == numpy.uint8
    assert [row.tobytes() for row in rows] == expected
    arrow = pyarrow.array(broadloom.hash_many(buffers, "sha384", result="arrow"))
    assert arrow.type == pyarrow.binary(48) and arrow.to_pylist() == expected
    assert pyarrow.array(broadloom.hash_many([], "sha1", result="arrow")).to_pylist() == []
    assert broadloom.hash_many([], "sha1", result="numpy").shape == (0, 20)


@pytest.mark.parametrize("make", [bytearray, lambda n: numpy.zeros(n, "uint8")])
def test_results_are_written_to_out(make: type) -> None:
    out = make(64)
    assert broadloom.hash_many([b"a", b"b"], out=out) is out
    assert bytes(out) == hashlib.sha256(b"a").digest() + hashlib.sha256(b"b").digest()
    with pytest.raises(ValueError, match="out has 64 bytes, and the results have 96"):
        broadloom.hash_many([b"a", b"b", b"c"], out=out)


def test_out_may_be_the_input() -> None:
    both = bytearray(b"x" * 32)
    expected = hashlib.sha256(both).digest()
    broadloom.hash_many([both], out=both)
    assert both == expected


def test_out_must_be_writable() -> None:
    with pytest.raises(ValueError, match="out is read-only"):
        broadloom.hash_many([b"a"], out=bytes(32))
    with pytest.raises(TypeError, match="out is int"):
        broadloom.hash_many([b"a"], out=3)
    with pytest.raises(ValueError, match="give one of them"):
        broadloom.hash_many([b"a"], out=bytearray(32), result="numpy")


@pytest.mark.parametrize(
    ("buffers", "error", "message"),
    [
        ([b"a", "b"], TypeError, r"buffers\[1\] is str, which is not bytes-like; encode it"),
        ([b"a", 3], TypeError, r"buffers\[1\] is int"),
        ([None], TypeError, r"buffers\[0\] is NoneType"),
        ("text", TypeError, "a str is no list of buffers"),
        (b"bytes", TypeError, "buffers is one bytes of 1 dimension"),
        (3, TypeError, "int"),
        ([memoryview(b"abcd")[::2]], BufferError, r"buffers\[0\] is not in one piece"),
        (numpy.zeros((4, 4))[:, ::2], BufferError, "not in one piece"),
    ],
)
def test_what_is_no_buffer(buffers: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        broadloom.hash_many(buffers)


def test_wrong_names_and_numbers() -> None:
    with pytest.raises(ValueError, match='"sha257" is no hash; valid: md5, sha1'):
        broadloom.hash_many([], "sha257")
    with pytest.raises(ValueError, match="is no hash"):
        broadloom.hash_many([], "aes-128-gcm")
    for threads in (0, -1, 1025):
        with pytest.raises(ValueError, match=f"threads is {threads}; valid: 1 to 1024"):
            broadloom.hash_many([], threads=threads)
    with pytest.raises(ValueError, match='"list" is no form of results; valid: bytes, numpy'):
        broadloom.hash_many([], result="list")
    with pytest.raises(TypeError, match="key is str"):
        broadloom.hmac_many([], "key")
    with pytest.raises(ValueError):
        broadloom.hmac_many([], b"key", "shake128")


def test_an_error_of_an_iterator_comes_through() -> None:
    def broken():
        yield b"a"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        broadloom.hash_many(broken())


class Whole(ctypes.Structure):
    _fields_ = [("first", ctypes.c_uint32), ("second", ctypes.c_uint16)]


@pytest.mark.parametrize(
    "data",
    [
        (ctypes.c_uint8 * 5)(*b"warp!"),
        (ctypes.c_int32 * 3)(1, 2, 3),
        ctypes.c_int(7),
        ctypes.create_string_buffer(b"weft"),
        Whole(1, 2),
        multiprocessing.RawArray("B", b"shared"),
        numpy.float64(1.5),
        numpy.uint8(7),
        numpy.array(3),
        numpy.bytes_(b"text"),
        numpy.zeros((0, 4)),
        array.array("d", [1.0]),
    ],
    ids=repr,
)
def test_whatever_hashlib_takes(data: Any) -> None:
    expected = hashlib.sha256(data).digest()
    assert broadloom.hash_many([data, b""])[0] == expected
    assert broadloom.new("sha256", data).digest() == expected
    held = memoryview(data).tobytes()
    assert broadloom.hmac_many([data], data) == [hmac.digest(held, held, "sha256")]


def test_results_into_arrays_of_ctypes() -> None:
    out = (ctypes.c_uint8 * 64)()
    assert broadloom.hash_many([b"a", b"b"], out=out) is out
    assert bytes(out) == b"".join(hashlib.sha256(text).digest() for text in (b"a", b"b"))
    with pytest.raises(ValueError, match="out is read-only"):
        broadloom.hash_many([], out=numpy.float64(1.5))


@pytest.mark.parametrize("name", ["shake_128", "shake_256", "SHAKE_128", "shake128"])
def test_names_of_hashlib(name: str) -> None:
    function = hashlib.new(name.lower() if "_" in name else "shake_128", b"warp")
    stream = broadloom.new(name, b"warp")
    assert stream.digest() == function.digest(stream.digest_size)
    assert broadloom.hash_many([b"warp"], name) == [stream.digest()]


def test_the_version() -> None:
    assert broadloom.__version__ == importlib.metadata.version("broadloom")


LIMITED = """
import resource, broadloom
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (600 << 20), -1))
data = bytearray(400 << 20)
try:
    {call}
    raise SystemExit("it was no error")
except MemoryError:
    pass
assert len(broadloom.hash_many([b"a"])[0]) == 32
"""


@pytest.mark.parametrize(
    "call",
    [
        "broadloom.hash_many([data])",
        "broadloom.hash_many(memoryview(data).cast('B', (4, 100 << 20)))",
        "broadloom.new('sha256', data)",
        "broadloom.seal_many([memoryview(data).toreadonly()], bytes(32), [bytes(12)])",
        "broadloom.Job(broadloom.Session.hash(), data)",
    ],
)
def test_too_little_memory(call: str) -> None:
    code = LIMITED.format(call=call)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()

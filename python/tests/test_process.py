"""What holds for the process: threads, changes during a call, memory, the interpreter's end."""

import gc
import hashlib
import os
import pickle
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator

import psutil
import pytest

import broadloom
import broadloom.gzip


def test_many_threads_at_once() -> None:
    key, nonces = bytes(32), [i.to_bytes(12, "big") for i in range(300)]
    texts = [bytes([i % 256]) * i for i in range(300)]
    digests = [hashlib.sha256(text).digest() for text in texts]
    sealed = broadloom.seal_many(texts, key, nonces)
    wrong: list[str] = []

    def work() -> None:
        for turn in range(60):
            if broadloom.hash_many(texts, threads=1 + turn % 3) != digests:
                wrong.append("hash")
            if broadloom.open_many(sealed, key, nonces, threads=1 + turn % 3) != texts:
                wrong.append("open")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_one_hasher_of_many_threads() -> None:
    stream = broadloom.new("sha256")
    block = bytes(10_000)

    def work() -> None:
        for _ in range(100):
            stream.update(block)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stream.digest() == hashlib.sha256(bytes(4_000_000)).digest()


def test_the_gil_is_released() -> None:
    """A thread of Python makes progress while another is within one long call."""
    buffers = [bytes(8 << 20)] * 16
    progress = 0
    done = threading.Event()

    def count() -> None:
        nonlocal progress
        while not done.is_set():
            progress += 1

    counter = threading.Thread(target=count)
    counter.start()
    while progress == 0:
        pass
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # So that it counts little where the call has the GIL.
    try:
        for _ in range(100):
            before = progress
            broadloom.hash_many(buffers)
            if progress - before > 10_000:
                return
        pytest.fail("nothing was counted during a call")
    finally:
        sys.setswitchinterval(interval)
        done.set()
        counter.join()


def test_a_change_during_a_call_never_shows() -> None:
    """What is hashed is the buffer as it was at one moment, when the copy was made."""
    changing = bytearray(1 << 20)
    states = {value: hashlib.sha256(bytes([value]) * len(changing)).digest() for value in (0, 255)}
    patterns = [bytes([value]) * len(changing) for value in states]
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for pattern in patterns:
                changing[:] = pattern

    other = threading.Thread(target=change)
    other.start()
    try:
        for _ in range(100):
            [digest] = broadloom.hash_many([changing])
            assert digest in states.values()
    finally:
        stop.set()
        other.join()


def test_a_pinned_buffer_cannot_be_resized_under_a_call() -> None:
    held = bytearray(b"x" * 100)
    view = memoryview(held).toreadonly()
    assert broadloom.hash_many([view]) == [hashlib.sha256(held).digest()]
    view.release()
    held.append(1)  # The call gave up the buffer.


def test_objects_that_an_iterator_drops_are_kept() -> None:
    buffers = (bytearray(str(i), "ascii") * 100 for i in range(5000))
    expected = [hashlib.sha256(str(i).encode() * 100).digest() for i in range(5000)]
    assert broadloom.hash_many(buffers) == expected


def test_memory_of_many_calls() -> None:
    """Neither Python's nor the process's memory grows with the number of calls."""
    messages = [b"a" * 64, bytearray(64), memoryview(bytes(64))]
    key, nonce = bytes(32), [bytes(12)] * 3

    def calls(count: int) -> None:
        for _ in range(count):
            broadloom.hash_many(messages)
        for _ in range(count // 100):
            sealed = broadloom.seal_many(messages, key, nonce)
            broadloom.open_many(sealed, key, nonce, result="arrow")
            try:
                broadloom.open_many(nonce, key, nonce)
            except ValueError:
                pass

    calls(2_000)
    gc.collect()
    process = psutil.Process()
    before = process.memory_info().rss
    calls(200_000)
    gc.collect()
    assert process.memory_info().rss - before < 8 << 20
    tracemalloc.start()
    calls(100)
    gc.collect()
    first, _ = tracemalloc.get_traced_memory()
    calls(3_000)
    gc.collect()
    last, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert last - first < 50_000


def test_threads_of_unfinished_streams_end() -> None:
    before = threads_of_this_process()
    for _ in range(20):
        broadloom.gzip.open(os.devnull, "wb", threads=2)
    gc.collect()
    for _ in range(6000):
        if threads_of_this_process() <= before:
            return
        threading.Event().wait(0.01)
    pytest.fail("threads are left over")


def threads_of_this_process() -> int:
    return psutil.Process().num_threads()


@pytest.mark.parametrize(
    "work",
    [
        "broadloom.hash_many([bytes(64 << 20)] * 8, threads=2)",
        "broadloom.gzip.open(os.devnull, 'wb', threads=2).write(bytes(64 << 20))",
        "broadloom.hash_files(['/dev/zero'])",
        "asyncio.run(digests())",
    ],
)
def test_the_interpreter_ends_while_a_thread_works(work: str) -> None:
    code = f"""
import asyncio, os, threading, time, broadloom, broadloom.gzip

async def digests():
    session = broadloom.Session.hash()
    while True:
        await asyncio.gather(*(session.process(bytes(1 << 20)) for _ in range(20)))

threading.Thread(target=lambda: {work}, daemon=True).start()
time.sleep(0.05)
print("the end", flush=True)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300, check=False)
    assert (run.returncode, run.stdout) == (0, b"the end\n"), run.stderr.decode()


def test_ctrl_c_comes_through_after_a_call() -> None:
    code = """
import os, signal, threading, broadloom
try:
    # Within what catches it: a busy machine may take longer than this to get there.
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    while True:
        broadloom.hash_many([bytes(1 << 20)] * 4)
except KeyboardInterrupt:
    print("interrupted")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300, check=False)
    assert run.stdout == b"interrupted\n", run.stderr.decode()


def test_a_child_of_fork_can_work() -> None:
    code = """
import os, broadloom
first = broadloom.hash_many([b"x"], threads=2)
child = os.fork()
if child == 0:
    os._exit(0 if broadloom.hash_many([b"x"], threads=2) == first else 1)
print(os.waitpid(child, 0)[1])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300, check=False)
    assert run.stdout == b"0\n", run.stderr.decode()


def run_code(code: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-W", "error::ResourceWarning", "-c", code]
    return subprocess.run(command, capture_output=True, timeout=300, check=False)


#: What a parent has open, what its child tries, and how the parent goes on.
INHERITED = {
    "a file that is written": (
        "stream = broadloom.gzip.open(path, 'wb'); stream.write(text)",
        "stream.write(text); stream.flush()",
        "stream.close(); assert gzip.open(path).read() == text",
    ),
    "a text file that is written": (
        "stream = broadloom.gzip.open(path, 'wt'); stream.write('warp' * 100_000)",
        "stream.write('weft'); stream.flush()",
        "stream.close(); assert gzip.open(path).read() == b'warp' * 100_000",
    ),
    "a file that is read": (
        "open(path, 'wb').write(gzip.compress(text)); stream = broadloom.gzip.open(path); "
        "head = stream.read(10)",
        "stream.read()",
        "assert head + stream.read() == text; stream.close()",
    ),
    "a file that was not read yet": (
        "open(path, 'wb').write(gzip.compress(text)); stream = broadloom.gzip.open(path)",
        "stream.read()",
        "assert stream.read() == text; stream.close()",
    ),
    "compressobj": (
        "stream = broadloom.zlib.compressobj(); head = stream.compress(text)",
        "stream.compress(text)",
        "assert zlib.decompress(head + stream.flush()) == text",
    ),
    "the end of compressobj": (
        "stream = broadloom.zlib.compressobj(); head = stream.compress(text)",
        "stream.flush()",
        "assert zlib.decompress(head + stream.flush()) == text",
    ),
    "the flush of compressobj": (
        "stream = broadloom.zlib.compressobj(); head = stream.compress(text)",
        "stream.flush(zlib.Z_SYNC_FLUSH)",
        "assert zlib.decompress(head + stream.flush()) == text",
    ),
    "the workers of an event loop": (
        "session = broadloom.Session.hash(); loop = asyncio.new_event_loop(); "
        "digest = loop.run_until_complete(first(session))",
        "loop.run_until_complete(first(session))",
        "assert loop.run_until_complete(first(session)) == digest; loop.close()",
    ),
}
FORKED = """
import asyncio, gzip, os, signal, sys, tempfile, zlib, broadloom, broadloom.gzip, broadloom.zlib

async def first(session):
    return await session.process(b"warp")

path = os.path.join(tempfile.mkdtemp(), "file")
text = os.urandom(9 << 20)
{before}
child = os.fork()
if child == 0:
    signal.alarm(120)
    {child}
    # At its end, the interpreter drops what it has.
    sys.exit(7)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert status == 7, status
{after}
"""


@pytest.mark.parametrize("name", INHERITED)
def test_a_child_of_fork_ends(name: str) -> None:
    before, _, after = INHERITED[name]
    run = run_code(FORKED.format(before=before, child="pass", after=after))
    assert run.returncode == 0, run.stderr.decode()


@pytest.mark.parametrize("name", INHERITED)
def test_a_child_of_fork_is_told(name: str) -> None:
    before, child, after = INHERITED[name]
    told = f"""try:
        {child}
        os._exit(1)
    except RuntimeError as error:
        assert "parent" in str(error) or "child" in str(error), error"""
    run = run_code(FORKED.format(before=before, child=told, after=after))
    assert run.returncode == 0, run.stderr.decode()


@pytest.mark.parametrize("name", [name for name in INHERITED if "file" in name])
def test_a_child_of_fork_closes_a_file(name: str) -> None:
    """What the parent has not written yet is not written twice."""
    before, _, after = INHERITED[name]
    child = "import contextlib\n    with contextlib.suppress(RuntimeError): stream.close()"
    run = run_code(FORKED.format(before=before, child=child, after=after))
    assert run.returncode == 0, run.stderr.decode()


def test_a_child_of_fork_goes_on_with_what_has_no_threads() -> None:
    code = """
import os, zlib, broadloom.zlib
text = os.urandom(1 << 20)
packed = zlib.compress(text)
stream = broadloom.zlib.decompressobj()
head = stream.decompress(packed[:100])
child = os.fork()
if child == 0:
    os._exit(0 if head + stream.decompress(packed[100:]) + stream.flush() == text else 1)
assert os.waitpid(child, 0)[1] == 0
assert head + stream.decompress(packed[100:]) + stream.flush() == text
"""
    run = run_code(code)
    assert run.returncode == 0, run.stderr.decode()


def test_a_child_of_fork_makes_its_own() -> None:
    code = """
import asyncio, os, broadloom, broadloom.zlib
session = broadloom.Session.hash()

async def first():
    return await session.process(b"warp")

def work():
    stream = broadloom.zlib.compressobj()
    return asyncio.run(first()), stream.compress(bytes(100)) + stream.flush()

made = work()
child = os.fork()
if child == 0:
    os._exit(0 if work() == made else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    run = run_code(code)
    assert run.returncode == 0, run.stderr.decode()


@pytest.mark.parametrize(
    "work",
    [
        "broadloom.hash_many([bytes(1 << 20)] * 200_000)",
        "broadloom.hash_many([bytes(1 << 20)] * 200_000, threads=2, result='arrow')",
        "broadloom.seal_many([bytes(1)] * 30_000_000, bytes(32), [bytes(12)] * 30_000_000)",
        "broadloom.compress_many([bytes(1 << 20)] * 200_000)",
        "broadloom.hash_files(['/dev/zero'])",
        "broadloom.hash_files([fifo])",
        "broadloom.hash_files(['/dev/null'] * 1_000_000)",
    ],
)
def test_ctrl_c_stops_a_long_call(work: str) -> None:
    code = f"""
import os, signal, tempfile, threading, broadloom
fifo = os.path.join(tempfile.mkdtemp(), "fifo")
os.mkfifo(fifo)
try:
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
os._exit(0)
"""
    run = run_code(code)
    assert run.stdout == b"interrupted\n", run.stderr.decode()


@pytest.mark.parametrize(
    ("module", "missing"),
    [
        ("dask", "distributed"),
        ("dask", "pyarrow"),
        ("ray", "ray"),
        ("datasets", "fsspec"),
        ("datasets", "pyarrow"),
    ],
)
def test_a_library_that_is_missing(module: str, missing: str) -> None:
    code = f"import sys; sys.modules['{missing}'] = None; import broadloom.{module}"
    run = run_code(code)
    words = f"broadloom.{module} needs the module {missing}: pip install 'broadloom[{module}]'"
    assert words in run.stderr.decode()


def test_a_panic_is_an_exception_that_programs_handle() -> None:
    """pyo3 goes on with a panic that came through Python, and so this one is real."""

    def panics() -> Iterator[bytes]:
        yield b"warp"
        raise broadloom.InternalError("by a test")

    with pytest.raises(RuntimeError, match="by a test") as caught:
        broadloom.hash_many(panics())
    assert caught.type is broadloom.InternalError and issubclass(caught.type, Exception)
    assert (caught.type.__name__, caught.type.__module__) == ("InternalError", "broadloom")
    assert "defect" in (caught.type.__doc__ or "")
    assert pickle.loads(pickle.dumps(caught.value)).args == caught.value.args
    assert broadloom.hash_many([b"warp"]) == [hashlib.sha256(b"warp").digest()]


def test_an_import_loads_little() -> None:
    """Libraries are loaded by the calls that need them."""
    code = """
import sys
import broadloom, broadloom.age, broadloom.arrow, broadloom.gzip, broadloom.names, broadloom.zlib
loaded = {name.partition(".")[0] for name in sys.modules}
heavy = {"asyncio", "dask", "distributed", "fsspec", "numpy", "pandas", "polars", "pyarrow", "ray"}
assert not heavy & loaded, heavy & loaded
"""
    run = run_code(code)
    assert run.returncode == 0, run.stderr.decode()

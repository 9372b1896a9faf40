"""What needs more memory than there is raises MemoryError, and the process goes on."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

LIMITED = """
import io, os, resource, sys
import pyarrow
import broadloom, broadloom.age, broadloom.arrow, broadloom.gzip, broadloom.zlib
packed = open(os.path.join(sys.argv[1], "zeros.gz"), "rb").read()
sparse = os.path.join(sys.argv[1], "sparse")
identity, recipient = broadloom.age.keygen()
runs = pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([30_000_000], "int32"), ["x"])
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + (600 << 20), -1))
# It does not get shorter: what repeats is further away than a compression looks.
data = os.urandom(1 << 20) * 400
for _ in range(2):
    try:
        {call}
        raise SystemExit("it was no error")
    except MemoryError:
        pass
assert len(broadloom.hash_many([b"a"])[0]) == 32
assert broadloom.gzip.decompress(broadloom.gzip.compress(b"warp")) == b"warp"
"""

CALLS = [
    # 1 GiB, of 1 MB.
    "broadloom.decompress_many([packed])",
    "broadloom.decompress_many([packed] * 4, 'gzip', threads=2)",
    "broadloom.decompress_many([packed[16:]], 'raw', result='arrow')",
    "broadloom.gzip.decompress(packed)",
    "broadloom.gzip.decompress(packed, threads=2)",
    "broadloom.zlib.decompress(packed, 31)",
    "broadloom.zlib.decompressobj(31).decompress(packed)",
    "broadloom.gzip.open(io.BytesIO(packed), threads=2).read()",
    "broadloom.gzip.GzipFile(fileobj=io.BytesIO(packed)).read()",
    # As long as the input, or copies of it.
    "broadloom.compress_many([data], level=0)",
    "broadloom.compress_many([data[:150 << 20]], level=0, result='arrow')",
    "broadloom.gzip.compress(data, 0)",
    "broadloom.gzip.compress(data, 0, threads=2)",
    "broadloom.zlib.compressobj(0).compress(data)",
    "broadloom.gzip.open(os.devnull, 'wb', threads=1).write(data)",
    "broadloom.age.encrypt(data, [recipient])",
    "broadloom.seal_many([data], bytes(32), [bytes(12)])",
    "broadloom.hmac_many([b'a'], data)",
    "broadloom.sign_many([b'a'], data)",
    # Many short results.
    "broadloom.hash_chunks(sparse, 1)",
    "broadloom.hash_many([b''] * 20_000_000)",
    "broadloom.arrow.sha256(runs)",
    "broadloom.arrow.encrypt_column(runs, bytes(32))",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("memory")
    with gzip.open(place / "zeros.gz", "wb", 1) as file:
        for _ in range(1 << 10):
            file.write(bytes(1 << 20))
    with (place / "sparse").open("wb") as sparse:
        os.truncate(sparse.fileno(), 64 << 20)
    return place


@pytest.mark.parametrize("call", CALLS)
def test_too_little_memory(place: Path, call: str) -> None:
    code = LIMITED.format(call=call)
    command = [sys.executable, "-c", code, str(place)]
    run = subprocess.run(command, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()

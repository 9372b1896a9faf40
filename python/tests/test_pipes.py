"""Streams over pipes: what is flushed arrives, although the other end waits for it."""

import subprocess
import sys

import pytest

#: A server answers each line before the next one is sent, so that whoever holds a line back waits
#: for ever. The alarm ends that.
TALK = """
import gzip, os, signal, threading, zlib, broadloom.gzip, broadloom.zlib
signal.alarm(300)
(requests, asking), (answers, answering) = os.pipe(), os.pipe()
LINES = [b"warp %d\\n" % n * (1 + n % 7 * 700) for n in range(40)]

{server}

def talk(send, receive, close):
    for line in LINES:
        send(line)
        assert receive(len(line)) == line.upper()
    close()

thread = threading.Thread(target=serve)
thread.start()
{client}
thread.join()
"""

SERVERS = {
    "gzip.open": """
def serve():
    with broadloom.gzip.open(os.fdopen(requests, "rb")) as reader, \\
            broadloom.gzip.open(os.fdopen(answering, "wb"), "wb"{threads}) as writer:
        for line in reader:
            writer.write(line.upper())
            writer.flush()
""",
    "GzipFile": """
def serve():
    below = os.fdopen(answering, "wb")
    with broadloom.gzip.GzipFile(fileobj=os.fdopen(requests, "rb"), mode="rb") as reader, \\
            broadloom.gzip.GzipFile(fileobj=below, mode="wb"{threads}) as writer:
        for line in reader:
            writer.write(line.upper())
            writer.flush()
""",
    "gzip.open, text": """
def serve():
    with broadloom.gzip.open(os.fdopen(requests, "rb"), "rt", newline="") as reader, \\
            broadloom.gzip.open(os.fdopen(answering, "wb"), "wt", newline=""{threads}) as writer:
        for line in iter(reader.readline, ""):
            print(line.upper(), end="", file=writer, flush=True)
""",
    "compressobj": """
def serve():
    reader = broadloom.zlib.decompressobj(31)
    writer = broadloom.zlib.compressobj(wbits=31{threads})
    rest = b""
    while packed := os.read(requests, 1 << 16):
        *lines, rest = (rest + reader.decompress(packed)).split(b"\\n")
        for line in lines:
            answer = writer.compress(line.upper() + b"\\n") + writer.flush(zlib.Z_SYNC_FLUSH)
            while answer:
                answer = answer[os.write(answering, answer):]
    os.write(answering, writer.flush())
    os.close(answering)
""",
}
CLIENTS = {
    "broadloom's": """
writer = broadloom.gzip.open(os.fdopen(asking, "wb"), "wb"{threads})
reader = broadloom.gzip.open(os.fdopen(answers, "rb"))
def send(line):
    writer.write(line)
    writer.flush()
def close():
    below = writer.raw._file
    writer.close()
    below.close()
talk(send, reader.read, close)
""",
    "the standard library's": """
packer, unpacker = zlib.compressobj(wbits=31), zlib.decompressobj(31)
def send(line):
    packed = packer.compress(line) + packer.flush(zlib.Z_SYNC_FLUSH)
    while packed:
        packed = packed[os.write(asking, packed):]
def receive(count):
    data = b""
    while len(data) < count:
        data += unpacker.decompress(os.read(answers, 1 << 16))
    return data
def close():
    os.write(asking, packer.flush())
    os.close(asking)
talk(send, receive, close)
""",
}


@pytest.mark.parametrize("threads", ["", ", threads=1", ", threads=3"])
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("server", SERVERS)
def test_requests_and_answers(server: str, client: str, threads: str) -> None:
    code = TALK.format(
        server=SERVERS[server].replace("{threads}", threads),
        client=CLIENTS[client].replace("{threads}", threads),
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()

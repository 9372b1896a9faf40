"""Keys do not stay in memory once the objects that need them are gone.

A child gets a secret, works with it, drops everything, and wipes its own copy. Then this process
searches all of the child's memory that can be written. A control leaves the copy, which must be
found.
"""

import os
import re
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

CHILD = """
import asyncio, ctypes, gc, os, sys, tempfile
import pyarrow
import broadloom, broadloom.arrow
from broadloom import Job, QueuePair, Session
from broadloom._broadloom import Repository

secret = bytearray({len})
assert os.readv(0, [secret]) == {len}

def through_a_queue(session, **more):
    queue = QueuePair()
    queue.enqueue([Job(session, bytes(100), **more) for _ in range(20)])
    queue.flush()
    assert len([job.result() for job in queue.dequeue()]) == 20

async def on_a_loop(session, **more):
    await asyncio.gather(*(session.process(bytes(100), **more) for _ in range(20)))

def wipe(held):
    ctypes.memset(id(held) + sys.getsizeof(b"") - 1, 0, len(held))

def work():
    {work}

work()
gc.collect()
{end}
os.write(1, b"ready")
os.read(0, 1)
"""


def memory(process: int) -> list[tuple[str, bytes]]:
    """What is in all memory of a process that can be written, with the name of each part."""
    parts = []
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as file:
        for line in maps:
            start, end, access, name = re.fullmatch(
                r"(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)\n", line
            ).groups()  # type: ignore[union-attr]
            if not access.startswith("rw") or name.startswith(("[vvar", "[vsyscall")):
                continue
            file.seek(int(start, 16))
            left, held = int(end, 16) - int(start, 16), bytearray()
            while left and (piece := file.read(min(left, 1 << 24))):
                held += piece
                left -= len(piece)
            parts.append((name or start, bytes(held)))
    return parts


def found(work: str, secret: bytes, needles: list[bytes], end: str) -> list[str]:
    """Where a child still has one of the needles."""
    code = CHILD.format(len=len(secret), work=work, end=end)
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(secret)
        child.stdin.flush()
        try:
            assert child.stdout.read(5) == b"ready"
            parts = memory(child.pid)
        finally:
            child.stdin.close()
    assert sum(len(held) for _, held in parts) > 1 << 20
    return [name for name, held in parts for needle in needles if needle in held]


KEY = os.urandom(32)
DER = (
    serialization.Encoding.DER,
    serialization.PrivateFormat.PKCS8,
    serialization.NoEncryption(),
)
ED25519 = ed25519.Ed25519PrivateKey.generate()
P256 = ec.generate_private_key(ec.SECP256R1())
RSA = rsa.generate_private_key(65537, 2048)


def number(value: int) -> list[bytes]:
    """A number as it may be in memory: its first half, in the order of DER and in that of limbs."""
    size = (value.bit_length() + 7) // 8
    return [value.to_bytes(size, "big")[: size // 2], value.to_bytes(size, "little")[: size // 2]]


def padded(key: bytes, with_byte: int) -> bytes:
    """A key of an HMAC, as the hash absorbs it."""
    return bytes(byte ^ with_byte for byte in key)


SYMMETRIC = {
    "hmac_many": "broadloom.hmac_many([bytes(100)] * 20, secret, threads=2)",
    "Hasher": "broadloom.Hasher('sha256', bytes(100), key=secret).digest()",
    "seal_many": "sealed = broadloom.seal_many([bytes(100)] * 9, secret, [bytes(12)] * 9); "
    "broadloom.open_many(sealed, secret, [bytes(12)] * 9, threads=2)",
    "encrypt_column": "column = pyarrow.array(['warp'] * 20); "
    "sealed = broadloom.arrow.encrypt_column(column, secret); "
    "broadloom.arrow.decrypt_column(sealed, secret); "
    "broadloom.arrow.hmac_sha256(column, secret)",
    "Session.hmac": "through_a_queue(Session.hmac(secret))",
    "Session.seal": "through_a_queue(Session.seal(secret), nonce=bytes(12))",
    "Session.encrypt": "through_a_queue(Session.encrypt(secret, 'aes-256-ctr'), nonce=bytes(16))",
    "asyncio": "asyncio.run(on_a_loop(Session.seal(secret), nonce=bytes(12)))",
    "asyncio hmac": "asyncio.run(on_a_loop(Session.hmac(secret)))",
    "Repository": "Repository.open(tempfile.mkdtemp(), secret, True)",
}
PRIVATE = {
    "ed25519": (ED25519, [ED25519.private_bytes_raw()[:16]]),
    "p256": (P256, number(P256.private_numbers().private_value)),
    "rsa": (RSA, number(RSA.private_numbers().p) + number(RSA.private_numbers().q)),
}
SIGNING = {
    "sign_many": "broadloom.sign_many([b'warp', b'weft'], secret, threads=2)",
    "Session.sign": "through_a_queue(Session.sign(secret))",
    "asyncio": "asyncio.run(on_a_loop(Session.sign(secret)))",
}
WIPED = "secret[:] = bytes(len(secret))"


@pytest.mark.parametrize("name", SYMMETRIC)
def test_a_symmetric_key_is_gone(name: str) -> None:
    needles = [KEY[:16], KEY[16:], padded(KEY, 0x36)[:16], padded(KEY, 0x5C)[:16]]
    assert found(SYMMETRIC[name], KEY, needles, WIPED) == []


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("name", SIGNING)
def test_a_private_key_is_gone(name: str, kind: str) -> None:
    key, needles = PRIVATE[kind]
    assert found(SIGNING[name], key.private_bytes(*DER), needles, WIPED) == []


def test_a_seed_of_ml_kem_is_gone() -> None:
    seed = os.urandom(64)
    needles = [seed[at : at + 16] for at in range(0, 64, 16)]
    work = (
        "broadloom.kem_many([bytes(1088)] * 9, 'ml-kem-768', 'decapsulate', "
        "private_key=secret, threads=2)"
    )
    assert found(work, seed, needles, WIPED) == []


@pytest.mark.parametrize("name", ["ml-dsa-44", "slh-dsa-sha2-128f", "slh-dsa-shake-128f"])
def test_a_seed_of_keys_that_sign_is_gone(name: str) -> None:
    seed = os.urandom(32 if name.startswith("ml") else 48)
    needles = [seed[at : at + 16] for at in range(0, 32, 16)]
    # A private key has the seed in it. It is the caller's, who may want to wipe it.
    work = f"[wipe(key) for key, _ in broadloom.generate_keys([secret] * 3, '{name}', threads=2)]"
    assert found(work, seed, needles, WIPED) == []


def test_a_copy_that_is_left_is_found() -> None:
    assert found("pass", KEY, [KEY[:16]], "")
    assert found("held = Session.seal(secret); globals()['held'] = held", KEY, [KEY[:16]], WIPED)
    key, needles = PRIVATE["rsa"]
    held = "globals()['held'] = Session.sign(secret)"
    assert found(held, key.private_bytes(*DER), needles, WIPED)

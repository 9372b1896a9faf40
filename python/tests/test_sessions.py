"""Sessions: awaited on an event loop, and in queue pairs."""

import asyncio
import gc
import hashlib
import hmac
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator

import psutil
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization import PublicFormat
from hypothesis import given
from hypothesis import strategies as st

import broadloom
from broadloom import Job, QueuePair, Session
from broadloom._broadloom import Workers

messages = st.lists(st.binary(max_size=400), max_size=70)
KEY = bytes(range(32))


@given(messages)
def test_awaited_results(texts: list[bytes]) -> None:
    nonces = [n.to_bytes(12, "big") for n in range(len(texts))]

    async def work() -> tuple[list[bytes], list[bytes], list[bytes]]:
        digest, tag, seal = Session.hash("sha512"), Session.hmac(KEY), Session.seal(KEY)
        digests = asyncio.gather(*(digest.process(text) for text in texts))
        tags = asyncio.gather(*(tag.process(bytearray(text)) for text in texts))
        sealed = [
            seal.process(text, nonce=nonce, associated=b"header")
            for text, nonce in zip(texts, nonces, strict=True)
        ]
        return await digests, await tags, await asyncio.gather(*sealed)

    digests, tags, sealed = asyncio.run(work())
    assert digests == [hashlib.sha512(text).digest() for text in texts]
    assert tags == [hmac.digest(KEY, text, "sha256") for text in texts]
    for nonce, text, one in zip(nonces, texts, sealed, strict=True):
        assert AESGCM(KEY).decrypt(nonce, one, b"header") == text


def test_more_jobs_than_there_is_room_for() -> None:
    async def work() -> list[bytes]:
        session = Session.hash("md5")
        return await asyncio.gather(*(session.process(b"%d" % n) for n in range(20_000)))

    assert asyncio.run(work()) == [hashlib.md5(b"%d" % n).digest() for n in range(20_000)]


def test_the_loop_runs_while_jobs_do() -> None:
    async def work() -> int:
        session, turns = Session.hash(), 0
        jobs = [session.process(bytes(8 << 20)) for _ in range(8)]
        while not all(job.done() for job in jobs):
            turns += 1
            await asyncio.sleep(0)
        return turns

    assert asyncio.run(work()) > 10


def test_forgeries_and_cancelled_jobs() -> None:
    async def work() -> None:
        session = Session.open(KEY)
        with pytest.raises(broadloom.InvalidTag):
            await session.process(bytes(40), nonce=bytes(12))
        with pytest.raises(ValueError, match="no nonce was given"):
            await session.process(bytes(40))
        with pytest.raises(ValueError, match="data has 3 bytes, and its tag alone has 16"):
            session.process(b"abc", nonce=bytes(12))
        cancelled = Session.hash().process(bytes(1 << 20))
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert await Session.hash().process(b"a") == hashlib.sha256(b"a").digest()

    asyncio.run(work())


def test_outside_of_a_loop() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        Session.hash().process(b"a")


def test_loops_leave_no_threads() -> None:
    async def work() -> None:
        await Session.hash().process(b"a")

    asyncio.run(work())
    gc.collect()
    before = psutil.Process().num_threads()
    for _ in range(10):
        asyncio.run(work())
        gc.collect()
    for _ in range(6000):
        if psutil.Process().num_threads() <= before:
            return
        time.sleep(0.01)
    pytest.fail("threads are left over")


def test_loops_of_many_threads_share_a_session() -> None:
    session = Session.hash()
    expected = [hashlib.sha256(bytes([n])).digest() for n in range(200)]
    wrong: list[int] = []

    async def work() -> list[bytes]:
        return await asyncio.gather(*(session.process(bytes([n])) for n in range(200)))

    def hammer() -> None:
        for turn in range(20):
            if asyncio.run(work()) != expected:
                wrong.append(turn)

    threads = [threading.Thread(target=hammer) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@given(messages)
def test_a_queue_pair_gives_every_job_back_once(texts: list[bytes]) -> None:
    queue, session = QueuePair(capacity=16), Session.hash("sha1")
    jobs = [Job(session, text, user=n) for n, text in enumerate(texts)]
    done: list[Job] = []
    while jobs:
        jobs = jobs[queue.enqueue(jobs) :]
        queue.flush()
        done += queue.dequeue(limit=7)
    while queue.in_flight:
        done += queue.dequeue()
    assert sorted(job.user for job in done) == list(range(len(texts)))
    for job in done:
        assert job.done and job.result() == hashlib.sha1(texts[job.user]).digest()


def test_ciphers_and_signatures_in_one_queue() -> None:
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    iv, text = os.urandom(16), os.urandom(160)
    encryptor = Cipher(algorithms.AES(KEY), modes.CBC(iv)).encryptor()
    expected = encryptor.update(text) + encryptor.finalize()
    signature = private.sign(text)
    jobs = [
        Job(Session.encrypt(KEY, "aes-256-cbc"), text, nonce=iv, user=expected),
        Job(Session.decrypt(KEY, "aes-256-cbc"), expected, nonce=iv, user=text),
        Job(Session.sign(pem), text, user=signature),
        Job(Session.verify(public), text, signature=signature, user=True),
        Job(Session.verify(public), text, signature=bytes(64), user=False),
    ]
    queue = QueuePair()
    assert queue.enqueue(iter(jobs)) == len(jobs)
    with pytest.raises(ValueError, match=r"jobs\[0\] was enqueued before"):
        queue.enqueue(jobs)
    with pytest.raises(RuntimeError, match="not complete"):
        jobs[2].result()
    queue.flush()
    done = queue.dequeue()
    assert len(done) == len(jobs)
    for job in done:
        assert job.result() == job.user
    with pytest.raises(TypeError, match=r"jobs\[1\] is no broadloom.Job"):
        queue.enqueue([Job(Session.hash(), b"a"), b"b"])
    with pytest.raises(ValueError, match="capacity is 0"):
        QueuePair(0)
    assert Session.verify(public).direction == "verify"
    assert Session.seal(KEY).algorithm == "aes-256-gcm"


def test_a_job_that_was_refused_can_be_enqueued_again() -> None:
    queue, session = QueuePair(capacity=2), Session.hash()
    jobs = [Job(session, b"a") for _ in range(3)]
    assert queue.enqueue(jobs) == 2
    queue.flush()
    assert len(queue.dequeue()) == 2
    assert queue.enqueue(jobs[2:]) == 1
    queue.flush()
    assert queue.dequeue()[0].result() == hashlib.sha256(b"a").digest()


def test_data_are_copied() -> None:
    queue, data = QueuePair(), bytearray(b"before")
    queue.enqueue([Job(Session.hash(), data)])
    data[:] = b"after!"
    queue.flush()
    assert queue.dequeue()[0].result() == hashlib.sha256(b"before").digest()


def test_memory_of_many_jobs() -> None:
    session, process = Session.hash(), psutil.Process()

    async def work(count: int) -> None:
        for _ in range(count // 100):
            await asyncio.gather(*(session.process(bytes(1000)) for _ in range(100)))

    asyncio.run(work(5_000))
    gc.collect()
    before = process.memory_info().rss
    asyncio.run(work(50_000))
    gc.collect()
    assert process.memory_info().rss - before < 8 << 20


def living(kind: type) -> int:
    """How many objects of a kind the garbage collector knows."""
    gc.collect()
    return sum(isinstance(thing, kind) for thing in gc.get_objects())


def test_failed_jobs_leave_nothing() -> None:
    async def work() -> None:
        session = Session.open(KEY)
        jobs = [session.process(bytes(40), nonce=bytes(12)) for _ in range(300)]
        results = await asyncio.gather(*jobs, return_exceptions=True)
        assert all(isinstance(result, broadloom.InvalidTag) for result in results)

    asyncio.run(work())
    before = living(asyncio.Future), living(broadloom.InvalidTag)
    asyncio.run(work())
    assert (living(asyncio.Future), living(broadloom.InvalidTag)) == before


def test_an_exception_that_nobody_retrieves() -> None:
    told: list[str] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(context["message"]))
        job = Session.open(KEY).process(bytes(40), nonce=bytes(12))
        while not job.done():
            await asyncio.sleep(0)
        # It goes when its last owner does, and not at the next garbage collection.
        gc.disable()
        try:
            del job
            assert told == ["Future exception was never retrieved"]
        finally:
            gc.enable()

    asyncio.run(work())


def test_a_job_in_a_cycle() -> None:
    class Owner:
        job: Job

    owner = Owner()
    owner.job = Job(Session.hash(), b"a", user=owner)
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_jobs_without_room_are_not_looked_at() -> None:
    session = Session.hash()
    jobs = iter([Job(session, b"%d" % n) for n in range(100)])
    queue = QueuePair(capacity=30)
    assert queue.enqueue(jobs) == 30
    assert queue.enqueue(jobs) == 0
    assert len(list(jobs)) == 70
    asked = 0

    def endless() -> Iterator[Job]:
        nonlocal asked
        while True:
            asked += 1
            yield Job(session, b"a")

    workers = Workers(1)
    assert workers.submit(endless()) == asked > 0
    for _ in range(10):
        # A backlog that waits costs nothing.
        accepted = asked
        assert workers.submit(endless()) == asked - accepted


def test_bytes_are_not_copied() -> None:
    data, key = bytes(1000), bytearray(1000)
    before = sys.getrefcount(data)
    jobs = [
        Job(Session.hash(), data),
        Job(Session.seal(KEY), data, nonce=bytes(12)),
        Job(Session.open(KEY), data, nonce=bytes(12)),
        Job(Session.encrypt(KEY, "aes-256-cbc"), data[:992], nonce=bytes(16)),
        Job(Session.hash(), key),
    ]
    assert sys.getrefcount(data) > before + 2
    queue = QueuePair()
    queue.enqueue(jobs)
    key[:] = b"x" * 1000
    queue.flush()
    assert len(queue.dequeue()) == 5
    assert jobs[0].result() == jobs[4].result() == hashlib.sha256(data).digest()
    assert AESGCM(KEY).decrypt(bytes(12), jobs[1].result(), None) == data
    with pytest.raises(broadloom.InvalidTag):
        jobs[2].result()
    del jobs
    gc.collect()
    assert sys.getrefcount(data) == before


def test_the_import_does_not_wait_for_asyncio() -> None:
    code = "import sys, broadloom; print('asyncio' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout == b"False\n"

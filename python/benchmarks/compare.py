"""Measures this package against what Python people use, and prints ratios.

    python python/benchmarks/compare.py [--quick] [ROW...]

The two sides take turns in one process. The first ratio of a line is that of the minima, the second
that of the medians. The rows of `one` and `small` are measured in time of the processor, so that
other programs disturb them less, and so are those of `seal`, `sessions`, `large` and `messages`;
the others, where one side or the other has threads, by the clock on the wall. Needs cryptography,
numpy, pyarrow and polars. DataFusion, and isal with its threads, are peers where
they are installed; where not, a line says so. Figures of two runs are not to be compared.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import gzip
import hashlib
import itertools
import os
import random
import statistics
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import broadloom
import broadloom.arrow
import broadloom.gzip

Side = Callable[[], object]


def compare(
    name: str,
    mine: Side,
    peers: dict[str, Side],
    turns: int,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Takes turns, and prints a line for each peer."""
    sides = {"broadloom": mine, **peers}
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(turns):
        for side, work in sides.items():
            begin = clock()
            work()
            times[side].append(clock() - begin)
    own = times["broadloom"]
    for peer in peers:
        least = min(times[peer]) / min(own)
        middle = statistics.median(times[peer]) / statistics.median(own)
        print(
            f"{name:44} {peer:24} {least:6.2f} {middle:6.2f}   "
            f"{min(own) * 1e3:10.3f} ms {min(times[peer]) * 1e3:10.3f} ms",
            flush=True,
        )


def small(quick: bool) -> None:
    """hash_many of many messages over a loop of hashlib, one thread."""
    count = 10_000 if quick else 100_000
    for size in (64, 1024):
        messages = [os.urandom(size) for _ in range(count)]

        def loop(messages: list[bytes] = messages) -> list[bytes]:
            return [hashlib.sha256(message).digest() for message in messages]

        assert broadloom.hash_many(messages, "sha256") == loop()
        for result in ("bytes", "numpy"):
            compare(
                f"hash_many, {count:,} of {size} B, {result}",
                functools.partial(broadloom.hash_many, messages, "sha256", result=result),
                {"hashlib, a loop": loop},
                5 if quick else 21,
                time.process_time,
            )


def one(quick: bool) -> None:
    """The overhead of a call with one message of 64 bytes."""
    message = [os.urandom(64)]
    repeats = range(1000)

    def mine() -> None:
        for _ in repeats:
            broadloom.hash_many(message, "sha256")

    def peer() -> None:
        for _ in repeats:
            hashlib.sha256(message[0]).digest()

    turns = 20 if quick else 200
    name = "hash_many, 1 of 64 B, 1000 calls"
    compare(name, mine, {"hashlib": peer}, turns, time.process_time)


def seal(quick: bool) -> None:
    """seal_many and open_many over a loop of pyca/cryptography, one thread."""
    from cryptography.hazmat.primitives.ciphers import aead

    key, total = os.urandom(32), (1 << 20) if quick else (8 << 20)
    for name, cipher in (
        ("aes-256-gcm", aead.AESGCM),
        ("chacha20-poly1305", aead.ChaCha20Poly1305),
    ):
        for size in (64, 1024, 4096, 16384, 65536):
            count = min(total // size, 4096)
            messages = [os.urandom(size) for _ in range(count)]
            nonces = [i.to_bytes(12, "big") for i in range(count)]
            peer = cipher(key)
            pairs = list(zip(nonces, messages, strict=True))

            def seals(peer: Any = peer, pairs: Any = pairs) -> list[bytes]:
                return [peer.encrypt(nonce, text, None) for nonce, text in pairs]

            sealed = seals()
            boxes = list(zip(nonces, sealed, strict=True))

            def opens(peer: Any = peer, boxes: Any = boxes) -> list[bytes]:
                return [peer.decrypt(nonce, box, None) for nonce, box in boxes]

            turns = 5 if quick else 21
            mine = functools.partial(broadloom.seal_many, messages, key, nonces, name)
            assert mine() == sealed
            what = f"{count} of {size} B, {name}"
            compare(f"seal_many, {what}", mine, {"pyca": seals}, turns, time.process_time)
            mine = functools.partial(broadloom.open_many, sealed, key, nonces, name)
            assert mine() == messages
            compare(f"open_many, {what}", mine, {"pyca": opens}, turns, time.process_time)


def sessions(quick: bool) -> None:
    """Making a session, and calls with one message of 64 bytes, over pyca/cryptography."""
    from cryptography.hazmat.primitives.ciphers import aead

    key, message, nonce = os.urandom(32), os.urandom(64), os.urandom(12)
    messages, nonces, repeats = [message], [nonce], range(500)

    def session() -> None:
        for _ in repeats:
            broadloom.Session.seal(key)

    def context() -> None:
        for _ in repeats:
            aead.AESGCM(key)

    def many() -> None:
        for _ in repeats:
            broadloom.seal_many(messages, key, nonces)

    def alone() -> None:
        for _ in repeats:
            aead.AESGCM(key).encrypt(nonce, message, None)

    turns = 20 if quick else 200
    name = "Session.seal, 500 sessions"
    compare(name, session, {"pyca, AESGCM(key)": context}, turns, time.process_time)
    name = "seal_many, 1 of 64 B, 500 calls"
    compare(name, many, {"pyca, AESGCM(key).encrypt": alone}, turns, time.process_time)


def large(quick: bool) -> None:
    """One buffer of 32 MB over hashlib."""
    message = os.urandom((4 if quick else 32) * 1_000_000)
    for name in ("md5", "sha1", "sha256", "sha512", "sha3_256"):

        def theirs(name: str = name) -> bytes:
            return hashlib.new(name, message).digest()

        mine = functools.partial(broadloom.hash_many, [message], name)
        what = f"hash_many, 1 of {len(message):,} B, {name}"
        compare(what, mine, {"hashlib": theirs}, 5 if quick else 11, time.process_time)


def text(size: int) -> bytes:
    """Words that come again only after more bytes than gzip looks back."""
    digests = [hashlib.sha256(bytes([i % 251, i // 251])).hexdigest() for i in range(4000)]
    words = [digest[: 3 + i % 9] for i, digest in enumerate(digests)]
    piece = " ".join(random.Random(1).choices(words, k=200_000)).encode()
    return (piece * (size // len(piece) + 1))[:size]


def messages(quick: bool) -> None:
    """compress_many and decompress_many over a loop of zlib, one thread."""
    data, count = text(1 << 22), 200 if quick else 2000
    for size in (64, 256, 1024, 4096, 16384):
        pieces = [data[i * size % (len(data) - size) :][:size] for i in range(count)]
        turns = 5 if quick else 21
        for level in (1, 6):

            def packs(pieces: list[bytes] = pieces, level: int = level) -> list[bytes]:
                return [zlib.compress(piece, level) for piece in pieces]

            mine = functools.partial(broadloom.compress_many, pieces, "zlib", level)
            what = f"compress_many, zlib, level {level}, {count} of {size} B"
            compare(what, mine, {"zlib, a loop": packs}, turns, time.process_time)
        packed = packs()

        def unpacks(packed: list[bytes] = packed) -> list[bytes]:
            return [zlib.decompress(piece) for piece in packed]

        mine = functools.partial(broadloom.decompress_many, packed, "zlib")
        assert mine() == pieces
        what = f"decompress_many, zlib, {count} of {size} B"
        compare(what, mine, {"zlib, a loop": unpacks}, turns, time.process_time)


def short(quick: bool) -> None:
    """Short files by gzip.open, short data by gzip.compress, and a data set of one file."""
    import broadloom.datasets

    for size in (100, 10_000, 100_000, 1_000_000):
        data, turns = text(size), 11 if quick else 101
        with tempfile.TemporaryDirectory() as place:
            theirs, own = os.path.join(place, "theirs"), os.path.join(place, "own")
            paths = {gzip: theirs, broadloom.gzip: own}

            def write(module: Any, data: bytes = data, paths: Any = paths) -> None:
                with module.open(paths[module], "wb", 6) as file:
                    file.write(data)

            def read(module: Any, paths: Any = paths) -> bytes:
                with module.open(paths[gzip], "rb") as file:
                    return bytes(file.read())

            def sides(work: Callable[[Any], object]) -> tuple[Side, dict[str, Side]]:
                peers: dict[str, Side] = {"gzip": functools.partial(work, gzip)}
                return functools.partial(work, broadloom.gzip), peers

            compare(f"gzip.open, write {size:,} B, level 6", *sides(write), turns)
            assert read(broadloom.gzip) == data
            compare(f"gzip.open, read {size:,} B", *sides(read), turns)
            packed = gzip.compress(data, 6)

            def pack(module: Any, data: bytes = data) -> object:
                return module.compress(data, 6)

            def unpack(module: Any, packed: bytes = packed) -> object:
                return module.decompress(packed)

            compare(f"gzip.compress, {size:,} B, level 6", *sides(pack), turns)
            compare(f"gzip.decompress, {size:,} B", *sides(unpack), turns)
            source, runs = os.path.join(place, "source"), itertools.count()
            Path(source).write_bytes(data)

            def mine(source: str = source, place: str = place, runs: Any = runs) -> object:
                run = os.path.join(place, f"run-{next(runs)}")
                return broadloom.datasets.compress_dataset(source, run)

            peers: dict[str, Side] = {"gzip.open": functools.partial(write, gzip)}
            compare(f"compress_dataset, 1 file of {size:,} B", mine, peers, 5 if quick else 21)


def column(quick: bool) -> None:
    """A column of strings of 20 to 60 bytes."""
    import polars
    import pyarrow  # type: ignore[import-untyped]

    count = 200_000 if quick else 10_000_000
    noise = os.urandom(1 << 20).hex()
    starts = range(count)
    values = [noise[i * 7919 % 2_000_000 :][: 20 + i % 41] for i in starts]
    array = pyarrow.array(values, pyarrow.large_string())
    series = polars.Series(values)
    sides: dict[str, Side] = {
        "hashlib, a loop": lambda: [hashlib.sha256(v.encode()).digest() for v in values],
    }
    try:
        import datafusion

        context = datafusion.SessionContext()
        context.register_record_batches("t", [pyarrow.table({"v": array}).to_batches()])
        sides["DataFusion's sha256"] = lambda: context.sql("SELECT sha256(v) FROM t").collect()
    except ImportError:
        print("datafusion is absent", file=sys.stderr)
    sides["polars' hash (no SHA-256)"] = lambda: series.hash()
    for threads in (1, None):
        compare(
            f"arrow.sha256, {count:,} of 20 to 60 B, {threads or 'all'}",
            lambda t=threads: broadloom.arrow.sha256(array, threads=t),  # type: ignore[misc]
            sides,
            3,
        )


def files(quick: bool) -> None:
    """2,000 files of 64 KiB, over file_digest in a pool of threads."""

    def digest(path: Path) -> bytes:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()

    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place, str(i)) for i in range(200 if quick else 2000)]
        for path in paths:
            path.write_bytes(os.urandom(1 << 16))

        def pool() -> list[bytes]:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as executor:
                return list(executor.map(digest, paths))

        assert broadloom.hash_files(paths) == pool()
        compare(
            f"hash_files, {len(paths):,} of 64 KiB",
            lambda: broadloom.hash_files(paths),
            {"file_digest, threads": pool},
            3 if quick else 11,
        )


def compression(quick: bool) -> None:
    """Writing and reading 256 MB by gzip.open."""
    size = (4 if quick else 256) * 1_000_000
    data = text(size)
    opens: dict[str, Callable[..., object]] = {"gzip": gzip.open}
    try:
        from isal import igzip_threaded

        opens["isal, threads"] = lambda path, mode, level: igzip_threaded.open(
            path, mode, compresslevel=min(level, 3), threads=os.cpu_count()
        )
    except ImportError:
        print("isal is absent", file=sys.stderr)

    def write(opener: Callable[..., object], path: str, level: int) -> Side:
        def work() -> None:
            with opener(path, "wb", level) as file:  # type: ignore[attr-defined]
                for start in range(0, size, 1 << 20):
                    file.write(data[start : start + (1 << 20)])

        return work

    def read(opener: Callable[..., object], path: str) -> Side:
        def work() -> None:
            with opener(path, "rb", 1) as file:  # type: ignore[attr-defined]
                while file.read(1 << 20):
                    pass

        return work

    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "mine.gz")
        # The last pair are the levels that users get who name none. Level 3 makes files about as
        # large as gzip's level 6 does.
        for level, theirs in ((1, 1), (3, 6), (6, 6), (6, 9)):
            peers = {
                name: write(opener, os.path.join(place, name), theirs)
                for name, opener in opens.items()
            }
            mine = write(broadloom.gzip.open, path, level)
            what = f"gzip.open, write, level {level} over {theirs}"
            compare(what, mine, peers, 1 if quick else 3)
            sizes = {name: os.path.getsize(os.path.join(place, name)) for name in opens}
            sizes["broadloom"] = os.path.getsize(path)
            print(f"{'  compressed to':44}", {name: f"{n / size:.3f}" for name, n in sizes.items()})
        peers = {name: read(opener, os.path.join(place, name)) for name, opener in opens.items()}
        name = f"gzip.open, read {size:,} B"
        compare(f"{name}, own files", read(broadloom.gzip.open, path), peers, 3)
        other = os.path.join(place, "gzip")
        peers = {name: read(opener, other) for name, opener in opens.items()}
        compare(f"{name}, gzip's file", read(broadloom.gzip.open, other), peers, 3)


ROWS = {
    row.__name__: row
    for row in (
        one, small, sessions, seal, messages, short, large, files, column, compression
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS], metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--quick", action="store_true", help="small inputs, few turns")
    arguments = parser.parse_args()
    print(f"{'':44} {'peer':24} {'min':>6} {'median':>6}   {'broadloom':>13} {'peer':>13}")
    for row in arguments.rows or ROWS:
        ROWS[row](arguments.quick)


if __name__ == "__main__":
    main()

"""Measures this package against what Python people use, and prints ratios.

    python python/benchmarks/compare.py [--quick] [ROW...]

The two sides take turns in one process. The first ratio of a line is that of the minima, the second
that of the medians. The rows of `one` and `small` are measured in time of the processor, so that
other programs disturb them less; the others, where one side or the other has threads, by the clock
on the wall. Needs numpy, pyarrow and polars. DataFusion, and isal with its threads, are peers where
they are installed; where not, a line says so. Figures of two runs are not to be compared.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import functools
import gzip
import hashlib
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

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
    digests = [hashlib.sha256(bytes([i % 251, i // 251])).hexdigest() for i in range(4000)]
    words = [digest[: 3 + i % 9] for i, digest in enumerate(digests)]
    # It comes again only after more bytes than gzip looks back.
    piece = " ".join(random.Random(1).choices(words, k=200_000)).encode()
    data = (piece * (size // len(piece) + 1))[:size]
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


ROWS = {"one": one, "small": small, "files": files, "column": column, "compression": compression}


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

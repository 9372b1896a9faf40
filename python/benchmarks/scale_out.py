"""Measures data sets on Dask and Ray: what a task costs, what two workers gain, memory.

    python python/benchmarks/scale_out.py [--bytes N] [--objects N] [--tasks N] [ENGINE...]

ENGINE is `here`, `dask` or `ray`; all of them unless some are named. The objects are files in a
temporary directory (TMPDIR). Every run's table is compared with that of one machine. Beside the
time by the clock stand CPU seconds, which other programs disturb less: those of this process, with
Dask's scheduler, and those of all others. Needs psutil.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from broadloom import datasets


@contextlib.contextmanager
def engine(name: str, workers: int) -> Iterator[Any]:
    """The functions of an engine with so many workers of one thread."""
    if name == "here":
        yield datasets
    elif name == "dask":
        import broadloom.dask
        from distributed import Client, LocalCluster

        with (
            LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None
            ) as cluster,
            Client(cluster),
        ):
            yield broadloom.dask
    else:
        import broadloom.ray
        import ray

        ray.init(
            num_cpus=workers,
            object_store_memory=100 << 20,
            include_dashboard=False,
            log_to_driver=False,
        )
        try:
            yield broadloom.ray
        finally:
            ray.shutdown()


def cpu_seconds() -> tuple[float, float]:
    """What this process and its descendants have used."""
    process = psutil.Process()
    others = 0.0
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            others += sum(child.cpu_times()[:2])
    return sum(process.cpu_times()[:2]), others


def run(functions: Any, source: Any, **options: Any) -> tuple[list[float], list[bytes]]:
    """Seconds of a run, of the clock and of CPUs, and what its table consists of."""
    with tempfile.TemporaryDirectory() as place:
        begin = [time.perf_counter(), *cpu_seconds()]
        functions.hash_dataset(source, os.path.join(place, "out"), threads=1, **options)
        end = [time.perf_counter(), *cpu_seconds()]
        seconds = [after - before for before, after in zip(begin, end, strict=True)]
        parts = sorted(Path(place, "out", "table").iterdir())
        return seconds, [part.read_bytes() for part in parts]


def objects(place: Path, sizes: list[int]) -> list[str]:
    """Files of some sizes."""
    place.mkdir()
    noise = os.urandom(1 << 20)
    for number, size in enumerate(sizes):
        with open(place / f"{number:07}", "wb") as file:
            file.write(number.to_bytes(8, "big")[: min(size, 8)])
            for start in range(8, size, len(noise)):
                file.write(noise[: size - start])
    return [str(place / f"{number:07}") for number in range(len(sizes))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help="here, dask, ray")
    parser.add_argument("--bytes", type=int, default=2 << 30, help="of large objects, in all")
    parser.add_argument("--objects", type=int, default=100_000, help="small ones, of 100 bytes")
    parser.add_argument("--tasks", type=int, default=1000, help="batches of one empty object")
    arguments = parser.parse_args()
    heads = "".join(f"{head:>10}" for head in ("seconds", "CPU here", "others"))
    print(f"{'engine':8} {'workers':>7}  {'what':28} {heads}")
    expected: dict[str, list[bytes]] = {}
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        size = 16 << 20
        large = objects(place / "large", [size] * (arguments.bytes // size))
        small = objects(place / "small", [100] * arguments.objects)
        empty = objects(place / "empty", [0] * arguments.tasks)
        cases: list[tuple[str, list[str], dict[str, Any]]] = [
            # So that all workers and their caches are warm.
            ("20 batches", small[:1000], {"batch_objects": 50}),
            (f"{arguments.bytes:,} B", large, {"batch_objects": 4}),
            (f"{len(small):,} of 100 B", small, {"batch_objects": 1000}),
            (f"{len(empty):,} tasks of 1 object", empty, {"batch_objects": 1}),
        ]
        for which in arguments.engines or ["here", "dask", "ray"]:
            for workers in (1,) if which == "here" else (1, 2):
                with engine(which, workers) as functions:
                    for what, source, options in cases:
                        seconds, table = run(functions, source, **options)
                        assert table == expected.setdefault(what, table), "tables differ"
                        figures = "".join(f"{one:10.2f}" for one in seconds)
                        print(f"{which:8} {workers:7}  {what:28} {figures}", flush=True)
    processes = ((resource.RUSAGE_SELF, "this process"), (resource.RUSAGE_CHILDREN, "a worker"))
    for who, what in processes:
        print(f"most memory of {what}: {resource.getrusage(who).ru_maxrss >> 10} MiB")


if __name__ == "__main__":
    main()

"""The functions of ``broadloom.datasets`` on the workers of a Dask cluster.

    from dask.distributed import Client
    import broadloom.dask

    client = Client("scheduler:8786")
    outcome = broadloom.dask.hash_dataset("s3://bucket/prefix/", "s3://bucket/hashes/")

The client is the current one. A source may also be a bag, a data frame (``column=`` says which
column) or any other collection with partitions. The dashboard shows the batches by the name of the
function.

A worker runs one batch on each of its threads, and each batch on its share of the cores: one thread
for each worker (``--nthreads 1``) needs the least memory. Needs dask and distributed: ``pip install
'broadloom[dask]'``.
"""

from __future__ import annotations

import dataclasses
import os
import uuid
from itertools import islice
from typing import TYPE_CHECKING, Any

try:
    import distributed as _distributed
    from dask.base import is_dask_collection

    from broadloom.datasets import Functions
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"broadloom.dask needs the module {error.name}: pip install 'broadloom[dask]'",
        name=error.name,
    ) from None

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadloom.datasets._batch import Report, Task

__all__ = [
    "compress_dataset",
    "decompress_dataset",
    "decrypt_dataset",
    "encrypt_dataset",
    "hash_dataset",
    "sign_dataset",
    "snapshot_dataset",
    "verify_dataset",
]

#: Dask's scheduler and workers, whose functions have no types.
distributed: Any = _distributed
#: Batches for each thread of a worker: enough that none is idle, and few for the scheduler.
WAITING = 2


class Engine:
    """Workers of the current client."""

    def partitions(self, source: Any) -> Sequence[Any] | None:
        """The partitions of a collection, which are computed when their turn comes."""
        if not is_dask_collection(source):
            return None
        if not hasattr(source, "to_delayed"):
            name = type(source).__name__
            raise TypeError(f"a {name} of Dask has no partitions; valid: a bag or a frame")
        return list(source.to_delayed())

    def execute(
        self, task: Task, batches: Sequence[int], partitions: Sequence[Any] | None, retries: int
    ) -> Iterator[Report]:
        """Does batches on the workers, a bounded number of them at a time."""
        try:
            client = distributed.default_client()
        except ValueError:
            raise ValueError("there is no client of Dask; make one: distributed.Client()") from None
        name, run = task.operation.name, uuid.uuid4().hex

        def submit(number: int) -> Any:
            arguments: list[Any] = [task, number]
            if partitions is not None:
                arguments.append(client.compute(partitions[number]))
            # The dashboard groups tasks by what stands before the number.
            key = f"{name}-{run}-{number}"
            return client.submit(_run, *arguments, key=key, pure=False, retries=retries)

        waiting = iter(batches)
        threads = sum(client.nthreads().values()) or 1
        # A future that is kept is done again where the worker with its result dies.
        futures = distributed.as_completed(map(submit, islice(waiting, threads * WAITING)))
        for future in futures:
            report: Report = future.result()
            del future
            for number in waiting:
                futures.add(submit(number))
                break
            yield report


def _run(task: Task, number: int, partition: Any = None) -> Report:
    """A batch, on a worker, with its share of the cores."""
    if task.threads is None:
        cores = len(os.sched_getaffinity(0))
        threads = max(1, cores // distributed.get_worker().state.nthreads)
        task = dataclasses.replace(task, threads=threads)
    return task.run(number, partition)


_functions = Functions(Engine())
hash_dataset = _functions.hash_dataset
verify_dataset = _functions.verify_dataset
sign_dataset = _functions.sign_dataset
compress_dataset = _functions.compress_dataset
decompress_dataset = _functions.decompress_dataset
encrypt_dataset = _functions.encrypt_dataset
decrypt_dataset = _functions.decrypt_dataset
snapshot_dataset = _functions.snapshot_dataset

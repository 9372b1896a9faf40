"""The functions of ``broadloom.datasets`` on a Ray cluster.

    import ray
    import broadloom.ray

    ray.init("auto")
    outcome = broadloom.ray.hash_dataset("s3://bucket/prefix/", "s3://bucket/hashes/")

A source may also be a data set of Ray (``column=`` says which column), whose blocks are the
batches; Ray holds it in its object store, or spills it. The dashboard shows the batches by the name
of the function.

A batch takes as many CPUs as ``threads`` says, and without it all of the smallest machine, so that
each machine runs one batch on all its cores. Needs ray: ``pip install 'broadloom[ray]'``.
"""

from __future__ import annotations

import dataclasses
from itertools import islice
from typing import TYPE_CHECKING, Any

try:
    import ray as _ray

    from broadloom.datasets import Functions
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"broadloom.ray needs the module {error.name}: pip install 'broadloom[ray]'",
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

#: Ray, whose functions have no types.
ray: Any = _ray
#: Batches that wait for each that runs.
WAITING = 2


class Engine:
    """The cluster that this process is connected to."""

    def partitions(self, source: Any) -> Sequence[Any] | None:
        """The blocks of a data set of Ray, as tables of Arrow."""
        if type(source).__module__.partition(".")[0] != "ray":
            return None
        if not hasattr(source, "to_arrow_refs"):
            raise TypeError(f"a {type(source).__name__} of Ray; valid: a ray.data.Dataset")
        return list(source.to_arrow_refs())

    def execute(
        self, task: Task, batches: Sequence[int], partitions: Sequence[Any] | None, retries: int
    ) -> Iterator[Report]:
        """Does batches on the cluster, a bounded number of them at a time."""
        if not ray.is_initialized():
            raise ValueError("Ray is not connected; connect it: ray.init()")
        sizes = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
        threads = task.threads or max(1, int(min(filter(None, sizes), default=1)))
        task = dataclasses.replace(task, threads=threads)
        remote = ray.remote(_run).options(
            name=task.operation.name,
            num_cpus=threads,
            max_retries=retries,
            retry_exceptions=True,
        )
        shared = ray.put(task)

        def submit(number: int) -> Any:
            more = () if partitions is None else (partitions[number],)
            return remote.remote(shared, number, *more)

        left = iter(batches)
        at_once = max(1, int(sum(sizes) // threads)) * WAITING
        waiting = [submit(number) for number in islice(left, at_once)]
        while waiting:
            [done], waiting = ray.wait(waiting)
            report: Report = ray.get(done)
            for number in left:
                waiting.append(submit(number))
                break
            yield report


def _run(task: Task, number: int, partition: Any = None) -> Report:
    """A batch, on a worker."""
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

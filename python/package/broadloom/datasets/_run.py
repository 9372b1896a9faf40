"""A run: its options, its engine, its outcome."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.dataset as pads  # type: ignore[import-untyped]

from broadloom.datasets import _manifest, _plan
from broadloom.datasets._batch import Report, Task
from broadloom.datasets._operations import Operation, Snapshot
from broadloom.datasets._store import Place, Store

if TYPE_CHECKING:
    from broadloom.datasets._manifest import Source

MANIFEST = pa.schema([_manifest.Path, _manifest.Size])


class Options(TypedDict, total=False):
    """What all functions take, by name.

    column: with it, the source names Parquet files, and the work is on the cells of this column;
        of a collection, the column to work on.
    batch_bytes, batch_objects: a batch has at most so much; 1 GiB and 1,000 unless they are given.
    threads: of each worker; None is one for each core of its share of the machine.
    memory: bytes that a worker holds of a batch at once, beside what it makes of them; 256 MiB.
    retries: how often a read, a write or a task is tried again; 5.
    storage_options, output_options: fsspec's, for the source and for the output.
    progress: is called with the outcome so far after each batch.
    """

    column: str | None
    batch_bytes: int
    batch_objects: int
    threads: int | None
    memory: int
    retries: int
    storage_options: Mapping[str, Any]
    output_options: Mapping[str, Any]
    progress: Callable[[Outcome], None] | None


class Engine(Protocol):
    """What has batches done: this process, or workers elsewhere."""

    def partitions(self, source: Any) -> Sequence[Any] | None:
        """The partitions of a collection of this engine; None for any other source."""

    def execute(
        self, task: Task, batches: Sequence[int], partitions: Sequence[Any] | None, retries: int
    ) -> Iterator[Report]:
        """Does batches, and reports each one as it is done, in any order."""


class Local:
    """The engine of one machine: batch by batch, each on all cores."""

    def partitions(self, source: Any) -> Sequence[Any] | None:
        return None

    def execute(
        self, task: Task, batches: Sequence[int], partitions: Sequence[Any] | None, retries: int
    ) -> Iterator[Report]:
        yield from map(task.run, batches)


@dataclass
class Outcome:
    """What a run has done. Counts are of this call; ``done_before`` counts batches of earlier ones.

    ``bytes`` are those of the objects that were worked on. ``snapshot`` is the name of the snapshot
    that ``snapshot_dataset`` made.
    """

    output: str
    output_options: Mapping[str, Any] = field(repr=False)
    batches: int = 0
    done_before: int = 0
    done: int = 0
    objects: int = 0
    bytes: int = 0
    failed: int = 0
    seconds: float = 0.0
    snapshot: str | None = None

    def _place(self) -> Place:
        return Place(self.output, self.output_options, Store().retries)

    def table(self) -> pads.Dataset:
        """The results, of earlier calls too: a data set of Parquet, in the order of the plan."""
        return self._data_set("table")

    def failures(self) -> pa.Table:
        """The objects that could not be worked on, each with an ``error``."""
        if not self._place().names("failed"):
            return pa.table({"path": pa.array([], pa.string()), "error": pa.array([], pa.string())})
        return self._data_set("failed").to_table()

    def manifest(self) -> pa.Table:
        """A manifest of the objects that were made.

        ``source`` is the path of the object that each was made of.
        """
        table = self.table().to_table(columns=["path", "object", "object_size"])
        place = self._place()
        return pa.table(
            {
                "path": [place.url_of(name) for name in table["object"].to_pylist()],
                "size": table["object_size"],
                "source": table["path"],
            }
        )

    def _data_set(self, directory: str) -> pads.Dataset:
        place = self._place()
        names = [place.path(f"{directory}/{name}") for name in place.names(directory)]
        return pads.dataset(names, filesystem=place.filesystem, format="parquet")


class DatasetError(Exception):
    """Some objects could not be worked on. All others were.

    ``outcome`` is the outcome; its ``failures()`` lists the objects. The same call tries them
    again.
    """

    def __init__(self, outcome: Outcome) -> None:
        failures = outcome.failures()
        self.outcome = outcome
        first = failures.slice(0, 1).to_pylist()
        where = first[0].get("path", first[0].get("name", "a value")) if first else ""
        super().__init__(
            f"{len(failures)} objects failed, the first: {where}: {first[0]['error']}"
            if first
            else "objects failed"
        )


def run(
    source: Source | Any, output: str | os.PathLike[str], operation: Operation, engine: Engine,
    options: Options,
) -> Outcome:
    """Plans a run, or continues the one that ``output`` has."""
    unknown = set(options) - Options.__optional_keys__
    if unknown:
        valid = ", ".join(sorted(Options.__optional_keys__))
        raise TypeError(f"there is no option {min(unknown)!r}; valid: {valid}")
    began = time.monotonic()
    retries = options.get("retries", 5)
    memory = options.get("memory", 256 << 20)
    for name, value, least in (("retries", retries, 0), ("memory", memory, 1 << 20)):
        if value < least:
            raise ValueError(f"{name} is {value}; valid: {least} or more")
    task = Task(
        operation=operation,
        output=os.fspath(output),
        output_options=options.get("output_options", {}),
        store=Store(options.get("storage_options", {}), retries),
        column=options.get("column"),
        threads=options.get("threads"),
        memory=memory,
    )
    place = task.place()
    partitions = engine.partitions(source)
    totals = _planned(task, place, source, partitions, options)
    # A partition is looked at again: it may have changed.
    whole = partitions is not None
    batches = list(range(totals.batches)) if whole else _plan.pending(place, totals)
    outcome = Outcome(
        task.output, task.output_options, totals.batches, totals.batches - len(batches)
    )
    progress = options.get("progress")
    for report in engine.execute(task, batches, partitions, retries):
        if report.was_done:
            outcome.done_before += 1
        else:
            outcome.done += 1
            outcome.objects += report.objects
            outcome.bytes += report.bytes
            outcome.failed += report.failed
        outcome.seconds = time.monotonic() - began
        if progress is not None:
            progress(outcome)
    place.clean()
    if outcome.failed:
        raise DatasetError(outcome)
    return outcome


def _planned(
    task: Task, place: Place, source: Any, partitions: Sequence[Any] | None, options: Options
) -> _plan.Totals:
    """The plan of the run, which is made where there is none yet."""
    about: dict[str, Any] = {
        "operation": task.operation.name,
        "settings": task.operation.settings(),
        "column": task.column,
    }
    if partitions is not None:
        about["source"] = f"a collection of {len(partitions)} partitions"
        totals = _plan.Totals(len(partitions), 0, 0)
        if _plan.found(place, about) is None:
            _plan.begin(place, totals, about)
        return totals
    limits = _plan.Limits(options.get("batch_bytes", 1 << 30), options.get("batch_objects", 1000))
    if isinstance(source, (str, os.PathLike)):
        # What is there is listed once: a run that is continued works on what there was.
        about["source"] = os.fspath(source)
        known = _plan.found(place, about)
        return known or _plan.write(place, limits.batches(_pieces(task, source)), about)
    if isinstance(source, Iterator) or isinstance(source, pa.RecordBatchReader):
        # It is read twice.
        source = pa.concat_tables(_manifest.objects(source, task.store))
    about["source"] = _manifest.fingerprint(_manifest.objects(source, task.store))
    known = _plan.found(place, about)
    return known or _plan.write(place, limits.batches(_pieces(task, source)), about)


def _pieces(task: Task, source: Any) -> Iterator[pa.Table]:
    needs = task.operation.needs
    if task.column is None:
        is_whole = isinstance(task.operation, Snapshot)
        pieces = _manifest.objects(source, task.store, is_whole)
    else:
        pieces = _manifest.cells(source, task.column, task.store)
    for piece in pieces:
        if needs is not None and needs not in piece.column_names:
            names = ", ".join(piece.column_names)
            raise ValueError(
                f"{task.operation.name} needs a manifest with a column {needs!r}, and this one has "
                f"{names}"
            )
        yield piece

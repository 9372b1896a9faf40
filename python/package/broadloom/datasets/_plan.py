"""The plan of a run: batches, which are stored before the first one begins.

A run is a directory or a prefix:

- ``run.json`` says what is done, to what, and in how many batches. It is written when the plan is
  whole.
- ``plan/`` has the manifest, cut into batches: a row group of Parquet for each.
- ``table/`` has the results: a file of Parquet for each batch that was done. So it is a data set
  of Parquet, and the checkpoint.
- ``failed/`` has the objects of a batch that could not be worked on, and why. The batch is tried
  again when the run is continued.
- ``snapshot.json`` has the tag of the snapshots that the run makes, if it makes some.
- ``objects/`` has what compressions and the like make, under names by their content.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from broadloom.datasets._store import Place

VERSION = "broadloom-run/1"
#: Batches in a file of the plan.
SHARD = 1000


@dataclass(frozen=True)
class Limits:
    """How large a batch is at most."""

    size: int
    objects: int

    def __post_init__(self) -> None:
        for name, value in (("batch_bytes", self.size), ("batch_objects", self.objects)):
            if value < 1:
                raise ValueError(f"{name} is {value}; valid: 1 or more")

    def batches(self, pieces: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Cuts a manifest. An object whose size is unknown counts as an average one."""
        average = self.size // self.objects
        waiting: list[pa.Table] = []
        count = total = 0
        for piece in pieces:
            start = 0
            for row, size in enumerate(piece["size"].to_pylist()):
                size = average if size is None else size
                if count and (count == self.objects or total + size > self.size):
                    waiting.append(piece.slice(start, row - start))
                    yield pa.concat_tables(waiting)
                    waiting, start, count, total = [], row, 0, 0
                count, total = count + 1, total + size
            waiting.append(piece.slice(start))
        if count:
            yield pa.concat_tables(waiting)


@dataclass(frozen=True)
class Totals:
    """What a plan has."""

    batches: int
    objects: int
    bytes: int


def write(place: Place, batches: Iterable[pa.Table], about: dict[str, Any]) -> Totals:
    """Stores a plan."""
    shard: list[pa.Table] = []
    count = objects = size = 0

    def store() -> None:
        with place.spool() as spool:
            with pq.ParquetWriter(spool.file, shard[0].schema, compression="zstd") as writer:
                for batch in shard:
                    writer.write_table(batch, row_group_size=len(batch))
            spool.commit(_shard((count - 1) // SHARD))

    for batch in batches:
        shard.append(batch.combine_chunks())
        count += 1
        objects += len(batch)
        size += sum(filter(None, batch["size"].to_pylist()))
        if count % SHARD == 0:
            store()
            shard = []
    if shard:
        store()
    totals = Totals(count, objects, size)
    begin(place, totals, about)
    return totals


def begin(place: Place, totals: Totals, about: dict[str, Any]) -> None:
    """Says that a plan is whole."""
    run = {"format": VERSION, **about, **vars(totals)}
    place.settle()
    place.write("run.json", json.dumps(run, indent=2).encode() + b"\n")
    place.settle()


def found(place: Place, about: dict[str, Any]) -> Totals | None:
    """The plan that a place has, if it has one, which must be of the same run."""
    if not place.exists("run.json"):
        return None
    run = json.loads(place.read("run.json"))
    if run.get("format") != VERSION:
        raise ValueError(f"{place.url} is of format {run.get('format')!r}; valid: {VERSION!r}")
    for key, value in about.items():
        if run.get(key) != value:
            raise ValueError(
                f"{place.url} has another run, whose {key} is {run.get(key)!r}, not {value!r}; "
                "choose another output"
            )
    return Totals(run["batches"], run["objects"], run["bytes"])


def batch(place: Place, number: int) -> pa.Table:
    """The rows of a batch."""
    path = place.path(_shard(number // SHARD))
    with place.filesystem.open(path, "rb") as file, pq.ParquetFile(file) as shard:
        return shard.read_row_group(number % SHARD)


def pending(place: Place, totals: Totals) -> list[int]:
    """The batches that are still to be done."""
    done = _numbers(place, "table") - _numbers(place, "failed")
    return [number for number in range(totals.batches) if number not in done]


def part(directory: str, number: int) -> str:
    """The name of what a batch gave."""
    return f"{directory}/part-{number:08}.parquet"


def _shard(number: int) -> str:
    return f"plan/part-{number:06}.parquet"


def _numbers(place: Place, directory: str) -> set[int]:
    names = (name.removeprefix("part-").removesuffix(".parquet") for name in place.names(directory))
    return {int(name) for name in names if name.isdecimal()}

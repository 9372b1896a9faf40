"""A run that saves snapshots: each batch makes one, and at the end they become one."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc  # type: ignore[import-untyped]

from broadloom.datasets._operations import Snapshot
from broadloom.datasets._run import Engine, Options, Outcome, run
from broadloom.datasets._store import Place, Store, retried

if TYPE_CHECKING:
    from broadloom._broadloom import Repository
    from broadloom.datasets._manifest import Source

#: The file of an output that says by which tag its snapshots are known.
STATE = "snapshot.json"


def save(
    source: Source | Any,
    output: str | os.PathLike[str],
    operation: Snapshot,
    engine: Engine,
    options: Options,
) -> Outcome:
    """Saves the files of a source in one snapshot.

    A batch that is done twice leaves two snapshots, of which the table names one. The repository
    has each chunk once. The last snapshot has a tag of the run, so that it is made once.
    """
    if options.get("column") is not None or engine.partitions(source) is not None:
        raise ValueError(Snapshot.refusal)
    repository = operation.create()
    output = os.fspath(output)
    place = Place(output, options.get("output_options", {}), options.get("retries", 5))
    tag = _tag(place)
    operation = dataclasses.replace(operation, part=f"{tag}-part", call=uuid.uuid4().hex)
    with operation.kept(repository):
        outcome = run(source, output, operation, engine, options)
        made = repository.tagged(tag)
        merged = made[-1] if made else _merged(outcome, operation, repository, tag, options)
    outcome.snapshot = merged

    def forget() -> None:
        if parts := repository.tagged(operation.part):
            repository.forget(parts)

    # Another program may hold a lock for longer: then the next call removes them.
    with contextlib.suppress(BlockingIOError):
        retried(forget, options.get("retries", 5))
    return outcome


def _tag(place: Place) -> str:
    """The tag of the run that an output has."""
    if place.exists(STATE):
        return str(json.loads(place.read(STATE))["tag"])
    if place.exists("run.json"):
        raise ValueError(f"{place.url} has another run; choose another output")
    tag = f"broadloom-{uuid.uuid4().hex[:16]}"
    place.write(STATE, json.dumps({"tag": tag}).encode() + b"\n")
    place.settle()
    return tag


def _merged(
    outcome: Outcome, operation: Snapshot, repository: Repository, tag: str, options: Options
) -> str | None:
    """One snapshot of those that the table names; none of no files."""
    if outcome.batches == 0:
        return None
    table = outcome.table().to_table(columns=["path", "part"])
    ends = pc.min_max(table["path"]).as_py()
    store = Store(options.get("storage_options", {}))
    first, last = (store.local_path(path) or path for path in (ends["min"], ends["max"]))
    return repository.merge(
        pc.unique(table["part"]).to_pylist(),
        paths=[os.path.commonpath([first, last])],
        tags=[*operation.tags, tag],
    )

"""snapshot_dataset on one machine, judged by restic."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import PASSWORD

from broadloom import _broadloom, datasets
from broadloom.datasets import DatasetError

Restic = Callable[..., str]


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    place = tmp_path / "objects"
    for number, size in enumerate([0, 1, 5_000_000, *range(500, 560)]):
        path = place / f"{number % 3}" / f"{number:04}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(size // 2) + bytes(size - size // 2))
    return place


def contents(place: Path) -> dict[str, bytes]:
    return {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}


def judged(restic: Restic, repository: Path, objects: Path, target: Path) -> dict[str, Any]:
    """The only snapshot of a repository that is right, and has the same files."""
    restic(repository, "check", "--read-data")
    [snapshot] = json.loads(restic(repository, "snapshots", "--json"))
    restic(repository, "restore", snapshot["id"], "--target", str(target))
    assert contents(target / objects.relative_to("/")) == contents(objects)
    found: dict[str, Any] = snapshot
    return found


def test_restic_reads_what_was_saved(objects: Path, tmp_path: Path, restic: Restic) -> None:
    repository = tmp_path / "repository"

    def save(output: str, **more: Any) -> datasets.Outcome:
        return datasets.snapshot_dataset(
            objects, tmp_path / output, repository, PASSWORD, tags=["set"], **more
        )

    outcome = save("out", batch_objects=20)
    assert (outcome.batches, outcome.objects) == (4, 63)
    snapshot = judged(restic, repository, objects, tmp_path / "first")
    assert snapshot["id"] == outcome.snapshot
    assert snapshot["paths"] == [str(objects)] and "set" in snapshot["tags"]
    again = save("out", batch_objects=20)
    assert (again.done, again.snapshot) == (0, outcome.snapshot)
    # Files of a later run are compared with the snapshot before.
    (objects / "0" / "0000").write_bytes(b"changed")
    later = save("later", parent=outcome.snapshot)
    assert later.snapshot != outcome.snapshot
    restic(repository, "forget", str(outcome.snapshot))
    judged(restic, repository, objects, tmp_path / "second")
    assert PASSWORD.encode() not in b"".join(contents(tmp_path / "out").values())


def test_unchanged_files_cost_no_reading_and_no_lock(
    objects: Path, tmp_path: Path, restic: Restic
) -> None:
    """Batches of unchanged files are read from their parent, and share the lock of the call."""
    repository = tmp_path / "repository"
    locks: list[set[str]] = []

    def read() -> int:
        """Bytes that this process has read from files and pipes."""
        lines = Path("/proc/self/io").read_text().splitlines()
        return int(dict(line.split(": ") for line in lines)["rchar"])

    def save(output: str, **more: Any) -> tuple[str | None, int]:
        locks.clear()
        before = read()
        outcome = datasets.snapshot_dataset(
            objects,
            tmp_path / output,
            repository,
            PASSWORD,
            batch_objects=5,
            progress=lambda _: locks.append(set(os.listdir(repository / "locks"))),
            **more,
        )
        return outcome.snapshot, read() - before

    size = sum(map(len, contents(objects).values()))
    first, bytes_read = save("first")
    assert bytes_read > size
    _, bytes_read = save("second", parent=first)
    assert bytes_read < size / 2
    assert len(locks) == 13 and len(locks[0]) == 1
    assert all(held == locks[0] for held in locks)
    assert os.listdir(repository / "locks") == []
    restic(repository, "forget", str(first))
    judged(restic, repository, objects, tmp_path / "target")


def test_files_that_are_gone_when_they_are_saved(objects: Path, tmp_path: Path) -> None:
    """A batch of which nothing is left has errors, and no snapshot."""
    engine = _broadloom.Repository.open(str(tmp_path / "repository"), PASSWORD.encode(), True)

    def save(*paths: Path) -> tuple[str | None, list[tuple[Path, str]]]:
        return engine.backup(paths, tags=[], parent=None, threads=1, memory=256 << 20)

    gone = objects / "gone"
    made, failed = save(gone)
    assert made is None and [path for path, _ in failed] == [gone]
    made, failed = save(gone, objects / "0" / "0000")
    assert made is not None and [path for path, _ in failed] == [gone]
    assert "No such file" in failed[0][1]


def test_a_repository_that_was_made_anew(objects: Path, tmp_path: Path, restic: Restic) -> None:
    """Every call reads the configuration and the keys of the repository that is there now."""
    repository = tmp_path / "repository"

    def save(output: str) -> None:
        datasets.snapshot_dataset(objects, tmp_path / output, repository, PASSWORD)

    save("first")
    shutil.rmtree(repository)
    save("second")
    judged(restic, repository, objects, tmp_path / "restored")
    # Another program may make it anew, or remove what an index names.
    shutil.rmtree(repository)
    restic(repository, "init", "--repository-version", "2")
    save("third")
    judged(restic, repository, objects, tmp_path / "again")
    [snapshot] = json.loads(restic(repository, "snapshots", "--json"))
    restic(repository, "forget", snapshot["id"], "--prune")
    save("fourth")
    judged(restic, repository, objects, tmp_path / "pruned")


def test_a_stopped_run_ends_in_one_snapshot(objects: Path, tmp_path: Path, restic: Restic) -> None:
    repository, out = tmp_path / "repository", tmp_path / "out"
    restic(repository, "init", "--repository-version", "2")

    def stop(outcome: datasets.Outcome) -> None:
        if outcome.done == 2:
            raise KeyboardInterrupt

    def save(**more: Any) -> datasets.Outcome:
        return datasets.snapshot_dataset(
            objects, out, repository, PASSWORD, batch_objects=10, **more
        )

    with pytest.raises(KeyboardInterrupt):
        save(progress=stop)
    # As if the worker had died before the batch had its table.
    (out / "table" / "part-00000000.parquet").unlink()
    before = sum(map(len, contents(repository / "data").values()))
    with pytest.raises(KeyboardInterrupt):
        save(progress=stop)
    # The second time, the large file of the first batch was there.
    assert sum(map(len, contents(repository / "data").values())) < before + 100_000
    assert len(json.loads(restic(repository, "snapshots", "--json"))) == 4
    outcome = save()
    assert (outcome.done_before, outcome.done) == (3, 4)
    assert judged(restic, repository, objects, tmp_path / "target")["id"] == outcome.snapshot


def test_files_that_cannot_be_saved(objects: Path, tmp_path: Path, restic: Restic) -> None:
    repository = tmp_path / "repository"
    missing = objects / "missing"
    paths = [*sorted(p for p in objects.rglob("*") if p.is_file()), missing]
    with pytest.raises(DatasetError, match="1 objects failed.*missing: FileNotFound") as error:
        datasets.snapshot_dataset(paths, tmp_path / "out", repository, PASSWORD)
    assert error.value.outcome.snapshot is None
    missing.write_bytes(b"found")
    outcome = datasets.snapshot_dataset(paths, tmp_path / "out", repository, PASSWORD)
    assert judged(restic, repository, objects, tmp_path / "target")["id"] == outcome.snapshot
    others = [str(objects), "memory://objects"]
    with pytest.raises(DatasetError, match="2 objects failed") as error:
        datasets.snapshot_dataset(others, tmp_path / "others", repository, PASSWORD)
    errors = [row["error"] for row in error.value.outcome.failures().to_pylist()]
    assert "a directory with files" in errors[0] and "each worker can open" in errors[1]


def test_wrong_arguments(objects: Path, tmp_path: Path) -> None:
    repository, out = tmp_path / "repository", tmp_path / "out"
    with pytest.raises(ValueError, match="saves files, and neither cells nor values"):
        datasets.snapshot_dataset(objects, out, repository, PASSWORD, column="body")
    assert not repository.exists() and not out.exists()
    datasets.snapshot_dataset(objects, out, repository, PASSWORD)
    with pytest.raises(ValueError, match="the password is wrong"):
        datasets.snapshot_dataset(objects, tmp_path / "other", repository, "wrong")
    datasets.hash_dataset(objects, tmp_path / "hashes")
    with pytest.raises(ValueError, match="hashes has another run; choose another output"):
        datasets.snapshot_dataset(objects, tmp_path / "hashes", repository, PASSWORD)
    with pytest.raises(ValueError, match="another run, whose settings"):
        datasets.snapshot_dataset(objects, out, repository, PASSWORD, tags=["other"])

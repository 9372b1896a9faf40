"""Sources of data sets that are unusual: names, columns, results as manifests."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import PASSWORD

from broadloom import datasets
from broadloom.datasets import DatasetError
from broadloom.datasets._batch import Task
from broadloom.datasets._operations import Hash
from broadloom.datasets._store import Store


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    place = tmp_path / "objects"
    place.mkdir()
    for number in range(12):
        (place / f"{number:02}").write_bytes(bytes([number]) * number * 100)
    return place


def test_its_own_table_is_verified(objects: Path, tmp_path: Path) -> None:
    """Digests of a table are bytes, which need not be text."""
    table = datasets.hash_dataset(objects, tmp_path / "hashes").table()
    right = datasets.verify_dataset(table, tmp_path / "first")
    again = datasets.verify_dataset(table.to_table(), tmp_path / "second")
    assert (right.objects, right.failed, again.objects) == (12, 0, 12)
    (objects / "03").write_bytes(b"changed")
    # The sizes of the manifest say so, and without them the digests.
    with pytest.raises(DatasetError, match="1 objects failed.*03"):
        datasets.verify_dataset(table, tmp_path / "third")
    with pytest.raises(DatasetError, match="1 objects failed.*expected"):
        datasets.verify_dataset(table.to_table(columns=["path", "digest"]), tmp_path / "fourth")


def test_other_columns_of_a_manifest(objects: Path, tmp_path: Path) -> None:
    paths = sorted(str(path) for path in objects.iterdir())
    digests = [hashlib.sha256(Path(path).read_bytes()).digest() for path in paths]
    others = {
        "digest": pa.array(digests, pa.large_binary()),
        "labels": pa.array([["a", None]] * 12),
        "when": pa.array([0] * 12, pa.timestamp("s")),
        "kind": pa.array(["x", "y"] * 6).dictionary_encode(),
        "about": pa.array([{"owner": b"\xff"}] * 12),
        "view": pa.array([b"\xff"] * 12, pa.binary_view()),
    }
    manifest = pa.table({"path": paths, **others})
    outcome = datasets.verify_dataset(manifest, tmp_path / "out")
    assert outcome.objects == 12
    # It is the same manifest, however it is cut, and another one if a value changed.
    cut = pa.concat_tables([manifest.slice(0, 5), manifest.slice(5)])
    assert datasets.verify_dataset(cut, tmp_path / "out").done == 0
    changed = manifest.set_column(2, "labels", pa.array([["a", "b"]] * 12))
    with pytest.raises(ValueError, match="has another run"):
        datasets.verify_dataset(changed, tmp_path / "out")


def test_a_damaged_manifest(tmp_path: Path) -> None:
    """pyarrow does not look at what a network says about offsets."""
    batch = pa.record_batch({"path": ["x" * 1001, "y" * 1002]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    offsets = [b"".join(n.to_bytes(4, "little") for n in (0, n, 2003)) for n in (1001, 90_000)]
    message = sink.getvalue().to_pybytes().replace(*offsets)
    for source in (pa.ipc.open_stream(message), pa.ipc.open_stream(message).read_all()):
        with pytest.raises(ValueError, match="out of bounds"):
            datasets.hash_dataset(source, tmp_path / "out")


@pytest.mark.parametrize("name", ["b[1]", "b*", "b?", "[", "b]"])
def test_directories_with_marks_of_patterns(name: str, tmp_path: Path) -> None:
    place = tmp_path / name
    place.mkdir()
    (place / "a").write_bytes(b"warp")
    for source in (place, place / "a"):
        outcome = datasets.hash_dataset(source, tmp_path / f"out-{source.name.encode().hex()}")
        assert outcome.table().to_table()["path"].to_pylist() == [str(place / "a")]
    # Patterns are still patterns.
    assert datasets.hash_dataset(tmp_path / "[b[]*" / "?", tmp_path / "pattern").objects == 1


def test_names_that_are_not_utf_8(objects: Path, tmp_path: Path) -> None:
    """They are failures, and all other files are hashed."""
    strange = os.path.join(os.fsencode(objects), b"strange-\xff")
    with open(strange, "wb") as file:
        file.write(b"weft")
    with pytest.raises(DatasetError, match=r"1 objects failed.*strange-\\xff") as error:
        datasets.hash_dataset(objects, tmp_path / "out")
    assert error.value.outcome.objects == 13
    assert error.value.outcome.table().count_rows() == 12
    listed = [os.fsdecode(strange), *map(str, sorted(objects.glob("0*")))]
    with pytest.raises(DatasetError, match=r"1 objects failed.*strange-\\xff"):
        datasets.hash_dataset(listed, tmp_path / "listed")


def test_parquet_files_without_the_suffix(tmp_path: Path) -> None:
    place = tmp_path / "table"
    place.mkdir()
    table = pa.table({"text": ["warp", "weft"]})
    pq.write_table(table, place / "part-0000")
    pq.write_table(table, place / "part-0001")
    (place / "_SUCCESS").touch()
    (place / ".part-0000.crc").write_bytes(b"crc")
    for source, count in ((place, 4), (place / "part-0000", 2)):
        outcome = datasets.hash_dataset(source, tmp_path / source.name / "out", column="text")
        assert outcome.objects == count, source
    other = tmp_path / "other"
    other.mkdir()
    (other / "readme").write_bytes(b"no Parquet")
    with pytest.raises(ValueError, match="Parquet magic bytes"):
        datasets.hash_dataset(other, tmp_path / "wrong", column="text")
    # Where some have the suffix, others are something else.
    pq.write_table(table, other / "part.parquet")
    assert datasets.hash_dataset(other, tmp_path / "right", column="text").objects == 2


def of_partition(partition: Any, place: Path, column: str | None = None) -> pa.Table:
    task = Task(Hash("sha256"), str(place), {}, Store(), column, 1, 1 << 20)
    task.run(0, partition)
    return pq.read_table(place / "table" / "part-00000000.parquet")


def test_frames_of_several_columns_need_a_name(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"number": [1, 2], "text": ["warp", "weft"]})
    for partition in (frame, pa.Table.from_pandas(frame), frame.to_dict("records")):
        with pytest.raises(ValueError, match="2 columns; say which one.*number, text"):
            of_partition(partition, tmp_path / "none")
    expected = [hashlib.sha256(text).digest() for text in (b"warp", b"weft")]
    found = of_partition(frame, tmp_path / "named", "text")
    assert found["digest"].to_pylist() == expected
    assert of_partition(frame[["text"]], tmp_path / "one")["digest"].to_pylist() == expected
    pairs = [("first", b"warp"), ("second", b"weft")]
    found = of_partition(pairs, tmp_path / "pairs")
    assert found["digest"].to_pylist() == expected
    assert found["name"].to_pylist() == ["first", "second"]


@pytest.mark.parametrize("address", ["sftp:host:/srv", "b2:bucket:/", "rclone:x:y", "ftp://h/p"])
def test_addresses_that_nothing_reads(
    address: str, objects: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="no such place is known; valid: a directory, s3:"):
        datasets.snapshot_dataset(objects, tmp_path / "out", address, PASSWORD)
    assert sorted(os.listdir(tmp_path)) == ["objects"]


def test_everything_below_a_directory_is_saved(
    objects: Path, tmp_path: Path, restic: Callable[..., str]
) -> None:
    (objects / "empty" / "within").mkdir(parents=True)
    (objects / "link").symlink_to("03")
    (objects / "broken").symlink_to("nowhere")
    (objects / "up").symlink_to("..")
    os.mkfifo(objects / "pipe")
    repository = tmp_path / "repository"
    outcome = datasets.snapshot_dataset(
        objects, tmp_path / "out", repository, PASSWORD, batch_objects=3
    )
    [saved] = json.loads(restic(repository, "snapshots", "--json"))
    assert saved["id"] == outcome.snapshot
    restic(repository, "restore", saved["id"], "--target", str(tmp_path / "target"))
    restored = tmp_path / "target" / objects.relative_to("/")
    assert sorted(os.listdir(restored)) == sorted(os.listdir(objects))
    assert list((restored / "empty").iterdir()) == [restored / "empty" / "within"]
    for name, target in (("link", "03"), ("broken", "nowhere"), ("up", "..")):
        assert os.readlink(restored / name) == target
    assert (restored / "pipe").is_fifo()
    # Other functions work on the files alone.
    assert datasets.hash_dataset(objects, tmp_path / "hashes").objects == 12

"""broadloom.datasets on one machine: operations, sources, faults, continued runs."""

import gzip
import hashlib
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.hazmat.primitives.serialization import PublicFormat
from hypothesis import given
from hypothesis import strategies as st

import broadloom
import broadloom.age
from broadloom import datasets
from broadloom.datasets import DatasetError
from broadloom.datasets._plan import Limits

SIZES = [0, 1, 64, 1000, 70_000, *range(100, 400), 3_000_000]


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("objects")
    for number, size in enumerate(SIZES):
        path = place / f"{number % 7}" / f"{number:04}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes([number % 251]) * (size // 2) + os.urandom(size - size // 2))
    return place


def sums(place: Path) -> dict[str, str]:
    """What sha256sum says of all files below a directory."""
    paths = sorted(str(path) for path in place.rglob("*") if path.is_file())
    run = subprocess.run(["sha256sum", *paths], capture_output=True, check=True, text=True)
    return {line[66:]: line[:64] for line in run.stdout.splitlines()}


def rows(outcome: datasets.Outcome) -> list[dict[str, Any]]:
    return outcome.table().to_table().to_pylist()


def files(place: Path) -> dict[str, bytes]:
    """All files of a run, but for its plan."""
    found = (path for path in place.rglob("*") if path.is_file())
    return {str(path.relative_to(place)): path.read_bytes() for path in found}


@pytest.mark.parametrize("place", ["disk", "store"])
def test_digests_are_sha256sums(objects: Path, tmp_path: Path, place: str) -> None:
    source = str(objects) if place == "disk" else copy_to_store(objects)
    outcome = datasets.hash_dataset(
        source, tmp_path / "out", batch_objects=50, batch_bytes=1_000_000, memory=2 << 20
    )
    found = {row["path"].removeprefix("memory://"): row["digest"].hex() for row in rows(outcome)}
    assert found == sums(objects)
    assert (outcome.objects, outcome.bytes) == (len(SIZES), sum(SIZES))
    assert outcome.batches == outcome.done >= 8
    assert not (tmp_path / "out" / "incoming").exists()


def copy_to_store(place: Path) -> str:
    """The URL of the same objects in a store that is no directory of this machine."""
    filesystem = fsspec.filesystem("memory")
    for path in place.rglob("*"):
        if path.is_file():
            filesystem.pipe_file(str(path), path.read_bytes())
    return f"memory://{place}"


def test_every_kind_of_source(objects: Path, tmp_path: Path) -> None:
    paths = sorted(path for path in objects.rglob("*") if path.is_file())
    sizes = [path.stat().st_size for path in paths]
    sized = pa.table({"path": map(str, paths), "size": sizes, "n": range(len(paths))})
    pq.write_table(sized, tmp_path / "manifest.parquet")
    (tmp_path / "list.txt").write_text("".join(f"{path}\n" for path in paths))
    sources: list[Any] = [
        objects,
        str(objects),
        f"file://{objects}",
        paths,
        iter(paths),
        sized,
        pa.RecordBatchReader.from_batches(sized.schema, sized.to_batches(7)),
        datasets.read_manifest(str(tmp_path / "manifest.parquet")),
        datasets.read_manifest(str(tmp_path / "list.txt")),
        f"{objects}/*/*",
    ]
    expected = [hashlib.md5(path.read_bytes()).digest() for path in paths]
    for number, source in enumerate(sources):
        outcome = datasets.hash_dataset(source, tmp_path / str(number), "md5")
        table = outcome.table().to_table()
        assert table["digest"].to_pylist() == expected
        assert table["size"].to_pylist() == sizes
        assert ("n" in table.column_names) == (number in (5, 6, 7))


def test_lists_of_sha256sum_are_verified(objects: Path, tmp_path: Path) -> None:
    listed = tmp_path / "SUMS"
    listed.write_text("".join(f"{digest}  {path}\n" for path, digest in sums(objects).items()))
    manifest = datasets.read_manifest(str(listed))
    good = datasets.verify_dataset(manifest, tmp_path / "good")
    assert good.objects == len(rows(good)) == len(SIZES)
    changed = listed.read_text().replace(listed.read_text()[:64], "0" * 64, 1)
    listed.write_text(changed)
    with pytest.raises(DatasetError, match=f"1 objects failed.*expected {'0' * 64}") as error:
        datasets.verify_dataset(datasets.read_manifest(str(listed)), tmp_path / "bad")
    assert len(rows(error.value.outcome)) == len(SIZES) - 1
    listed.write_text(f"{'0' * 64}  a\nno digest\n")
    with pytest.raises(ValueError, match="line 2: no digest"):
        datasets.read_manifest(str(listed))


@pytest.mark.parametrize("memory", [1 << 20, 256 << 20])
def test_compression_and_back(objects: Path, tmp_path: Path, memory: int) -> None:
    packed = datasets.compress_dataset(objects, tmp_path / "packed", level=1, memory=memory)
    for row in rows(packed):
        content = (tmp_path / "packed" / row["object"]).read_bytes()
        assert row["object"].endswith(hashlib.sha256(content).hexdigest() + ".gz")
        assert gzip.decompress(content) == Path(row["path"]).read_bytes()
        assert (row["object_size"], len(row["digest"])) == (len(content), 32)
        assert row["digest"] == hashlib.sha256(Path(row["path"]).read_bytes()).digest()
    source = packed.manifest()
    plain = datasets.decompress_dataset(source, tmp_path / "plain", memory=memory)
    for row in rows(plain):
        assert (tmp_path / "plain" / row["object"]).read_bytes() == (
            Path(row["source"]).read_bytes()
        )


@pytest.mark.parametrize("memory", [1 << 20, 256 << 20])
def test_encryption_and_back(objects: Path, tmp_path: Path, memory: int) -> None:
    identity, recipient = broadloom.age.keygen()
    sealed = datasets.encrypt_dataset(objects, tmp_path / "sealed", [recipient], memory=memory)
    opened = datasets.decrypt_dataset(
        sealed.manifest(), tmp_path / "opened", [identity], memory=memory
    )
    for row in rows(opened):
        assert (tmp_path / "opened" / row["object"]).read_bytes() == (
            Path(row["source"]).read_bytes()
        )
    assert identity not in (tmp_path / "opened" / "run.json").read_text()
    other, _ = broadloom.age.keygen()
    with pytest.raises(DatasetError, match=f"{len(SIZES)} objects failed.*no identity fits"):
        datasets.decrypt_dataset(sealed.manifest(), tmp_path / "other", [other], memory=memory)


def test_signatures(objects: Path, tmp_path: Path) -> None:
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = datasets.sign_dataset(objects, tmp_path / "signed", pem, memory=1 << 20)
    for row in rows(signed):
        private.public_key().verify(row["signature"], Path(row["path"]).read_bytes())
    assert b"PRIVATE" not in b"".join(files(tmp_path / "signed").values())
    table = signed.table().to_table()
    assert datasets.verify_dataset(table, tmp_path / "right", public_key=public).failed == 0
    wrong = table.set_column(
        table.schema.get_field_index("signature"), "signature", [[bytes(64)] * len(table)]
    )
    with pytest.raises(DatasetError, match="the signature is wrong"):
        datasets.verify_dataset(wrong, tmp_path / "wrong", public_key=public)


@given(
    st.lists(st.lists(st.none() | st.integers(0, 50), max_size=9), max_size=9),
    st.integers(1, 60),
    st.integers(1, 7),
)
def test_batches_are_full_and_within_limits(
    pieces: list[list[int | None]], size: int, objects: int
) -> None:
    tables = [pa.table({"size": pa.array(piece, pa.int64())}) for piece in pieces]
    batches = [batch["size"].to_pylist() for batch in Limits(size, objects).batches(tables)]
    assert [one for batch in batches for one in batch] == [one for p in pieces for one in p]
    totals = [sum(size // objects if one is None else one for one in batch) for batch in batches]
    for batch, total in zip(batches, totals, strict=True):
        assert 1 <= len(batch) <= objects and (total <= size or len(batch) == 1)
    for batch, total, following in zip(batches, totals, batches[1:], strict=False):
        first = size // objects if following[0] is None else following[0]
        assert len(batch) == objects or total + first > size


VALUES = ["warp", None, "", "weft" * 100] * 700


def test_cells_of_parquet_files(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.mkdir()
    for name in ("a", "b"):
        table = pa.table({"n": list(range(len(VALUES))), "body": VALUES})
        pq.write_table(table, place / f"{name}.parquet", row_group_size=300)
    (place / "notes.txt").write_text("not Parquet")
    outcome = datasets.hash_dataset(place, tmp_path / "out", column="body", batch_bytes=1000)
    assert outcome.batches > 2
    expected = [None if v is None else hashlib.sha256(v.encode()).digest() for v in VALUES]
    table = outcome.table().to_table()
    assert table["digest"].to_pylist() == expected * 2
    assert table["row"].to_pylist() == list(range(len(VALUES))) * 2
    packed = datasets.compress_dataset(place, tmp_path / "packed", column="body")
    for row, value in zip(rows(packed), VALUES * 2, strict=True):
        if value is None:
            assert row["object"] is None
        else:
            content = (tmp_path / "packed" / row["object"]).read_bytes()
            assert gzip.decompress(content) == value.encode()
    with pytest.raises(ValueError, match="no column 'text'; valid: n, body"):
        datasets.hash_dataset(place, tmp_path / "none", column="text")


def test_damaged_objects_do_not_keep_others(tmp_path: Path) -> None:
    place = tmp_path / "objects"
    place.mkdir()
    for number in range(60):
        (place / f"{number:02}").write_bytes(gzip.compress(bytes(number)))
    (place / "07").write_bytes(b"no gzip")
    (place / "31").write_bytes(gzip.compress(os.urandom(1000))[:-9])
    with pytest.raises(DatasetError, match="2 objects failed.*/07: ValueError") as error:
        datasets.decompress_dataset(place, tmp_path / "out")
    failures = error.value.outcome.failures().to_pylist()
    assert [row["path"][-2:] for row in failures] == ["07", "31"]
    assert failures[1]["error"].startswith("EOFError")
    assert len(rows(error.value.outcome)) == 58
    # The same call tries them again.
    for name in ("07", "31"):
        (place / name).write_bytes(gzip.compress(b"mended"))
    sizes = {name: (place / name).stat().st_size for name in ("07", "31")}
    assert sizes["07"] != 7
    with pytest.raises(DatasetError, match="LengthError"):
        datasets.decompress_dataset(place, tmp_path / "out", retries=0)


class Stopped(Exception):
    pass


def test_a_run_goes_on_where_it_stopped(objects: Path, tmp_path: Path) -> None:
    whole = datasets.compress_dataset(objects, tmp_path / "whole", batch_objects=20)
    seen: list[int] = []

    def stop(outcome: datasets.Outcome) -> None:
        seen.append(outcome.done)
        if outcome.done == 3:
            raise Stopped

    for _ in range(3):
        with pytest.raises(Stopped):
            datasets.compress_dataset(
                objects, tmp_path / "out", batch_objects=20, progress=stop
            )
    # New objects are not of this run.
    last = datasets.compress_dataset(objects, tmp_path / "out", batch_objects=20)
    assert (last.done_before, last.done) == (9, whole.batches - 9)
    assert seen == [1, 2, 3] * 3
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    again = datasets.compress_dataset(objects, tmp_path / "out")
    assert (again.done, again.objects) == (0, 0)
    assert len(rows(again)) == len(SIZES)


def test_an_output_has_one_run(objects: Path, tmp_path: Path) -> None:
    datasets.hash_dataset(objects, tmp_path / "out")
    with pytest.raises(ValueError, match="another run, whose settings is .*sha256.*another output"):
        datasets.hash_dataset(objects, tmp_path / "out", "sha512")
    with pytest.raises(ValueError, match="another run, whose source"):
        datasets.hash_dataset(objects / "1", tmp_path / "out")
    with pytest.raises(ValueError, match="another run, whose operation"):
        datasets.compress_dataset(objects, tmp_path / "out")
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert (run["objects"], run["bytes"]) == (len(SIZES), sum(SIZES))


def test_what_a_killed_worker_leaves_is_no_result(objects: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "incoming").mkdir(parents=True)
    (out / "incoming" / "half").write_bytes(b"half a result")
    outcome = datasets.hash_dataset(objects, out)
    assert len(rows(outcome)) == len(SIZES)
    assert not (out / "incoming").exists()


class Faulty(BaseHTTPRequestHandler):
    """A store that fails every third time: with 503, with half a body, with a closed connection."""

    protocol_version = "HTTP/1.1"
    bodies: dict[str, bytes] = {}
    requests: dict[str, int] = {}

    def do_HEAD(self) -> None:
        body = self.bodies.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()

    def do_GET(self) -> None:
        count = self.requests[self.path] = self.requests.get(self.path, 0) + 1
        body = self.bodies.get(self.path)
        if body is None:
            self.send_error(404)
            return
        number = int(self.path.strip("/"))
        if self.path == "/666" or (count <= 2 and number % 3 == 0):
            self.send_error(503)
            return
        if count == 1 and number % 3 == 1:
            self.close_connection = True
            return
        asked = self.headers.get("Range")
        if asked:
            first, last = asked.removeprefix("bytes=").split("-")
            total, body = len(body), body[int(first) : int(last) + 1]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{total}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if count == 1 and number % 3 == 2:
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def faulty() -> Iterator[str]:
    Faulty.requests = {}
    Faulty.bodies = {f"/{n}": os.urandom(500 + n) for n in range(90)}
    Faulty.bodies["/1000"] = os.urandom(20_000_000)
    Faulty.bodies["/666"] = b"never given"
    server = ThreadingHTTPServer(("127.0.0.1", 0), Faulty)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    from broadloom.datasets import _store

    monkeypatch.setattr(_store, "FIRST_WAIT", 0.001)


def test_a_store_that_fails(faulty: str, tmp_path: Path, no_waiting: None) -> None:
    names = [*range(90), 1000, 666, 7777]
    sizes = [len(Faulty.bodies.get(f"/{name}", b"")) for name in names]
    manifest = pa.table({"path": [f"{faulty}/{name}" for name in names], "size": sizes})
    with pytest.raises(DatasetError, match="2 objects failed") as error:
        datasets.hash_dataset(manifest, tmp_path / "out", batch_objects=40, memory=8 << 20)
    outcome = error.value.outcome
    for row in rows(outcome):
        body = Faulty.bodies["/" + row["path"].rsplit("/", 1)[1]]
        assert row["digest"] == hashlib.sha256(body).digest()
    wrong = outcome.failures().to_pylist()
    failures = {row["path"].rsplit("/", 1)[1]: row["error"] for row in wrong}
    assert set(failures) == {"666", "7777"}
    assert "503" in failures["666"] and failures["7777"].startswith("FileNotFoundError")
    assert Faulty.requests["/666"] == 6
    assert Faulty.requests["/7777"] == 1
    # When the store is well again, only the batch that failed is done.
    Faulty.bodies["/667"] = Faulty.bodies.pop("/666")
    with pytest.raises(DatasetError, match="2 objects failed") as error:
        datasets.hash_dataset(manifest, tmp_path / "out", batch_objects=40)
    assert error.value.outcome.done_before == 2 and error.value.outcome.done == 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"batch_objects": 0}, ValueError, "batch_objects is 0; valid: 1 or more"),
        ({"batch_bytes": -1}, ValueError, "batch_bytes is -1"),
        ({"memory": 10}, ValueError, "memory is 10"),
        ({"retries": -1}, ValueError, "retries is -1"),
        ({"thread": 2}, TypeError, "no option 'thread'; valid: batch_bytes"),
        ({"algorithm": "sha257"}, ValueError, '"sha257" is no hash'),
    ],
)
def test_wrong_arguments(
    objects: Path, tmp_path: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        datasets.hash_dataset(objects, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


PUBLIC = bytes.fromhex("302a300506032b6570032100" + 32 * "d7")


def test_wrong_sources(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="has no objects"):
        datasets.hash_dataset(tmp_path / "none", tmp_path / "out")
    with pytest.raises(ValueError, match="needs a column `path`, and this one has name"):
        datasets.hash_dataset(pa.table({"name": ["a"]}), tmp_path / "out")
    with pytest.raises(TypeError, match="source has 3"):
        datasets.hash_dataset([3], tmp_path / "out")
    with pytest.raises(TypeError, match="source is int"):
        datasets.hash_dataset(3, tmp_path / "out")
    with pytest.raises(ValueError, match="row 1 has no path"):
        datasets.hash_dataset(pa.table({"path": ["a", None]}), tmp_path / "out")
    with pytest.raises(ValueError, match="column 'digest', and this one has path, size"):
        datasets.verify_dataset([str(tmp_path)], tmp_path / "out")
    with pytest.raises(ValueError, match="column 'signature', and this one has path, size"):
        datasets.verify_dataset([str(tmp_path)], tmp_path / "out", public_key=PUBLIC)
    assert not (tmp_path / "out" / "run.json").exists()

"""broadloom.dask and broadloom.ray: the same results as on one machine, whatever is killed."""

import json
import os
import signal
import subprocess
import threading
import time
import unittest.mock
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
import dask.bag
import dask.dataframe
import pandas
import pyarrow as pa
import pytest
import ray
import ray.data
import s3fs
from conftest import PASSWORD, PATIENCE
from distributed import Client, LocalCluster
from moto.moto_server.threaded_moto_server import ThreadedMotoServer
from ray._private import services

import broadloom
import broadloom.dask
import broadloom.ray
from broadloom import datasets

#: Small and large objects in the store, which is a slow one; and files, which are not.
SMALL, LARGE, FILES = 400, 3, 5000
OPTIONS: datasets.Options = {"batch_objects": 20, "threads": 1}


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, Any]]:
    """A store of S3 with many small objects and some large ones: its options."""
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    options = {
        "key": "any",
        "secret": "any",
        "client_kwargs": {"endpoint_url": f"http://127.0.0.1:{port}"},
    }
    filesystem = s3fs.S3FileSystem(**options)
    filesystem.mkdir("data")
    filesystem.mkdir("results")
    small = {f"data/small/{n:05}": n.to_bytes(4, "big") * (n % 50) for n in range(SMALL)}
    large = {f"data/large/{n}": os.urandom(40_000_000) for n in range(LARGE)}
    filesystem.pipe({**small, **large})
    yield options
    server.stop()


@pytest.fixture(scope="module")
def here(store: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one machine makes of the store."""
    out = tmp_path_factory.mktemp("here") / "out"
    outcome = datasets.hash_dataset("s3://data/", out, storage_options=store, **OPTIONS)
    assert outcome.objects == SMALL + LARGE
    return out


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    settings = {
        "temporary-directory": str(tmp_path_factory.mktemp("dask")),
        # A cluster gives up a worker that is away so long after it was killed, although it came
        # back in between and was only killed once more. Without workers, a test waits for ever.
        "distributed.deploy.lost-worker-timeout": "1 hour",
    }
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def cluster(pytestconfig: pytest.Config) -> Iterator[None]:
    get_node = services.get_node

    def get_node_in_time(address: str, node: str) -> Any:
        """Ray itself gives up after 30 seconds, which no setting changes."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return get_node(address, node)
            except RuntimeError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.2)

    def start() -> None:
        with unittest.mock.patch.object(services, "get_node", get_node_in_time):
            ray.init(
                num_cpus=2,
                object_store_memory=100 << 20,
                include_dashboard=False,
                log_to_driver=False,
                configure_logging=False,
            )

    try:
        start()
    except Exception as error:
        capture = pytestconfig.pluginmanager.getplugin("capturemanager")
        assert capture is not None
        with capture.global_and_fixture_disabled():
            print(f"\nRay did not start, and is started once more: {error}")
        ray.shutdown()
        start()
    yield
    ray.shutdown()


def tables(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (out / "table").iterdir()}


class Killer:
    """Kills a worker that is within a batch with SIGKILL, twice, while a run goes on."""

    def __init__(self, workers: Callable[[], list[int]]) -> None:
        self.killed: list[int] = []
        self._workers = workers
        self._lock = threading.Lock()

    def __call__(self, outcome: datasets.Outcome) -> None:
        with self._lock:
            if len(self.killed) < 2 and outcome.done >= 3 * (len(self.killed) + 1):
                pid = self._workers()[0]
                os.kill(pid, signal.SIGKILL)
                self.killed.append(pid)


def test_without_an_engine(tmp_path: Path) -> None:
    """The first test: from the next one on there are engines."""
    (tmp_path / "a").write_bytes(b"a")
    with pytest.raises(ValueError, match="no client of Dask"):
        broadloom.dask.hash_dataset(tmp_path, tmp_path / "dask")
    with pytest.raises(ValueError, match="Ray is not connected"):
        broadloom.ray.hash_dataset(tmp_path, tmp_path / "ray")


def test_dask_with_workers_that_are_killed(
    store: dict[str, Any], here: Path, client: Client, tmp_path: Path
) -> None:
    killer = Killer(lambda: list(client.run(os.getpid).values()))
    outcome = broadloom.dask.hash_dataset(
        "s3://data/",
        tmp_path / "out",
        storage_options=store,
        progress=killer,
        **OPTIONS,
    )
    assert len(set(killer.killed)) == 2
    assert outcome.objects == SMALL + LARGE
    assert tables(tmp_path / "out") == tables(here)


def test_ray_with_workers_that_are_killed(
    store: dict[str, Any], here: Path, cluster: None, tmp_path: Path
) -> None:
    killer = Killer(lambda: ray_workers("hash_dataset"))
    outcome = broadloom.ray.hash_dataset(
        "s3://data/",
        tmp_path / "out",
        storage_options=store,
        progress=killer,
        **OPTIONS,
    )
    assert len(set(killer.killed)) == 2
    assert outcome.objects == SMALL + LARGE
    assert tables(tmp_path / "out") == tables(here)


def ray_workers(function: str) -> list[int]:
    """The processes that do batches of a function now."""
    for _ in range(6000):
        found = []
        for process in Path("/proc").iterdir():
            if process.name.isdecimal():
                try:
                    title = (process / "cmdline").read_bytes()
                except OSError:
                    continue
                if title.startswith(f"ray::{function}".encode()):
                    found.append(int(process.name))
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("no worker of Ray does a batch")


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_snapshots_by_workers_that_are_killed(
    request: pytest.FixtureRequest, tmp_path: Path, restic: Callable[..., str], name: str
) -> None:
    """restic finds one snapshot, with all files, and no lock of those that were killed."""
    place, repository = tmp_path / "files", tmp_path / "repository"
    place.mkdir()
    for n in range(200):
        (place / f"{n:05}").write_bytes(os.urandom(1000 * (n % 50)))
    engine: Any
    if name == "dask":
        client = request.getfixturevalue("client")
        engine, killer = broadloom.dask, Killer(lambda: list(client.run(os.getpid).values()))
    else:
        request.getfixturevalue("cluster")
        engine, killer = broadloom.ray, Killer(lambda: ray_workers("snapshot_dataset"))
    outcome = engine.snapshot_dataset(
        place, tmp_path / "out", repository, PASSWORD, progress=killer, **OPTIONS
    )
    assert len(set(killer.killed)) == 2
    restic(repository, "check", "--read-data")
    [snapshot] = json.loads(restic(repository, "snapshots", "--json"))
    assert snapshot["id"] == outcome.snapshot
    restic(repository, "restore", "latest", "--target", str(tmp_path / "target"))
    restored = tmp_path / "target" / place.relative_to("/")
    assert {path.name: path.read_bytes() for path in restored.iterdir()} == {
        path.name: path.read_bytes() for path in place.iterdir()
    }


@pytest.mark.parametrize("engine", [broadloom.dask, broadloom.ray])
def test_objects_in_a_store(
    store: dict[str, Any], client: Client, cluster: None, tmp_path: Path, engine: Any
) -> None:
    """Compressed into the store, decompressed out of it, in two formats of URLs."""
    place = f"s3://results/{engine.__name__}"
    packed = engine.compress_dataset(
        "s3://data/small/000*",
        f"{place}/packed",
        storage_options=store,
        output_options=store,
        batch_objects=30,
        threads=1,
    )
    plain = engine.decompress_dataset(
        packed.manifest(), tmp_path / "plain", storage_options=store, batch_objects=40, threads=1
    )
    found = 0
    for row in plain.table().to_table().to_pylist():
        number = int(row["source"][-5:])
        content = (tmp_path / "plain" / row["object"]).read_bytes()
        assert content == number.to_bytes(4, "big") * (number % 50)
        found += 1
    assert found == 100
    again = engine.compress_dataset(
        "s3://data/small/000*", f"{place}/packed", storage_options=store, output_options=store
    )
    assert (again.done, again.done_before) == (0, 4)


def test_a_run_moves_from_engine_to_engine(client: Client, cluster: None, tmp_path: Path) -> None:
    """What one engine began, the next one continues; and the digests are sha256sum's."""
    place = tmp_path / "files"
    place.mkdir()
    for n in range(FILES):
        (place / f"{n:05}").write_bytes(n.to_bytes(4, "big") * (n % 50))

    def stop(outcome: datasets.Outcome) -> None:
        if outcome.done == 4:
            raise KeyboardInterrupt

    options: datasets.Options = {"batch_objects": 100, "threads": 1}
    datasets.hash_dataset(place, tmp_path / "here", **options)
    for engine in (datasets, broadloom.dask, broadloom.ray):
        with pytest.raises(KeyboardInterrupt):
            engine.hash_dataset(place, tmp_path / "out", progress=stop, **options)
    last = broadloom.dask.hash_dataset(place, tmp_path / "out", **options)
    assert last.done_before >= 12
    assert tables(tmp_path / "out") == tables(tmp_path / "here")
    names = sorted(str(path) for path in place.iterdir())
    sums = subprocess.run(["sha256sum", *names], capture_output=True, check=True, text=True).stdout
    rows = last.table().to_table(columns=["path", "digest"]).to_pylist()
    assert "".join(f"{row['digest'].hex()}  {row['path']}\n" for row in rows) == sums


def test_collections_of_dask(client: Client, tmp_path: Path) -> None:
    values = [bytes([n]) * n for n in range(200)]
    bag = dask.bag.from_sequence(values, npartitions=4)
    outcome = broadloom.dask.hash_dataset(bag, tmp_path / "bag")
    table = outcome.table().to_table()
    assert table["digest"].to_pylist() == broadloom.hash_many(values)
    again = broadloom.dask.hash_dataset(bag, tmp_path / "bag")
    assert (again.done, again.done_before) == (0, 4)
    changed = dask.bag.from_sequence([*values[:-1], b"changed"], npartitions=4)
    third = broadloom.dask.hash_dataset(changed, tmp_path / "bag")
    assert (third.done, third.done_before) == (1, 3)
    assert third.table().to_table()["digest"][199].as_py() == broadloom.hash_many([b"changed"])[0]
    body = pandas.Series(values, dtype=pandas.ArrowDtype(pa.binary()))
    frame = pandas.DataFrame({"name": [f"{n}" for n in range(200)], "body": body})
    frames = dask.dataframe.from_pandas(frame, npartitions=3)
    outcome = broadloom.dask.compress_dataset(frames, tmp_path / "frame", column="body")
    rows = outcome.table().to_table().to_pylist()
    packed = [(tmp_path / "frame" / row["object"]).read_bytes() for row in rows]
    assert broadloom.decompress_many(packed, "gzip") == values
    assert [row["name"] for row in rows] == [f"{n}" for n in range(200)]
    with pytest.raises(ValueError, match="no column 'text'; valid: name, body"):
        broadloom.dask.hash_dataset(frames, tmp_path / "none", column="text", retries=0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")
def test_collections_of_ray(cluster: None, tmp_path: Path) -> None:
    values = [bytes([n]) * n for n in range(200)]
    table = pa.table({"name": [f"{n}" for n in range(200)], "body": values})
    data = ray.data.from_arrow([table.slice(0, 90), table.slice(90)])
    for done in (2, 0):
        outcome = broadloom.ray.hash_dataset(data, tmp_path / "out", column="body", threads=1)
        assert outcome.done == done
        found = outcome.table().to_table()
        assert found["digest"].to_pylist() == broadloom.hash_many(values)
        assert found["name"].to_pylist() == table["name"].to_pylist()


def test_objects_that_fail_on_workers(client: Client, cluster: None, tmp_path: Path) -> None:
    paths = []
    for n in range(40):
        path = tmp_path / f"{n:02}"
        path.write_bytes(bytes(n))
        paths.append(str(path))
    paths.insert(13, str(tmp_path / "missing"))
    for engine in (broadloom.dask, broadloom.ray):
        with pytest.raises(datasets.DatasetError, match="1 objects failed, the first: .*missing"):
            engine.hash_dataset(paths, tmp_path / engine.__name__, batch_objects=10, threads=1)

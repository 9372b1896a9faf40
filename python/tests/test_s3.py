"""broadloom.datasets over a store of S3 that fails now and then, through s3fs."""

import hashlib
import random
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.s3.models import s3_backends
from werkzeug.serving import WSGIRequestHandler, make_server

from broadloom import datasets

OBJECTS = 1000
#: Objects that nobody may read, and those whose first reads fail.
FORBIDDEN, SLOW = {77, 500}, {5, 301, 999}


def content(number: int) -> bytes:
    return number.to_bytes(4, "big") * (number % 50)


class Faulty:
    """The store, but for some answers."""

    def __init__(self) -> None:
        self.store = DomainDispatcherApplication(create_backend_app)
        self.reads: dict[int, int] = {}

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        name = environ["PATH_INFO"].removeprefix("/faulty/objects/")
        if environ["REQUEST_METHOD"] == "GET" and name.isdecimal():
            number = int(name)
            self.reads[number] = self.reads.get(number, 0) + 1
            if number in FORBIDDEN:
                return self.error(start, "403 Forbidden", "AccessDenied")
            if number in SLOW and self.reads[number] <= 2:
                return self.error(start, "503 Slow Down", "SlowDown")
        answer: Iterable[bytes] = self.store(environ, start)
        return answer

    def error(self, start: Callable[..., Any], status: str, code: str) -> list[bytes]:
        start(status, [("Content-Type", "application/xml")])
        return [f"<Error><Code>{code}</Code><Message>injected</Message></Error>".encode()]


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def faulty() -> Iterator[tuple[Faulty, dict[str, Any]]]:
    """The store, and the options for s3fs."""
    application = Faulty()
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
    backend = s3_backends["123456789012"]["aws"]
    backend.create_bucket("faulty", "us-east-1")
    for number in range(OBJECTS):
        backend.put_object("faulty", f"objects/{number:04}", content(number))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    endpoint = f"http://127.0.0.1:{server.server_port}"
    yield application, {"key": "any", "secret": "any", "client_kwargs": {"endpoint_url": endpoint}}
    server.shutdown()
    thread.join()
    server.server_close()


def test_errors_keep_no_other_object(
    faulty: tuple[Faulty, dict[str, Any]], tmp_path: Path
) -> None:
    application, options = faulty
    with pytest.raises(datasets.DatasetError, match="2 objects failed") as error:
        datasets.hash_dataset(
            "s3://faulty/objects/", tmp_path / "out", storage_options=options, batch_objects=300
        )
    outcome = error.value.outcome
    failures = outcome.failures().to_pylist()
    assert {int(row["path"][-4:]) for row in failures} == FORBIDDEN
    assert all(row["error"].startswith("PermissionError") for row in failures)
    found = {int(row["path"][-4:]): row["digest"] for row in outcome.table().to_table().to_pylist()}
    assert found == {
        number: hashlib.sha256(content(number)).digest()
        for number in range(OBJECTS)
        if number not in FORBIDDEN
    }
    assert all(application.reads[number] == 3 for number in SLOW)


def test_a_large_object_is_read_in_blocks(
    faulty: tuple[Faulty, dict[str, Any]], tmp_path: Path
) -> None:
    _, options = faulty
    large = random.Random(7).randbytes((64 << 20) + 12_345)
    s3_backends["123456789012"]["aws"].put_object("faulty", "large/object", large)
    outcome = datasets.hash_dataset("s3://faulty/large/", tmp_path / "out", storage_options=options)
    (row,) = outcome.table().to_table().to_pylist()
    assert (row["size"], row["digest"]) == (len(large), hashlib.sha256(large).digest())

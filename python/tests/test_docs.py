"""The examples of the README and of every docstring are tests."""

import doctest
import importlib
from pathlib import Path

import pytest

MODULES = ["", "._files", ".age", ".arrow", ".datasets", ".datasets._manifest", ".gzip"]
MODULES += [".names", ".packets", ".zlib"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module("broadloom" + name))
    assert outcome.attempted > 0 and outcome.failed == 0


def test_the_readme() -> None:
    readme = Path(__file__).parent.parent / "README.md"
    outcome = doctest.testfile(str(readme), module_relative=False)
    assert outcome.attempted > 10 and outcome.failed == 0


NATIVE = ["Hasher", "QueuePair", "Session", "hash_chunks", "hash_files"]
NATIVE += [name + "_many" for name in ("hash", "hmac", "seal", "open", "sign", "verify")]
NATIVE += ["compress_many", "decompress_many", "encrypt_column"]


@pytest.mark.parametrize("name", NATIVE)
def test_native_docstrings(name: str) -> None:
    function = getattr(importlib.import_module("broadloom._broadloom"), name)
    test = doctest.DocTestParser().get_doctest(function.__doc__, {}, name, None, None)
    outcome = doctest.DocTestRunner().run(test)
    assert outcome.attempted > 0 and outcome.failed == 0


def test_every_function_has_a_docstring() -> None:
    broadloom = importlib.import_module("broadloom")
    for name in broadloom.__all__:
        assert len(getattr(broadloom, name).__doc__) > 20, name

"""hash_files, hash_chunks, hash_tree, Hasher and new against hashlib."""

import hashlib
import hmac
import os
import random
import threading
from pathlib import Path

import numpy
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

import broadloom

HASHES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512"]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("files")
    random_bytes = random.Random(2).randbytes
    sizes = [0, 1, 63, 64, 65, 4096, 16_384, 16_385, 100_000, 3_000_000, *range(0, 40_000, 401)]
    for number, size in enumerate(sizes):
        (place / f"{number:04}").write_bytes(random_bytes(size))
    return sorted(place.iterdir())


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize("threads", [1, 3, None])
def test_digests_of_files(files: list[Path], name: str, threads: int | None) -> None:
    expected = [hashlib.new(name, path.read_bytes()).digest() for path in files]
    assert broadloom.hash_files(files, name, threads=threads) == expected
    assert broadloom.hash_files(map(str, files), name, threads=threads) == expected


def test_forms_of_results(files: list[Path]) -> None:
    expected = broadloom.hash_files(files)
    assert [row.tobytes() for row in broadloom.hash_files(files, result="numpy")] == expected
    assert pyarrow.array(broadloom.hash_files(files, result="arrow")).to_pylist() == expected
    assert broadloom.hash_files([]) == []


@pytest.mark.parametrize("size", [1, 100, 4096, 16_384, 50_000, 10**9])
@pytest.mark.parametrize("place", [0, 1, 7, 8])
def test_chunks(files: list[Path], size: int, place: int) -> None:
    data = files[place].read_bytes()
    chunks = [data[start : start + size] for start in range(0, len(data), size)] or [b""]
    expected = [hashlib.sha256(chunk).digest() for chunk in chunks]
    assert broadloom.hash_chunks(files[place], size, threads=2) == expected


def test_chunks_of_a_pipe(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(b"abcde",))
    writer.start()
    expected = [hashlib.sha256(chunk).digest() for chunk in (b"ab", b"cd", b"e")]
    assert broadloom.hash_chunks(fifo, 2) == expected
    writer.join()


def test_files_that_cannot_be_read(tmp_path: Path, files: list[Path]) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(FileNotFoundError) as error:
        broadloom.hash_files([*files, missing, *files], threads=2)
    assert error.value.filename == str(missing)
    with pytest.raises(IsADirectoryError):
        broadloom.hash_files([tmp_path])
    with pytest.raises(FileNotFoundError):
        broadloom.hash_chunks(missing, 10)
    with pytest.raises(ValueError, match="size is 0"):
        broadloom.hash_chunks(files[0], 0)
    with pytest.raises(TypeError):
        broadloom.hash_files([3])
    with pytest.raises(ValueError, match="is no hash"):
        broadloom.hash_files(files, "crc32")


def test_a_tree(tmp_path: Path) -> None:
    for name in ("b/c/d", "b/a", "a", "z"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to(tmp_path / "b", target_is_directory=True)
    tree = broadloom.hash_tree(tmp_path, "sha512", threads=2)
    names = ["a", "b/a", "b/c/d", "z"]
    assert tree == {name: hashlib.sha512(name.encode()).digest() for name in names}
    assert list(tree) == names
    with pytest.raises(FileNotFoundError):
        broadloom.hash_tree(tmp_path / "none")


@given(st.lists(st.binary(max_size=600), max_size=12), st.sampled_from(HASHES))
def test_a_stream_in_pieces(pieces: list[bytes], name: str) -> None:
    mine, peer = broadloom.new(name), hashlib.new(name)
    for piece in pieces:
        mine.update(piece)
        peer.update(piece)
        assert mine.digest() == peer.digest()
    other = mine.copy()
    other.update(b"more")
    assert mine.hexdigest() == peer.hexdigest()
    peer.update(b"more")
    assert other.hexdigest() == peer.hexdigest()


@given(st.lists(st.binary(max_size=300), max_size=8), st.sampled_from(HASHES), st.binary())
def test_a_stream_with_a_key(pieces: list[bytes], name: str, key: bytes) -> None:
    mine = broadloom.Hasher(name, key=key)
    for piece in pieces:
        mine.update(piece)
    assert mine.digest() == hmac.digest(key, b"".join(pieces), name)


def test_the_interface_is_hashlibs() -> None:
    for name in HASHES:
        mine, peer = broadloom.new(name, b"data"), hashlib.new(name, b"data")
        assert (mine.digest_size, mine.block_size) == (peer.digest_size, peer.block_size)
        assert mine.name == name.replace("_", "-")
    large = numpy.arange(1_000_000, dtype="uint8")
    mine = broadloom.new("sha256")
    mine.update(large)
    assert mine.digest() == hashlib.sha256(large).digest()
    assert broadloom.Hasher("sha256", key=b"k").name == "hmac-sha256"
    with pytest.raises(ValueError, match="has no HMAC"):
        broadloom.Hasher("shake128", key=b"k")
    with pytest.raises(ValueError, match="is no hash"):
        broadloom.new("blake2b")
    with pytest.raises(TypeError):
        broadloom.new("sha256", "text")


@pytest.mark.parametrize("path", ["/etc/hostname", b"/etc/hostname"])
def test_one_path_is_no_list_of_paths(path: object) -> None:
    with pytest.raises(TypeError, match="paths is one path; give a list of paths"):
        broadloom.hash_files(path)

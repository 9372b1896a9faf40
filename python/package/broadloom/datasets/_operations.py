"""What is done to each object of a data set: one class for each operation.

An operation takes buffers many at a time, or the blocks of one large object, and gives columns of
the result table. It knows nothing of stores, batches or engines.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, TypeAlias

import pyarrow as pa  # type: ignore[import-untyped]

import broadloom
import broadloom.age
import broadloom.arrow
from broadloom._broadloom import Coder, Repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from broadloom.datasets._store import Place
    from broadloom.names import FormatName, HashName

Columns: TypeAlias = dict[str, pa.Array]
Padding: TypeAlias = Literal["pkcs1v15", "pss"]

#: Bytes that go into a decoder at once: each may stand for a thousand.
MORSEL = 256 << 10
#: The hash that names objects.
NAMING: Final = "sha256"


@dataclass(frozen=True)
class Work:
    """What an operation works with: threads, and the place and the pool for what it writes."""

    place: Place
    threads: int | None
    pool: Executor

    def keep(self, outputs: Sequence[bytes], suffix: str) -> Columns:
        """Writes objects under names by their content."""
        digests = broadloom.hash_many(outputs, NAMING, threads=self.threads)
        names = [_name(digest, suffix) for digest in digests]
        different = dict(zip(names, outputs, strict=True))
        list(self.pool.map(self.place.write, different, different.values()))
        return {
            "object": pa.array(names, pa.string()),
            "object_size": pa.array(map(len, outputs), pa.int64()),
        }

    def keep_stream(self, pieces: Iterable[bytes], suffix: str) -> Columns:
        """Writes one object under a name by its content, piece by piece."""
        stream, size = broadloom.new(NAMING), 0
        with self.place.spool() as spool:
            for piece in pieces:
                stream.update(piece)
                spool.file.write(piece)
                size += len(piece)
            name = _name(stream.digest(), suffix)
            spool.commit(name)
        return {"object": pa.array([name]), "object_size": pa.array([size], pa.int64())}


def _name(digest: bytes, suffix: str) -> str:
    text = digest.hex()
    return f"objects/{text[:2]}/{text}{suffix}"


class Operation(Protocol):
    """What is done to each object. Values are sent to workers, so that they can be pickled."""

    name: ClassVar[str]
    #: The column of the manifest that it cannot do without.
    needs: ClassVar[str | None]

    def settings(self) -> dict[str, Any]:
        """What tells two runs apart, and no secret."""

    def fields(self) -> list[pa.Field]:
        """The columns that it adds to the table."""

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        """Its columns for some objects, whose rows of the manifest are ``rows``.

        A column ``error`` says of each object what is wrong with it. An exception is one that is
        about any of them.
        """

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        """The same for one large object."""


OBJECT = [pa.field("object", pa.string()), pa.field("object_size", pa.int64())]


@dataclass(frozen=True)
class Hash:
    """Digests."""

    name: ClassVar[str] = "hash_dataset"
    needs: ClassVar[str | None] = None
    algorithm: HashName

    def __post_init__(self) -> None:
        broadloom.new(self.algorithm)

    def settings(self) -> dict[str, Any]:
        return {"algorithm": broadloom.new(self.algorithm).name}

    def fields(self) -> list[pa.Field]:
        return [pa.field("digest", pa.binary(broadloom.new(self.algorithm).digest_size))]

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        digests = broadloom.hash_many(
            buffers, self.algorithm, threads=work.threads, result="arrow"
        )
        return {"digest": pa.array(digests)}

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        stream = broadloom.new(self.algorithm)
        for block in blocks:
            stream.update(block)
        return {"digest": pa.array([stream.digest()], pa.binary(stream.digest_size))}

    def column(self, values: pa.Array, work: Work) -> Columns:
        """Digests of cells; nulls stay null."""
        hashed = broadloom.arrow.hash(values, self.algorithm, threads=work.threads)
        return {"digest": pa.array(hashed)}

    def files(self, paths: list[str], work: Work) -> Columns:
        """Digests of files of this machine, which are not brought into memory whole."""
        digests = broadloom.hash_files(
            paths, self.algorithm, threads=work.threads, result="arrow"
        )
        return {"digest": pa.array(digests)}


@dataclass(frozen=True)
class Verify:
    """Digests, compared with the manifest's column ``digest``."""

    name: ClassVar[str] = "verify_dataset"
    needs: ClassVar[str | None] = "digest"
    hash: Hash

    def settings(self) -> dict[str, Any]:
        return self.hash.settings()

    def fields(self) -> list[pa.Field]:
        return self.hash.fields()

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        return self._compared(self.hash.many(buffers, rows, work), rows)

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        return self._compared(self.hash.stream(blocks, rows, work), rows)

    def _compared(self, columns: Columns, rows: pa.Table) -> Columns:
        errors = []
        found = columns["digest"].to_pylist()
        for wanted, digest in zip(rows["digest"].to_pylist(), found, strict=True):
            expected = wanted.lower() if isinstance(wanted, str) else (wanted or b"").hex()
            same = expected == digest.hex()
            errors.append(None if same else f"digest {digest.hex()}, expected {expected or 'none'}")
        return {**columns, "error": pa.array(errors, pa.string())}


@dataclass(frozen=True)
class Sign:
    """Signatures over whole objects."""

    name: ClassVar[str] = "sign_dataset"
    needs: ClassVar[str | None] = None
    private_key: str | bytes = field(repr=False)
    hash: HashName
    padding: Padding | None

    def __post_init__(self) -> None:
        self._sign([b""], 1)

    def settings(self) -> dict[str, Any]:
        # It tells keys apart, and says nothing about a key that nobody can guess.
        digest = broadloom.new("sha256", _bytes(self.private_key)).hexdigest()
        return {"key": digest, "hash": self.hash, "padding": self.padding}

    def fields(self) -> list[pa.Field]:
        return [pa.field("signature", pa.binary())]

    def _sign(self, buffers: Sequence[bytes], threads: int | None) -> list[bytes]:
        return broadloom.sign_many(
            buffers,
            self.private_key,
            hash=self.hash,
            padding=self.padding,
            threads=threads,
        )

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        return {"signature": pa.array(self._sign(buffers, work.threads), pa.binary())}

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        # Ed25519 reads a message twice.
        return self.many([b"".join(blocks)], rows, work)


@dataclass(frozen=True)
class VerifySignatures:
    """The manifest's column ``signature``, verified over whole objects."""

    name: ClassVar[str] = "verify_dataset"
    needs: ClassVar[str | None] = "signature"
    public_key: str | bytes
    hash: HashName
    padding: Padding | None

    def __post_init__(self) -> None:
        self._verify([], [], 1)

    def settings(self) -> dict[str, Any]:
        key = self.public_key
        text = key if isinstance(key, str) else key.hex()
        return {"public_key": text, "hash": self.hash, "padding": self.padding}

    def fields(self) -> list[pa.Field]:
        return [pa.field("signature", pa.binary())]

    def _verify(
        self, buffers: Sequence[bytes], signatures: Sequence[bytes], threads: int | None
    ) -> list[bool]:
        return broadloom.verify_many(
            buffers,
            signatures,
            self.public_key,
            hash=self.hash,
            padding=self.padding,
            threads=threads,
        )

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        signatures = rows["signature"].cast(pa.binary()).fill_null(b"")
        right = self._verify(buffers, signatures.to_pylist(), work.threads)
        errors = [None if one else "the signature is wrong" for one in right]
        return {"signature": signatures.combine_chunks(), "error": pa.array(errors, pa.string())}

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        return self.many([b"".join(blocks)], rows, work)


@dataclass(frozen=True)
class Compress:
    """Whole files of a format; and the digest of what is in them."""

    name: ClassVar[str] = "compress_dataset"
    needs: ClassVar[str | None] = None
    format: FormatName
    level: int

    def __post_init__(self) -> None:
        broadloom.compress_many([], self.format, self.level)

    def settings(self) -> dict[str, Any]:
        return {"format": self.format, "level": self.level}

    def fields(self) -> list[pa.Field]:
        return [pa.field("digest", pa.binary(32)), *OBJECT]

    @property
    def _suffix(self) -> str:
        return {"gzip": ".gz", "bgzf": ".gz", "zlib": ".zz", "raw": ".deflate"}[self.format]

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        digests = Hash("sha256").many(buffers, rows, work)
        outputs = broadloom.compress_many(
            buffers, self.format, self.level, threads=work.threads
        )
        return {**digests, **work.keep(outputs, self._suffix)}

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        digest = broadloom.new("sha256")

        def hashed() -> Iterator[bytes]:
            for block in blocks:
                digest.update(block)
                yield block

        coder = Coder.compress(self.format, self.level, threads=work.threads, mtime=0)
        kept = work.keep_stream(_through(coder, hashed()), self._suffix)
        return {"digest": pa.array([digest.digest()], pa.binary(32)), **kept}


@dataclass(frozen=True)
class Decompress:
    """What is in compressed files."""

    name: ClassVar[str] = "decompress_dataset"
    needs: ClassVar[str | None] = None
    format: FormatName | None
    limit: int | None

    def __post_init__(self) -> None:
        broadloom.decompress_many([], self.format, limit=self.limit)

    def settings(self) -> dict[str, Any]:
        return {"format": self.format, "limit": self.limit}

    def fields(self) -> list[pa.Field]:
        return OBJECT

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        outputs = broadloom.decompress_many(
            buffers, self.format, limit=self.limit, threads=work.threads
        )
        return work.keep(outputs, "")

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        coder = Coder.decompress(self.format, threads=work.threads, limit=self.limit)
        return work.keep_stream(_through(coder, _morsels(blocks)), "")


@dataclass(frozen=True)
class Encrypt:
    """age files for some recipients."""

    name: ClassVar[str] = "encrypt_dataset"
    needs: ClassVar[str | None] = None
    recipients: tuple[str, ...]

    def __post_init__(self) -> None:
        broadloom.age.encrypt(b"", self.recipients)

    def settings(self) -> dict[str, Any]:
        return {"recipients": list(self.recipients)}

    def fields(self) -> list[pa.Field]:
        return OBJECT

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        # Small files have nothing for a second thread to do.
        encrypt = functools.partial(broadloom.age.encrypt, recipients=self.recipients, threads=1)
        return work.keep(list(work.pool.map(encrypt, buffers)), ".age")

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        coder = Coder.encrypt(list(self.recipients), threads=work.threads)
        return work.keep_stream(_through(coder, blocks), ".age")


@dataclass(frozen=True)
class Decrypt:
    """What is in age files."""

    name: ClassVar[str] = "decrypt_dataset"
    needs: ClassVar[str | None] = None
    identities: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        # A coder reads the identities before it begins.
        Coder.decrypt(list(self.identities), threads=1).abandon()

    def settings(self) -> dict[str, Any]:
        return {}

    def fields(self) -> list[pa.Field]:
        return OBJECT

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        decrypt = functools.partial(broadloom.age.decrypt, identities=self.identities, threads=1)
        return work.keep(list(work.pool.map(decrypt, buffers)), "")

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        coder = Coder.decrypt(list(self.identities), threads=work.threads)
        return work.keep_stream(_through(coder, blocks), "")


@dataclass(frozen=True)
class Snapshot:
    """Files in snapshots of a repository of restic's format: one for each group of files."""

    name: ClassVar[str] = "snapshot_dataset"
    needs: ClassVar[str | None] = None
    repository: str
    password: str | bytes = field(repr=False)
    tags: tuple[str, ...]
    #: The tag of all snapshots that this run makes before the last one.
    part: str = ""
    #: A snapshot that may have some of the files as they are now.
    parent: str | None = None
    #: Tells the calls apart, so that each one opens the repository anew.
    call: str = ""

    def settings(self) -> dict[str, Any]:
        # An address may have the name and the password of a user.
        repository = re.sub(r"//[^/@]*@", "//", self.repository)
        return {"repository": repository, "tags": list(self.tags)}

    def fields(self) -> list[pa.Field]:
        return [pa.field("part", pa.string())]

    def create(self) -> Repository:
        """The repository, which is made where there is none."""
        return Repository.open(self.repository, _bytes(self.password), True)

    @contextlib.contextmanager
    def kept(self, repository: Repository) -> Iterator[None]:
        """Has the batches that are done in this process use a repository, under one lock.

        A lock takes a fifth of a second, which is longer than a batch of unchanged files.
        """
        repository.keep_lock(True)
        _kept[self.call] = repository
        try:
            yield
        finally:
            del _kept[self.call]
            repository.keep_lock(False)

    def save(self, paths: list[str], memory: int, work: Work) -> Columns:
        """Saves files of this machine."""
        part, failed = _repository(self.call, self.repository, self.password).backup(
            paths,
            tags=[self.part],
            parent=self.parent,
            threads=work.threads,
            memory=memory,
        )
        errors = {os.fspath(path): text for path, text in failed}
        return {
            "part": pa.array([part] * len(paths), pa.string()),
            "error": pa.array([errors.get(path) for path in paths], pa.string()),
        }

    def many(self, buffers: Sequence[bytes], rows: pa.Table, work: Work) -> Columns:
        raise ValueError(self.refusal)

    def stream(self, blocks: Iterator[bytes], rows: pa.Table, work: Work) -> Columns:
        raise ValueError(self.refusal)

    refusal: ClassVar[str] = "snapshot_dataset saves files, and neither cells nor values"


#: The repositories of the calls that this process drives.
_kept: dict[str, Repository] = {}


def _repository(call: str, address: str, password: str | bytes) -> Repository:
    """The repository of one call.

    It stays open for the batches of a call, since the way from password to key is long by intent.
    By the next call, another repository may be at the address, with another key, or packs may be
    gone that the index had.
    """
    return _kept.get(call) or _opened(call, address, password)


@functools.lru_cache(maxsize=1)
def _opened(_call: str, address: str, password: str | bytes) -> Repository:
    """The repository that a worker has open for a call."""
    return Repository.open(address, _bytes(password), False)


#: How addresses of restic begin that are no directories, those included that nothing here reads.
SCHEMES = (
    "s3:", "gs:", "az:", "azure:", "rest:", "http:", "https:", "sftp:", "b2:", "swift:", "rclone:"
)


def address(repository: str) -> str:
    """The address of a repository. A directory is the same one from every place of work."""
    if repository.startswith(SCHEMES) or "://" in repository:
        return repository
    return os.path.abspath(repository.removeprefix("local:"))


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _through(coder: Coder, blocks: Iterable[bytes]) -> Iterator[bytes]:
    """What comes out of a coder when blocks go in."""
    try:
        for block in blocks:
            yield from coder.feed(block)
        coder.end()
        while pieces := coder.pull():
            yield from pieces
    finally:
        coder.abandon()


def _morsels(blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:
        for start in range(0, len(block), MORSEL):
            yield block[start : start + MORSEL]

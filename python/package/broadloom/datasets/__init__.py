"""Whole data sets: millions of objects, hashed, verified, compressed and more.

Here the work is done on this machine. ``broadloom.dask`` and ``broadloom.ray`` have the same
functions for many.

>>> import os, tempfile
>>> import broadloom.datasets
>>> place = tempfile.mkdtemp()
>>> for name in ("warp", "weft"):
...     with open(os.path.join(place, name), "w") as file:
...         _ = file.write(name)
>>> outcome = broadloom.datasets.hash_dataset(place, os.path.join(place, "hashes"))
>>> table = outcome.table().to_table()
>>> [digest.hex()[:8] for digest in table["digest"].to_pylist()], outcome.bytes
(['da9e96b4', 'e627e223'], 8)

The *source* is a path or URL of a file, a directory, a prefix or a pattern; or an iterable of paths
and URLs; or a table or data set of pyarrow with columns ``path`` and, best, ``size``
(``read_manifest`` reads one). With ``column=`` the source names Parquet files, and the work is on
the cells of that column. URLs are fsspec's: S3, GCS, HTTP and more. Below a directory of this
machine, the objects are the regular files: links are not followed. ``snapshot_dataset`` saves the
links, and empty directories, too. A file whose name is not UTF-8 is one that could not be read.

The *output* is a directory or a URL. It keeps the plan, and a file of results for each batch, so
that the same call continues a run that was stopped. Everything appears whole or not at all, and
objects are named by their content, so that no batch does harm if it is done twice.

The other arguments, and what an ``Outcome`` has, are in ``help(broadloom.datasets.Options)`` and
``help(broadloom.datasets.Outcome)``. Needs fsspec and pyarrow: ``pip install
'broadloom[datasets]'``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

try:
    from broadloom.datasets import _operations, _snapshot
    from broadloom.datasets._manifest import read_manifest
    from broadloom.datasets._run import DatasetError, Engine, Local, Options, Outcome, run
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"broadloom.datasets needs the module {error.name}: pip install 'broadloom[datasets]'",
        name=error.name,
    ) from None

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from broadloom.datasets._manifest import Source
    from broadloom.names import FormatName, HashName

__all__ = [
    "DatasetError",
    "Functions",
    "Options",
    "Outcome",
    "compress_dataset",
    "decompress_dataset",
    "decrypt_dataset",
    "encrypt_dataset",
    "hash_dataset",
    "read_manifest",
    "sign_dataset",
    "snapshot_dataset",
    "verify_dataset",
]


class Functions:
    """The functions of this module, for the workers of one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def hash_dataset(
        self,
        source: Source | Any,
        output: str | os.PathLike[str],
        algorithm: HashName = "sha256",
        **options: Unpack[Options],
    ) -> Outcome:
        """The digest of every object: columns ``path``, ``size``, ``digest``.

        Of cells: ``path``, ``row``, ``size``, ``digest``; a null has none.

        Raises DatasetError once all else is done, where objects could not be read; ValueError for a
        wrong argument, or an output that has another run.
        """
        return run(source, output, _operations.Hash(algorithm), self._engine, options)

    def verify_dataset(
        self,
        source: Source | Any,
        output: str | os.PathLike[str],
        algorithm: HashName = "sha256",
        *,
        public_key: str | bytes | None = None,
        hash: HashName = "sha256",
        padding: Literal["pkcs1v15", "pss"] | None = None,
        **options: Unpack[Options],
    ) -> Outcome:
        """Compares every object with its ``digest`` in the manifest.

        With a public key, its ``signature`` is verified instead. The result table has the objects
        that are right. The others are failures: raises DatasetError.
        """
        operation: _operations.Operation
        if public_key is None:
            operation = _operations.Verify(_operations.Hash(algorithm))
        else:
            operation = _operations.VerifySignatures(public_key, hash, padding)
        return run(source, output, operation, self._engine, options)

    def sign_dataset(
        self,
        source: Source | Any,
        output: str | os.PathLike[str],
        private_key: str | bytes,
        *,
        hash: HashName = "sha256",
        padding: Literal["pkcs1v15", "pss"] | None = None,
        **options: Unpack[Options],
    ) -> Outcome:
        """A signature over every object, as ``sign_many`` makes it: a column ``signature``.

        The key goes to the workers with their tasks. An object is in memory as a whole.
        """
        operation = _operations.Sign(private_key, hash, padding)
        return run(source, output, operation, self._engine, options)

    def compress_dataset(
        self,
        source: Source | Any,
        output: str | os.PathLike[str],
        format: FormatName = "gzip",
        level: int = 6,
        **options: Unpack[Options],
    ) -> Outcome:
        """Compresses every object into one that is named by its content.

        Columns: ``digest``, the SHA-256 of what was compressed; ``object``, the name below the
        output; ``object_size``.
        """
        operation = _operations.Compress(format, level)
        return run(source, output, operation, self._engine, options)

    def decompress_dataset(
        self,
        source: Source | Any,
        output: str | os.PathLike[str],
        format: FormatName | None = None,
        *,
        limit: int | None = None,
        **options: Unpack[Options],
    ) -> Outcome:
        """Decompresses every object; ``limit`` is the most bytes that one may become.

        ``outcome.manifest()`` of a compression is a source. Columns: ``object``, ``object_size``.
        """
        operation = _operations.Decompress(format, limit)
        return run(source, output, operation, self._engine, options)

    def encrypt_dataset(
        self,
        source: Source | Any,
        output: str | os.PathLike[str],
        recipients: Iterable[str],
        **options: Unpack[Options],
    ) -> Outcome:
        """Encrypts every object for recipients of age. Columns: ``object``, ``object_size``.

        A batch that is done twice leaves objects behind that no table names, since no two
        encryptions are the same.
        """
        operation = _operations.Encrypt(tuple(recipients))
        return run(source, output, operation, self._engine, options)

    def decrypt_dataset(
        self,
        source: Source | Any,
        output: str | os.PathLike[str],
        identities: Iterable[str],
        **options: Unpack[Options],
    ) -> Outcome:
        """Decrypts every object. The identities go to the workers with their tasks."""
        operation = _operations.Decrypt(tuple(identities))
        return run(source, output, operation, self._engine, options)

    def snapshot_dataset(
        self,
        source: Source | Any,
        output: str | os.PathLike[str],
        repository: str | os.PathLike[str],
        password: str | bytes,
        *,
        tags: Iterable[str] = (),
        parent: str | None = None,
        **options: Unpack[Options],
    ) -> Outcome:
        """Saves all files in one snapshot of a repository that restic reads and adds to.

        The source names files, and the repository is a directory or an address as restic writes it
        (``s3:``, ``gs:``, ``azure:``, ``rest:``): every worker sees both under these names. The
        repository is made where there is none. Each batch saves a snapshot of its
        files (column ``part``). Once all are saved, they become one, ``outcome.snapshot``. Files
        that are as the snapshot ``parent`` has them are not read again.

        After a DatasetError there is no such snapshot; the same call tries the failed files again.
        """
        address = _operations.address(os.fspath(repository))
        operation = _operations.Snapshot(address, password, tuple(tags), parent=parent)
        return _snapshot.save(source, output, operation, self._engine, options)


_here = Functions(Local())
hash_dataset = _here.hash_dataset
verify_dataset = _here.verify_dataset
sign_dataset = _here.sign_dataset
compress_dataset = _here.compress_dataset
decompress_dataset = _here.decompress_dataset
encrypt_dataset = _here.encrypt_dataset
decrypt_dataset = _here.decrypt_dataset
snapshot_dataset = _here.snapshot_dataset

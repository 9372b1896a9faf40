"""What a run works on: objects by their paths, or the cells of a column of Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.dataset as pads  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

import broadloom
import broadloom.arrow
from broadloom.datasets._store import Store, retried

if TYPE_CHECKING:
    from collections.abc import Mapping

Source: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | pa.Table | Any"

#: Rows of a manifest that are handled at once.
ROWS = 10_000
#: Footers of Parquet files that are read at once.
FOOTERS = 32

Path = pa.field("path", pa.string(), nullable=False)
Size = pa.field("size", pa.int64())


def read_manifest(url: str, *, storage_options: Mapping[str, Any] | None = None) -> pa.Table:
    """A manifest from a file: Parquet with a column ``path``, or text.

    A line of text is a path, or a line of ``sha256sum`` and its sisters: a digest, two characters
    and a path. Then the table has a column ``digest``, which ``verify_dataset`` compares with.

    >>> import broadloom.datasets, os, tempfile
    >>> sums = os.path.join(tempfile.mkdtemp(), "SUMS")
    >>> with open(sums, "w") as file:
    ...     _ = file.write("d41d8cd98f00b204e9800998ecf8427e  data/empty\\n")
    >>> broadloom.datasets.read_manifest(sums).to_pylist()[0]["path"]
    'data/empty'
    """
    store = Store(storage_options or {})
    if url.endswith(".parquet"):
        filesystem, name = store.locate(url)
        return _with_path(pads.dataset(name, filesystem=filesystem).to_table())
    paths: list[str] = []
    digests: list[bytes] = []
    for number, line in enumerate(store.read(url, None).decode().splitlines(), 1):
        digest, mark, path = line.partition(" ")
        is_sum = len(digest) in (32, 40, 56, 64, 96, 128) and mark and path[:1] in (" ", "*")
        if not is_sum and digests:
            raise ValueError(f"{url}, line {number}: no digest stands before the path")
        if is_sum and len(paths) > len(digests):
            raise ValueError(f"{url}, line {number}: lines before have no digest")
        if is_sum:
            digests.append(bytes.fromhex(digest))
            paths.append(path[1:])
        elif line:
            paths.append(line)
    columns = {"path": pa.array(paths, pa.string())}
    if digests:
        columns["digest"] = pa.array(digests, pa.binary())
    return pa.table(columns)


def objects(source: Source, store: Store) -> Iterator[pa.Table]:
    """The manifest of objects, in pieces: columns ``path`` and ``size``, and what else it has."""
    if isinstance(source, (str, os.PathLike)):
        yield from _listing(os.fspath(source), store)
        return
    if isinstance(source, (pa.Table, pa.RecordBatchReader, pads.Dataset)):
        table = isinstance(source, pa.RecordBatchReader)
        batches: Iterable[pa.RecordBatch] = source if table else source.to_batches()
        for batch in batches:
            piece = _with_path(pa.Table.from_batches([batch]))
            for start in range(0, len(piece), ROWS):
                yield piece.slice(start, ROWS)
        return
    if not isinstance(source, Iterable):
        raise TypeError(
            f"source is {type(source).__name__}; valid: a path or URL, an iterable of them, or a "
            "pyarrow table or data set with a column `path`"
        )
    paths = iter(source)
    while piece := list(islice(paths, ROWS)):
        for path in piece:
            if not isinstance(path, (str, os.PathLike)):
                raise TypeError(f"source has {path!r}; valid: paths and URLs, as str")
        yield _with_path(pa.table({"path": pa.array(map(os.fspath, piece), pa.string())}))


def cells(source: Source, column: str, store: Store) -> Iterator[pa.Table]:
    """The row groups of Parquet files: ``path``, ``row_group``, ``first``, ``rows``, ``size``."""
    schema = pa.schema(
        [
            Path,
            pa.field("row_group", pa.int32()),
            pa.field("first", pa.int64()),
            pa.field("rows", pa.int64()),
            Size,
        ]
    )

    def footer(path: str) -> pa.Table:
        filesystem, name = store.locate(path)

        def read() -> pq.FileMetaData:
            with filesystem.open(name, "rb") as file:
                return pq.read_metadata(file)

        metadata = retried(read, store.retries)
        leaves = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
        if column not in leaves:
            raise ValueError(f"{path} has no column {column!r}; valid: {', '.join(leaves)}")
        leaf, first, rows = leaves.index(column), 0, []
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            size = group.column(leaf).total_uncompressed_size
            if group.num_rows:
                rows.append((path, number, first, group.num_rows, size))
            first += group.num_rows
        return pa.Table.from_pylist(
            [dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema
        )

    files: Iterator[str] = (path for piece in objects(source, store) for path in _paths(piece))
    if isinstance(source, (str, os.PathLike)):
        files = (path for path in files if path.endswith(".parquet"))
    with ThreadPoolExecutor(FOOTERS) as pool:
        while some := list(islice(files, FOOTERS)):
            yield from pool.map(footer, some)


def fingerprint(pieces: Iterable[pa.Table]) -> str:
    """A digest of a manifest, however it is cut into pieces."""
    streams: dict[str, broadloom.Hasher] = {}
    for piece in pieces:
        for name in piece.column_names:
            stream = streams.setdefault(name, broadloom.new("sha256"))
            values = piece[name].combine_chunks()
            if not (pa.types.is_string(values.type) or pa.types.is_binary(values.type)):
                values = values.cast(pa.string())
            digests = pa.array(broadloom.arrow.sha256(values))
            stream.update(b"".join(digests.fill_null(bytes(32)).to_pylist()))
    whole = broadloom.new("sha256")
    for name, stream in sorted(streams.items()):
        whole.update(name.encode() + b"\0" + stream.digest())
    return whole.hexdigest()


def _listing(url: str, store: Store) -> Iterator[pa.Table]:
    """All objects below a directory or a prefix, those that a pattern matches, or the one."""
    filesystem, name = store.locate(url)

    def find() -> dict[str, dict[str, Any]]:
        if any(mark in name for mark in "*?["):
            return dict(filesystem.glob(name, detail=True))
        return dict(filesystem.find(name, detail=True))

    found = retried(find, store.retries)
    files = sorted(path for path, info in found.items() if info["type"] == "file")
    if not files:
        raise FileNotFoundError(f"{url} has no objects")
    is_local = store.local_path(url) is not None
    for start in range(0, len(files), ROWS):
        piece = files[start : start + ROWS]
        urls = piece if is_local else [filesystem.unstrip_protocol(path) for path in piece]
        sizes = [found[path].get("size") for path in piece]
        yield pa.table({"path": urls, "size": sizes}, schema=pa.schema([Path, Size]))


def _with_path(table: pa.Table) -> pa.Table:
    """A manifest with its two columns in their types."""
    if "path" not in table.column_names:
        names = ", ".join(table.column_names)
        raise ValueError(f"a manifest needs a column `path`, and this one has {names or 'none'}")
    paths = table["path"].cast(pa.string())
    if paths.null_count:
        raise ValueError(f"row {pc.index(paths.is_null(), True).as_py()} has no path")
    sizes = table["size"] if "size" in table.column_names else pa.nulls(len(table), pa.int64())
    others = [name for name in table.column_names if name not in ("path", "size")]
    columns = [paths, sizes.cast(pa.int64()), *(table[name] for name in others)]
    fields = [Path, Size, *(table.field(name) for name in others)]
    return pa.table(columns, schema=pa.schema(fields))


def _paths(table: pa.Table) -> list[str]:
    return list(table["path"].to_pylist())

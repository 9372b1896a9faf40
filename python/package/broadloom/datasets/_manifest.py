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


def objects(source: Source, store: Store, is_whole: bool = False) -> Iterator[pa.Table]:
    """The manifest of objects, in pieces: columns ``path`` and ``size``, and what else it has.

    Of a directory these are the regular files below it, and with ``is_whole`` everything else, too:
    links, devices, and directories that are empty.
    """
    if isinstance(source, (str, os.PathLike)):
        yield from _listing(os.fspath(source), store, is_whole)
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
        names = [printable(os.fspath(path)) for path in piece]
        yield _with_path(pa.table({"path": pa.array(names, pa.string())}))


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
        files = iter(_parquet_files(list(files)))
    with ThreadPoolExecutor(FOOTERS) as pool:
        while some := list(islice(files, FOOTERS)):
            yield from pool.map(footer, some)


def _parquet_files(paths: list[str]) -> list[str]:
    """Those with the suffix of Parquet. Where none has it, all but hidden files and marks.

    A file that is no Parquet then is an error, and is not passed over.
    """
    if named := [path for path in paths if path.endswith(".parquet")]:
        return named
    return [path for path in paths if not path.rsplit("/", 1)[-1].startswith((".", "_"))]


def fingerprint(pieces: Iterable[pa.Table]) -> str:
    """A digest of a manifest, however it is cut into pieces."""
    streams: dict[str, broadloom.Hasher] = {}
    for piece in pieces:
        for name in piece.column_names:
            stream = streams.setdefault(name, broadloom.new("sha256"))
            digests = pa.array(broadloom.arrow.sha256(_as_bytes(piece[name])))
            stream.update(b"".join(digests.fill_null(bytes(32)).to_pylist()))
    whole = broadloom.new("sha256")
    for name, stream in sorted(streams.items()):
        whole.update(name.encode() + b"\0" + stream.digest())
    return whole.hexdigest()


def _as_bytes(column: pa.ChunkedArray) -> pa.Array:
    """A column whose values are bytes or text, the same for the same values."""
    values, kind = column.combine_chunks(), column.type
    if isinstance(values, pa.ChunkedArray):
        # Columns of more than 2 GiB stay in chunks.
        values = pa.concat_arrays(values.chunks)
    bytes_like = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_fixed_size_binary,
    )
    if any(is_kind(kind) for is_kind in bytes_like):
        return values
    if pa.types.is_primitive(kind):
        return values.cast(pa.string())
    texts = [None if value is None else repr(value) for value in values.to_pylist()]
    return pa.array(texts, pa.string())


def _listing(url: str, store: Store, is_whole: bool) -> Iterator[pa.Table]:
    """All objects below a directory or a prefix, those that a pattern matches, or the one."""
    filesystem, name = store.locate(url)
    is_local = store.local_path(url) is not None

    def find() -> dict[str, dict[str, Any]]:
        # A name may have such marks itself.
        if any(mark in name for mark in "*?[") and not filesystem.exists(name):
            return dict(filesystem.glob(name, detail=True))
        withdirs = is_whole and is_local
        return dict(filesystem.find(name, detail=True, withdirs=withdirs))

    found = retried(find, store.retries)
    parents = {os.path.dirname(path) for path in found} if is_whole else set()
    files = sorted(
        path
        for path, info in found.items()
        if info["type"] == "file" or (is_whole and path not in parents)
    )
    if not files:
        raise FileNotFoundError(f"{url} has no objects")
    for start in range(0, len(files), ROWS):
        piece = files[start : start + ROWS]
        urls = piece if is_local else [filesystem.unstrip_protocol(path) for path in piece]
        urls = list(map(printable, urls))
        infos = [found[path] for path in piece]
        sizes = [info.get("size") if info["type"] == "file" else 0 for info in infos]
        yield pa.table({"path": urls, "size": sizes}, schema=pa.schema([Path, Size]))


def printable(path: str) -> str:
    """A path that a table can have: one that is not UTF-8 has escapes in place of some bytes.

    No file has that name, so that the object is one of those that could not be read.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path).decode(errors="backslashreplace")
    return path


def _with_path(table: pa.Table) -> pa.Table:
    """A manifest with its two columns in their types."""
    if "path" not in table.column_names:
        names = ", ".join(table.column_names)
        raise ValueError(f"a manifest needs a column `path`, and this one has {names or 'none'}")
    # A manifest may come from a file or a network, with offsets that point anywhere.
    table.validate(full=True)
    paths = table["path"].cast(pa.string())
    if paths.null_count:
        raise ValueError(f"row {pc.index(paths.is_null(), True).as_py()} has no path")
    sizes = table["size"] if "size" in table.column_names else pa.nulls(len(table), pa.int64())
    others = [name for name in table.column_names if name not in ("path", "size")]
    columns = [_movable(table[name]) for name in others]
    fields = [table.field(name).with_type(c.type) for name, c in zip(others, columns, strict=True)]
    columns, fields = [paths, sizes.cast(pa.int64()), *columns], [Path, Size, *fields]
    return pa.table(columns, schema=pa.schema(fields))


def _movable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column in a layout whose rows pyarrow can pick: not by views."""
    if pa.types.is_binary_view(column.type):
        return column.cast(pa.large_binary())
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    return column


def _paths(table: pa.Table) -> list[str]:
    return list(table["path"].to_pylist())

"""What a worker does with one batch."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

import broadloom
from broadloom.datasets import _plan
from broadloom.datasets._operations import Columns, Hash, Operation, Snapshot, Work
from broadloom.datasets._store import LengthError, Place, Store, retried

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Future

#: Objects that are read or written at once.
READERS = 32
#: Cells that are read at once, and worked on at once where they are no mere hashes.
CELLS, SOME_CELLS = 65_536, 1000
#: The columns of a partition that is a list of values, each perhaps with a name.
VALUE, NAME = "value", "name"
#: An object from this share of the memory on is read in blocks.
LARGE = 4


@dataclass(frozen=True)
class Report:
    """How a batch went."""

    number: int
    objects: int
    bytes: int
    failed: int
    seconds: float
    was_done: bool = False


@dataclass(frozen=True)
class Task:
    """What is the same for all batches of a run. It is sent to workers."""

    operation: Operation
    output: str
    output_options: Mapping[str, Any]
    store: Store
    column: str | None
    threads: int | None
    memory: int

    def place(self) -> Place:
        """Where the results go."""
        return Place(self.output, self.output_options, self.store.retries)

    def run(self, number: int, partition: Any = None) -> Report:
        """Does a batch: of the plan, or a partition of an engine's collection.

        To do a batch twice, or on two workers at a time, is harmless.
        """
        began, place = time.monotonic(), self.place()
        with ThreadPoolExecutor(READERS) as pool:
            work = Work(place, self.threads, pool)
            if partition is not None:
                table = as_table(partition)
                identity = _identity(table)
                if _is_done(place, number, identity):
                    return Report(number, len(table), 0, 0, 0, was_done=True)
                results = Results(place, number, identity)
                pieces = self._partition(table, work)
            else:
                rows = _plan.batch(place, number)
                results = Results(place, number)
                pieces = self._cells(rows, work) if self.column else self._objects(rows, work)
            with results:
                for rows, columns in pieces:
                    results.add(rows, columns, self.operation)
                results.commit()
        seconds = time.monotonic() - began
        return Report(number, results.objects, results.bytes, results.failed, seconds)

    def _objects(self, rows: pa.Table, work: Work) -> Iterator[tuple[pa.Table, Columns]]:
        """The objects of a batch, in groups that fit into memory."""
        if isinstance(self.operation, Hash) and (done := self._files(rows, work)):
            yield done
            return
        if isinstance(self.operation, Snapshot):
            yield self._saved(self.operation, rows, work)
            return
        groups = list(self._groups(rows))
        ahead = self._read(groups[0], work) if groups else []
        for index, group in enumerate(groups):
            coming = ahead
            ahead = self._read(groups[index + 1], work) if index + 1 < len(groups) else []
            if coming is None:
                yield self._large(group, work)
            else:
                yield self._small(group, coming, work)

    def _files(self, rows: pa.Table, work: Work) -> tuple[pa.Table, Columns] | None:
        """Hashes files of this machine; ``None`` where one of them needs a closer look."""
        assert isinstance(self.operation, Hash)
        urls = rows["path"].to_pylist()
        paths = [self.store.local_path(url) for url in urls]
        try:
            names = [path for path in paths if path is not None]
            sizes = [os.stat(name).st_size for name in names]
            expected = rows["size"].to_pylist()
            fits = len(names) == len(urls) and all(
                known in (None, size) for known, size in zip(expected, sizes, strict=True)
            )
            columns = self.operation.files(names, work) if fits else None
        except OSError:
            return None
        return (_with_sizes(rows, sizes), columns) if columns is not None else None

    def _saved(
        self, operation: Snapshot, rows: pa.Table, work: Work
    ) -> tuple[pa.Table, Columns]:
        """Saves files of this machine in a snapshot, links and empty directories included."""
        errors: list[str | None] = []
        paths: list[str] = []
        sizes: list[int | None] = []
        for url, size in zip(rows["path"].to_pylist(), rows["size"].to_pylist(), strict=True):
            known: int | None = None
            error = None
            try:
                path = self.store.local_path(url)
                if path is None:
                    raise ValueError("it is in a store; valid: a file that each worker can open")
                found = os.lstat(path)
                if stat.S_ISDIR(found.st_mode) and os.listdir(path):
                    raise ValueError("it is a directory with files; valid: its files")
                if stat.S_ISREG(found.st_mode):
                    known = found.st_size
                    if size not in (None, known):
                        raise LengthError(f"it has {known} bytes, and {size} were expected")
                paths.append(path)
            except (OSError, ValueError) as wrong:
                error = _words(wrong)
            errors.append(error)
            sizes.append(known)
        rows = _with_sizes(rows, sizes)
        present = [row for row, error in enumerate(errors) if error is None]
        if not present:
            return rows, {"error": pa.array(errors, pa.string())}
        # A lock of another program may go, and a file system may come back.
        save = lambda: operation.save(paths, self.memory, work)  # noqa: E731
        columns = retried(save, self.store.retries)
        return rows, _scattered(columns, present, errors)

    def _groups(self, rows: pa.Table) -> Iterator[pa.Table]:
        """Cuts a batch, so that two groups fit into the memory; a large object is alone."""
        start = total = 0
        for row, size in enumerate(rows["size"].to_pylist()):
            size = size or 0
            is_large = size >= self.memory // LARGE
            if row > start and (is_large or total + size > self.memory // 2):
                yield rows.slice(start, row - start)
                start, total = row, 0
            total += size
            if is_large:
                yield rows.slice(row, 1)
                start, total = row + 1, 0
        if start < len(rows):
            yield rows.slice(start)

    def _read(self, group: pa.Table, work: Work) -> list[Future[bytes]] | None:
        """Begins to read a group; ``None`` for a large object, which is read in blocks."""
        sizes = group["size"].to_pylist()
        if len(group) == 1 and (sizes[0] or 0) >= self.memory // LARGE:
            return None
        paths = group["path"].to_pylist()
        return [
            work.pool.submit(self.store.read, path, size)
            for path, size in zip(paths, sizes, strict=True)
        ]

    def _small(
        self, group: pa.Table, coming: list[Future[bytes]], work: Work
    ) -> tuple[pa.Table, Columns]:
        buffers: list[bytes | None] = []
        errors: list[str | None] = []
        for one in coming:
            try:
                buffers.append(one.result())
                errors.append(None)
            except Exception as error:
                buffers.append(None)
                errors.append(_words(error))
        sizes = [None if buffer is None else len(buffer) for buffer in buffers]
        group = _with_sizes(group, sizes)
        present = [row for row, buffer in enumerate(buffers) if buffer is not None]
        read = [buffer for buffer in buffers if buffer is not None]
        columns = self._attempt(read, group.take(pa.array(present, pa.int64())), work)
        return group, _scattered(columns, present, errors)

    def _large(self, group: pa.Table, work: Work) -> tuple[pa.Table, Columns]:
        path, size = group["path"][0].as_py(), group["size"][0].as_py()
        try:
            with contextlib.closing(self.store.blocks(path, size, work.pool)) as blocks:
                columns = self.operation.stream(blocks, group, work)
                # An operation may end before its input does.
                for _ in blocks:
                    raise LengthError(f"{size} bytes, of which the last ones were not read")
            return group, columns
        except Exception as error:
            return group, {"error": pa.array([_words(error)])}

    def _attempt(self, buffers: list[bytes], rows: pa.Table, work: Work) -> Columns:
        """The columns for some buffers; those that are wrong have an error, and no other has."""
        if not buffers:
            return {"error": pa.array([], pa.string())}
        try:
            return self.operation.many(buffers, rows, work)
        except (ValueError, EOFError, RuntimeError, broadloom.InvalidTag) as error:
            if len(buffers) == 1:
                return {"error": pa.array([_words(error)])}
        half = len(buffers) // 2
        first = self._attempt(buffers[:half], rows.slice(0, half), work)
        last = self._attempt(buffers[half:], rows.slice(half), work)
        names = {**first, **last}
        return {
            name: pa.concat_arrays(
                [
                    one[name] if name in one else pa.nulls(count, names[name].type)
                    for one, count in ((first, half), (last, len(buffers) - half))
                ]
            )
            for name in names
        }

    def _cells(self, rows: pa.Table, work: Work) -> Iterator[tuple[pa.Table, Columns]]:
        """The cells of row groups of Parquet files."""
        for unit in rows.to_pylist():
            filesystem, name = self.store.locate(unit["path"])
            row = unit["first"]
            with filesystem.open(name, "rb") as file, pq.ParquetFile(file) as parquet:
                batches = parquet.iter_batches(CELLS, [unit["row_group"]], [self.column])
                for batch in batches:
                    numbers = pa.array(range(row, row + len(batch)), pa.int64())
                    paths = pa.repeat(unit["path"], len(batch))
                    row += len(batch)
                    yield from self._values(
                        pa.table({"path": paths, "row": numbers}), batch.column(0), work
                    )

    def _partition(self, table: pa.Table, work: Work) -> Iterator[tuple[pa.Table, Columns]]:
        # A partition may come from a file or a network, with offsets that point anywhere.
        table.validate(full=True)
        name = self._column_of(table)
        values = table[name].combine_chunks()
        needs = self.operation.needs
        if needs is not None and needs not in table.column_names:
            raise ValueError(f"{self.operation.name} needs a collection with a column {needs!r}")
        yield from self._values(table.drop_columns([name]), values, work)

    def _column_of(self, table: pa.Table) -> str:
        """The column of a partition to work on."""
        valid = ", ".join(table.column_names)
        if self.column is not None:
            if self.column not in table.column_names:
                raise ValueError(f"the collection has no column {self.column!r}; valid: {valid}")
            return self.column
        names = [name for name in table.column_names if name != self.operation.needs]
        if names == [VALUE, NAME]:
            return VALUE
        if len(names) != 1:
            raise ValueError(
                f"the collection has {len(names)} columns; say which one to work on: column=, one "
                f"of {valid}"
            )
        return str(names[0])

    def _values(
        self, rows: pa.Table, values: pa.Array, work: Work
    ) -> Iterator[tuple[pa.Table, Columns]]:
        """Values that are in memory, of which the nulls stay null."""
        sizes = pc.binary_length(values)
        rows = _put(rows, pa.field("size", pa.int64()), sizes.cast(pa.int64()))
        if isinstance(self.operation, Hash):
            yield rows, self.operation.column(values, work)
            return
        for start in range(0, max(len(values), 1), SOME_CELLS):
            some, their = values.slice(start, SOME_CELLS), rows.slice(start, SOME_CELLS)
            cells = [bytes(cell.as_buffer()) if cell.is_valid else None for cell in some]
            present = [row for row, cell in enumerate(cells) if cell is not None]
            read = [cell for cell in cells if cell is not None]
            columns = self._attempt(read, their.take(pa.array(present, pa.int64())), work)
            yield their, _scattered(columns, present, [None] * len(cells))


class Results:
    """The tables of a batch: what was done, and what could not be."""

    def __init__(self, place: Place, number: int, identity: str = "") -> None:
        self.objects = self.bytes = self.failed = 0
        self._place, self._number = place, number
        self._metadata = {"broadloom.batch": identity} if identity else None
        self._stack = contextlib.ExitStack()
        self._done = self._open()
        self._wrong = self._open()

    def _open(self) -> Callable[[pa.Table | None], Any]:
        """A file of Parquet that is begun with its first table, and ended with ``None``."""
        spool = self._stack.enter_context(self._place.spool())
        writer: pq.ParquetWriter | None = None

        def write(table: pa.Table | None) -> Any:
            nonlocal writer
            if table is None:
                if writer is not None:
                    writer.close()
                return spool if writer is not None else None
            if writer is None:
                schema = table.schema.with_metadata(self._metadata)
                writer = pq.ParquetWriter(spool.file, schema, compression="zstd")
            writer.write_table(table.cast(writer.schema))
            return None

        return write

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        self._place.discard()

    def add(self, rows: pa.Table, columns: Columns, operation: Operation) -> None:
        """Adds objects, and what was made of them."""
        errors = columns.get("error", pa.nulls(len(rows), pa.string()))
        table = rows
        for field in operation.fields():
            values = columns.get(field.name)
            nulls = pa.nulls(len(rows), field.type)
            table = _put(table, field, nulls if values is None else values.cast(field.type))
        self._done(table.filter(errors.is_null()))
        wrong = _put(rows, pa.field("error", pa.string()), errors).filter(errors.is_valid())
        if len(wrong):
            self._wrong(wrong)
        self.objects += len(rows)
        self.failed += len(wrong)
        self.bytes += pc.sum(rows["size"]).as_py() or 0

    def commit(self) -> None:
        """Gives the tables their names. Until the last one has its name, the batch is not done."""
        done, wrong = self._done(None), self._wrong(None)
        self._place.settle()
        if wrong is not None:
            wrong.commit(_plan.part("failed", self._number))
            self._place.settle()
        if done is not None:
            done.commit(_plan.part("table", self._number))
            self._place.settle()
        if wrong is None:
            self._place.remove(_plan.part("failed", self._number))


def as_table(partition: Any) -> pa.Table:
    """A partition of a collection: a table, a frame of pandas, a list of values or of rows."""
    if isinstance(partition, pa.Table):
        return partition
    if hasattr(partition, "to_frame"):
        partition = partition.to_frame()
    if hasattr(partition, "iloc"):
        return pa.Table.from_pandas(partition, preserve_index=False)
    items = list(partition)
    if items and isinstance(items[0], dict):
        return pa.Table.from_pylist(items)
    if items and isinstance(items[0], tuple):
        names, values = zip(*items, strict=True)
        return pa.table({VALUE: pa.array(values, pa.binary()), NAME: pa.array(names)})
    return pa.table({VALUE: pa.array(items, pa.binary())})


def _identity(table: pa.Table) -> str:
    """The digest of a partition, by which a later run knows it."""
    stream = broadloom.new("sha256")
    with pa.ipc.new_stream(_Sink(stream), table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return stream.hexdigest()


class _Sink:
    """A file whose bytes go into a digest."""

    closed = False

    def __init__(self, stream: broadloom.Hasher) -> None:
        self._stream = stream

    def write(self, data: Any) -> int:
        self._stream.update(data)
        return memoryview(data).nbytes

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is open."""


def _is_done(place: Place, number: int, identity: str) -> bool:
    """Whether a partition was done before, with no failures."""
    name = _plan.part("table", number)
    if not place.exists(name) or place.exists(_plan.part("failed", number)):
        return False
    with place.filesystem.open(place.path(name), "rb") as file:
        metadata = pq.read_schema(file).metadata or {}
    return bool(metadata.get(b"broadloom.batch") == identity.encode())


def _put(table: pa.Table, field: pa.Field, values: pa.Array) -> pa.Table:
    """A table with a column, in place of the one of this name, or behind all others."""
    place = table.schema.get_field_index(field.name)
    if place < 0:
        return table.append_column(field, values)
    return table.set_column(place, field, values)


def _with_sizes(rows: pa.Table, sizes: Sequence[int | None]) -> pa.Table:
    """A manifest whose sizes are those that were found."""
    known = rows["size"].to_pylist()
    found = [new if old is None else old for old, new in zip(known, sizes, strict=True)]
    return _put(rows, pa.field("size", pa.int64()), pa.array(found, pa.int64()))


def _scattered(columns: Columns, present: list[int], errors: list[str | None]) -> Columns:
    """Columns for all rows, from those of the rows that were present."""
    places: list[int | None] = [None] * len(errors)
    for place, row in enumerate(present):
        places[row] = place
    taken = pa.array(places, pa.int64())
    scattered = {name: values.take(taken) for name, values in columns.items()}
    own = scattered.pop("error", pa.nulls(len(errors), pa.string()))
    return {**scattered, "error": pc.coalesce(pa.array(errors, pa.string()), own)}


def _words(error: Exception) -> str:
    # One buffer was left, and it had no other name.
    return f"{type(error).__name__}: {str(error).removeprefix('buffers[0]: ')}"

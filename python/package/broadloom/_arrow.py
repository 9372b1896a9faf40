"""Arrow arrays of other libraries: checked before they are exported, and returned as they came."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from broadloom._broadloom import Array, ChunkedArray


def checked(array: Any) -> Any:
    """An object to export by Arrow's C interfaces, whose offsets point into its buffers.

    The C interfaces do not say how large buffers are, and pyarrow exports what it read from a file
    or a network as it is. So pyarrow looks first, which takes a time that does not depend on the
    number of values. The values themselves are looked at after the export. The arrays of pandas
    are pyarrow's.
    """
    # Where a library is not loaded, the object is none of its own.
    pyarrow = sys.modules.get("pyarrow.lib")
    pandas = sys.modules.get("pandas")
    if pyarrow is not None and pandas is not None:
        if isinstance(array, pandas.DataFrame):
            array = pyarrow.Table.from_pandas(array)
        elif isinstance(array, pandas.Series):
            array = pyarrow.array(array)
            if not isinstance(array, pyarrow.ChunkedArray):
                array = pyarrow.chunked_array([array])
    if pyarrow is None:
        return array
    if isinstance(array, pyarrow.RecordBatchReader):
        return pyarrow.RecordBatchReader.from_batches(array.schema, _batches(array))
    kinds = (pyarrow.Array, pyarrow.ChunkedArray, pyarrow.RecordBatch, pyarrow.Table)
    if isinstance(array, kinds):
        array.validate()
    return array


def _batches(reader: Any) -> Iterator[Any]:
    for batch in reader:
        batch.validate()
        yield batch


def returned(given: Any, made: Array | ChunkedArray) -> Any:
    """A result as an object of the library that the given object is of.

    A column becomes a column, and a table or frame with one column becomes another one, whose
    column has the same name. Queries become tables of pyarrow. Nothing is copied. The result stays
    this package's own where the library is another one.
    """
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(given, (polars.Series, polars.DataFrame)):
        series = polars.Series(made)
        return series if isinstance(given, polars.Series) else series.to_frame()
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is None:
        return made
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(given, (pandas.Series, pandas.DataFrame)):
        values = pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array(made))
        if isinstance(given, pandas.Series):
            return pandas.Series(values, index=given.index, name=given.name)
        return pandas.DataFrame({given.columns[0]: values}, index=given.index)
    if isinstance(given, pyarrow.Array):
        return pyarrow.array(made)
    if isinstance(given, pyarrow.ChunkedArray):
        return pyarrow.chunked_array(made)
    if isinstance(given, pyarrow.RecordBatch):
        return pyarrow.record_batch({made.name: pyarrow.array(made)})
    if isinstance(given, (pyarrow.Table, pyarrow.RecordBatchReader)) or _is_query(given):
        return pyarrow.table({made.name: pyarrow.chunked_array(made)})
    return made


def _is_query(given: Any) -> bool:
    """Returns True for a query of DuckDB or DataFusion, whose tables are pyarrow's."""
    duckdb, datafusion = sys.modules.get("duckdb"), sys.modules.get("datafusion")
    return (duckdb is not None and isinstance(given, duckdb.DuckDBPyRelation)) or (
        datafusion is not None and isinstance(given, datafusion.DataFrame)
    )

"""Arrow arrays, checked by the library that knows how large their buffers are."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


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

//! Arrays that Python gets, for any library that reads Arrow's capsules.

use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{DataType, Field};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::interface;

/// An array, which other libraries take by `__arrow_c_array__`.
#[pyclass(module = "broadloom.arrow", frozen)]
pub struct Array {
    field: Field,
    array: ArrayRef,
}

impl Array {
    /// An array for Python, whose field has a name.
    pub fn new(name: &str, array: ArrayRef) -> Array {
        Array { field: Field::new(name, array.data_type().clone(), true), array }
    }
}

#[pymethods]
impl Array {
    /// How many values it has.
    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<broadloom.arrow.Array of {} values, {}>",
            self.array.len(),
            self.array.data_type()
        )
    }

    /// The name of the column; empty where there is none.
    #[getter]
    fn name(&self) -> &str {
        self.field.name()
    }

    /// How many of its values are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.array.null_count()
    }

    /// The schema, for other libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        interface::export_schema(py, &self.field)
    }

    /// The schema and the array, for other libraries. There is one representation, whatever schema
    /// is requested.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface lets a producer give its own type where it cannot cast.
        drop(requested_schema);
        interface::export_array(py, &self.field, &self.array)
    }
}

/// An array in chunks, which other libraries take by `__arrow_c_stream__`.
#[pyclass(module = "broadloom.arrow", frozen)]
pub struct ChunkedArray {
    field: Field,
    chunks: Vec<ArrayRef>,
}

impl ChunkedArray {
    /// Chunks of one type for Python, whose field has a name.
    pub fn new(name: &str, kind: DataType, chunks: Vec<ArrayRef>) -> ChunkedArray {
        ChunkedArray { field: Field::new(name, kind, true), chunks }
    }
}

#[pymethods]
impl ChunkedArray {
    /// How many values it has.
    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn __repr__(&self) -> String {
        format!(
            "<broadloom.arrow.ChunkedArray of {} values in {} chunks, {}>",
            self.__len__(),
            self.chunks.len(),
            self.field.data_type()
        )
    }

    /// How many chunks it has.
    #[getter]
    fn num_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// The name of the column; empty where there is none.
    #[getter]
    fn name(&self) -> &str {
        self.field.name()
    }

    /// How many of its values are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.null_count()).sum()
    }

    /// The schema, for other libraries.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        interface::export_schema(py, &self.field)
    }

    /// The chunks, for other libraries. There is one representation, whatever schema is requested.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer give its own type where it cannot cast.
        drop(requested_schema);
        interface::export_stream(py, self.field.clone(), self.chunks.clone())
    }
}

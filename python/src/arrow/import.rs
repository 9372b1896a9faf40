//! Arrays that other libraries hand over by Arrow's C interfaces, checked before they are read.
//!
//! An array may come out of a file or a network: pyarrow, for one, believes what it reads there.
//! Three checks stand before the first read of a value:
//!
//! 1. The library that made the array compares it with the sizes of its buffers, where it can
//!    (`broadloom._arrow.checked`). The C interfaces do not say how large the buffers of offsets,
//!    values and nulls are.
//! 2. [`check`](super::check) looks at the schema and the structure, before arrow-rs follows their
//!    pointers.
//! 3. arrow-rs compares all offsets, views, keys and counts of nulls with what they point to.
//!
//! A library that exports a buffer that is too short for its array, and has no check of its own,
//! is trusted as the C data interface has it.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, NullArray, make_array, new_empty_array};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::interface::{ARRAY, SCHEMA, STREAM};
use super::{check, values};
use crate::error;

/// The array that an object exports by `__arrow_c_array__`, and its field.
///
/// # Errors
/// Those of the object; `TypeError` for anything but two capsules of Arrow's, and for values that
/// are not bytes; `ValueError` for an array that is wrong in itself.
pub fn import_array(object: &Bound<'_, PyAny>) -> PyResult<(Field, ArrayRef)> {
    let capsules = object.call_method0("__arrow_c_array__")?;
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = capsules.extract()?;
    let schema = pointer(&schema, SCHEMA)?.cast::<FFI_ArrowSchema>();
    let array = pointer(&array, ARRAY)?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold such structs, as Arrow's PyCapsule Interface has it.
    // Both are moved out, which leaves them released, so that the capsules free nothing twice.
    let (schema, array) = unsafe {
        (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr()))
    };
    let field = field(&schema)?;
    let array = import(array, field.data_type())?;
    Ok((field, array))
}

/// The stream that an object exports by `__arrow_c_stream__`.
pub struct Stream {
    stream: FFI_ArrowArrayStream,
    field: Field,
}

impl Stream {
    /// The stream of an object.
    ///
    /// # Errors
    /// As [`import_array`].
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Stream> {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let stream = pointer(&capsule, STREAM)?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: as in `import_array`.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        let mut schema = FFI_ArrowSchema::empty();
        let mut reader = Stream { stream, field: Field::new("", DataType::Null, true) };
        let get_schema = reader.callback(reader.stream.get_schema())?;
        // SAFETY: the stream is not released, since it has the callback. `schema` is room for one.
        let code = unsafe { get_schema(&raw mut reader.stream, &raw mut schema) };
        reader.done(code)?;
        reader.field = field(&schema)?;
        Ok(reader)
    }

    /// The field of its arrays.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// Its next array; `None` at the end.
    ///
    /// # Errors
    /// `ValueError` with the words of its producer, or for an array that is wrong in itself.
    pub fn next(&mut self) -> PyResult<Option<ArrayRef>> {
        let get_next = self.callback(self.stream.get_next())?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as in `new`.
        let code = unsafe { get_next(&raw mut self.stream, &raw mut array) };
        self.done(code)?;
        // A released array stands for the end.
        match array.is_released() {
            true => Ok(None),
            false => import(array, self.field.data_type()).map(Some),
        }
    }

    /// A callback of the stream, which a released stream does not have.
    fn callback<C>(&self, callback: Option<C>) -> PyResult<C> {
        let callback = callback.filter(|_| self.stream.release().is_some());
        callback.ok_or_else(|| PyValueError::new_err("the stream was read before"))
    }

    /// Looks at what a callback returned.
    fn done(&mut self, code: i32) -> PyResult<()> {
        if code == 0 {
            return Ok(());
        }
        let words = self.stream.get_last_error().map_or(std::ptr::null(), |get_last_error| {
            // SAFETY: the stream is not released, and its last callback failed.
            unsafe { get_last_error(&raw mut self.stream) }
        });
        if words.is_null() {
            return Err(PyValueError::new_err(format!("the stream failed with error {code}")));
        }
        // SAFETY: a producer gives a string that lives until the next call of a callback.
        let words = unsafe { CStr::from_ptr(words) };
        Err(PyValueError::new_err(words.to_string_lossy().into_owned()))
    }
}

/// The field of a schema, whose values are bytes.
fn field(schema: &FFI_ArrowSchema) -> PyResult<Field> {
    check::schema(schema)
        .map_err(|wrong| PyValueError::new_err(format!("the Arrow array is damaged: {wrong}")))?;
    let field = Field::try_from(schema).map_err(error::value)?;
    values::check(field.data_type())?;
    Ok(field)
}

/// An array of a type that was [checked](values::check). Its strings become bytes, which lie in
/// memory in the same way, so that nothing depends on their being UTF-8.
fn import(array: FFI_ArrowArray, kind: &DataType) -> PyResult<ArrayRef> {
    let kind = values::bytes_of(kind);
    if array.is_released() {
        return Err(PyValueError::new_err("the array was released before"));
    }
    check::structure(&array, &kind)
        .map_err(|wrong| PyValueError::new_err(format!("the Arrow array is damaged: {wrong}")))?;
    // Producers may leave out the buffers of an empty array, and give some to one of nulls.
    match kind {
        _ if array.is_empty() => return Ok(new_empty_array(&kind)),
        DataType::Null => return Ok(Arc::new(NullArray::new(array.len()))),
        _ => {}
    }
    // SAFETY: the structure was found to be that of such an array. Its offsets are compared with
    // each other below, before a value is read by them.
    let data = unsafe { from_ffi_and_data_type(array, kind) }.map_err(error::value)?;
    data.validate_full()
        .map_err(|wrong| PyValueError::new_err(format!("the Arrow array is damaged: {wrong}")))?;
    Ok(make_array(data))
}

/// The pointer in a capsule of this name.
fn pointer(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<c_void>> {
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| {
        PyTypeError::new_err(format!("a capsule {name:?} was expected of an object of Arrow"))
    })?;
    capsule.pointer_checked(Some(name))
}

//! Arrays for other libraries, by Arrow's C data and stream interfaces, in the capsules that
//! Python's libraries exchange (the Arrow PyCapsule Interface).

use std::ffi::{CStr, CString, c_char, c_int};
use std::vec;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, Field};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error;

/// Names of capsules.
pub const SCHEMA: &CStr = c"arrow_schema";
pub const ARRAY: &CStr = c"arrow_array";
pub const STREAM: &CStr = c"arrow_array_stream";

/// A capsule with the schema of arrays: their type, and the name of their field.
pub fn export_schema<'py>(py: Python<'py>, field: &Field) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, schema(field).map_err(error::value)?, SCHEMA)
}

/// Capsules with the schema and with an array, which shares its bytes.
pub fn export_array<'py>(
    py: Python<'py>,
    field: &Field,
    array: &ArrayRef,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let exported = FFI_ArrowArray::new(&array.to_data());
    let array_capsule = PyCapsule::new_with_value(py, exported, ARRAY)?;
    Ok((export_schema(py, field)?, array_capsule))
}

/// A capsule with a stream of arrays of one field, which share their bytes.
pub fn export_stream<'py>(
    py: Python<'py>,
    field: Field,
    chunks: Vec<ArrayRef>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let source = Box::new(ExportedStream { field, chunks: chunks.into_iter(), error: None });
    // SAFETY: the callbacks below are for a stream whose private data are a boxed `ExportedStream`,
    // which `release` frees once.
    let stream = unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(get_schema),
            Some(get_next),
            Some(get_last_error),
            Some(release),
            Box::into_raw(source).cast(),
        )
    };
    PyCapsule::new_with_value(py, stream, STREAM)
}

fn schema(field: &Field) -> Result<FFI_ArrowSchema, ArrowError> {
    FFI_ArrowSchema::try_from(field)
}

/// What an exported stream gives, and the last error of its callbacks.
struct ExportedStream {
    field: Field,
    chunks: vec::IntoIter<ArrayRef>,
    error: Option<CString>,
}

/// The error number for an argument that is wrong (POSIX).
const EINVAL: c_int = 22;

/// The source of a stream that is not released.
///
/// # Safety
/// `stream` was made by [`export_stream`], and nobody else uses it during the call.
unsafe fn source<'s>(stream: *mut FFI_ArrowArrayStream) -> &'s mut ExportedStream {
    // SAFETY: the private data of such a stream are a `ExportedStream`, until it is released.
    unsafe { &mut *(*stream).private_data().cast::<ExportedStream>() }
}

unsafe extern "C" fn get_schema(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: the consumer calls with its stream, which was made by `export_stream`.
    let source = unsafe { source(stream) };
    match schema(&source.field) {
        Ok(schema) => {
            // SAFETY: the consumer gives room for a schema, in which nothing is to be dropped.
            unsafe { out.write(schema) };
            0
        }
        Err(error) => {
            source.error = CString::new(error.to_string()).ok();
            EINVAL
        }
    }
}

unsafe extern "C" fn get_next(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowArray,
) -> c_int {
    // SAFETY: as in `get_schema`.
    let source = unsafe { source(stream) };
    // An empty array, which is released, says that the stream ends.
    let array = source.chunks.next();
    let array =
        array.map_or_else(FFI_ArrowArray::empty, |array| FFI_ArrowArray::new(&array.to_data()));
    // SAFETY: the consumer gives room for an array, in which nothing is to be dropped.
    unsafe { out.write(array) };
    0
}

unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: as in `get_schema`.
    let source = unsafe { source(stream) };
    source.error.as_ref().map_or(std::ptr::null(), |error| error.as_ptr())
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: the consumer releases a stream once, with the last use of it. The box was given away
    // in `export_stream`. What is written over is marked as released, so that nothing is dropped
    // twice.
    unsafe {
        drop(Box::from_raw((*stream).private_data().cast::<ExportedStream>()));
        stream.write(FFI_ArrowArrayStream::empty());
    }
}

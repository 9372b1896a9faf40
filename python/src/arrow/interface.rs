//! Arrow's C data and stream interfaces, in the capsules that Python's libraries exchange (the
//! Arrow PyCapsule Interface).

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::vec;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The array that an object exports by `__arrow_c_array__`.
///
/// # Errors
/// Those of the object; `TypeError` for anything but two capsules of Arrow's; `ValueError` for an
/// array of a type that Arrow does not have.
pub fn import_array(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let capsules = object.call_method0("__arrow_c_array__")?;
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = capsules.extract()?;
    let schema = pointer(&schema, SCHEMA)?.cast::<FFI_ArrowSchema>();
    let array = pointer(&array, ARRAY)?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold such structs, as Arrow's PyCapsule Interface has it.
    // Both are moved out, which leaves them released, so that the capsules free nothing twice.
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema.as_ptr());
        from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), &schema)
    };
    Ok(make_array(data.map_err(error::value)?))
}

/// The arrays of a stream that an object exports by `__arrow_c_stream__`, one after another.
///
/// # Errors
/// As [`import_array`].
pub fn import_stream(object: &Bound<'_, PyAny>) -> PyResult<ArrayStreamReader> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let stream = pointer(&capsule, STREAM)?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: as in `import_array`.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
    ArrayStreamReader::try_new(stream).map_err(error::value)
}

/// The pointer in a capsule of this name.
fn pointer(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<NonNull<c_void>> {
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| {
        PyTypeError::new_err(format!("a capsule {name:?} was expected of an object of Arrow"))
    })?;
    capsule.pointer_checked(Some(name))
}

/// A capsule with the schema of arrays of a type.
pub fn export_schema<'py>(py: Python<'py>, kind: &DataType) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, schema(kind).map_err(error::value)?, SCHEMA)
}

/// Capsules with the schema and with an array, which shares its bytes.
pub fn export_array<'py>(
    py: Python<'py>,
    array: &ArrayRef,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let exported = FFI_ArrowArray::new(&array.to_data());
    let array_capsule = PyCapsule::new_with_value(py, exported, ARRAY)?;
    Ok((export_schema(py, array.data_type())?, array_capsule))
}

/// A capsule with a stream of arrays of one type, which share their bytes.
pub fn export_stream<'py>(
    py: Python<'py>,
    kind: DataType,
    chunks: Vec<ArrayRef>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let source = Box::new(Source { kind, chunks: chunks.into_iter(), error: None });
    // SAFETY: the callbacks below are for a stream whose private data are a boxed `Source`, which
    // `release` frees once.
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

fn schema(kind: &DataType) -> Result<FFI_ArrowSchema, ArrowError> {
    FFI_ArrowSchema::try_from(&Field::new("", kind.clone(), true))
}

/// What an exported stream gives, and the last error of its callbacks.
struct Source {
    kind: DataType,
    chunks: vec::IntoIter<ArrayRef>,
    error: Option<CString>,
}

/// The error number for an argument that is wrong (POSIX).
const EINVAL: c_int = 22;

/// The source of a stream that is not released.
///
/// # Safety
/// `stream` was made by [`export_stream`], and nobody else uses it during the call.
unsafe fn source<'s>(stream: *mut FFI_ArrowArrayStream) -> &'s mut Source {
    // SAFETY: the private data of such a stream are a `Source`, until it is released.
    unsafe { &mut *(*stream).private_data().cast::<Source>() }
}

unsafe extern "C" fn get_schema(
    stream: *mut FFI_ArrowArrayStream,
    out: *mut FFI_ArrowSchema,
) -> c_int {
    // SAFETY: the consumer calls with its stream, which was made by `export_stream`.
    let source = unsafe { source(stream) };
    match schema(&source.kind) {
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
        drop(Box::from_raw((*stream).private_data().cast::<Source>()));
        stream.write(FFI_ArrowArrayStream::empty());
    }
}

//! Errors as Python has them.

use std::fmt::Display;

use broadloom::JobError;
use pyo3::exceptions::{PyException, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    broadloom,
    InvalidTag,
    PyException,
    "Sealed data were changed, or the key, the nonce or the associated data are not theirs.\n\n\
     `indices` lists the places of the data that were not opened, in ascending order."
);

/// The exception for a panic, which is always a defect of Broadloom's. It is pyo3's own, since pyo3
/// raises it wherever one of our functions panics.
pub use pyo3::panic::PanicException as InternalError;

/// Makes [`InternalError`] an exception that programs can handle, and documents it: as pyo3 makes
/// it, it is no `Exception`, and passes by whatever a server has to contain a failed request.
///
/// # Errors
/// Those of Python.
pub fn define_internal_error(py: Python<'_>) -> PyResult<()> {
    let kind = py.get_type::<InternalError>();
    kind.setattr("__bases__", (py.get_type::<PyRuntimeError>(),))?;
    kind.setattr("__module__", "broadloom")?;
    kind.setattr("__name__", "InternalError")?;
    kind.setattr("__qualname__", "InternalError")?;
    kind.setattr(
        "__doc__",
        "Broadloom has a defect: its native code panicked, and has printed where.\n\n\
         No result of the call is given. Please report it.",
    )
}

/// A `ValueError` with the words of an error.
pub fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The error for a name that stands for nothing.
pub fn no_such<T: Display>(what: &str, name: &str, valid: impl Iterator<Item = T>) -> PyErr {
    let valid: Vec<_> = valid.map(|name| name.to_string()).collect();
    PyValueError::new_err(format!("{name:?} is no {what}; valid: {}", valid.join(", ")))
}

/// The error for an argument that has a value for each buffer, but not as many.
pub fn count(what: &str, given: usize, buffers: usize) -> PyErr {
    PyValueError::new_err(format!("{given} {what} for {buffers} buffers; give one for each"))
}

/// The error of a job, whose data have a name.
pub fn job(name: &str, error: JobError) -> PyErr {
    let message = format!("{name}: {error}");
    match error {
        JobError::NoQueue
        | JobError::Provider { .. }
        | JobError::Device(_)
        | JobError::NotDone
        | JobError::Panicked
        | JobError::Cancelled => PyRuntimeError::new_err(message),
        JobError::OutOfMemory { .. } => PyMemoryError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// [`InvalidTag`] for data in these places, which have these names.
pub fn invalid_tag(py: Python<'_>, wrong: Vec<(usize, String)>) -> PyErr {
    let count = wrong.len();
    let (places, names): (Vec<_>, Vec<_>) = wrong.into_iter().unzip();
    let first = names.first().map_or("", String::as_str);
    let error = InvalidTag::new_err(match count {
        1 => format!("the tag of {first} is wrong"),
        _ => format!("{count} tags are wrong, the first that of {first}"),
    });
    with_indices(py, error, places)
}

/// An exception whose `indices` are these places.
pub fn with_indices(py: Python<'_>, error: PyErr, places: Vec<usize>) -> PyErr {
    match error.value(py).setattr("indices", places) {
        Ok(()) => error,
        Err(error) => error,
    }
}

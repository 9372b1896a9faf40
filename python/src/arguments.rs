//! Arguments that several functions share.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::buffers;

/// The most threads of one call.
const MOST_THREADS: usize = 1024;

/// A number of threads; `None`: one for each core that the process may use.
///
/// # Errors
/// `ValueError` out of 1 to 1024.
pub fn threads(threads: Option<isize>) -> PyResult<usize> {
    match threads {
        None => Ok(available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS)),
        Some(threads @ 1..=1024) => Ok(threads as usize),
        Some(threads) => Err(PyValueError::new_err(format!(
            "threads is {threads}; valid: 1 to {MOST_THREADS}, or None for all cores"
        ))),
    }
}

/// A key, to be wiped.
///
/// # Errors
/// `TypeError` where it is not bytes-like.
pub fn key(key: &Bound<'_, PyAny>) -> PyResult<Zeroizing<Vec<u8>>> {
    buffers::secret(key, "key")
}

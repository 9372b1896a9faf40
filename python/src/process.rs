//! What belongs to one process.
//!
//! A child of fork has the memory of its parent and none of its threads. A lock that another thread
//! held stays held there, and whoever waits for a thread waits for ever. So the child neither uses
//! nor drops what has threads.

use std::process;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// A value with threads, which only the process that made it has.
pub struct Resident<T> {
    process: u32,
    /// Always there, but during the drop.
    value: Option<T>,
}

impl<T> Resident<T> {
    /// A value of this process.
    pub fn new(value: T) -> Resident<T> {
        Resident { process: process::id(), value: Some(value) }
    }

    /// Returns `true` if this process made the value.
    pub fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// The value. `what` names it in an error.
    ///
    /// # Errors
    /// `RuntimeError` in a child of the process that made it.
    pub fn get(&self, what: &str) -> PyResult<&T> {
        match &self.value {
            Some(value) if self.is_here() => Ok(value),
            _ => Err(PyRuntimeError::new_err(format!(
                "{what} belongs to process {}, and this is its child {}, which has none of its \
                 threads; make another here",
                self.process,
                process::id()
            ))),
        }
    }

    /// The value, in the process that made it.
    pub fn here(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.is_here())
    }
}

impl<T> Drop for Resident<T> {
    fn drop(&mut self) {
        if !self.is_here() {
            std::mem::forget(self.value.take());
        }
    }
}

//! The engine's side of a call: one registry for the process, a processor for each thread.

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use broadloom::compression::Scratch;
use broadloom::{Algorithm, HashAlgorithm, Processor, Registry, Session, Transform};
use pyo3::prelude::*;

use crate::error;

/// Every provider that this package is built with. None is opened before it is needed.
pub static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(broadloom::registry()));

thread_local! {
    /// What this thread has open at the providers.
    static PROCESSOR: RefCell<Processor> = RefCell::default();
    /// What compressions of short inputs have left for the next.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Calls `work` with the processor of this thread, whose lanes keep their last state. It runs no
/// Python code.
pub fn with_processor<R>(work: impl FnOnce(&mut Processor) -> R) -> R {
    PROCESSOR.with_borrow_mut(work)
}

/// Calls `work` with what this thread keeps from one short input to the next. It runs no Python
/// code.
pub fn with_scratch<R>(work: impl FnOnce(&mut Scratch) -> R) -> R {
    SCRATCH.with_borrow_mut(work)
}

/// Bytes of the stack below a call that are wiped: more than any function needs that has a key.
const STACK: usize = 128 << 10;

/// Calls `work`, which has secrets, and wipes what it left on the stack: Rust copies a value that
/// moves, and leaves the old bytes.
pub fn with_secrets<R>(work: impl FnOnce() -> R) -> R {
    let made = apart(work);
    zeroize::zeroize_stack::<STACK>();
    made
}

/// Calls `work` in a frame of its own, which is below the caller's.
#[inline(never)]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// A hash by its name, as this package or as hashlib writes it: `sha3-256` or `sha3_256`.
///
/// # Errors
/// `ValueError` where there is no such hash, with the names of all.
pub fn hash(name: &str) -> PyResult<HashAlgorithm> {
    match parse(name) {
        Some(Algorithm::Hash(hash)) => Ok(hash),
        _ => Err(error::no_such("hash", name, HashAlgorithm::all())),
    }
}

/// An algorithm by its name, if there is one. hashlib's `shake_128` is `shake128`.
pub fn parse(name: &str) -> Option<Algorithm> {
    let name = name.to_ascii_lowercase();
    let name =
        name.strip_prefix("shake_").map_or(name.replace('_', "-"), |bits| format!("shake{bits}"));
    name.parse().ok()
}

/// A session at the first provider that can.
///
/// # Errors
/// `ValueError` where none can.
pub fn open(transform: &Transform) -> PyResult<Session> {
    REGISTRY.open(transform).map_err(error::value)
}

//! The engine's side of a call: one registry for the process, a processor for each thread.

use std::cell::RefCell;
use std::sync::LazyLock;

use broadloom::{Algorithm, HashAlgorithm, Processor, Registry, Session, Transform};
use pyo3::prelude::*;

use crate::error;

/// Every provider that this package is built with. None is opened before it is needed.
pub static REGISTRY: LazyLock<Registry> = LazyLock::new(broadloom::registry);

thread_local! {
    /// What this thread has open at the providers.
    static PROCESSOR: RefCell<Processor> = RefCell::default();
    /// Sessions of hashes by the names that this thread asked for: opening one takes longer than
    /// hashing one short message.
    static HASHES: RefCell<Vec<(String, Session)>> = const { RefCell::new(Vec::new()) };
}

/// Calls `work` with the processor of this thread. It runs no Python code.
pub fn with_processor<R>(work: impl FnOnce(&mut Processor) -> R) -> R {
    PROCESSOR.with_borrow_mut(work)
}

/// A session of a hash.
///
/// # Errors
/// `ValueError` where there is no such hash.
pub fn hash_session(name: &str) -> PyResult<Session> {
    HASHES.with_borrow_mut(|known| {
        if let Some((_, session)) = known.iter().find(|(other, _)| other == name) {
            return Ok(session.clone());
        }
        let session = open(&Transform::hash(hash(name)?))?;
        known.push((name.to_owned(), session.clone()));
        Ok(session)
    })
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

/// An algorithm by its name, if there is one.
pub fn parse(name: &str) -> Option<Algorithm> {
    name.to_ascii_lowercase().replace('_', "-").parse().ok()
}

/// A session at the first provider that can.
///
/// # Errors
/// `ValueError` where none can.
pub fn open(transform: &Transform) -> PyResult<Session> {
    REGISTRY.open(transform).map_err(error::value)
}

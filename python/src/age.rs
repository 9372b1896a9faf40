//! Files of age, in memory and as streams.

use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;

use broadloom::encryption::age::Recipient;
use broadloom::encryption::age::{Decryptor, Encryptor, HeaderError, Identity, PayloadError};
use broadloom::encryption::{EncryptionError, Input, Output};
use pyo3::exceptions::{PyEOFError, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyString};

use crate::buffers::Buffers;
use crate::engine::REGISTRY;
use crate::memory::Appender;
use crate::{arguments, error, memory};

/// What encrypts for recipients.
///
/// # Errors
/// `ValueError` where there is none, or one is no recipient.
pub fn encryptor(recipients: &[PyBackedStr], threads: Option<isize>) -> PyResult<Encryptor> {
    let recipients: Vec<Recipient> = all("recipients", recipients)?;
    Ok(Encryptor::to_recipients(Arc::clone(&REGISTRY), recipients).threads(count(threads)?))
}

/// What decrypts with identities.
///
/// # Errors
/// `ValueError` where there is none, or one is no identity.
pub fn decryptor(identities: &[PyBackedStr], threads: Option<isize>) -> PyResult<Decryptor> {
    let identities: Vec<Identity> = all("identities", identities)?;
    Ok(Decryptor::new(Arc::clone(&REGISTRY), identities).threads(count(threads)?))
}

fn count(threads: Option<isize>) -> PyResult<NonZeroUsize> {
    Ok(NonZeroUsize::new(arguments::threads(threads)?).expect("at least 1"))
}

fn all<K: FromStr<Err: std::fmt::Display>>(what: &str, texts: &[PyBackedStr]) -> PyResult<Vec<K>> {
    if texts.is_empty() {
        return Err(PyValueError::new_err(format!("{what} is empty; give at least one")));
    }
    // The text itself may be a secret.
    let read = texts.iter().enumerate().map(|(index, text)| {
        let read = text.parse::<K>();
        read.map_err(|error| PyValueError::new_err(format!("{what}[{index}]: {error}")))
    });
    read.collect()
}

/// The exception: `InvalidTag` for a file that was changed, `EOFError` for one that ends too early.
pub fn raise(error: &EncryptionError) -> PyErr {
    let message = error.to_string();
    match error {
        EncryptionError::Header(HeaderError::Truncated { .. })
        | EncryptionError::Payload {
            cause: PayloadError::Truncated | PayloadError::CutShort,
            ..
        } => PyEOFError::new_err(message),
        EncryptionError::HeaderMac | EncryptionError::Payload { .. } => {
            error::InvalidTag::new_err(message)
        }
        EncryptionError::Read { error, .. } | EncryptionError::Write { error, .. }
            if error.kind() == ErrorKind::OutOfMemory =>
        {
            PyMemoryError::new_err(message)
        }
        EncryptionError::Header(_)
        | EncryptionError::Armor(_)
        | EncryptionError::NoMatch { .. } => PyValueError::new_err(message),
        _ => PyRuntimeError::new_err(message),
    }
}

/// Encrypts data for recipients, into a file of age.
#[pyfunction]
#[pyo3(signature = (data, recipients, *, threads, armor))]
pub fn age_encrypt<'py>(
    data: &Bound<'py, PyAny>,
    recipients: Vec<PyBackedStr>,
    threads: Option<isize>,
    armor: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let encryptor = encryptor(&recipients, threads)?.armor(armor);
    one(data, &|input, output| encryptor.encrypt(input, output).map(drop))
}

/// Decrypts a file of age with identities.
#[pyfunction]
#[pyo3(signature = (data, identities, *, threads))]
pub fn age_decrypt<'py>(
    data: &Bound<'py, PyAny>,
    identities: Vec<PyBackedStr>,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let decryptor = decryptor(&identities, threads)?;
    one(data, &|input, output| decryptor.decrypt(input, output).map(drop))
}

/// What is done to a file in memory.
type AgeWork<'a> = dyn Fn(Input<'_>, Output<'_>) -> Result<(), EncryptionError> + Sync + 'a;

fn one<'py>(data: &Bound<'py, PyAny>, work: &AgeWork<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let py = data.py();
    let data = Buffers::one(data, "data")?;
    let mut output = Vec::new();
    let done =
        py.detach(|| work(Input::memory(&data.get(0)), Output::Stream(&mut Appender(&mut output))));
    match done {
        Ok(()) => memory::bytes(py, &output),
        Err(error) => Err(raise(&error)),
    }
}

/// A new identity, and its recipient.
#[pyfunction]
pub fn age_keygen(py: Python<'_>) -> PyResult<(Bound<'_, PyString>, String)> {
    let identity = Identity::generate().map_err(|error| raise(&error))?;
    Ok((PyString::new(py, &identity.to_text()), identity.recipient().to_string()))
}

//! One stream, hashed as hashlib does it.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use broadloom::{HashAlgorithm, MacAlgorithm, Session, Stream, Transform};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::{arguments, engine, error};

/// Data of fewer bytes are hashed with the GIL held, as in hashlib: releasing it takes longer.
const SHORT: usize = 2048;

/// A hash, or an HMAC where a key is given, of data that come piece by piece, as hashlib's.
///
/// >>> import broadloom, hmac
/// >>> stream = broadloom.Hasher("sha256", key=b"key")
/// >>> stream.update(b"mess")
/// >>> stream.update(b"age")
/// >>> hmac.compare_digest(stream.digest(), hmac.digest(b"key", b"message", "sha256"))
/// True
/// >>> stream.name, stream.digest_size, stream.block_size
/// ('hmac-sha256', 32, 64)
#[pyclass(module = "broadloom", frozen)]
pub struct Hasher {
    algorithm: HashAlgorithm,
    keyed: bool,
    stream: Mutex<Stream>,
}

/// The function of a hash by its name.
///
/// # Errors
/// `ValueError` where there is no such hash.
pub fn function(name: &str) -> PyResult<HashAlgorithm> {
    FUNCTIONS.with_borrow_mut(|known| {
        if let Some((_, algorithm)) = known.iter().find(|(other, _)| other == name) {
            return Ok(*algorithm);
        }
        let algorithm = engine::hash(name)?;
        known.push((name.to_owned(), algorithm));
        Ok(algorithm)
    })
}

thread_local! {
    /// Functions by the names that this thread asked for: parsing a name takes longer than hashing
    /// one short message.
    static FUNCTIONS: RefCell<Vec<(String, HashAlgorithm)>> = const { RefCell::new(Vec::new()) };
}

thread_local! {
    /// The sessions of hashes that this thread has used: opening one takes longer than hashing one
    /// short message.
    static SESSIONS: RefCell<Vec<(HashAlgorithm, Session)>> = const { RefCell::new(Vec::new()) };
}

/// Begins a message.
///
/// # Errors
/// `ValueError` where no provider has the hash.
fn begin(algorithm: HashAlgorithm) -> PyResult<Stream> {
    SESSIONS.with_borrow_mut(|known| {
        let place = known.iter().position(|(other, _)| *other == algorithm);
        let place = match place {
            Some(place) => place,
            None => {
                known.push((algorithm, engine::open(&Transform::hash(algorithm))?));
                known.len() - 1
            }
        };
        known[place].1.begin().map_err(error::value)
    })
}

/// Begins a message under a key.
///
/// # Errors
/// `ValueError` for a function that has no HMAC, or for a key that BLAKE3 does not take.
fn begin_keyed(algorithm: HashAlgorithm, key: &[u8]) -> PyResult<Stream> {
    let mac = match algorithm {
        HashAlgorithm::Blake3 => MacAlgorithm::Blake3Keyed,
        hash if hash.is_extendable() => {
            let message = format!("a key is given, and {algorithm} has no HMAC");
            return Err(PyValueError::new_err(message));
        }
        hash => MacAlgorithm::Hmac(hash),
    };
    engine::with_secrets(|| {
        let transform = Transform::mac(mac, key).generate().map_err(error::value)?;
        engine::open(&transform)?.begin().map_err(error::value)
    })
}

impl Hasher {
    fn lock(&self) -> MutexGuard<'_, Stream> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn absorb(&self, data: &[u8]) -> PyResult<()> {
        let mut stream = self.lock();
        let taken = engine::with_processor(|processor| stream.update(processor, data));
        taken.map_err(|error| error::job("data", error))
    }

    fn made(&self) -> PyResult<Zeroizing<Vec<u8>>> {
        let stream = self.lock().clone();
        let made = engine::with_processor(|processor| stream.finish(processor));
        made.map_err(|error| error::job("data", error))
    }
}

#[pymethods]
impl Hasher {
    #[new]
    #[pyo3(signature = (name, data = None, *, key = None))]
    fn new(
        name: &str,
        data: Option<Bound<'_, PyAny>>,
        key: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Hasher> {
        let algorithm = function(name)?;
        let key = key.as_ref().map(arguments::key).transpose()?;
        let stream = match &key {
            Some(key) => begin_keyed(algorithm, key)?,
            None => begin(algorithm)?,
        };
        let hasher = Hasher { algorithm, keyed: key.is_some(), stream: Mutex::new(stream) };
        if let Some(data) = data {
            hasher.update(&data)?;
        }
        Ok(hasher)
    }

    /// Adds data to the end.
    fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let buffers = Buffers::one(data, "data")?;
        match buffers.get(0) {
            short if short.len() < SHORT => self.absorb(short),
            long => data.py().detach(|| self.absorb(long)),
        }
    }

    /// The digest of all data so far. More data can be added afterwards.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.made()?))
    }

    /// The digest in hexadecimal digits.
    fn hexdigest(&self) -> PyResult<String> {
        Ok(self.made()?.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Another one, which has absorbed the same data.
    fn copy(&self) -> Hasher {
        let stream = Mutex::new(self.lock().clone());
        Hasher { algorithm: self.algorithm, keyed: self.keyed, stream }
    }

    /// The name: `sha256`, or `hmac-sha256` with a key.
    #[getter]
    fn name(&self) -> String {
        let name = self.algorithm.name();
        if self.keyed { format!("hmac-{name}") } else { name.to_owned() }
    }

    /// Bytes of the digest.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.digest_len()
    }

    /// Bytes that the function takes at a time.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.block_len()
    }

    fn __repr__(&self) -> String {
        format!("<broadloom.Hasher of {}>", self.name())
    }
}

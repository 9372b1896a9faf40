//! One stream, hashed as hashlib does it.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use broadloom::lanes::Cpu;
use broadloom_hashing::function::Function;
use broadloom_hashing::hasher::{Hasher as Lanes, Piece};
use broadloom_hashing::{Algorithm, Visitor};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::{arguments, engine, error};

/// Pieces of a stream, all but the last, are multiples of this.
const WHOLE: usize = 128;
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
    algorithm: broadloom::HashAlgorithm,
    keyed: bool,
    stream: Mutex<Box<dyn Streaming>>,
}

/// A stream of any function.
trait Streaming: Send {
    fn update(&mut self, data: &[u8]);
    fn digest(&self) -> Vec<u8>;
    fn copy(&self) -> Box<dyn Streaming>;
}

/// A stream, and what came since the last whole block.
struct Stream<A: Function> {
    stream: A::Stream,
    rest: Zeroizing<Vec<u8>>,
}

impl<A: Function> Stream<A> {
    fn absorb(&mut self, data: &[u8]) {
        let mut lanes = Lanes::<A>::new(&Cpu::detect(), None);
        lanes.process([Piece::More(&mut self.stream, data)].into_iter(), &mut Vec::new());
    }
}

impl<A: Function> Streaming for Stream<A> {
    fn update(&mut self, mut data: &[u8]) {
        if !self.rest.is_empty() {
            let (more, after) = data.split_at(data.len().min(WHOLE - self.rest.len()));
            self.rest.extend_from_slice(more);
            data = after;
            if self.rest.len() < WHOLE {
                return;
            }
            let block =
                std::mem::replace(&mut self.rest, Zeroizing::new(Vec::with_capacity(WHOLE)));
            self.absorb(&block);
        }
        let (whole, rest) = data.split_at(data.len() / WHOLE * WHOLE);
        if !whole.is_empty() {
            self.absorb(whole);
        }
        self.rest.extend_from_slice(rest);
    }

    fn digest(&self) -> Vec<u8> {
        let mut lanes = Lanes::<A>::new(&Cpu::detect(), None);
        let mut digests = Vec::with_capacity(1);
        let mut stream = self.stream.clone();
        lanes.process([Piece::Last(&mut stream, &self.rest)].into_iter(), &mut digests);
        digests[0].as_bytes().to_vec()
    }

    fn copy(&self) -> Box<dyn Streaming> {
        let mut rest = Zeroizing::new(Vec::with_capacity(WHOLE));
        rest.extend_from_slice(&self.rest);
        Box::new(Stream::<A> { stream: self.stream.clone(), rest })
    }
}

/// Begins a stream of the function that is asked for.
struct Begin<'k> {
    key: Option<&'k [u8]>,
}

impl Visitor for Begin<'_> {
    /// `None` for a key of a function that has no HMAC.
    type Output = Option<Box<dyn Streaming>>;

    fn visit<A: Function>(self) -> Self::Output {
        let key = match self.key {
            Some(bytes) => Some(A::key(bytes)?),
            None => None,
        };
        let rest = Zeroizing::new(Vec::with_capacity(WHOLE));
        Some(Box::new(Stream::<A> { stream: A::stream(key.as_ref()), rest }))
    }
}

/// The function of a hash by its name.
///
/// # Errors
/// `ValueError` where there is no such hash.
pub fn function(name: &str) -> PyResult<Algorithm> {
    FUNCTIONS.with_borrow_mut(|known| {
        if let Some((_, algorithm)) = known.iter().find(|(other, _)| other == name) {
            return Ok(*algorithm);
        }
        let algorithm = parse(name)?;
        known.push((name.to_owned(), algorithm));
        Ok(algorithm)
    })
}

thread_local! {
    /// Functions by the names that this thread asked for: parsing a name takes longer than hashing
    /// one short message.
    static FUNCTIONS: RefCell<Vec<(String, Algorithm)>> = const { RefCell::new(Vec::new()) };
}

fn parse(name: &str) -> PyResult<Algorithm> {
    let plain = |name: &str| name.to_ascii_lowercase().replace('-', "");
    let wanted = plain(engine::hash(name)?.name());
    let found = Algorithm::ALL.into_iter().find(|algorithm| plain(algorithm.tag()) == wanted);
    found.ok_or_else(|| error::no_such("hash", name, Algorithm::ALL.iter().map(|one| one.tag())))
}

impl Hasher {
    fn lock(&self) -> MutexGuard<'_, Box<dyn Streaming>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (algorithm, function) = (engine::hash(name)?, function(name)?);
        let key = key.as_ref().map(arguments::key).transpose()?;
        let begin = Begin { key: key.as_ref().map(|key| key.as_slice()) };
        let stream = function.visit(begin);
        let stream = stream.ok_or_else(|| {
            PyValueError::new_err(format!("a key is given, and {algorithm} has no HMAC"))
        })?;
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
            short if short.len() < SHORT => self.lock().update(short),
            long => data.py().detach(|| self.lock().update(long)),
        }
        Ok(())
    }

    /// The digest of all data so far. More data can be added afterwards.
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock().digest())
    }

    /// The digest in hexadecimal digits.
    fn hexdigest(&self) -> String {
        self.lock().digest().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Another one, which has absorbed the same data.
    fn copy(&self) -> Hasher {
        let stream = Mutex::new(self.lock().copy());
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

//! Sessions and jobs, as the engine has them.

use std::sync::{Mutex, PoisonError};

use broadloom::data::Buffer;
use broadloom::{
    Algorithm, CipherAlgorithm, Data, Direction, Job as EngineJob, JobError,
    Session as EngineSession, Transform,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes};
use pyo3::{PyTraverseError, PyVisit};

use crate::buffers::Buffers;
use crate::many::sign::{Manner, SaltLength};
use crate::many::{aead, hash, sign};
use crate::{arguments, engine, error, memory};

/// An algorithm with its expanded key at a provider. Any number of jobs and threads share it.
///
/// >>> import asyncio, broadloom
/// >>> session = broadloom.Session.hash("sha256")
/// >>> async def digests():
/// ...     return await asyncio.gather(session.process(b"warp"), session.process(b"weft"))
/// >>> [digest.hex()[:8] for digest in asyncio.run(digests())]
/// ['da9e96b4', 'e627e223']
#[pyclass(module = "broadloom", frozen)]
pub struct Session(EngineSession);

impl From<EngineSession> for Session {
    fn from(session: EngineSession) -> Self {
        Session(session)
    }
}

#[pymethods]
impl Session {
    /// Digests: a job gives the digest of its data.
    #[staticmethod]
    #[pyo3(signature = (algorithm = "sha256"))]
    fn hash(algorithm: &str) -> PyResult<Session> {
        engine::open(&Transform::hash(engine::hash(algorithm)?)).map(Session)
    }

    /// HMACs under one key: a job gives the tag.
    #[staticmethod]
    #[pyo3(signature = (key, algorithm = "sha256"))]
    fn hmac(key: &Bound<'_, PyAny>, algorithm: &str) -> PyResult<Session> {
        hash::hmac_session(algorithm, key).map(Session)
    }

    /// Authenticated encryption: a job needs a nonce, and gives the ciphertext with its tag.
    #[staticmethod]
    #[pyo3(signature = (key, algorithm = "aes-256-gcm"))]
    fn seal(key: &Bound<'_, PyAny>, algorithm: &str) -> PyResult<Session> {
        aead::session(algorithm, key, true).map(Session)
    }

    /// The opposite of `seal`: a job gives the plaintext, or fails with `InvalidTag`.
    #[staticmethod]
    #[pyo3(signature = (key, algorithm = "aes-256-gcm"))]
    fn open(key: &Bound<'_, PyAny>, algorithm: &str) -> PyResult<Session> {
        aead::session(algorithm, key, false).map(Session)
    }

    /// Encryption without authentication (`aes-128-cbc`, `aes-256-ctr`, ...): a job needs the
    /// nonce, and gives the ciphertext.
    #[staticmethod]
    fn encrypt(key: &Bound<'_, PyAny>, algorithm: &str) -> PyResult<Session> {
        cipher(key, algorithm, true)
    }

    /// The opposite of `encrypt`.
    #[staticmethod]
    fn decrypt(key: &Bound<'_, PyAny>, algorithm: &str) -> PyResult<Session> {
        cipher(key, algorithm, false)
    }

    /// Signatures under a private key: a job gives the signature. As `sign_many`.
    #[staticmethod]
    #[pyo3(
        signature = (
            private_key, *, hash = "sha256", padding = None, salt_length = None, context = None,
            hedged = false, external_mu = false
        )
    )]
    fn sign(
        private_key: &Bound<'_, PyAny>,
        hash: &str,
        padding: Option<&str>,
        salt_length: Option<SaltLength>,
        context: Option<&Bound<'_, PyAny>>,
        hedged: bool,
        external_mu: bool,
    ) -> PyResult<Session> {
        let manner = Manner { padding, salt_length, context, hedged, external_mu };
        sign::signing(private_key, hash, manner).map(Session)
    }

    /// Verification under a public key: a job needs the signature, and gives a `bool`. As
    /// `verify_many`, but for a salt of one length: that of the digest, unless another is given.
    #[staticmethod]
    #[pyo3(
        signature = (
            public_key, *, hash = "sha256", padding = None, salt_length = None, context = None,
            external_mu = false
        )
    )]
    fn verify(
        public_key: &Bound<'_, PyAny>,
        hash: &str,
        padding: Option<&str>,
        salt_length: Option<SaltLength>,
        context: Option<&Bound<'_, PyAny>>,
        external_mu: bool,
    ) -> PyResult<Session> {
        let manner = Manner { padding, salt_length, context, hedged: false, external_mu };
        sign::verifying(public_key, hash, manner).map(Session)
    }

    /// The algorithm: `sha256`, `aes-256-gcm`.
    #[getter]
    fn algorithm(&self) -> String {
        self.0.algorithm().to_string()
    }

    /// What a job does: `digest`, `seal`, `verify`.
    #[getter]
    fn direction(&self) -> &'static str {
        self.0.direction().name()
    }

    /// The provider that does the work.
    #[getter]
    fn provider(&self) -> String {
        self.0.provider().to_owned()
    }

    fn __repr__(&self) -> String {
        format!("<broadloom.Session: {} {}>", self.direction(), self.algorithm())
    }
}

fn cipher(key: &Bound<'_, PyAny>, algorithm: &str, encrypts: bool) -> PyResult<Session> {
    let Some(Algorithm::Cipher(cipher)) = engine::parse(algorithm) else {
        return Err(error::no_such("cipher", algorithm, CipherAlgorithm::all()));
    };
    engine::with_secrets(|| {
        let transform = Transform::cipher(cipher, &arguments::key(key)?);
        let transform = if encrypts { transform.encrypt() } else { transform.decrypt() };
        engine::open(&transform.map_err(error::value)?).map(Session)
    })
}

/// What goes through queues: the engine's job, which knows the object that Python has.
pub type Traveller = Box<EngineJob<'static, Py<Job>>>;

/// One buffer's work for a session.
///
/// A read-only object is read where it is, and must not change before the job is complete. An
/// object that can be written to is copied, so that it may change afterwards.
///
/// :param session: what is done.
/// :param data: a bytes-like object.
/// :param nonce: of an encryption.
/// :param associated: data of an AEAD that are authenticated and not encrypted.
/// :param signature: the one to verify.
/// :param user: anything; `job.user` gives it back.
#[pyclass(module = "broadloom", frozen)]
pub struct Job {
    /// It is dropped before the bytes that the engine's job reads.
    state: Mutex<TravelState>,
    /// The caller's own object, until the garbage collector takes it out of a cycle.
    user: Mutex<Option<Py<PyAny>>>,
    #[expect(dead_code, reason = "it is held, not read")]
    inputs: Vec<Buffers>,
}

enum TravelState {
    Ready(Box<EngineJob<'static>>),
    Travelling,
    Complete(Result<Output, JobError>),
}

enum Output {
    Bytes(Vec<u8>),
    /// A ciphertext, and the tag that belongs behind it.
    Sealed(Vec<u8>, Vec<u8>),
    Right(bool),
}

#[pymethods]
impl Job {
    #[new]
    #[pyo3(
        signature = (
            session, data, *, nonce = None, associated = None, signature = None, user = None
        ),
        text_signature = "(session, data, *, nonce=None, associated=None, signature=None, \
            user=None)"
    )]
    fn new(
        session: &Session,
        data: &Bound<'_, PyAny>,
        nonce: Option<Bound<'_, PyAny>>,
        associated: Option<Bound<'_, PyAny>>,
        signature: Option<Bound<'_, PyAny>>,
        user: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Job> {
        let session = session.0.clone();
        let (direction, tag_len) = (session.direction(), session.tag_len());
        let mut inputs = Inputs::default();
        let data = inputs.hold(data, "data")?;
        let job = match direction {
            Direction::Seal | Direction::Encrypt | Direction::Decrypt => {
                EngineJob::new(session, (data, room(data.len())?))
            }
            Direction::Open => {
                let Some(text_len) = data.len().checked_sub(tag_len) else {
                    return Err(PyValueError::new_err(format!(
                        "data has {} bytes, and its tag alone has {tag_len}",
                        data.len()
                    )));
                };
                let (text, tag) = data.split_at(text_len);
                EngineJob::new(session, (text, room(text_len)?)).expect_tag(tag)
            }
            _ => EngineJob::new(session, data),
        };
        let job = match nonce {
            Some(nonce) => job.nonce(Buffers::one(&nonce, "nonce")?.get(0)),
            None => job,
        };
        let job = match associated {
            Some(data) => job.associated(inputs.hold(&data, "associated")?),
            None => job,
        };
        let job = match signature {
            Some(signature) => job.signature(inputs.hold(&signature, "signature")?),
            None => job,
        };
        let state = Mutex::new(TravelState::Ready(Box::new(job)));
        Ok(Job { state, user: Mutex::new(user.map(Bound::unbind)), inputs: inputs.0 })
    }

    /// The caller's own object.
    #[getter]
    fn user(&self, py: Python<'_>) -> Py<PyAny> {
        let user = self.user.lock().unwrap_or_else(PoisonError::into_inner);
        user.as_ref().map_or_else(|| py.None(), |user| user.clone_ref(py))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Whoever holds the lock has the GIL, and does nothing that collects garbage.
        match self.user.try_lock() {
            Ok(user) => visit.call(&*user),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let user = self.user.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(user);
    }

    /// Whether it is complete.
    #[getter]
    fn done(&self) -> bool {
        matches!(*self.lock(), TravelState::Complete(_))
    }

    /// The result: a digest, a tag, a ciphertext with its tag, a plaintext, a signature, or whether
    /// a signature is right.
    ///
    /// :raises InvalidTag: the data or their tag were changed.
    /// :raises ValueError: the job needs something else, as the message says.
    /// :raises RuntimeError: the job is not complete, or a provider failed.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &*self.lock() {
            TravelState::Complete(Ok(Output::Bytes(bytes))) => {
                Ok(memory::bytes(py, bytes)?.into_any())
            }
            TravelState::Complete(Ok(Output::Sealed(text, tag))) => {
                let sealed = PyBytes::new_with(py, text.len() + tag.len(), |bytes| {
                    bytes[..text.len()].copy_from_slice(text);
                    bytes[text.len()..].copy_from_slice(tag);
                    Ok(())
                })?;
                Ok(sealed.into_any())
            }
            TravelState::Complete(Ok(Output::Right(right))) => {
                Ok(PyBool::new(py, *right).to_owned().into_any())
            }
            TravelState::Complete(Err(JobError::TagMismatch)) => {
                Err(error::invalid_tag(py, vec![(0, "data".to_owned())]))
            }
            TravelState::Complete(Err(failure)) => Err(error::job("data", *failure)),
            TravelState::Ready(_) | TravelState::Travelling => {
                Err(PyRuntimeError::new_err("the job is not complete"))
            }
        }
    }

    fn __repr__(&self) -> &'static str {
        match *self.lock() {
            TravelState::Ready(_) => "<broadloom.Job, ready>",
            TravelState::Travelling => "<broadloom.Job, in flight>",
            TravelState::Complete(_) => "<broadloom.Job, complete>",
        }
    }
}

impl Job {
    fn lock(&self) -> std::sync::MutexGuard<'_, TravelState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the engine's jobs out of Python's, for a queue that has room for so many.
    ///
    /// # Errors
    /// `TypeError` for an object that is no job, `ValueError` for one that was enqueued before.
    /// Then all jobs stay as they were.
    pub fn depart(jobs: &Bound<'_, PyAny>, room: usize) -> PyResult<Vec<Traveller>> {
        let mut travellers = Vec::new();
        for (index, object) in jobs.try_iter()?.take(room).enumerate() {
            let departed = object.and_then(|object| {
                let job = object.cast::<Job>().map_err(|_| {
                    PyTypeError::new_err(format!("jobs[{index}] is no broadloom.Job"))
                })?;
                let mut state = job.get().lock();
                match std::mem::replace(&mut *state, TravelState::Travelling) {
                    TravelState::Ready(engine) => Ok(Box::new(engine.user(job.clone().unbind()))),
                    other => {
                        *state = other;
                        let message = format!("jobs[{index}] was enqueued before; make another");
                        Err(PyValueError::new_err(message))
                    }
                }
            });
            match departed {
                Ok(traveller) => travellers.push(traveller),
                Err(error) => {
                    Job::stay(jobs.py(), travellers);
                    return Err(error);
                }
            }
        }
        Ok(travellers)
    }

    /// Gives jobs back that no queue took.
    pub fn stay(py: Python<'_>, travellers: Vec<Traveller>) {
        for traveller in travellers {
            let job = traveller.user_value().clone_ref(py);
            *job.bind(py).get().lock() = TravelState::Ready(Box::new(traveller.user(())));
        }
    }

    /// Python's jobs, with the results of the engine's.
    pub fn arrive(py: Python<'_>, travellers: Vec<Traveller>) -> Vec<Py<Job>> {
        let arrived = travellers.into_iter().map(|traveller| {
            let (output, job) = output(*traveller);
            *job.bind(py).get().lock() = TravelState::Complete(output);
            job
        });
        arrived.collect()
    }
}

/// What a job that is complete has made, and Python's job.
fn output(mut job: EngineJob<'static, Py<Job>>) -> (Result<Output, JobError>, Py<Job>) {
    let direction = job.session().direction();
    let made = match (job.status(), direction) {
        (None, _) => Err(JobError::NotDone),
        (Some(Err(JobError::SignatureMismatch)), _) => Ok(Output::Right(false)),
        (Some(Err(error)), _) => Err(error),
        (Some(Ok(())), Direction::Verify) => Ok(Output::Right(true)),
        (Some(Ok(())), Direction::Sign) => Ok(Output::Bytes(job.take_output())),
        (Some(Ok(())), _) => {
            let tag = job.tag().unwrap_or_default().to_vec();
            let (data, job) = job.into_parts();
            let made = match (data, direction) {
                (Data::OutOfPlace { destination: Buffer::Owned(text), .. }, Direction::Seal) => {
                    Output::Sealed(text, tag)
                }
                (Data::OutOfPlace { destination: Buffer::Owned(text), .. }, _) => {
                    Output::Bytes(text)
                }
                _ => Output::Bytes(tag),
            };
            return (Ok(made), job);
        }
    };
    (made, job.into_parts().1)
}

/// Zeros for what a job makes.
fn room(len: usize) -> PyResult<Vec<u8>> {
    memory::zeros(len).ok_or_else(|| memory::none_left(len))
}

/// The bytes that a job reads, which outlive it.
#[derive(Default)]
struct Inputs(Vec<Buffers>);

impl Inputs {
    /// Takes a buffer, and gives its bytes for as long as it is held.
    fn hold(&mut self, object: &Bound<'_, PyAny>, what: &str) -> PyResult<&'static [u8]> {
        let buffers = Buffers::one(object, what)?;
        let bytes: *const [u8] = buffers.get(0);
        self.0.push(buffers);
        // SAFETY: the bytes are an object's or on the heap, so that they stay in place when
        // `Buffers` moves. `Job` holds it, and outlives every reader: the engine's job is in the
        // `Job`, or travels with a reference to it, and gives the bytes to nobody else.
        Ok(unsafe { &*bytes })
    }
}

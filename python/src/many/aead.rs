//! Authenticated encryption of many buffers.

use std::ops::Range;

use broadloom::{AeadAlgorithm, Algorithm, Job, JobError, Session, Transform};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroize;

use crate::buffers::Buffers;
use crate::hashing::Room;
use crate::results::Wanted;
use crate::windows::{self, Failures, Lanes};
use crate::{arguments, engine, error, memory};

/// Encrypts many buffers under one key, and gives each ciphertext with its tag behind it.
///
/// :param key: as long as the algorithm needs: 16 bytes for `aes-128-gcm`, 32 for the others here.
/// :param nonces: one for each buffer. Under one key, no nonce may ever come twice.
/// :param algorithm: `aes-128-gcm`, `aes-256-gcm`, `aes-128-ccm`, `chacha20-poly1305`,
///     `xchacha20-poly1305` and others.
/// :param associated: data that are authenticated and not encrypted: the same for all buffers, or
///     an iterable with some for each.
/// :raises ValueError: a length is wrong, or there are not as many nonces as buffers.
///
/// The other parameters are those of `hash_many`.
///
/// >>> import broadloom, os
/// >>> key, nonces = os.urandom(32), [os.urandom(12), os.urandom(12)]
/// >>> sealed = broadloom.seal_many([b"warp", b"weft"], key, nonces, associated=b"header")
/// >>> [len(packet) for packet in sealed]
/// [20, 20]
/// >>> broadloom.open_many(sealed, key, nonces, associated=b"header")
/// [b'warp', b'weft']
#[pyfunction]
#[pyo3(
    signature = (
        buffers, key, nonces, algorithm = "aes-256-gcm", *, associated = None, threads = Some(1),
        result = None, out = None
    ),
    text_signature = "(buffers, key, nonces, algorithm='aes-256-gcm', *, associated=None, \
        threads=1, result=None, out=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are Python's, most of them by name")]
pub fn seal_many<'py>(
    buffers: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    algorithm: &str,
    associated: Option<Bound<'py, PyAny>>,
    threads: Option<isize>,
    result: Option<&str>,
    out: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = Wanted::new(buffers.py(), result, out)?;
    let threads = arguments::threads(threads)?;
    let session = session(algorithm, key, true)?;
    let arguments = Arguments::new(buffers, nonces, associated.as_ref())?;
    let raised = |failure: Failure| failure.raise(&buffer);
    arguments.with_packets(|packets| {
        let ends = packets.sealed_ends(&session).map_err(raised)?;
        wanted.fill_each(
            threads,
            ends,
            &|ends, range, room| {
                packets.seal_some((&session, threads), ends, range, room).map_err(raised)
            },
            &|failed| all_sealed(failed).map_err(raised),
        )
    })
}

/// Checks the tag of each of many buffers, and decrypts them. If one tag is wrong, nothing is
/// given.
///
/// The parameters are those of `seal_many`; the buffers are what it gives.
///
/// :raises InvalidTag: tags are wrong; its `indices` lists the places.
/// :raises ValueError: buffers are shorter than a tag, and `indices` lists the places; or another
///     length is wrong.
///
/// >>> import broadloom
/// >>> try:
/// ...     broadloom.open_many([bytes(20)], bytes(32), [bytes(12)])
/// ... except broadloom.InvalidTag as error:
/// ...     print(error, error.indices)
/// the tag of buffers[0] is wrong [0]
#[pyfunction]
#[pyo3(
    signature = (
        buffers, key, nonces, algorithm = "aes-256-gcm", *, associated = None, threads = Some(1),
        result = None, out = None
    ),
    text_signature = "(buffers, key, nonces, algorithm='aes-256-gcm', *, associated=None, \
        threads=1, result=None, out=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are Python's, most of them by name")]
pub fn open_many<'py>(
    buffers: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    nonces: &Bound<'py, PyAny>,
    algorithm: &str,
    associated: Option<Bound<'py, PyAny>>,
    threads: Option<isize>,
    result: Option<&str>,
    out: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = Wanted::new(buffers.py(), result, out)?;
    let threads = arguments::threads(threads)?;
    let session = session(algorithm, key, false)?;
    let arguments = Arguments::new(buffers, nonces, associated.as_ref())?;
    let raised = |failure: Failure| failure.raise(&buffer);
    arguments.with_packets(|packets| {
        let ends = packets.opened_ends(&session).map_err(raised)?;
        wanted.fill_each(
            threads,
            ends,
            &|ends, range, room| {
                packets.open_some((&session, threads), ends, range, room).map_err(raised)
            },
            &|failed| all_opened(failed).map_err(raised),
        )
    })
}

/// The place of a buffer, and its name.
fn buffer(index: usize) -> (usize, String) {
    (index, format!("buffers[{index}]"))
}

/// A session of an AEAD, which seals or opens.
///
/// # Errors
/// `ValueError` where there is no such AEAD, or the key has another length.
pub fn session(algorithm: &str, key: &Bound<'_, PyAny>, seals: bool) -> PyResult<Session> {
    let Some(Algorithm::Aead(aead)) = engine::parse(algorithm) else {
        return Err(error::no_such("AEAD", algorithm, AeadAlgorithm::all()));
    };
    engine::with_secrets(|| {
        let transform = Transform::aead(aead, &arguments::key(key)?);
        let transform = if seals { transform.seal() } else { transform.open() };
        engine::open(&transform.map_err(error::value)?)
    })
}

/// Associated data: none, the same for all buffers, or some for each.
enum Associated {
    None,
    Shared(Buffers),
    Each(Buffers),
}

/// The arguments of a call.
struct Arguments {
    buffers: Buffers,
    nonces: Buffers,
    associated: Associated,
}

impl Arguments {
    fn new(
        buffers: &Bound<'_, PyAny>,
        nonces: &Bound<'_, PyAny>,
        associated: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Arguments> {
        let buffers = Buffers::many(buffers, "buffers")?;
        let nonces = Buffers::many(nonces, "nonces")?;
        if nonces.len() != buffers.len() {
            return Err(error::count("nonces", nonces.len(), buffers.len()));
        }
        let associated = match associated {
            None => Associated::None,
            Some(object) => match Buffers::one(object, "associated") {
                Ok(shared) => Associated::Shared(shared),
                Err(_) => {
                    let each = Buffers::many(object, "associated")?;
                    if each.len() != buffers.len() {
                        return Err(error::count("associated data", each.len(), buffers.len()));
                    }
                    Associated::Each(each)
                }
            },
        };
        Ok(Arguments { buffers, nonces, associated })
    }

    fn associated(&self, index: usize) -> &[u8] {
        match &self.associated {
            Associated::None => &[],
            Associated::Shared(all) => all.get(0),
            Associated::Each(each) => each.get(index),
        }
    }

    /// Calls `work` with the packets that the arguments are.
    fn with_packets<R>(&self, work: impl FnOnce(&Packets<'_>) -> R) -> R {
        work(&Packets {
            count: self.buffers.len(),
            text: &|index| self.buffers.get(index),
            nonce: &|index| self.nonces.get(index),
            associated: &|index| self.associated(index),
            head: 0,
        })
    }
}

/// Texts to be sealed or opened, each with its nonce.
pub struct Packets<'p> {
    /// How many there are.
    pub count: usize,
    /// The plaintext, or the ciphertext with its tag behind it.
    pub text: &'p (dyn Fn(usize) -> &'p [u8] + Sync),
    /// The nonce.
    pub nonce: &'p (dyn Fn(usize) -> &'p [u8] + Sync),
    /// The associated data.
    pub associated: &'p (dyn Fn(usize) -> &'p [u8] + Sync),
    /// Bytes of the nonce, to stand before each ciphertext; 0 where the nonce is kept elsewhere.
    pub head: usize,
}

/// Texts one behind another, and where each ends.
type Texts = (Vec<u8>, Vec<usize>);

/// Why packets were not sealed or opened.
pub enum Failure {
    /// There is no memory for so many bytes.
    Memory(usize),
    /// The tags in these places are wrong.
    Tags(Vec<usize>),
    /// These are shorter than a tag, which has so many bytes.
    Short(Vec<usize>, usize),
    /// Something else, of the first job that failed.
    Job(usize, JobError),
    /// A signal came, and its handler raised this.
    Signal(PyErr),
}

/// The longest tag of an AEAD, in bytes.
const LONGEST_TAG: usize = 16;

impl<'p> Packets<'p> {
    /// Returns where each ciphertext with its tag ends.
    fn sealed_ends(&self, session: &Session) -> Result<Vec<usize>, Failure> {
        let more = self.head + session.tag_len();
        running_total((0..self.count).map(|index| (self.text)(index).len() + more))
    }

    /// Returns where each plaintext ends.
    fn opened_ends(&self, session: &Session) -> Result<Vec<usize>, Failure> {
        let (tag_len, len) = (session.tag_len(), |index| (self.text)(index).len());
        let short: Vec<_> = (0..self.count).filter(|&index| len(index) < tag_len).collect();
        match short.is_empty() {
            true => running_total((0..self.count).map(|index| len(index) - tag_len)),
            false => Err(Failure::Short(short, tag_len)),
        }
    }

    /// Returns every ciphertext, with its tag behind it.
    ///
    /// # Errors
    /// That of the first job that failed, or there is no memory.
    pub fn seal(&self, session: &Session, threads: usize) -> Result<Texts, Failure> {
        let ends = self.sealed_ends(session)?;
        let mut bytes = room(&ends)?;
        all_sealed(self.seal_some(
            (session, threads),
            &ends,
            0..self.count,
            Room::Packed(&mut bytes),
        )?)?;
        Ok((bytes, ends))
    }

    /// Writes some of the ciphertexts, each with its tag behind it, and returns which failed.
    ///
    /// # Errors
    /// [`Failure::Signal`].
    fn seal_some<'a>(
        &'a self,
        (session, threads): (&'a Session, usize),
        ends: &[usize],
        range: Range<usize>,
        room: Room<'a, '_>,
    ) -> Result<Failures, Failure> {
        let head = self.head;
        let make = |index, sealed: &'a mut [u8]| {
            let (text, nonce) = ((self.text)(index), (self.nonce)(index));
            let (before, sealed) = sealed.split_at_mut(head);
            before.copy_from_slice(&nonce[..head]);
            let (ciphertext, tag) = sealed.split_at_mut(text.len());
            Job::new(session, (text, ciphertext))
                .nonce(nonce)
                .associated((self.associated)(index))
                .user(tag)
        };
        let done = |job: &mut Job<'a, &'a mut [u8]>| {
            let mut copy = [0; LONGEST_TAG];
            if let Some(tag) = job.tag() {
                copy[..tag.len()].copy_from_slice(tag);
            }
            let place = job.user_value_mut();
            place.copy_from_slice(&copy[..place.len()]);
        };
        self.each((range, threads), ends, room, &make, &done)
    }

    /// Returns every plaintext.
    ///
    /// # Errors
    /// [`Failure`]: then there is no plaintext at all.
    pub fn open(&self, session: &Session, threads: usize) -> Result<Texts, Failure> {
        let ends = self.opened_ends(session)?;
        let mut bytes = room(&ends)?;
        let failed =
            self.open_some((session, threads), &ends, 0..self.count, Room::Packed(&mut bytes));
        if let Err(failure) = failed.and_then(all_opened) {
            // What was opened beside packets that were not goes nowhere.
            bytes.zeroize();
            return Err(failure);
        }
        Ok((bytes, ends))
    }

    /// Writes some of the plaintexts, and returns which failed.
    ///
    /// # Errors
    /// [`Failure::Signal`].
    fn open_some<'a>(
        &'a self,
        (session, threads): (&'a Session, usize),
        ends: &[usize],
        range: Range<usize>,
        room: Room<'a, '_>,
    ) -> Result<Failures, Failure> {
        let make = |index, plain: &'a mut [u8]| {
            let (ciphertext, tag) = (self.text)(index).split_at(plain.len());
            Job::new(session, (ciphertext, plain))
                .nonce((self.nonce)(index))
                .associated((self.associated)(index))
                .expect_tag(tag)
        };
        self.each((range, threads), ends, room, &make, &|_| ())
    }

    /// Makes a job for each of some packets, brings the jobs to their end, and returns which
    /// failed.
    ///
    /// # Errors
    /// [`Failure::Signal`].
    fn each<'a, T>(
        &'a self,
        (range, threads): (Range<usize>, usize),
        ends: &[usize],
        room: Room<'a, '_>,
        make: &(dyn Fn(usize, &'a mut [u8]) -> Job<'a, T> + Sync),
        done: &(dyn Fn(&mut Job<'a, T>) + Sync),
    ) -> Result<Failures, Failure> {
        let first = range.start;
        let start = first.checked_sub(1).map_or(0, |before| ends[before]);
        let much = (range.len(), threads);
        let size =
            |some: Range<usize>| some.map(|index| (self.text)(first + index).len()).sum::<usize>();
        let failed = match room {
            Room::Packed(bytes) => windows::process(
                Lanes::Kept,
                much,
                bytes,
                &size,
                &|index| ends[first + index] - start,
                &|index, own| make(first + index, own),
                done,
            ),
            Room::Apart(places) => windows::process(
                Lanes::Kept,
                much,
                places,
                &size,
                &|index| index + 1,
                &|index, own| make(first + index, &mut *own[0]),
                done,
            ),
        };
        let failed = failed.map_err(Failure::Signal)?;
        Ok(failed.into_iter().map(|(index, error)| (first + index, error)).collect())
    }
}

/// Judges which packets were not sealed.
///
/// # Errors
/// That of the first, if there is one.
fn all_sealed(failed: Failures) -> Result<(), Failure> {
    failed.first().map_or(Ok(()), |&(index, error)| Err(Failure::Job(index, error)))
}

/// Judges which packets were not opened.
///
/// # Errors
/// The places of all whose tags are wrong, or what else was wrong with the first.
fn all_opened(failed: Failures) -> Result<(), Failure> {
    let other = failed.iter().find(|(_, error)| *error != JobError::TagMismatch);
    match other {
        Some(&(index, error)) => Err(Failure::Job(index, error)),
        None if failed.is_empty() => Ok(()),
        None => Err(Failure::Tags(failed.into_iter().map(|(index, _)| index).collect())),
    }
}

impl Failure {
    /// The exception. `name` names the place of a text, for a message.
    pub fn raise(self, name: &dyn Fn(usize) -> (usize, String)) -> PyErr {
        match self {
            Failure::Memory(len) => memory::none_left(len),
            Failure::Tags(places) => {
                Python::attach(|py| error::invalid_tag(py, places.into_iter().map(name).collect()))
            }
            Failure::Short(places, tag_len) => {
                let named: Vec<_> = places.into_iter().map(name).collect();
                let message =
                    format!("{} is shorter than its tag, which has {tag_len} bytes", named[0].1);
                let places = named.into_iter().map(|(place, _)| place).collect();
                Python::attach(|py| error::with_indices(py, PyValueError::new_err(message), places))
            }
            Failure::Job(index, error) => error::job(&name(index).1, error),
            Failure::Signal(error) => error,
        }
    }
}

/// Zeros for texts that end there.
fn room(ends: &[usize]) -> Result<Vec<u8>, Failure> {
    let len = ends.last().copied().unwrap_or(0);
    memory::zeros(len).ok_or(Failure::Memory(len))
}

/// Where each of several lengths ends, one behind another.
fn running_total(lens: impl ExactSizeIterator<Item = usize>) -> Result<Vec<usize>, Failure> {
    let mut end = 0;
    let ends = lens.map(|len| {
        end += len;
        end
    });
    let len = ends.len() * size_of::<usize>();
    memory::collect(ends).map_err(|_| Failure::Memory(len))
}

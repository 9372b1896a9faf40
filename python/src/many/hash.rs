//! Digests and HMACs of many buffers.

use broadloom::algorithm::MAX_TAG;
use broadloom::{Job, JobError, MacAlgorithm, Session, Transform};
use pyo3::prelude::*;

use crate::buffers::Buffers;
use crate::results::{Records, Wanted};
use crate::{arguments, engine, error, windows};

/// The digests of many buffers, in their order.
///
/// :param buffers: bytes-like objects; or an array of two dimensions, whose rows are the buffers.
/// :param algorithm: `md5`, `sha1`, `sha224` to `sha512`, `sha3-224` to `sha3-512`, `shake128` (32
///     bytes), `shake256` (64 bytes).
/// :param threads: how many work; `None` is one for each core.
/// :param result: `"bytes"` (a list), `"numpy"` (one array) or `"arrow"`.
/// :param out: a buffer to write all digests into, one behind another.
/// :raises TypeError: an object is not bytes-like.
/// :raises BufferError: an object is not in one piece.
/// :raises ValueError: another value is wrong.
///
/// >>> import broadloom
/// >>> [digest.hex()[:8] for digest in broadloom.hash_many([b"", b"abc"], "sha1")]
/// ['da39a3ee', 'a9993e36']
/// >>> out = bytearray(2 * 32)
/// >>> broadloom.hash_many([b"", b"abc"], out=out) is out
/// True
#[pyfunction]
#[pyo3(
    signature = (buffers, algorithm = "sha256", *, threads = Some(1), result = None, out = None),
    text_signature = "(buffers, algorithm='sha256', *, threads=1, result=None, out=None)"
)]
pub fn hash_many<'py>(
    buffers: &Bound<'py, PyAny>,
    algorithm: &str,
    threads: Option<isize>,
    result: Option<&str>,
    out: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = Wanted::new(buffers.py(), result, out)?;
    let threads = arguments::threads(threads)?;
    let session = engine::hash_session(algorithm)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    digests(&session, &buffers, threads, wanted)
}

/// The HMACs (RFC 2104) of many buffers under one key, in their order.
///
/// :param key: a bytes-like object of any length.
///
/// The other parameters and the errors are those of `hash_many`. Compare HMACs with
/// `hmac.compare_digest`.
///
/// >>> import broadloom
/// >>> [tag] = broadloom.hmac_many([b"message"], b"key", "sha256")
/// >>> tag.hex()[:16]
/// '6e9ef29b75fffc5b'
#[pyfunction]
#[pyo3(
    signature = (buffers, key, algorithm = "sha256", *, threads = Some(1), result = None, out = None),
    text_signature = "(buffers, key, algorithm='sha256', *, threads=1, result=None, out=None)"
)]
pub fn hmac_many<'py>(
    buffers: &Bound<'py, PyAny>,
    key: &Bound<'py, PyAny>,
    algorithm: &str,
    threads: Option<isize>,
    result: Option<&str>,
    out: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let wanted = Wanted::new(buffers.py(), result, out)?;
    let threads = arguments::threads(threads)?;
    let session = hmac_session(algorithm, key)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    digests(&session, &buffers, threads, wanted)
}

/// A session of an HMAC.
///
/// # Errors
/// `ValueError` where there is no such hash, or no HMAC over it.
pub fn hmac_session(algorithm: &str, key: &Bound<'_, PyAny>) -> PyResult<Session> {
    let key = arguments::key(key)?;
    let mac = MacAlgorithm::Hmac(engine::hash(algorithm)?);
    engine::open(&Transform::mac(mac, &key).generate().map_err(error::value)?)
}

fn digests<'py>(
    session: &Session,
    buffers: &Buffers,
    threads: usize,
    wanted: Wanted<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (count, len) = (buffers.len(), session.tag_len());
    wanted.check_room(count * len)?;
    let digests =
        wanted.py().detach(|| digest_all(session, (count, threads), &|index| buffers.get(index)));
    match digests {
        Ok(bytes) => wanted.give(Records::Fixed { bytes, len, count }),
        Err((index, error)) => Err(error::job(&format!("buffers[{index}]"), error)),
    }
}

/// The digests or tags of many messages, one behind another.
///
/// # Errors
/// That of the first job that failed.
pub fn digest_all<'a>(
    session: &'a Session,
    (count, threads): (usize, usize),
    message: &(dyn Fn(usize) -> &'a [u8] + Sync),
) -> Result<Vec<u8>, (usize, JobError)> {
    let len = session.tag_len();
    let mut digests = vec![0; count * len];
    let failed = windows::process(
        (count, threads),
        &mut digests,
        &|index| message(index).len(),
        &|index| (index + 1) * len,
        &|index, digest| Job::new(session, message(index)).user(digest),
        &|job| {
            let mut digest = [0; MAX_TAG];
            digest[..len].copy_from_slice(job.tag().expect("the job succeeded"));
            job.user_value_mut().copy_from_slice(&digest[..len]);
        },
    );
    match failed.first() {
        Some(&failed) => Err(failed),
        None => Ok(digests),
    }
}

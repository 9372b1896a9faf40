//! Digests and HMACs of many buffers.

use broadloom::{MacAlgorithm, Session, Transform};
use pyo3::prelude::*;

use crate::buffers::Buffers;
use crate::hashing::Hashing;
use crate::results::Wanted;
use crate::{arguments, engine, error};

/// The digests of many buffers, in their order.
///
/// :param buffers: bytes-like objects; or an array of two dimensions, whose rows are the buffers.
/// :param algorithm: `md5`, `sha1`, `sha224` to `sha512`, `sm3`, `sha3-224` to `sha3-512`,
///     `shake128` (32 bytes), `shake256` (64 bytes), `blake3` (32 bytes).
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
    let hashing = Hashing::hash(algorithm)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    give(&hashing, &buffers, threads, wanted)
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
    signature = (
        buffers, key, algorithm = "sha256", *, threads = Some(1), result = None, out = None
    ),
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
    let hashing = Hashing::hmac(algorithm, key)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    give(&hashing, &buffers, threads, wanted)
}

/// A session of an HMAC.
///
/// # Errors
/// `ValueError` where there is no such hash, or no HMAC over it.
pub fn hmac_session(algorithm: &str, key: &Bound<'_, PyAny>) -> PyResult<Session> {
    let mac = MacAlgorithm::Hmac(engine::hash(algorithm)?);
    engine::with_secrets(|| {
        let key = arguments::key(key)?;
        engine::open(&Transform::mac(mac, &key).generate().map_err(error::value)?)
    })
}

fn give<'py>(
    hashing: &Hashing,
    buffers: &Buffers,
    threads: usize,
    wanted: Wanted<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let (count, len) = (buffers.len(), hashing.digest_len());
    wanted.check_room(count * len)?;
    wanted
        .fill((count, threads), len, &|range, room| hashing.digests(buffers, range, threads, room))
}

//! Signatures of many buffers.

use broadloom::public_key::{Padding, PrivateKey, PublicKey, PublicKeyAlgorithm, Scheme};
use broadloom::{HashAlgorithm, Job, JobError, Session, Transform};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::results::{Records, Wanted};
use crate::{arguments, engine, error, windows};

/// The signatures of many buffers under one private key.
///
/// :param private_key: PEM (`str` or bytes) or DER (PKCS #8), not encrypted: RSA, P-256 or Ed25519.
/// :param hash: the hash of the messages; Ed25519 has its own.
/// :param padding: for RSA, `pkcs1v15` (the default) or `pss`, with a salt as long as the digest.
/// :raises ValueError: the key or the padding is wrong, or no provider has the algorithm. The
///     curves need libcrypto of OpenSSL 3.
///
/// The other parameters are those of `hash_many`. An ECDSA signature is in DER.
///
/// >>> import broadloom
/// >>> key = bytes.fromhex("302e020100300506032b657004220420" + 32 * "07")  # Ed25519 in PKCS #8
/// >>> [len(signature) for signature in broadloom.sign_many([b"warp", b"weft"], key)]
/// [64, 64]
#[pyfunction]
#[pyo3(
    signature = (
        buffers, private_key, *, hash = "sha256", padding = None, threads = Some(1), result = None
    ),
    text_signature = "(buffers, private_key, *, hash='sha256', padding=None, threads=1, \
        result=None)"
)]
pub fn sign_many<'py>(
    buffers: &Bound<'py, PyAny>,
    private_key: &Bound<'py, PyAny>,
    hash: &str,
    padding: Option<&str>,
    threads: Option<isize>,
    result: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = buffers.py();
    let wanted = Wanted::new(py, result, None)?;
    let threads = arguments::threads(threads)?;
    let session = signing(private_key, hash, padding)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    let mut signatures = vec![Vec::new(); buffers.len()];
    let failed = py.detach(|| {
        windows::process(
            (buffers.len(), threads),
            &mut signatures,
            &|some| some.len() * SIGNATURE_COST,
            &|index| index + 1,
            &|index, signature| Job::new(&session, buffers.get(index)).user(signature),
            &|job| {
                let signature = job.take_output();
                job.user_value_mut()[0] = signature;
            },
        )
    });
    match failed.first() {
        Some(&(index, error)) => Err(error::job(&format!("buffers[{index}]"), error)),
        None => wanted.give(Records::Apart(signatures)),
    }
}

/// Says of each of many buffers whether its signature is right.
///
/// :param signatures: one for each buffer.
/// :param public_key: PEM (`str` or bytes) or DER (SubjectPublicKeyInfo).
///
/// The other parameters and the errors are those of `sign_many`.
///
/// >>> import broadloom
/// >>> key = bytes.fromhex("302a300506032b6570032100" + 32 * "d7")
/// >>> broadloom.verify_many([b"warp", b"weft"], [bytes(64), b""], key)
/// [False, False]
#[pyfunction]
#[pyo3(
    signature = (
        buffers, signatures, public_key, *, hash = "sha256", padding = None, threads = Some(1)
    ),
    text_signature = "(buffers, signatures, public_key, *, hash='sha256', padding=None, threads=1)"
)]
pub fn verify_many(
    buffers: &Bound<'_, PyAny>,
    signatures: &Bound<'_, PyAny>,
    public_key: &Bound<'_, PyAny>,
    hash: &str,
    padding: Option<&str>,
    threads: Option<isize>,
) -> PyResult<Vec<bool>> {
    let py = buffers.py();
    let threads = arguments::threads(threads)?;
    let session = verifying(public_key, hash, padding)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    let signatures = Buffers::many(signatures, "signatures")?;
    if signatures.len() != buffers.len() {
        return Err(error::count("signatures", signatures.len(), buffers.len()));
    }
    let mut right = vec![true; buffers.len()];
    let failed = py.detach(|| {
        windows::process(
            (buffers.len(), threads),
            &mut right,
            &|some| some.len() * SIGNATURE_COST,
            &|index| index + 1,
            &|index, _| Job::new(&session, buffers.get(index)).signature(signatures.get(index)),
            &|_| (),
        )
    });
    for (index, error) in failed {
        match error {
            JobError::SignatureMismatch => right[index] = false,
            error => return Err(error::job(&format!("buffers[{index}]"), error)),
        }
    }
    Ok(right)
}

/// A session that signs.
///
/// # Errors
/// `ValueError` where the key or the padding is wrong, or no provider has the algorithm.
pub fn signing(
    private_key: &Bound<'_, PyAny>,
    hash: &str,
    padding: Option<&str>,
) -> PyResult<Session> {
    let key = read_key(private_key, PrivateKey::from_pem, PrivateKey::from_der)?;
    let Some(algorithm) = key.signature_algorithm() else {
        return Err(PyValueError::new_err("X25519 keys agree on secrets and sign nothing"));
    };
    let scheme = scheme(algorithm, engine::hash(hash)?, padding)?;
    engine::open(&Transform::sign(&key, scheme).map_err(error::value)?)
}

/// A session that verifies signatures.
///
/// # Errors
/// As [`signing`].
pub fn verifying(
    public_key: &Bound<'_, PyAny>,
    hash: &str,
    padding: Option<&str>,
) -> PyResult<Session> {
    let key = read_key(public_key, PublicKey::from_pem, PublicKey::from_der)?;
    let scheme = scheme(key.signature_algorithm(), engine::hash(hash)?, padding)?;
    engine::open(&Transform::verify(&key, scheme).map_err(error::value)?)
}

/// What a signature costs beside the bytes of its message, in bytes that could be hashed in that
/// time, so that a few signatures are shared out among threads.
const SIGNATURE_COST: usize = 64 << 10;

/// A key from PEM (`str` or bytes-like) or DER (bytes-like).
fn read_key<K, E: std::fmt::Display>(
    object: &Bound<'_, PyAny>,
    from_pem: impl Fn(&str) -> Result<K, E>,
    from_der: impl Fn(&[u8]) -> Result<K, E>,
) -> PyResult<K> {
    let bytes = match object.cast::<PyString>() {
        Ok(text) => Zeroizing::new(text.to_str()?.as_bytes().to_vec()),
        Err(_) => arguments::key(object)?,
    };
    match std::str::from_utf8(&bytes) {
        Ok(text) if text.contains("-----BEGIN ") => from_pem(text).map_err(error::value),
        _ => from_der(&bytes).map_err(error::value),
    }
}

/// The hash, and the padding of RSA: PKCS #1 v1.5 unless another is asked for.
fn scheme(
    algorithm: PublicKeyAlgorithm,
    hash: HashAlgorithm,
    padding: Option<&str>,
) -> PyResult<Scheme> {
    let scheme = Scheme::new(hash);
    match (algorithm, padding) {
        (_, None) => Ok(scheme),
        (PublicKeyAlgorithm::Rsa(_), Some("pkcs1v15")) => Ok(scheme.padding(Padding::Pkcs1v15)),
        (PublicKeyAlgorithm::Rsa(_), Some("pss")) => {
            Ok(scheme.padding(Padding::Pss { salt_len: hash.digest_len() }))
        }
        (PublicKeyAlgorithm::Rsa(_), Some(other)) => {
            Err(error::no_such("padding", other, ["pkcs1v15", "pss"].into_iter()))
        }
        (algorithm, Some(other)) => Err(PyValueError::new_err(format!(
            "padding is {other:?}, and {algorithm} has none; leave it out"
        ))),
    }
}

//! Signatures of many buffers.

use broadloom::public_key::{Padding, PrivateKey, PublicKey, PublicKeyAlgorithm, Scheme};
use broadloom::{HashAlgorithm, Job, JobError, Session, Transform};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::results::{Records, Wanted};
use crate::windows::{self, Lanes};
use crate::{arguments, buffers, engine, error, memory};

/// The signatures of many buffers under one private key.
///
/// :param private_key: PEM (`str` or bytes) or DER (PKCS #8), not encrypted: RSA, P-256, P-384,
///     P-521, secp256k1, Ed25519, ML-DSA or SLH-DSA.
/// :param hash: the hash of the messages; Ed25519, ML-DSA and SLH-DSA have their own.
/// :param padding: for RSA, `pkcs1v15` (the default) or `pss`.
/// :param salt_length: bytes of the salt of PSS, `"digest"` (as many as the digest has, the
///     default) or `"max"` (as many as there is room for).
/// :param context: for ML-DSA and SLH-DSA, up to 255 bytes that name a use of the key: a signature
///     is right only under the context that it was made under.
/// :param hedged: for ML-DSA, SLH-DSA and ECDSA, signatures with fresh randomness; otherwise, those
///     of ML-DSA and SLH-DSA are deterministic.
/// :param external_mu: for ML-DSA, each buffer is mu in place of a message: 64 bytes that are
///     hashed of the public key, the context and the message (FIPS 204, algorithm 7, line 6). The
///     signature is that of the message. There is no `context` then.
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
        buffers, private_key, *, hash = "sha256", padding = None, salt_length = None,
        context = None, hedged = false, external_mu = false, threads = Some(1), result = None
    ),
    text_signature = "(buffers, private_key, *, hash='sha256', padding=None, salt_length=None, \
        context=None, hedged=False, external_mu=False, threads=1, result=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are Python's, most of them by name")]
pub fn sign_many<'py>(
    buffers: &Bound<'py, PyAny>,
    private_key: &Bound<'py, PyAny>,
    hash: &str,
    padding: Option<&str>,
    salt_length: Option<SaltLength>,
    context: Option<&Bound<'py, PyAny>>,
    hedged: bool,
    external_mu: bool,
    threads: Option<isize>,
    result: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = buffers.py();
    let wanted = Wanted::new(py, result, None)?;
    let threads = arguments::threads(threads)?;
    let manner = Manner { padding, salt_length, context, hedged, external_mu };
    let session = signing(private_key, hash, manner)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    let mut signatures = memory::collect((0..buffers.len()).map(|_| Vec::new()))?;
    let failed = py.detach(|| {
        windows::process(
            Lanes::New,
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
    })?;
    match failed.first() {
        Some(&(index, error)) => Err(error::job(&format!("buffers[{index}]"), error)),
        None => wanted.give(Records::Apart(signatures)),
    }
}

/// Says of each of many buffers whether its signature is right.
///
/// :param signatures: one for each buffer.
/// :param public_key: PEM (`str` or bytes) or DER (SubjectPublicKeyInfo).
/// :param salt_length: as of `sign_many`. Without it, a salt of either length is right.
/// :param context: the one that the signatures were made under.
/// :param external_mu: as of `sign_many`.
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
        buffers, signatures, public_key, *, hash = "sha256", padding = None, salt_length = None,
        context = None, external_mu = false, threads = Some(1)
    ),
    text_signature = "(buffers, signatures, public_key, *, hash='sha256', padding=None, \
        salt_length=None, context=None, external_mu=False, threads=1)"
)]
#[expect(clippy::too_many_arguments, reason = "they are Python's, most of them by name")]
pub fn verify_many(
    buffers: &Bound<'_, PyAny>,
    signatures: &Bound<'_, PyAny>,
    public_key: &Bound<'_, PyAny>,
    hash: &str,
    padding: Option<&str>,
    salt_length: Option<SaltLength>,
    context: Option<&Bound<'_, PyAny>>,
    external_mu: bool,
    threads: Option<isize>,
) -> PyResult<Vec<bool>> {
    let py = buffers.py();
    let threads = arguments::threads(threads)?;
    let manner = Manner { padding, salt_length, context, hedged: false, external_mu };
    let session = verifying(public_key, hash, manner)?;
    let buffers = Buffers::many(buffers, "buffers")?;
    let signatures = Buffers::many(signatures, "signatures")?;
    if signatures.len() != buffers.len() {
        return Err(error::count("signatures", signatures.len(), buffers.len()));
    }
    let mut right = memory::collect((0..buffers.len()).map(|_| true))?;
    let all = memory::collect(0..buffers.len())?;
    let wrong = mismatches(py, &session, &buffers, &signatures, &all, threads)?;
    let wrong = match (padding, salt_length) {
        // Other programs take the longest salt, unless they are told otherwise.
        (Some("pss"), None) if !wrong.is_empty() => {
            let longest = Manner { salt_length: Some(SaltLength::Longest), ..manner };
            let session = verifying(public_key, hash, longest)?;
            mismatches(py, &session, &buffers, &signatures, &wrong, threads)?
        }
        _ => wrong,
    };
    wrong.into_iter().for_each(|index| right[index] = false);
    Ok(right)
}

/// Those of the buffers in some places whose signatures are wrong.
fn mismatches(
    py: Python<'_>,
    session: &Session,
    buffers: &Buffers,
    signatures: &Buffers,
    places: &[usize],
    threads: usize,
) -> PyResult<Vec<usize>> {
    let mut nothing = vec![(); places.len()];
    let failed = py.detach(|| {
        windows::process(
            Lanes::Kept,
            (places.len(), threads),
            &mut nothing,
            &|some| some.len() * SIGNATURE_COST,
            &|index| index + 1,
            &|index, _| {
                let place = places[index];
                Job::new(session, buffers.get(place)).signature(signatures.get(place))
            },
            &|_| (),
        )
    })?;
    let wrong = failed.into_iter().map(|(index, error)| match error {
        JobError::SignatureMismatch => Ok(places[index]),
        error => Err(error::job(&format!("buffers[{}]", places[index]), error)),
    });
    wrong.collect()
}

/// Bytes of the salt of PSS.
#[derive(Clone, Copy)]
pub enum SaltLength {
    /// As many as the digest has.
    Digest,
    /// As many as there is room for.
    Longest,
    /// So many.
    Bytes(usize),
}

impl<'py> FromPyObject<'_, 'py> for SaltLength {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<SaltLength> {
        if let Ok(len) = object.extract::<usize>() {
            return Ok(SaltLength::Bytes(len));
        }
        match object.extract::<String>().as_deref() {
            Ok("digest") => Ok(SaltLength::Digest),
            Ok("max") => Ok(SaltLength::Longest),
            _ => Err(PyValueError::new_err(format!(
                "salt_length is {}; valid: a number of bytes, 'digest' or 'max'",
                object.repr()?
            ))),
        }
    }
}

/// How messages become signatures, beside the hash, as it was given.
#[derive(Clone, Copy)]
pub struct Manner<'n, 'py> {
    /// The name of a padding.
    pub padding: Option<&'n str>,
    /// The length of its salt.
    pub salt_length: Option<SaltLength>,
    /// The context string.
    pub context: Option<&'n Bound<'py, PyAny>>,
    /// `true` for signatures with fresh randomness.
    pub hedged: bool,
    /// `true` where mu of ML-DSA is given in place of messages.
    pub external_mu: bool,
}

impl Manner<'_, '_> {
    /// Puts a transform under the context string, if there is one.
    fn under_context(&self, transform: Transform) -> PyResult<Transform> {
        match self.context {
            Some(context) => {
                let context = buffers::secret(context, "context")?;
                transform.context(&context).map_err(error::value)
            }
            None => Ok(transform),
        }
    }
}

/// A session that signs.
///
/// # Errors
/// `ValueError` where the key or the padding is wrong, or no provider has the algorithm.
pub fn signing(
    private_key: &Bound<'_, PyAny>,
    hash: &str,
    manner: Manner<'_, '_>,
) -> PyResult<Session> {
    engine::with_secrets(|| {
        let key = read_key(private_key, PrivateKey::from_pem, PrivateKey::from_der)?;
        let Some(algorithm) = key.signature_algorithm() else {
            return Err(PyValueError::new_err(format!(
                "private_key is {key:?}, which signs nothing"
            )));
        };
        let scheme = scheme(algorithm, engine::hash(hash)?, manner)?;
        let transform = Transform::sign(&key, scheme).map_err(error::value)?;
        engine::open(&manner.under_context(transform)?)
    })
}

/// A session that verifies signatures.
///
/// # Errors
/// As [`signing`].
pub fn verifying(
    public_key: &Bound<'_, PyAny>,
    hash: &str,
    manner: Manner<'_, '_>,
) -> PyResult<Session> {
    let key = read_key(public_key, PublicKey::from_pem, PublicKey::from_der)?;
    let scheme = scheme(key.signature_algorithm(), engine::hash(hash)?, manner)?;
    let transform = Transform::verify(&key, scheme).map_err(error::value)?;
    engine::open(&manner.under_context(transform)?)
}

/// What a signature costs beside the bytes of its message, in bytes that could be hashed in that
/// time, so that a few signatures are shared out among threads.
const SIGNATURE_COST: usize = 64 << 10;

/// A key from PEM (`str` or bytes-like) or DER (bytes-like).
pub fn read_key<K, E: std::fmt::Display>(
    object: &Bound<'_, PyAny>,
    from_pem: impl Fn(&str) -> Result<K, E>,
    from_der: impl Fn(&[u8]) -> Result<K, E>,
) -> PyResult<K> {
    let bytes = match object.cast::<PyString>() {
        Ok(text) => Zeroizing::new(memory::copy(text.to_str()?.as_bytes())?),
        Err(_) => arguments::key(object)?,
    };
    match std::str::from_utf8(&bytes) {
        Ok(text) if text.contains("-----BEGIN ") => from_pem(text).map_err(error::value),
        _ => from_der(&bytes).map_err(error::value),
    }
}

/// The hash, the padding of RSA (PKCS #1 v1.5 unless another is asked for), and randomness.
fn scheme(
    algorithm: PublicKeyAlgorithm,
    hash: HashAlgorithm,
    Manner { padding, salt_length, hedged, external_mu, .. }: Manner<'_, '_>,
) -> PyResult<Scheme> {
    let scheme = if hedged { Scheme::new(hash).hedged() } else { Scheme::new(hash) };
    let scheme = if external_mu { scheme.external_mu() } else { scheme };
    if salt_length.is_some() && padding != Some("pss") {
        return Err(PyValueError::new_err(
            "salt_length is given, and only padding='pss' has a salt",
        ));
    }
    match (algorithm, padding) {
        (_, None) => Ok(scheme),
        (PublicKeyAlgorithm::Rsa(_), Some("pkcs1v15")) => Ok(scheme.padding(Padding::Pkcs1v15)),
        (PublicKeyAlgorithm::Rsa(size), Some("pss")) => {
            let salt_len = match salt_length.unwrap_or(SaltLength::Digest) {
                SaltLength::Digest => hash.digest_len(),
                SaltLength::Longest => size.modulus_len().saturating_sub(hash.digest_len() + 2),
                SaltLength::Bytes(len) => len,
            };
            Ok(scheme.padding(Padding::Pss { salt_len }))
        }
        (PublicKeyAlgorithm::Rsa(_), Some(other)) => {
            Err(error::no_such("padding", other, ["pkcs1v15", "pss"].into_iter()))
        }
        (algorithm, Some(other)) => Err(PyValueError::new_err(format!(
            "padding is {other:?}, and {algorithm} has none; leave it out"
        ))),
    }
}

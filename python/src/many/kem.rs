//! Key encapsulation for many peers.

use broadloom::public_key::{Kem, KeyError, PrivateKey};
use broadloom::{Algorithm, Direction, Job, Session, Transform};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use zeroize::Zeroizing;

use super::sign::read_key;
use crate::buffers::Buffers;
use crate::windows::{self, Lanes};
use crate::{arguments, engine, error, memory};

/// Generates keys of ML-KEM or of its hybrids, or encapsulates or decapsulates secrets, for many
/// peers.
///
/// :param buffers: to `generate`, seeds of 64 bytes, of a hybrid of 96, or `b""` for a random one;
///     to `encapsulate`, encapsulation keys, with or without 32 random bytes behind each, of a
///     hybrid 64, which must be secret; to `decapsulate`, ciphertexts.
/// :param algorithm: `ml-kem-512`, `ml-kem-768` or `ml-kem-1024`; or a hybrid, whose shares and
///     secrets are those of TLS 1.3: `x25519-ml-kem-768` or `p256-ml-kem-768`.
/// :param direction: `generate`, `encapsulate` or `decapsulate`.
/// :param private_key: to decapsulate, a seed, an expanded decapsulation key, or, but for hybrids,
///     PEM (`str` or bytes) or DER (PKCS #8), not encrypted.
/// :returns: a list: to `generate`, of pairs of the expanded decapsulation key and the
///     encapsulation key; to `encapsulate`, of pairs of the ciphertext and the secret; to
///     `decapsulate`, of secrets. A wrong ciphertext has a secret, too, which nobody else knows.
/// :raises ValueError: a name, a key or the length of a buffer is wrong.
///
/// The other parameters are those of `hash_many`.
///
/// >>> import broadloom
/// >>> [(private, public)] = broadloom.kem_many([b""], "ml-kem-768", "generate")
/// >>> [(ciphertext, secret)] = broadloom.kem_many([public], "ml-kem-768", "encapsulate")
/// >>> found = broadloom.kem_many([ciphertext], "ml-kem-768", "decapsulate", private_key=private)
/// >>> found == [secret]
/// True
#[pyfunction]
#[pyo3(
    signature = (buffers, algorithm, direction, *, private_key = None, threads = Some(1)),
    text_signature = "(buffers, algorithm, direction, *, private_key=None, threads=1)"
)]
pub fn kem_many<'py>(
    buffers: &Bound<'py, PyAny>,
    algorithm: &str,
    direction: &str,
    private_key: Option<&Bound<'py, PyAny>>,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyList>> {
    let py = buffers.py();
    let threads = arguments::threads(threads)?;
    let kem = kem_of_name(algorithm)?;
    let direction = direction_of_name(kem, direction)?;
    let session = open(kem, direction, private_key)?;
    let buffers = Buffers::secrets(buffers, "buffers")?;
    let mut outputs = memory::collect((0..buffers.len()).map(|_| Zeroizing::new(Vec::new())))?;
    let failed = py.detach(|| {
        windows::process(
            Lanes::New,
            (buffers.len(), threads),
            &mut outputs,
            &|some| some.len() * COST,
            &|index| index + 1,
            &|index, output| Job::new(&session, buffers.get(index)).user(output),
            &|job| {
                let output = job.take_output();
                job.user_value_mut()[0] = Zeroizing::new(output);
            },
        )
    })?;
    if let Some(&(index, error)) = failed.first() {
        return Err(error::job(&format!("buffers[{index}]"), error));
    }
    let list = PyList::empty(py);
    for output in &outputs {
        let (first, second) = match direction {
            Direction::Generate => kem.keys_of(output),
            Direction::Encapsulate => output.split_at(kem.ciphertext_len()),
            _ => {
                list.append(memory::bytes(py, output)?)?;
                continue;
            }
        };
        list.append((memory::bytes(py, first)?, memory::bytes(py, second)?))?;
    }
    Ok(list)
}

/// What an operation costs, in bytes that could be hashed in that time, so that a few operations
/// are shared out among threads.
const COST: usize = 16 << 10;

/// The algorithm of a name.
fn kem_of_name(name: &str) -> PyResult<Kem> {
    let same = |kem: &Kem| kem.name().eq_ignore_ascii_case(name);
    let found = Kem::ALL.into_iter().find(same);
    found.ok_or_else(|| error::no_such("algorithm", name, Kem::ALL.into_iter().map(Kem::name)))
}

/// The transform that decapsulates with a private key: bytes, or of ML-KEM PEM or DER, too.
///
/// # Errors
/// `ValueError` where the key cannot be read, or is of another algorithm.
fn decapsulate(kem: Kem, key: &Bound<'_, PyAny>) -> PyResult<Transform> {
    let text = |error: KeyError| error.to_string();
    let of_file = |key: PrivateKey| match key.encapsulation_algorithm() {
        Some(algorithm) if algorithm == kem.algorithm() => {
            Transform::decapsulate(&key).map_err(|error| error.to_string())
        }
        _ => Err(format!("private_key is {key:?}, and the algorithm is {}", kem.name())),
    };
    let has_files = matches!(kem, Kem::MlKem(_));
    let from_pem = |pem: &str| match has_files {
        true => of_file(PrivateKey::from_pem(pem).map_err(text)?),
        false => Err("the key cannot be read: no PEM has keys of hybrids; valid: bytes".to_owned()),
    };
    let is_bare = |len| [kem.seed_len(), kem.private_key_len()].contains(&len);
    read_key(key, from_pem, |bytes| match has_files && !is_bare(bytes.len()) {
        true => of_file(PrivateKey::from_der(bytes).map_err(text)?),
        false => Transform::decapsulate_bytes(kem, bytes).map_err(text),
    })
}

/// The direction of a name.
fn direction_of_name(kem: Kem, name: &str) -> PyResult<Direction> {
    let known = Algorithm::PublicKey(kem.algorithm()).directions();
    let mut same = known.iter().filter(|direction| direction.name() == name);
    let found = same.next().copied();
    found.ok_or_else(|| error::no_such("direction", name, known.iter()))
}

/// The session of a direction.
///
/// # Errors
/// `ValueError` where a key is missing, of no use, or wrong.
fn open(
    kem: Kem,
    direction: Direction,
    private_key: Option<&Bound<'_, PyAny>>,
) -> PyResult<Session> {
    let transform = match (direction, private_key) {
        (Direction::Decapsulate, Some(key)) => {
            return engine::with_secrets(|| engine::open(&decapsulate(kem, key)?));
        }
        (Direction::Decapsulate, None) => {
            return Err(PyValueError::new_err("to decapsulate takes a private_key"));
        }
        (_, Some(_)) => {
            return Err(PyValueError::new_err(format!(
                "to {direction} takes no private_key; leave it out"
            )));
        }
        (Direction::Encapsulate, None) => Transform::encapsulate(kem.algorithm()),
        (_, None) => Transform::generate_key(kem.algorithm()),
    };
    engine::open(&transform.map_err(error::value)?)
}

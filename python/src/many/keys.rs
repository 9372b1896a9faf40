//! New keys for many signers.

use broadloom::public_key::{
    KeyError, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, PrivateKey, PublicKey, PublicKeyAlgorithm,
};
use broadloom::{Job, Transform};
use pyo3::prelude::*;
use pyo3::types::PyList;
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::windows::{self, Lanes};
use crate::{arguments, engine, error, memory};

/// Generates keys that sign.
///
/// :param seeds: seeds of 32 bytes, which must be secret, or `b""` for a random one.
/// :param algorithm: `ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`.
/// :returns: a list of pairs of the private key (PKCS #8) and the public key
///     (SubjectPublicKeyInfo), in DER, as `sign_many` and `verify_many` take them.
/// :raises ValueError: a name or the length of a seed is wrong.
///
/// The other parameters are those of `hash_many`.
///
/// >>> import broadloom
/// >>> [(private, public)] = broadloom.generate_keys([b""], "ml-dsa-65")
/// >>> signatures = broadloom.sign_many([b"warp", b"weft"], private)
/// >>> broadloom.verify_many([b"warp", b"weft"], signatures, public)
/// [True, True]
#[pyfunction]
#[pyo3(
    signature = (seeds, algorithm, *, threads = Some(1)),
    text_signature = "(seeds, algorithm, *, threads=1)"
)]
pub fn generate_keys<'py>(
    seeds: &Bound<'py, PyAny>,
    algorithm: &str,
    threads: Option<isize>,
) -> PyResult<Bound<'py, PyList>> {
    let py = seeds.py();
    let threads = arguments::threads(threads)?;
    let same = |set: &MlDsaSet| set.name().eq_ignore_ascii_case(algorithm);
    let set = MlDsaSet::ALL.into_iter().find(same).ok_or_else(|| {
        error::no_such("algorithm", algorithm, MlDsaSet::ALL.into_iter().map(MlDsaSet::name))
    })?;
    let transform = Transform::generate_key(PublicKeyAlgorithm::MlDsa(set));
    let session = engine::open(&transform.map_err(error::value)?)?;
    let seeds = Buffers::many(seeds, "seeds")?;
    let mut outputs = memory::collect((0..seeds.len()).map(|_| Zeroizing::new(Vec::new())))?;
    let failed = py.detach(|| {
        windows::process(
            Lanes::New,
            (seeds.len(), threads),
            &mut outputs,
            &|some| some.len() * COST,
            &|index| index + 1,
            &|index, output| Job::new(&session, seeds.get(index)).user(output),
            &|job| {
                let output = job.take_output();
                job.user_value_mut()[0] = Zeroizing::new(output);
            },
        )
    })?;
    if let Some(&(index, error)) = failed.first() {
        return Err(error::job(&format!("seeds[{index}]"), error));
    }
    let list = PyList::empty(py);
    for (index, output) in outputs.iter().enumerate() {
        let (private, public) = keys(set, seeds.get(index), output).map_err(error::value)?;
        list.append((memory::bytes(py, &private)?, memory::bytes(py, &public)?))?;
    }
    Ok(list)
}

/// What an operation costs, in bytes that could be hashed in that time, so that a few operations
/// are shared out among threads.
const COST: usize = 64 << 10;

/// A private key and a public key in DER.
type Pair = (Zeroizing<Vec<u8>>, Vec<u8>);

/// Returns what was generated of a seed, which may be empty, in DER.
fn keys(set: MlDsaSet, seed: &[u8], generated: &[u8]) -> Result<Pair, KeyError> {
    let (private, public) = generated.split_at(set.private_key_len());
    let private = match seed {
        [] => MlDsaPrivateKey::from_expanded(set, private),
        _ => MlDsaPrivateKey::from_both(set, seed, private),
    };
    let public = PublicKey::MlDsa(MlDsaPublicKey::new(set, public)?);
    Ok((PrivateKey::MlDsa(private?).to_der(), public.to_der()))
}

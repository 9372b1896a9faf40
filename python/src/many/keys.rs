//! New keys for many signers.

use broadloom::lanes::Cpu;
use broadloom::public_key::{
    KeyError, MlDsaPrivateKey, MlDsaPublicKey, MlDsaSet, PrivateKey, PublicKey, PublicKeyAlgorithm,
    SlhDsaSet, generate_slh_dsa_from_seeds,
};
use broadloom::{Job, JobError, Transform};
use pyo3::prelude::*;
use pyo3::types::PyList;
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::windows::{self, Lanes};
use crate::{arguments, engine, error, memory};

/// Generates keys that sign.
///
/// :param seeds: seeds, which must be secret, or `b""` for a random one. A seed of ML-DSA has 32
///     bytes. That of SLH-DSA is SK.seed, SK.prf and PK.seed, one after the other (FIPS 205): 48,
///     72 or 96 bytes, by the set.
/// :param algorithm: such as `ml-dsa-65` or `slh-dsa-sha2-128s`: any parameter set of ML-DSA or
///     SLH-DSA.
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
    let same = |set: &Set| set.name().eq_ignore_ascii_case(algorithm);
    let set = Set::all()
        .find(same)
        .ok_or_else(|| error::no_such("algorithm", algorithm, Set::all().map(Set::name)))?;
    let seeds = Buffers::secrets(seeds, "seeds")?;
    let pairs = match set {
        Set::MlDsa(set) => ml_dsa(py, set, &seeds, threads),
        Set::SlhDsa(set) => slh_dsa(py, set, &seeds, threads),
    };
    let list = PyList::empty(py);
    for (private, public) in pairs? {
        list.append((memory::bytes(py, &private)?, memory::bytes(py, &public)?))?;
    }
    Ok(list)
}

/// A parameter set whose keys sign.
#[derive(Clone, Copy)]
enum Set {
    MlDsa(MlDsaSet),
    SlhDsa(SlhDsaSet),
}

impl Set {
    fn all() -> impl Iterator<Item = Set> {
        let slh_dsa = SlhDsaSet::ALL.into_iter().map(Set::SlhDsa);
        MlDsaSet::ALL.into_iter().map(Set::MlDsa).chain(slh_dsa)
    }

    fn name(self) -> &'static str {
        match self {
            Set::MlDsa(set) => set.name(),
            Set::SlhDsa(set) => set.name(),
        }
    }
}

/// What an operation costs, in bytes that could be hashed in that time, so that a few operations
/// are shared out among threads.
const COST: usize = 64 << 10;

/// A private key and a public key in DER.
type Pair = (Zeroizing<Vec<u8>>, Vec<u8>);

/// Returns new keys of ML-DSA.
fn ml_dsa(py: Python<'_>, set: MlDsaSet, seeds: &Buffers, threads: usize) -> PyResult<Vec<Pair>> {
    let transform = Transform::generate_key(PublicKeyAlgorithm::MlDsa(set));
    let session = engine::open(&transform.map_err(error::value)?)?;
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
    let outputs = outputs.iter().enumerate();
    outputs
        .map(|(index, output)| ml_dsa_pair(set, seeds.get(index), output).map_err(error::value))
        .collect()
}

/// Returns what was generated of a seed, which may be empty, in DER.
fn ml_dsa_pair(set: MlDsaSet, seed: &[u8], generated: &[u8]) -> Result<Pair, KeyError> {
    let (private, public) = generated.split_at(set.private_key_len());
    let private = match seed {
        [] => MlDsaPrivateKey::from_expanded(set, private),
        _ => MlDsaPrivateKey::from_both(set, seed, private),
    };
    let public = PublicKey::MlDsa(MlDsaPublicKey::new(set, public)?);
    Ok((PrivateKey::MlDsa(private?).to_der(), public.to_der()))
}

/// Returns new keys of SLH-DSA, of which each fills all lanes of a thread.
fn slh_dsa(py: Python<'_>, set: SlhDsaSet, seeds: &Buffers, threads: usize) -> PyResult<Vec<Pair>> {
    let cpu = Cpu::detect();
    let len = 3 * set.node_len();
    let make = |index: usize, pair: &mut Pair| {
        let mut drawn = Zeroizing::new(Vec::new());
        let mut seed = seeds.get(index);
        if seed.is_empty() {
            drawn.resize(len, 0);
            getrandom::fill(&mut drawn).map_err(|error| JobError::Provider {
                code: error.raw_os_error().unwrap_or(-1).into(),
            })?;
            seed = &drawn;
        }
        let length = JobError::InputLength { len: seed.len(), min: len, max: len };
        let key = generate_slh_dsa_from_seeds(&cpu, set, seed).ok_or(length)?;
        let public = PublicKey::SlhDsa(key.public());
        *pair = (PrivateKey::SlhDsa(key).to_der(), public.to_der());
        Ok(())
    };
    let mut pairs = memory::collect((0..seeds.len()).map(|_| Pair::default()))?;
    let failed = py.detach(|| {
        windows::each((seeds.len(), threads), &mut pairs, &|index, pair| {
            engine::with_secrets(|| make(index, pair))
        })
    })?;
    match failed {
        Some((index, error)) => Err(error::job(&format!("seeds[{index}]"), error)),
        None => Ok(pairs),
    }
}

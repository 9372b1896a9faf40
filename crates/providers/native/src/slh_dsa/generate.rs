//! New keys.

use std::error::Error;
use std::fmt;

use broadloom_engine::{SlhDsaPrivateKey, SlhDsaSet};
use broadloom_lanes::{Cpu, Planner};
use broadloom_public_key::SlhDsaLanes;
use broadloom_schemes::random;
use zeroize::Zeroizing;

/// New keys of SLH-DSA, from random bytes of the system (FIPS 205, algorithm 21).
///
/// ```
/// use broadloom_engine::{PrivateKey, Scheme, SlhDsaSet, Transform};
/// use broadloom_lanes::Cpu;
/// use broadloom_native::generate_slh_dsa;
///
/// let keys = generate_slh_dsa(&Cpu::detect(), SlhDsaSet::Sha2_128f, 2)?;
/// assert_ne!(keys[0].as_bytes(), keys[1].as_bytes());
/// let key = PrivateKey::SlhDsa(keys[0].clone());
/// let transform = Transform::sign(&key, Scheme::default().hedged())?.context(b"an application")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RandomError`] if the system gives no random bytes.
pub fn generate_slh_dsa(
    cpu: &Cpu,
    set: SlhDsaSet,
    count: usize,
) -> Result<Vec<SlhDsaPrivateKey>, RandomError> {
    let len = set.private_key_len();
    let mut bytes = Zeroizing::new(vec![0; count * len]);
    random::fill(&mut bytes).map_err(|_| RandomError)?;
    let loans = bytes
        .chunks_exact_mut(len)
        .map(|key| SlhDsaLanes::from_seeds(set, key).expect("as many bytes as the set has"));
    Planner::<SlhDsaLanes>::new(cpu).process_each(loans);
    let key = |key| SlhDsaPrivateKey::new(set, key).expect("as many bytes as the set has");
    Ok(bytes.chunks_exact(len).map(key).collect())
}

/// Generates the key of SLH-DSA that three seeds make (FIPS 205, algorithm 18): SK.seed, SK.prf and
/// PK.seed, one after the other. Each has as many bytes as a node of the set. All must be random,
/// and the first two secret. Returns `None` for another number of bytes.
pub fn generate_slh_dsa_from_seeds(
    cpu: &Cpu,
    set: SlhDsaSet,
    seeds: &[u8],
) -> Option<SlhDsaPrivateKey> {
    let mut bytes = Zeroizing::new(vec![0; set.private_key_len()]);
    let room = &mut bytes[..3 * set.node_len()];
    if seeds.len() != room.len() {
        return None;
    }
    room.copy_from_slice(seeds);
    let loan = SlhDsaLanes::from_seeds(set, &mut bytes[..]).expect("as many bytes as the set has");
    Planner::<SlhDsaLanes>::new(cpu).process_each([loan]);
    Some(SlhDsaPrivateKey::new(set, &bytes).expect("as many bytes as the set has"))
}

/// The system gives no random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomError;

impl fmt::Display for RandomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system gives no random bytes")
    }
}

impl Error for RandomError {}

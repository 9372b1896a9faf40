//! ML-DSA (FIPS 204) by the crate `ml-dsa`, one operation after another.

use std::convert::Infallible;

use broadloom_engine::{HashAlgorithm, MlDsaSet};
use ml_dsa::signature::rand_core::{TryCryptoRng, TryRng};
use ml_dsa::{ExpandedSigningKey, MlDsa44, MlDsa65, MlDsa87, Signature, VerifyingKey};

/// Computes something with the type of a set.
macro_rules! by_set {
    ($set:expr, $Set:ident => $computed:expr) => {
        match $set {
            MlDsaSet::MlDsa44 => {
                type $Set = MlDsa44;
                $computed
            }
            MlDsaSet::MlDsa65 => {
                type $Set = MlDsa65;
                $computed
            }
            MlDsaSet::MlDsa87 => {
                type $Set = MlDsa87;
                $computed
            }
        }
    };
}

/// What a signature is of.
#[derive(Debug, Clone, Copy)]
pub enum Signed<'m> {
    /// A message, under a context string.
    Message(&'m [u8], &'m [u8]),
    /// The digest of a message, under a context string.
    Digest(HashAlgorithm, &'m [u8], &'m [u8]),
    /// Mu.
    Mu(&'m [u8]),
}

/// Returns the expanded private key of a seed, and the public key behind it.
///
/// # Panics
/// If the seed does not have 32 bytes.
pub fn generate(set: MlDsaSet, seed: &[u8]) -> Vec<u8> {
    by_set!(set, Set => {
        let seed = seed.try_into().expect("a seed has 32 bytes");
        let key = ExpandedSigningKey::<Set>::from_seed(seed);
        #[allow(deprecated, reason = "the encoding is the standard's")]
        let private = key.to_expanded();
        [&private[..], &key.verifying_key().encode()[..]].concat()
    })
}

/// Returns the signature by an expanded private key, with 32 bytes of randomness: zeros make a
/// deterministic signature.
///
/// # Panics
/// If a length is another than the set's, or a context string has more than 255 bytes.
pub fn sign(set: MlDsaSet, private: &[u8], signed: Signed<'_>, random: [u8; 32]) -> Vec<u8> {
    by_set!(set, Set => {
        let private = private.try_into().expect("a private key has the length of its set");
        #[allow(deprecated, reason = "the encoding is the standard's")]
        let key = ExpandedSigningKey::<Set>::from_expanded(private);
        let signature = match signed {
            Signed::Mu(mu) => {
                let mu = mu.try_into().expect("mu has 64 bytes");
                key.sign_mu_randomized(mu, &mut Given(random)).expect("there is randomness")
            }
            _ => key.sign_internal(&[&formatted(signed)], &random.into()),
        };
        signature.encode().to_vec()
    })
}

/// A source of randomness that gives these bytes.
struct Given([u8; 32]);

impl TryRng for Given {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("a signature takes bytes")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        unreachable!("a signature takes bytes")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.copy_from_slice(&self.0);
        Ok(())
    }
}

impl TryCryptoRng for Given {}

/// Returns `true` if a signature is right under a public key.
///
/// # Panics
/// If the key has another length than the set's, or a context string has more than 255 bytes.
pub fn verify(set: MlDsaSet, public: &[u8], signed: Signed<'_>, signature: &[u8]) -> bool {
    by_set!(set, Set => {
        let public = public.try_into().expect("a public key has the length of its set");
        let key = VerifyingKey::<Set>::decode(public);
        let Ok(signature) = Signature::<Set>::try_from(signature) else { return false };
        match signed {
            Signed::Mu(mu) => {
                mu.try_into().is_ok_and(|mu| key.verify_mu(mu, &signature))
            }
            _ => key.verify_internal(&formatted(signed), &signature),
        }
    })
}

/// Returns what is hashed behind the digest of the public key (FIPS 204, algorithms 2 and 4).
fn formatted(signed: Signed<'_>) -> Vec<u8> {
    let (is_hashed, context, hash, rest) = match signed {
        Signed::Message(message, context) => (0, context, None, message),
        Signed::Digest(hash, digest, context) => (1, context, Some(hash), digest),
        Signed::Mu(_) => unreachable!("mu is the hash of this"),
    };
    let len = u8::try_from(context.len()).expect("up to 255 bytes");
    let mut formatted = [&[is_hashed, len], context].concat();
    if let Some(hash) = hash {
        // 2.16.840.1.101.3.4.2.x, in DER.
        formatted.extend([6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, arc(hash)]);
    }
    formatted.extend(rest);
    formatted
}

/// The hashes of HashML-DSA, with the last number of their object identifiers.
const ARCS: [(HashAlgorithm, u8); 10] = [
    (HashAlgorithm::Sha256, 1),
    (HashAlgorithm::Sha384, 2),
    (HashAlgorithm::Sha512, 3),
    (HashAlgorithm::Sha224, 4),
    (HashAlgorithm::Sha3_224, 7),
    (HashAlgorithm::Sha3_256, 8),
    (HashAlgorithm::Sha3_384, 9),
    (HashAlgorithm::Sha3_512, 10),
    (HashAlgorithm::Shake128, 11),
    (HashAlgorithm::Shake256, 12),
];

/// Returns the hashes of HashML-DSA that the engine has.
pub fn hashes() -> impl Iterator<Item = HashAlgorithm> {
    ARCS.into_iter().map(|(hash, _)| hash)
}

/// Returns the last number of a hash's object identifier.
fn arc(hash: HashAlgorithm) -> u8 {
    let found = ARCS.into_iter().find(|(other, _)| *other == hash);
    found.unwrap_or_else(|| panic!("{hash} is no hash of HashML-DSA")).1
}

/// Returns the digest of a message as HashML-DSA takes it.
pub fn digest(hash: HashAlgorithm, message: &[u8]) -> Vec<u8> {
    super::hash::digest(hash, message, hash.digest_len())
}

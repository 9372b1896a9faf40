//! Keys of ML-DSA.

use std::fmt;

use super::KeyError;
use super::seeded::Seeded;
use crate::algorithm::MlDsaSet;

/// The private key of ML-DSA: the seed of which it is generated (FIPS 204, algorithm 6), the
/// expanded private key, or both.
///
/// A provider expands a seed when it opens a session. It then also checks that the secret vectors
/// of an expanded key are in their range (FIPS 204, algorithm 25), and that a seed which comes with
/// an expanded key is the seed of that key.
///
/// ```
/// use broadloom_engine::{MlDsaPrivateKey, MlDsaSet, PrivateKey, Scheme, Transform};
///
/// let key = MlDsaPrivateKey::from_seed(MlDsaSet::MlDsa65, &[7; 32])?;
/// let transform = Transform::sign(&PrivateKey::MlDsa(key), Scheme::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct MlDsaPrivateKey {
    set: MlDsaSet,
    parts: Seeded,
}

impl MlDsaPrivateKey {
    /// Returns the key of a seed.
    ///
    /// # Errors
    /// Another number of bytes than 32.
    pub fn from_seed(set: MlDsaSet, seed: &[u8]) -> Result<MlDsaPrivateKey, KeyError> {
        KeyError::check_len("a seed of ML-DSA", seed, MlDsaSet::SEED_LEN)?;
        Ok(MlDsaPrivateKey { set, parts: Seeded::new(seed, &[]) })
    }

    /// Returns the key of an expanded private key.
    ///
    /// # Errors
    /// Another number of bytes than the set has.
    pub fn from_expanded(set: MlDsaSet, key: &[u8]) -> Result<MlDsaPrivateKey, KeyError> {
        KeyError::check_len("a private key of ML-DSA", key, set.private_key_len())?;
        Ok(MlDsaPrivateKey { set, parts: Seeded::new(&[], key) })
    }

    /// Returns the key of a seed and the private key that was generated of it.
    ///
    /// # Errors
    /// Another number of bytes than the set has, of either.
    pub fn from_both(set: MlDsaSet, seed: &[u8], key: &[u8]) -> Result<MlDsaPrivateKey, KeyError> {
        KeyError::check_len("a seed of ML-DSA", seed, MlDsaSet::SEED_LEN)?;
        KeyError::check_len("a private key of ML-DSA", key, set.private_key_len())?;
        Ok(MlDsaPrivateKey { set, parts: Seeded::new(seed, key) })
    }

    /// Returns the parameter set.
    pub fn set(&self) -> MlDsaSet {
        self.set
    }

    /// Returns the seed, if it is known.
    pub fn seed(&self) -> Option<&[u8]> {
        self.parts.seed()
    }

    /// Returns the expanded private key, unless only the seed is known.
    pub fn expanded(&self) -> Option<&[u8]> {
        self.parts.expanded()
    }

    /// Returns all bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.parts.as_bytes()
    }
}

impl fmt::Debug for MlDsaPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key of {}", self.set.name())
    }
}

/// The public key of ML-DSA (FIPS 204, algorithm 22).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MlDsaPublicKey {
    set: MlDsaSet,
    bytes: Vec<u8>,
}

impl MlDsaPublicKey {
    /// Returns the key of these bytes.
    ///
    /// # Errors
    /// Another number of bytes than the set has.
    pub fn new(set: MlDsaSet, bytes: &[u8]) -> Result<MlDsaPublicKey, KeyError> {
        KeyError::check_len("a public key of ML-DSA", bytes, set.public_key_len())?;
        Ok(MlDsaPublicKey { set, bytes: bytes.to_vec() })
    }

    /// Returns the parameter set.
    pub fn set(&self) -> MlDsaSet {
        self.set
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

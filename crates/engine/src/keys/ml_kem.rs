//! Keys of ML-KEM.

use std::fmt;

use super::KeyError;
use super::seeded::Seeded;
use crate::algorithm::MlKemSet;

/// The private key of ML-KEM: the seed of which it is generated (FIPS 203, 7.1), the expanded
/// decapsulation key, or both.
///
/// A provider expands a seed when it opens a session. It then also checks that an expanded key has
/// numbers below 3329 and the digest of its encapsulation key (FIPS 203, 7.3), and that a seed
/// which comes with an expanded key is the seed of that key.
///
/// ```
/// use broadloom_engine::{MlKemPrivateKey, MlKemSet, PrivateKey, Transform};
///
/// let key = MlKemPrivateKey::from_seed(MlKemSet::MlKem768, &[7; 64])?;
/// let transform = Transform::decapsulate(&PrivateKey::MlKem(key))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct MlKemPrivateKey {
    set: MlKemSet,
    parts: Seeded,
}

impl MlKemPrivateKey {
    /// Returns the key of a seed: `d`, then `z`.
    ///
    /// # Errors
    /// Another number of bytes than 64.
    pub fn from_seed(set: MlKemSet, seed: &[u8]) -> Result<MlKemPrivateKey, KeyError> {
        KeyError::check_len("a seed of ML-KEM", seed, MlKemSet::SEED_LEN)?;
        Ok(MlKemPrivateKey { set, parts: Seeded::new(seed, &[]) })
    }

    /// Returns the key of an expanded decapsulation key.
    ///
    /// # Errors
    /// Another number of bytes than the set has.
    pub fn from_expanded(set: MlKemSet, key: &[u8]) -> Result<MlKemPrivateKey, KeyError> {
        KeyError::check_len("a decapsulation key of ML-KEM", key, set.private_key_len())?;
        Ok(MlKemPrivateKey { set, parts: Seeded::new(&[], key) })
    }

    /// Returns the key of a seed and the decapsulation key that was generated of it.
    ///
    /// # Errors
    /// Another number of bytes than the set has, of either.
    pub fn from_both(set: MlKemSet, seed: &[u8], key: &[u8]) -> Result<MlKemPrivateKey, KeyError> {
        KeyError::check_len("a seed of ML-KEM", seed, MlKemSet::SEED_LEN)?;
        KeyError::check_len("a decapsulation key of ML-KEM", key, set.private_key_len())?;
        Ok(MlKemPrivateKey { set, parts: Seeded::new(seed, key) })
    }

    /// The parameter set.
    pub fn set(&self) -> MlKemSet {
        self.set
    }

    /// The seed, if it is known.
    pub fn seed(&self) -> Option<&[u8]> {
        self.parts.seed()
    }

    /// The expanded decapsulation key, unless only the seed is known.
    pub fn expanded(&self) -> Option<&[u8]> {
        self.parts.expanded()
    }

    /// All bytes.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.parts.as_bytes()
    }
}

impl fmt::Debug for MlKemPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key of {}", self.set.name())
    }
}

/// The public key of ML-KEM: an encapsulation key. Its [bytes](MlKemPublicKey::as_bytes) are the
/// data of a job that [encapsulates](crate::Transform::encapsulate), which checks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MlKemPublicKey {
    set: MlKemSet,
    bytes: Vec<u8>,
}

impl MlKemPublicKey {
    /// Returns the key of these bytes.
    ///
    /// # Errors
    /// Another number of bytes than the set has.
    pub fn new(set: MlKemSet, bytes: &[u8]) -> Result<MlKemPublicKey, KeyError> {
        KeyError::check_len("an encapsulation key of ML-KEM", bytes, set.public_key_len())?;
        Ok(MlKemPublicKey { set, bytes: bytes.to_vec() })
    }

    /// The parameter set.
    pub fn set(&self) -> MlKemSet {
        self.set
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

//! Keys of SLH-DSA.

use std::fmt;

use zeroize::Zeroizing;

use super::KeyError;
use crate::algorithm::SlhDsaSet;

/// The private key of SLH-DSA (FIPS 205, 9.1): SK.seed, SK.prf, PK.seed and PK.root.
#[derive(Clone)]
pub struct SlhDsaPrivateKey {
    set: SlhDsaSet,
    bytes: Zeroizing<Vec<u8>>,
}

impl SlhDsaPrivateKey {
    /// The key of these bytes. That PK.root belongs to the others is not checked: this would take
    /// as long as to make a key.
    ///
    /// # Errors
    /// Another number of bytes than the set has.
    pub fn new(set: SlhDsaSet, bytes: &[u8]) -> Result<SlhDsaPrivateKey, KeyError> {
        KeyError::check_len("a private key of SLH-DSA", bytes, set.private_key_len())?;
        Ok(SlhDsaPrivateKey { set, bytes: Zeroizing::new(bytes.to_vec()) })
    }

    /// The parameter set.
    pub fn set(&self) -> SlhDsaSet {
        self.set
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The public key.
    pub fn public(&self) -> SlhDsaPublicKey {
        let bytes = self.bytes[2 * self.set.node_len()..].to_vec();
        SlhDsaPublicKey { set: self.set, bytes }
    }
}

impl fmt::Debug for SlhDsaPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a private key of {}", self.set.name())
    }
}

/// The public key of SLH-DSA (FIPS 205, 9.1): PK.seed and PK.root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlhDsaPublicKey {
    set: SlhDsaSet,
    bytes: Vec<u8>,
}

impl SlhDsaPublicKey {
    /// The key of these bytes.
    ///
    /// # Errors
    /// Another number of bytes than the set has.
    pub fn new(set: SlhDsaSet, bytes: &[u8]) -> Result<SlhDsaPublicKey, KeyError> {
        KeyError::check_len("a public key of SLH-DSA", bytes, set.public_key_len())?;
        Ok(SlhDsaPublicKey { set, bytes: bytes.to_vec() })
    }

    /// The parameter set.
    pub fn set(&self) -> SlhDsaSet {
        self.set
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

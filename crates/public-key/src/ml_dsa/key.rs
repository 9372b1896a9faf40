//! Keys, in the encodings of FIPS 204, section 7.2.

use core::fmt;

use broadloom_lanes::public;
use subtle::{Choice, ConstantTimeLess};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::error::MlDsaError;
use super::params::{DIGEST, LEN, MAX_PRIVATE, MAX_PUBLIC, MlDsaSet, SECRETS};

/// A public key. Every number that its encoding can have is good.
///
/// ```
/// use broadloom_public_key::{MlDsaPublicKey, MlDsaSet};
///
/// let key = MlDsaPublicKey::new(MlDsaSet::MlDsa44, &[7; 1312])?;
/// assert_eq!(key.bytes(), [7; 1312]);
/// # Ok::<(), broadloom_public_key::MlDsaError>(())
/// ```
#[derive(Clone)]
pub struct MlDsaPublicKey {
    set: MlDsaSet,
    bytes: [u8; MAX_PUBLIC],
}

/// A private key. Wiped when dropped.
pub struct MlDsaPrivateKey {
    set: MlDsaSet,
    bytes: [u8; MAX_PRIVATE],
}

/// Checks the length of a key, a signature or a buffer.
pub(super) fn check(
    what: &'static str,
    set: MlDsaSet,
    len: usize,
    valid: usize,
) -> Result<(), MlDsaError> {
    let set = set.name();
    if len == valid { Ok(()) } else { Err(MlDsaError::Length { what, set, len, valid }) }
}

impl MlDsaPublicKey {
    /// Takes a public key.
    ///
    /// # Errors
    /// [`MlDsaError::Length`] if there is another number of bytes than the set has.
    pub fn new(set: MlDsaSet, key: &[u8]) -> Result<Self, MlDsaError> {
        check("a public key", set, key.len(), set.public_key_len())?;
        let mut bytes = [0; MAX_PUBLIC];
        bytes[..key.len()].copy_from_slice(key);
        Ok(MlDsaPublicKey { set, bytes })
    }

    /// Returns the parameter set.
    pub fn set(&self) -> MlDsaSet {
        self.set
    }

    /// Returns the public key.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.set.public_key_len()]
    }
}

impl MlDsaPrivateKey {
    /// Takes a private key, and checks it (FIPS 204, algorithm 25).
    ///
    /// # Errors
    /// [`MlDsaError::Length`] if there is another number of bytes than the set has, and
    /// [`MlDsaError::Secret`] if a number of its secret vectors is out of their range.
    pub fn new(set: MlDsaSet, key: &[u8]) -> Result<Self, MlDsaError> {
        let key = Self::generated(set, key)?;
        let is_good = (0..key.secrets()).fold(Choice::from(1), |good, at| good & key.is_good(at));
        if !public(is_good) {
            // Whoever has a key that is none may know where.
            let place = (0..key.secrets()).find(|at| !public(key.is_good(*at)));
            return Err(MlDsaError::Secret { place: place.unwrap_or(0), eta: set.eta() });
        }
        Ok(key)
    }

    /// Takes a private key that a [`MlDsaKeyJob`](super::MlDsaKeyJob) has generated, of which
    /// nothing but the length needs to be checked.
    ///
    /// # Errors
    /// [`MlDsaError::Length`] if there is another number of bytes than the set has.
    pub fn generated(set: MlDsaSet, key: &[u8]) -> Result<Self, MlDsaError> {
        check("a private key", set, key.len(), set.private_key_len())?;
        let mut private = MlDsaPrivateKey { set, bytes: [0; MAX_PRIVATE] };
        private.bytes[..key.len()].copy_from_slice(key);
        Ok(private)
    }

    /// Returns the parameter set.
    pub fn set(&self) -> MlDsaSet {
        self.set
    }

    /// How many numbers both secret vectors have.
    fn secrets(&self) -> usize {
        256 * (self.set.k() + self.set.l())
    }

    /// Whether a number of the secret vectors is in their range.
    fn is_good(&self, at: usize) -> Choice {
        let bits = self.set.secret_packing().bits();
        let place = SECRETS + at * bits / 8;
        let pair = u16::from_le_bytes([self.bytes[place], self.bytes[place + 1]]);
        let number = pair >> (at * bits % 8) & ((1 << bits) - 1);
        u32::from(number).ct_lt(&(2 * self.set.eta() + 1))
    }

    /// All of it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.set.private_key_len()]
    }

    /// The seed of the matrix (rho), which is public.
    pub(super) fn rho(&self) -> &[u8] {
        &self.bytes[..LEN]
    }

    /// What makes the randomness of signatures (K).
    pub(super) fn signing_seed(&self) -> &[u8] {
        &self.bytes[LEN..2 * LEN]
    }

    /// The digest of the public key (tr).
    pub(super) fn digest(&self) -> &[u8] {
        &self.bytes[2 * LEN..][..DIGEST]
    }
}

impl Drop for MlDsaPrivateKey {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl ZeroizeOnDrop for MlDsaPrivateKey {}

impl fmt::Debug for MlDsaPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MlDsaPublicKey of {}", self.set)
    }
}

impl fmt::Debug for MlDsaPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MlDsaPrivateKey of {}", self.set)
    }
}

//! Keys, in the encodings of FIPS 203, section 7.

use core::fmt;

use broadloom_lanes::inside::sponge::{MAX_RATE, PORTABLE, Rate, WORDS};
use broadloom_lanes::public;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::error::MlKemError;
use super::params::{LEN, MAX_PRIVATE, MAX_PUBLIC, MlKemSet, POLY};
use crate::kernels::ml_kem::ring::Q;

/// An encapsulation key, whose numbers were checked.
///
/// ```
/// use broadloom_public_key::{MlKemPublicKey, MlKemSet};
///
/// let key = MlKemPublicKey::new(MlKemSet::MlKem512, &[7; 800])?;
/// assert_eq!(key.bytes(), [7; 800]);
/// assert!(MlKemPublicKey::new(MlKemSet::MlKem512, &[0xff; 800]).is_err(), "4095 is above 3328");
/// # Ok::<(), broadloom_public_key::MlKemError>(())
/// ```
#[derive(Clone)]
pub struct MlKemPublicKey {
    set: MlKemSet,
    bytes: [u8; MAX_PUBLIC],
}

/// A decapsulation key. Wiped when dropped.
pub struct MlKemPrivateKey {
    set: MlKemSet,
    bytes: [u8; MAX_PRIVATE],
}

/// Checks the length of a key or of a buffer.
pub(super) fn check(
    what: &'static str,
    set: MlKemSet,
    len: usize,
    valid: usize,
) -> Result<(), MlKemError> {
    let set = set.name();
    if len == valid { Ok(()) } else { Err(MlKemError::Length { what, set, len, valid }) }
}

/// Returns the two numbers of three bytes.
fn numbers([a, b, c]: [u8; 3]) -> [u16; 2] {
    [u16::from(a) | u16::from(b & 15) << 8, u16::from(b >> 4) | u16::from(c) << 4]
}

/// Checks that the numbers of an encapsulation key are below the modulus.
fn check_numbers(vector: &[u8]) -> Result<(), MlKemError> {
    let triples = vector.as_chunks::<3>().0;
    let is_high = |number: u16| number >= Q.unsigned_abs();
    // All of them are looked at, so that the compiler can do it with vectors.
    let any_high = triples.iter().fold(false, |high, triple| {
        let [a, b] = numbers(*triple);
        high | is_high(a) | is_high(b)
    });
    if !any_high {
        return Ok(());
    }
    let mut all = triples.iter().flat_map(|triple| numbers(*triple)).enumerate();
    match all.find(|(_, number)| is_high(*number)) {
        Some((place, number)) => Err(MlKemError::Modulus { place, number }),
        None => Ok(()),
    }
}

impl MlKemPublicKey {
    /// Takes an encapsulation key, and checks it (FIPS 203, section 7.2).
    ///
    /// # Errors
    /// [`MlKemError::Length`] if there is another number of bytes than the set has, and
    /// [`MlKemError::Modulus`] if a number is not below 3329.
    pub fn new(set: MlKemSet, key: &[u8]) -> Result<Self, MlKemError> {
        check("an encapsulation key", set, key.len(), set.public_key_len())?;
        check_numbers(&key[..set.k() * POLY])?;
        let mut bytes = [0; MAX_PUBLIC];
        bytes[..key.len()].copy_from_slice(key);
        Ok(MlKemPublicKey { set, bytes })
    }

    /// Returns the parameter set.
    pub fn set(&self) -> MlKemSet {
        self.set
    }

    /// Returns the encapsulation key.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.set.public_key_len()]
    }
}

impl MlKemPrivateKey {
    /// Takes a decapsulation key, and checks it (FIPS 203, section 7.3).
    ///
    /// # Errors
    /// [`MlKemError::Length`] if there is another number of bytes than the set has,
    /// [`MlKemError::Modulus`] if a number of its encapsulation key is not below 3329, and
    /// [`MlKemError::Digest`] if the digest in it is not that of its encapsulation key.
    pub fn new(set: MlKemSet, key: &[u8]) -> Result<Self, MlKemError> {
        let key = Self::generated(set, key)?;
        check_numbers(&key.public()[..set.k() * POLY])?;
        let digest = sha3_256(key.public());
        if !public(digest.ct_eq(key.digest())) {
            return Err(MlKemError::Digest);
        }
        Ok(key)
    }

    /// Takes a decapsulation key that a [`MlKemJob`](super::MlKemJob) has generated, of which
    /// nothing but the length needs to be checked.
    ///
    /// # Errors
    /// [`MlKemError::Length`] if there is another number of bytes than the set has.
    pub fn generated(set: MlKemSet, key: &[u8]) -> Result<Self, MlKemError> {
        check("a decapsulation key", set, key.len(), set.private_key_len())?;
        let mut private = MlKemPrivateKey { set, bytes: [0; MAX_PRIVATE] };
        private.bytes[..key.len()].copy_from_slice(key);
        Ok(private)
    }

    /// Returns the parameter set.
    pub fn set(&self) -> MlKemSet {
        self.set
    }

    /// Returns the encapsulation key that belongs to it.
    pub fn public(&self) -> &[u8] {
        &self.bytes[self.set.k() * POLY..][..self.set.public_key_len()]
    }

    /// All of it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.set.private_key_len()]
    }

    /// The digest of the encapsulation key.
    pub(super) fn digest(&self) -> &[u8] {
        &self.bytes[self.set.private_key_len() - 2 * LEN..][..LEN]
    }

    /// Returns the bytes that make the secret of a ciphertext that is wrong (z).
    pub(super) fn rejection(&self) -> &[u8] {
        &self.bytes[self.set.private_key_len() - LEN..][..LEN]
    }
}

/// Returns the digest of a message, with the kernel that every machine has.
fn sha3_256(message: &[u8]) -> [u8; LEN] {
    let kernel = PORTABLE;
    let (rate, mut state, mut block) = (Rate::Bytes136, [0; WORDS], [0; MAX_RATE]);
    let (whole, rest) = message.split_at(message.len() / rate.bytes() * rate.bytes());
    kernel.absorb_one(&mut state, rate, whole);
    block[..rest.len()].copy_from_slice(rest);
    block[rest.len()] = 0x06;
    block[rate.bytes() - 1] |= 0x80;
    kernel.absorb_one(&mut state, rate, &block[..rate.bytes()]);
    let mut digest = [0; LEN];
    for (piece, word) in digest.as_chunks_mut().0.iter_mut().zip(state) {
        *piece = u64::to_le_bytes(word);
    }
    digest
}

impl Drop for MlKemPrivateKey {
    fn drop(&mut self) {
        self.bytes.zeroize();
    }
}

impl ZeroizeOnDrop for MlKemPrivateKey {}

impl fmt::Debug for MlKemPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MlKemPublicKey of {}", self.set)
    }
}

impl fmt::Debug for MlKemPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MlKemPrivateKey of {}", self.set)
    }
}

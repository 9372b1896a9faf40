//! Blinding: the input of a private operation is multiplied with a random number that nobody knows,
//! so that what the operation does cannot be steered or foreseen by who chose the input.

use core::fmt;

use broadloom_lanes::public;
use subtle::ConstantTimeEq;
use zeroize::ZeroizeOnDrop;

use super::key::{RsaPrivateKey, inverse};
use crate::arch::portable;
use crate::bignum::{Modulus, Powers};
use crate::kernels::bignum::{MAX_LANES, Number};

/// A source of [`RsaBlind`]s for one key, one for each job.
///
/// It begins with a random number r, and computes r^e and the inverse of r, which takes somewhat
/// longer than a private operation. After each blind, it squares both, which takes as long as two
/// multiplications, and no inversion. So the blinds of one source follow from each other: make a
/// new one from time to time, as OpenSSL does after 32.
///
/// Together with the two multiplications in which a job uses it, a blind costs about 1.5 % of a
/// private operation.
pub struct RsaBlinding {
    modulus: Modulus,
    next: RsaBlind,
}

/// A number to blind one private operation with: one use each. Wiped when dropped.
#[derive(Clone)]
pub struct RsaBlind {
    /// What stands for r^e and for the inverse of r, on 64-bit limbs.
    pub(super) power: Number,
    pub(super) inverse: Number,
}

impl RsaBlinding {
    /// Makes a source from random bytes that nobody else knows or will see again: as many as the
    /// modulus has.
    ///
    /// # Errors
    /// [`RsaBlindingError`] if there is another number of bytes, or if they make a multiple of a
    /// prime. That does not happen to random bytes.
    pub fn new(key: &RsaPrivateKey, random: &[u8]) -> Result<Self, RsaBlindingError> {
        let kernel = &portable::BIGNUM;
        let (public_key, bits) = (key.public(), key.bits());
        let modulus = public_key.modulus();
        let number = (random.len() == key.size()).then(|| Number::from_bytes(random, bits / 64));
        let mut number = number.flatten().ok_or(RsaBlindingError)?;
        number.reduce_once(0, modulus.value());
        let [p, q] = key
            .halves()
            .each_ref()
            .map(|half| inverse(&half.prime, &half.prime.reduce(&number, kernel)));
        let inverse = modulus.enter(&key.combine([&p, &q], kernel), kernel);
        let one = modulus.multiply(&inverse, &number, kernel);
        if !public(one.ct_eq(&Number::small(1, bits / 64))) {
            return Err(RsaBlindingError);
        }
        let mut powers = Powers::new(&[kernel], 0, bits);
        powers.start(kernel, bits);
        powers.put(0, modulus, &number);
        powers.raise_public(&[public_key.exponent(); MAX_LANES]);
        let power = modulus.enter(&powers.take(0, modulus), kernel);
        Ok(RsaBlinding { modulus: modulus.clone(), next: RsaBlind { power, inverse } })
    }

    /// Returns the next blind, for one job.
    pub fn next_blind(&mut self) -> RsaBlind {
        let (modulus, kernel) = (&self.modulus, &portable::BIGNUM);
        let RsaBlind { power, inverse } = &self.next;
        let next = RsaBlind {
            power: modulus.multiply(power, power, kernel),
            inverse: modulus.multiply(inverse, inverse, kernel),
        };
        core::mem::replace(&mut self.next, next)
    }
}

impl ZeroizeOnDrop for RsaBlind {}

impl fmt::Debug for RsaBlinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RsaBlinding")
    }
}

impl fmt::Debug for RsaBlind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RsaBlind")
    }
}

/// Bytes that no blinding can be made from: not as many as the modulus has, or without an inverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RsaBlindingError;

impl fmt::Display for RsaBlindingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("blinding takes as many random bytes as the modulus has, and no zeros")
    }
}

impl core::error::Error for RsaBlindingError {}

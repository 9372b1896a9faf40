//! The numbers of a key for kernels elsewhere: on a device, for instance.

use super::blinding::RsaBlind;
use super::key::RsaPrivateKey;
use super::public::RsaPublicKey;
use crate::bignum::Modulus;
use crate::kernels::bignum::Radix;

/// An odd modulus, and what Montgomery multiplication needs of it. Numbers are limbs of 64 bits,
/// the lowest first. R is 2 to the number of bits of the modulus, whose highest bit is set.
#[derive(Clone, Copy)]
pub struct RsaModulus<'a> {
    /// The modulus.
    pub limbs: &'a [u64],
    /// R² modulo the modulus.
    pub square: &'a [u64],
    /// The inverse of minus the modulus, modulo 2^64.
    pub inverse: u64,
}

/// The numbers of a private key for kernels elsewhere. They are as secret as the key.
#[derive(Clone, Copy)]
pub struct RsaConstants<'a> {
    /// The primes, *p* and *q*.
    pub primes: [RsaModulus<'a>; 2],
    /// The private exponent modulo either prime less one, *dP* and *dQ*.
    pub exponents: [&'a [u64]; 2],
    /// The product of R and the inverse of *q*, modulo *p*.
    pub coefficient: &'a [u64],
}

impl<'a> RsaModulus<'a> {
    fn of(modulus: &'a Modulus) -> Self {
        RsaModulus {
            limbs: modulus.value().words(),
            square: modulus.square(Radix::Bits64).words(),
            inverse: modulus.inverse(),
        }
    }
}

impl RsaPublicKey {
    /// Returns the modulus for kernels elsewhere.
    pub fn constants(&self) -> RsaModulus<'_> {
        RsaModulus::of(self.modulus())
    }
}

impl RsaPrivateKey {
    /// Returns the secret numbers for kernels elsewhere. What they compute is theirs to
    /// [blind](crate::RsaBlinding), and to check with the public exponent.
    pub fn constants(&self) -> RsaConstants<'_> {
        let [p, q] = self.halves();
        RsaConstants {
            primes: [RsaModulus::of(&p.prime), RsaModulus::of(&q.prime)],
            exponents: [p.exponent.words(), q.exponent.words()],
            coefficient: self.coefficient().words(),
        }
    }
}

impl RsaBlind {
    /// Returns the number to multiply the input with: R·r^e modulo the modulus, in limbs of 64
    /// bits, the lowest first. A Montgomery multiplication divides by R.
    pub fn power(&self) -> &[u64] {
        self.power.words()
    }

    /// Returns the number to multiply the result with: R/r modulo the modulus, likewise.
    pub fn inverse(&self) -> &[u64] {
        self.inverse.words()
    }
}
